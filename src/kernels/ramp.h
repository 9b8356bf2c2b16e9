#pragma once

// What RELU, LEAKY_RELU and CLIP make of a sum, which kernels do while it is in a register. Static:
// each level's code keeps its own copy.

#include <limits>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace weft::kernels {

// x is multiplied by `slope` where it is negative, becomes `least` where it is smaller then, and
// `most` where it is larger. NaN stays, and -0 where a bound is 0. Kernels take a pointer, null
// where nothing is to be done.
struct Ramp {
  float slope = 1;
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();

  bool operator==(const Ramp&) const = default;
  // Itself, or null where all numbers stay as they are.
  const Ramp* bent() const { return *this == Ramp{} ? nullptr : this; }
};

static inline float ramp(float x, const Ramp& r) {
  const float bent = x < 0 ? x * r.slope : x;
  const float raised = bent < r.least ? r.least : bent;
  return raised > r.most ? r.most : raised;
}

// Of a NaN or of equal numbers max and min take the second one.
#ifdef __AVX512F__
static inline __m512 ramp(__m512 x, const Ramp& r) {
  const __mmask16 negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
  const __m512 bent = _mm512_mask_mul_ps(x, negative, x, _mm512_set1_ps(r.slope));
  return _mm512_min_ps(_mm512_set1_ps(r.most), _mm512_max_ps(_mm512_set1_ps(r.least), bent));
}
#endif
#ifdef __AVX__
static inline __m256 ramp(__m256 x, const Ramp& r) {
  const __m256 negative = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ);
  const __m256 bent = _mm256_blendv_ps(x, _mm256_mul_ps(x, _mm256_set1_ps(r.slope)), negative);
  return _mm256_min_ps(_mm256_set1_ps(r.most), _mm256_max_ps(_mm256_set1_ps(r.least), bent));
}
#endif

}  // namespace weft::kernels
