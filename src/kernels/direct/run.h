#pragma once

// Sums of a run of taps in registers: those that read the same vectors together. After
// direct_sums.h or in_place_sums.h, whose vectors it takes.

#include <algorithm>
#include <cstdint>

#include "kernels/direct/direct.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {
namespace {

inline constexpr int64_t kFarTaps = far_taps(Isa::WEFT_ISA);

// Of AVX2, most vectors that have room beside four factors. Of shorter rows several are summed at a
// time.
inline constexpr int64_t kMostOfRun = 9, kFewestOfRun = 5;

// As many at a time, or fewer, so that hardly any is summed twice.
inline int64_t run_width(int64_t vectors) {
  const int64_t strips = (vectors + kMostOfRun - 1) / kMostOfRun;
  return (vectors + strips - 1) / strips;
}

// Some taps, each with the K - 1 that are kFarTaps, two times kFarTaps, .. further on, which read
// the same vectors for columns so much further on.
template <int K, int N, class Fetch>
[[gnu::always_inline]] WEFT_UNROLLED inline void add_far_taps(Vector (&sum)[N], const float*& from,
                                                              const float*& factors, int64_t taps,
                                                              const Fetch& fetch) {
  constexpr int kApart = kFarTaps / kLanes;
  for (; taps > 0; --taps, ++from, ++factors) {
    Vector factor[K];
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) factor[k] = set(factors[k * kFarTaps]);
    fetch();
#pragma GCC unroll 32
    for (int n = 0; n < N + (K - 1) * kApart; ++n) {
      const Vector x = load_once(from + n * kLanes);
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) {
        const int m = n - k * kApart;
        if (m >= 0 && m < N) sum[m] = multiply_add(factor[k], x, sum[m]);
      }
    }
  }
}

// Up to kRunTaps taps, in the order of direct_order(). Calls fetch() with the first ones.
template <int N, class Fetch>
[[gnu::always_inline]] WEFT_UNROLLED inline void add_run(Vector (&sum)[N], const float* from,
                                                         const float* factors, int64_t taps,
                                                         const Fetch& fetch) {
  // So many have one more that is summed with them.
  const int64_t more = taps % kFarTaps, fewer = kFarTaps - more;
  const auto add = [&]<int K>() __attribute__((always_inline)) {
    if constexpr (K * kFarTaps < kRunTaps) add_far_taps<K + 1>(sum, from, factors, more, fetch);
    if constexpr (K > 0) add_far_taps<K>(sum, from, factors, fewer, fetch);
  };
  switch (taps / kFarTaps) {
    case 0:
      return add.template operator()<0>();
    case 1:
      return add.template operator()<1>();
    case 2:
      return add.template operator()<2>();
    default:
      if constexpr (kRunTaps > 2 * kFarTaps) {
        if (taps == kRunTaps) return add.template operator()<4>();
        add.template operator()<3>();
      }
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
