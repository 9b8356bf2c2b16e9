#pragma once

// Which of two NaN an operation passes on depends on the order of its operands, and that on how the
// compiler wrote a loop, its remainder, or a tile of another shape. So every NaN becomes the same
// one at the end of a sum or function, or before: 0xffc00000, which x86 processors make for
// infinity minus infinity. Static: each level's code keeps its own copy.

#include <bit>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace weft::kernels {

inline constexpr float kOneNan = std::bit_cast<float>(0xffc00000u);

static inline float one_nan(float x) { return x == x ? x : kOneNan; }
static inline double one_nan(double x) { return x == x ? x : double{kOneNan}; }

#ifdef __AVX512F__
// A digit for each class of numbers, from NaN at the right: 3 makes it that NaN, 0 leaves it.
static inline __m512 one_nan(__m512 x) {
  return _mm512_fixupimm_ps(x, x, _mm512_set1_epi32(0x33), 0);
}
static inline __m256 one_nan(__m256 x) {
  return _mm256_fixupimm_ps(x, x, _mm256_set1_epi32(0x33), 0);
}
#elif defined(__AVX__)
static inline __m256 one_nan(__m256 x) {
  return _mm256_blendv_ps(x, _mm256_set1_ps(kOneNan), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
#endif

}  // namespace weft::kernels
