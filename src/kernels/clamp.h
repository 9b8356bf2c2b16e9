#pragma once

// What RELU and CLIP make of a sum: they bring it into a range, which kernels do while it is in a
// register. Static: each level's code keeps its own copy.

#include <limits>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace weft::kernels {

// x becomes `least` where it is smaller, and then `most` where it is larger. NaN stays, and -0
// where a bound is 0.
struct Clamp {
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();

  // Whether there are numbers that do not stay as they are.
  constexpr bool bounds() const { return *this != Clamp{}; }
  bool operator==(const Clamp&) const = default;
};

static inline float clamp(float x, const Clamp& c) {
  const float raised = x < c.least ? c.least : x;
  return raised > c.most ? c.most : raised;
}

// Of a NaN or of equal numbers max and min take the second one.
#ifdef __AVX512F__
static inline __m512 clamp(__m512 x, const Clamp& c) {
  return _mm512_min_ps(_mm512_set1_ps(c.most), _mm512_max_ps(_mm512_set1_ps(c.least), x));
}
#endif
#ifdef __AVX__
static inline __m256 clamp(__m256 x, const Clamp& c) {
  return _mm256_min_ps(_mm256_set1_ps(c.most), _mm256_max_ps(_mm256_set1_ps(c.least), x));
}
#endif

}  // namespace weft::kernels
