#pragma once

#include <string_view>
#include <vector>

#include "weft/export.h"
#include "weft/isa.h"

namespace weft {

WEFT_API std::string_view version() noexcept;        // "0.1.0"
WEFT_API std::string_view feature_level() noexcept;  // "6_4", the DirectML level implemented

// Instruction sets that this library was built with, that this machine has, and the best one that
// plans use (WEFT_MAX_ISA applied). best_isa() throws Error when WEFT_MAX_ISA is not a name.
WEFT_API std::vector<Isa> built_isas();
WEFT_API std::vector<Isa> machine_isas();
WEFT_API Isa best_isa();

// Threads that a run uses when PlanOptions::threads is 0: one a processor that the process may use,
// or as many as its container may keep busy (a control group's cpu.max) where that is less.
WEFT_API unsigned default_thread_count() noexcept;

}  // namespace weft
