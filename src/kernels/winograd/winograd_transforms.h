#pragma once

// B^T and A^T of winograd.h along one side of 16 tiles. Only for files that are compiled for
// AVX-512.

#include <immintrin.h>

#include <cstdint>

#include "kernels/winograd/winograd.h"

namespace weft::kernels::WEFT_ISA {
namespace {

inline constexpr std::int64_t kLanes = 16;

// Squares of the points of m = 4.
inline constexpr auto kA = static_cast<float>(kWinogradNear);
inline constexpr auto kB = static_cast<float>(kWinogradFar);

inline __m512 set(float x) { return _mm512_set1_ps(x); }

// B^T of one column, in place: points 0, 1, -1, infinity.
inline void transform_inputs(__m512 (&d)[4]) {
  const __m512 zero = _mm512_sub_ps(d[0], d[2]);
  const __m512 plus = _mm512_add_ps(d[2], d[1]);
  const __m512 minus = _mm512_sub_ps(d[2], d[1]);
  d[3] = _mm512_sub_ps(d[3], d[1]);
  d[0] = zero;
  d[1] = plus;
  d[2] = minus;
}

// Points 0, kA, -kA, kB, -kB, infinity.
inline void transform_inputs(__m512 (&d)[6]) {
  constexpr float kAA = kA * kA, kBB = kB * kB;
  const __m512 even_a = _mm512_fnmadd_ps(set(kBB), d[2], d[4]);
  const __m512 odd_a = _mm512_mul_ps(set(kA), _mm512_fnmadd_ps(set(kBB), d[1], d[3]));
  const __m512 even_b = _mm512_fnmadd_ps(set(kAA), d[2], d[4]);
  const __m512 odd_b = _mm512_mul_ps(set(kB), _mm512_fnmadd_ps(set(kAA), d[1], d[3]));
  d[0] = _mm512_fmadd_ps(set(kAA * kBB), d[0], _mm512_fnmadd_ps(set(kAA + kBB), d[2], d[4]));
  d[5] = _mm512_fmadd_ps(set(kAA * kBB), d[1], _mm512_fnmadd_ps(set(kAA + kBB), d[3], d[5]));
  d[1] = _mm512_add_ps(even_a, odd_a);
  d[2] = _mm512_sub_ps(even_a, odd_a);
  d[3] = _mm512_add_ps(even_b, odd_b);
  d[4] = _mm512_sub_ps(even_b, odd_b);
}

// A^T of one column of points.
inline void transform_sums(const __m512 (&m)[4], __m512 (&y)[2]) {
  y[0] = _mm512_add_ps(m[0], _mm512_add_ps(m[1], m[2]));
  y[1] = _mm512_add_ps(_mm512_sub_ps(m[1], m[2]), m[3]);
}
inline void transform_sums(const __m512 (&m)[6], __m512 (&y)[4]) {
  constexpr float kAA = kA * kA, kBB = kB * kB;
  const __m512 even_a = _mm512_add_ps(m[1], m[2]);
  const __m512 odd_a = _mm512_sub_ps(m[1], m[2]);
  const __m512 even_b = _mm512_add_ps(m[3], m[4]);
  const __m512 odd_b = _mm512_sub_ps(m[3], m[4]);
  y[0] = _mm512_add_ps(m[0], _mm512_add_ps(even_a, even_b));
  y[1] = _mm512_fmadd_ps(set(kA), odd_a, _mm512_mul_ps(set(kB), odd_b));
  y[2] = _mm512_fmadd_ps(set(kAA), even_a, _mm512_mul_ps(set(kBB), even_b));
  y[3] = _mm512_fmadd_ps(set(kAA * kA), odd_a, _mm512_fmadd_ps(set(kBB * kB), odd_b, m[5]));
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
