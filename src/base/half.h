#pragma once

#include <fp16.h>

#include <cstdint>

namespace weft::base {

// IEEE binary16 as its bits. Narrowing rounds to nearest, ties to even.
inline float widen_half(std::uint16_t bits) noexcept { return fp16_ieee_to_fp32_value(bits); }
inline std::uint16_t narrow_half(float value) noexcept { return fp16_ieee_from_fp32_value(value); }

}  // namespace weft::base
