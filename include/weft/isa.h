#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weft/export.h"

namespace weft {

// The instruction sets that kernels are compiled for, weakest first.
// amx: avx512, and convolutions on the matrix unit.
enum class Isa : std::uint32_t { base, sse4, avx2, avx512, amx };

WEFT_API std::string_view name(Isa isa) noexcept;  // "avx2"; "unknown" for anything else
WEFT_API std::optional<Isa> parse_isa(std::string_view text) noexcept;

}  // namespace weft
