#pragma once

// Tile shapes of the level, steps of products in registers, and float16. Only for files that are
// compiled once a level.

#include <cstdint>

#include "kernels/gemm/gemm_shape.h"
#include "kernels/half.h"
#include "kernels/unrolled.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {
namespace {

#define WEFT_JOIN_(a, b) a##b
#define WEFT_JOIN(a, b) WEFT_JOIN_(a, b)
inline constexpr GemmShape kShape = WEFT_JOIN(kGemmShape, WEFT_ISA);
#undef WEFT_JOIN
#undef WEFT_JOIN_

static_assert(kLanes == kShape.lanes);
#ifdef __F16C__
static_assert(kShape.rounds);

inline constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

#ifdef __AVX512F__
inline __m256i narrow(Vector x) { return _mm512_cvtps_ph(x.raw, kNearest); }
inline void store(Vector x, std::uint16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(x));
}
#else
inline void store(Vector x, std::uint16_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x.raw, kNearest));
}
#endif
#endif

// acc = x * y + acc, in its register: in loops of several terms gcc would rather move sums about.
[[gnu::always_inline]] inline void accumulate(Vector x, Vector y, Vector& acc) {
#if defined(__AVX512F__)
  asm("vfmadd231ps %1, %2, %0" : "+v"(acc.raw) : "v"(y.raw), "v"(x.raw));
#elif defined(__FMA__)
  asm("vfmadd231ps %1, %2, %0" : "+x"(acc.raw) : "x"(y.raw), "x"(x.raw));
#else
  acc = multiply_add(x, y, acc);
#endif
}

inline void make_one_nan(float* sums) { store(one_nan(load(sums)), sums); }
#ifdef __F16C__
inline void make_one_nan(std::uint16_t* sums) {
  for (int64_t n = 0; n < kLanes; ++n) {
    sums[n] = narrow_half(kernels::one_nan(widen_half(sums[n])));
  }
}
#endif

// NaN where one of the three is, and where infinities make one. Products of two take half as many
// operations as sums; what begins at 1 is no slower for numbers too small to be normal.
inline Vector gather_nan(Vector x, Vector y, Vector all) {
#ifdef __FMA__
  return multiply_add(x, y, all);
#else
  return add(all, add(x, y));
#endif
}

// Hardly ever is one of the sums NaN: one look at all of them.
template <int64_t kPositions, int64_t kVectors, class T>
[[gnu::always_inline]] WEFT_UNROLLED inline void store_sums(
    const Vector (&sums)[kPositions][kVectors], T* to, int64_t stride) {
  constexpr int64_t kSums = kPositions * kVectors;
  Vector all[2] = {set(1.0f), set(1.0f)};
  T* into = to;
#pragma GCC unroll 32
  for (int64_t m = 0; m < kPositions; ++m, into += stride) {
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v) {
      store(sums[m][v], into + v * kLanes);
      const int64_t i = m * kVectors + v;
      if (i % 2 != 0) continue;
      const int64_t next = i + 1 < kSums ? i + 1 : i;
      Vector& some = all[i / 2 % 2];
      some = gather_nan(sums[m][v], sums[next / kVectors][next % kVectors], some);
    }
  }
  all[0] = add(all[0], all[1]);
  if (!has_nan(all[0])) return;
  for (int64_t m = 0; m < kPositions; ++m, to += stride) {
    for (int64_t v = 0; v < kVectors; ++v) make_one_nan(to + v * kLanes);
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
