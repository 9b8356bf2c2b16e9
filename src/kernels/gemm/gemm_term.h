#pragma once

// Products of one term with AVX2 or AVX-512. Only for files that are compiled once a level.

#include <cstdint>

#include "kernels/gemm/gemm_vectors.h"

#ifdef __FMA__

namespace weft::kernels::WEFT_ISA {
namespace {

// Products of one term. With AVX2 in assembly for tiles whose sums leave no register to spare, for
// gcc moves sums about between them; AddressSanitizer would not look inside. Where an address
// begins with its parenthesis, 4*m*step+ stands before nothing: 0 to GNU as, which warns, and an
// error to clang.
#if !defined(__AVX512F__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define WEFT_FACTOR(m) "vbroadcastss 4*" #m "*%c[step]+%[a], %%ymm15\n\t"
#define WEFT_ADD(m, v, column) "vfmadd231ps %%ymm" #column ", %%ymm15, %[sum" #m #v "]\n\t"
#define WEFT_SUM(m, v) [sum##m##v] "+x"(sums[m][v].raw)

template <int64_t kStep>
[[gnu::always_inline]] inline void take_term(const float* a, const float* b, Vector (&sums)[6][2]) {
  const auto& factors = *reinterpret_cast<const float(*)[5 * kStep + 1]>(a);
  const auto& columns = *reinterpret_cast<const float(*)[16]>(b);
#define WEFT_ROW(m) WEFT_FACTOR(m) WEFT_ADD(m, 0, 12) WEFT_ADD(m, 1, 13)
#define WEFT_SUMS(m) WEFT_SUM(m, 0), WEFT_SUM(m, 1)
  // clang-format off
  asm volatile("vmovups %[b], %%ymm12\n\t"
               "vmovups 32+%[b], %%ymm13\n\t"
               WEFT_ROW(0) WEFT_ROW(1) WEFT_ROW(2) WEFT_ROW(3) WEFT_ROW(4) WEFT_ROW(5)
               : WEFT_SUMS(0), WEFT_SUMS(1), WEFT_SUMS(2), WEFT_SUMS(3), WEFT_SUMS(4), WEFT_SUMS(5)
               : [a] "m"(factors), [b] "m"(columns), [step] "n"(kStep)
               : "xmm12", "xmm13", "xmm15");
  // clang-format on
#undef WEFT_ROW
#undef WEFT_SUMS
}

template <int64_t kStep>
[[gnu::always_inline]] inline void take_term(const float* a, const float* b, Vector (&sums)[4][3]) {
  const auto& factors = *reinterpret_cast<const float(*)[3 * kStep + 1]>(a);
  const auto& columns = *reinterpret_cast<const float(*)[24]>(b);
#define WEFT_ROW(m) WEFT_FACTOR(m) WEFT_ADD(m, 0, 12) WEFT_ADD(m, 1, 13) WEFT_ADD(m, 2, 14)
#define WEFT_SUMS(m) WEFT_SUM(m, 0), WEFT_SUM(m, 1), WEFT_SUM(m, 2)
  // clang-format off
  asm volatile("vmovups %[b], %%ymm12\n\t"
               "vmovups 32+%[b], %%ymm13\n\t"
               "vmovups 64+%[b], %%ymm14\n\t"
               WEFT_ROW(0) WEFT_ROW(1) WEFT_ROW(2) WEFT_ROW(3)
               : WEFT_SUMS(0), WEFT_SUMS(1), WEFT_SUMS(2), WEFT_SUMS(3)
               : [a] "m"(factors), [b] "m"(columns), [step] "n"(kStep)
               : "xmm12", "xmm13", "xmm14", "xmm15");
  // clang-format on
#undef WEFT_ROW
#undef WEFT_SUMS
}

#undef WEFT_FACTOR
#undef WEFT_ADD
#undef WEFT_SUM
#endif

// Of the positions [begin, end), which are known here once this is inlined.
template <int64_t kStep, int64_t kPositions, int64_t kVectors>
[[gnu::always_inline]] WEFT_UNROLLED inline void take_some(const float* a, const float* b,
                                                           Vector (&sums)[kPositions][kVectors],
                                                           int64_t begin, int64_t end) {
  Vector columns[kVectors];
#pragma GCC unroll 16
  for (int64_t v = 0; v < kVectors; ++v) columns[v] = load_once(b + v * kLanes);
#pragma GCC unroll 32
  for (int64_t m = 0; m < kPositions; ++m) {
    if (m < begin || m >= end) continue;
    Vector x = set(a[m * kStep]);
    keep(x);
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v) accumulate(x, columns[v], sums[m][v]);
  }
}

template <int64_t kStep, int64_t kPositions, int64_t kVectors>
[[gnu::always_inline]] WEFT_UNROLLED inline void take_term(const float* a, const float* b,
                                                           Vector (&sums)[kPositions][kVectors]) {
  take_some<kStep>(a, b, sums, 0, kPositions);
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA

#endif
