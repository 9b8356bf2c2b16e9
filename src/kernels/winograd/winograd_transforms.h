#pragma once

// B^T and A^T of winograd.h along one side of a vector of tiles. Only for files that are compiled
// for AVX-512 or AVX2.

#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_vectors.h"

namespace weft::kernels::WEFT_ISA {
namespace {

inline constexpr auto kA = static_cast<float>(kWinogradNear);
inline constexpr auto kB = static_cast<float>(kWinogradFar);

inline constexpr auto kA2 = static_cast<float>(kWinogradFar2);
inline constexpr auto kB2 = static_cast<float>(kWinogradNear2);

// B^T of one column, in place. A side of one tap.
inline void transform_inputs(Vector (&)[1]) {}

// Two outputs, points 1, -1, infinity.
inline void transform_inputs(Vector (&d)[3]) {
  d[2] = d[2] - d[0];
  const Vector minus = d[1] - d[0];
  d[0] = d[1] + d[0];
  d[1] = minus;
}

// Points 0, 1, -1, infinity.
inline void transform_inputs(Vector (&d)[4]) {
  const Vector zero = d[0] - d[2];
  const Vector plus = d[2] + d[1];
  const Vector minus = d[2] - d[1];
  d[3] = d[3] - d[1];
  d[0] = zero;
  d[1] = plus;
  d[2] = minus;
}

// Points kA2, -kA2, kB2, -kB2, infinity.
inline void transform_inputs(Vector (&d)[5]) {
  constexpr float kAA = kA2 * kA2, kBB = kB2 * kB2;
  const Vector even_a = set(kA2) * multiply_subtract(set(kBB), d[0], d[2]);
  const Vector odd_a = multiply_subtract(set(kBB), d[1], d[3]);
  const Vector even_b = set(kB2) * multiply_subtract(set(kAA), d[0], d[2]);
  const Vector odd_b = multiply_subtract(set(kAA), d[1], d[3]);
  d[4] = multiply_add(set(kAA * kBB), d[0], multiply_subtract(set(kAA + kBB), d[2], d[4]));
  d[0] = odd_a + even_a;
  d[1] = odd_a - even_a;
  d[2] = odd_b + even_b;
  d[3] = odd_b - even_b;
}

// Points 0, kA, -kA, kB, -kB, infinity.
inline void transform_inputs(Vector (&d)[6]) {
  constexpr float kAA = kA * kA, kBB = kB * kB;
  const Vector even_a = multiply_subtract(set(kBB), d[2], d[4]);
  const Vector odd_a = set(kA) * multiply_subtract(set(kBB), d[1], d[3]);
  const Vector even_b = multiply_subtract(set(kAA), d[2], d[4]);
  const Vector odd_b = set(kB) * multiply_subtract(set(kAA), d[1], d[3]);
  d[0] = multiply_add(set(kAA * kBB), d[0], multiply_subtract(set(kAA + kBB), d[2], d[4]));
  d[5] = multiply_add(set(kAA * kBB), d[1], multiply_subtract(set(kAA + kBB), d[3], d[5]));
  d[1] = even_a + odd_a;
  d[2] = even_a - odd_a;
  d[3] = even_b + odd_b;
  d[4] = even_b - odd_b;
}

// A^T of one column of points.
inline void transform_sums(const Vector (&m)[1], Vector (&y)[1]) { y[0] = m[0]; }
inline void transform_sums(const Vector (&m)[3], Vector (&y)[2]) {
  y[0] = m[0] + m[1];
  y[1] = (m[0] - m[1]) + m[2];
}
inline void transform_sums(const Vector (&m)[4], Vector (&y)[2]) {
  y[0] = m[0] + (m[1] + m[2]);
  y[1] = (m[1] - m[2]) + m[3];
}
// Four outputs of points a, -a, b, -b and infinity.
inline void transform_pairs(const Vector* m, float a, float b, Vector (&y)[4]) {
  const float aa = a * a, bb = b * b;
  const Vector even_a = m[0] + m[1];
  const Vector odd_a = m[0] - m[1];
  const Vector even_b = m[2] + m[3];
  const Vector odd_b = m[2] - m[3];
  y[0] = even_a + even_b;
  y[1] = multiply_add(set(a), odd_a, set(b) * odd_b);
  y[2] = multiply_add(set(aa), even_a, set(bb) * even_b);
  y[3] = multiply_add(set(aa * a), odd_a, multiply_add(set(bb * b), odd_b, m[4]));
}
inline void transform_sums(const Vector (&m)[5], Vector (&y)[4]) {
  transform_pairs(m, kA2, kB2, y);
}
inline void transform_sums(const Vector (&m)[6], Vector (&y)[4]) {
  transform_pairs(m + 1, kA, kB, y);
  y[0] = m[0] + y[0];
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
