#pragma once

// float16 in kernels, by the machine's own conversions where the instruction set has them. Static:
// each level's code keeps its own copy, so that the linker cannot hand one to another.

#include <cstdint>

#ifdef __F16C__
#include <immintrin.h>
#else
#include <fp16.h>
#endif

namespace weft::kernels {

static inline float widen_half(std::uint16_t bits) {
#ifdef __F16C__
  return _cvtsh_ss(bits);
#else
  return fp16_ieee_to_fp32_value(bits);
#endif
}

// To nearest, ties to even.
static inline std::uint16_t narrow_half(float value) {
#ifdef __F16C__
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  return fp16_ieee_from_fp32_value(value);
#endif
}

}  // namespace weft::kernels
