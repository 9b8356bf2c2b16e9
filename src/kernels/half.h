#pragma once

// float16 in kernels, by the machine's own conversions where the instruction set has them. Static:
// each level's code keeps its own copy, so that the linker cannot hand one to another.

#include <cstdint>
#include <cstring>

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

#ifdef __F16C__
// The first `count` of eight, and zeros. 0 to 8.
static inline __m128i load_some_halves(const std::uint16_t* from, std::int64_t count) {
  if (count == 8) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  __m128i x = _mm_setzero_si128();
  if ((count & 1) != 0) x = _mm_cvtsi32_si128(from[count - 1]);
  if ((count & 2) != 0) {
    std::int32_t two;
    std::memcpy(&two, from + (count & 4), sizeof two);
    x = _mm_or_si128(_mm_slli_si128(x, 4), _mm_cvtsi32_si128(two));
  }
  if ((count & 4) != 0) {
    x = _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), x);
  }
  return x;
}

// Stores the first `count` of eight. 0 to 7.
static inline void store_some_halves(__m128i x, std::uint16_t* to, std::int64_t count) {
  if ((count & 4) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), x);
    x = _mm_srli_si128(x, 8);
    to += 4;
  }
  if ((count & 2) != 0) {
    const std::int32_t two = _mm_cvtsi128_si32(x);
    std::memcpy(to, &two, sizeof two);
    x = _mm_srli_si128(x, 4);
    to += 2;
  }
  if ((count & 1) != 0) *to = static_cast<std::uint16_t>(_mm_extract_epi16(x, 0));
}
#endif

}  // namespace weft::kernels
