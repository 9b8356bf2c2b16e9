#pragma once

#include <optional>

#include "weft/isa.h"

namespace weft::base {

// Whether this machine and its operating system can run code of a level.
bool machine_has(Isa isa) noexcept;

// Whether AMD made the processor: its caches favour other orders of work.
bool is_amd() noexcept;

// Whether it is a Zen 5 of AMD or a later one, whose caches are wider than those before.
bool is_zen5() noexcept;

// Whether vectors of AVX-512 take two turns there, as on a Zen 4 of AMD: as long as two of AVX2.
bool halves_vectors() noexcept;

// Whether this library contains kernels of a level.
bool built_with(Isa isa) noexcept;

// The best level that is built, present and allowed by WEFT_MAX_ISA and `cap`.
// Throws Error when WEFT_MAX_ISA is not the name of a level.
Isa choose_isa(std::optional<Isa> cap = std::nullopt);

// Whether WEFT_DETERMINISM asks for the same bits on every CPU.
// Throws Error when it is neither "strict" nor "machine".
bool strict_asked();

}  // namespace weft::base
