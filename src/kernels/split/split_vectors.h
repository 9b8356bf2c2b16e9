#pragma once

// Taking numbers apart, recording their range and finishing sums. Only for files that are compiled
// for AVX-512.

#include <immintrin.h>

#include <cstdint>

#include "kernels/one_nan.h"
#include "kernels/split/split.h"

namespace weft::kernels::WEFT_ISA {
namespace {

// 16 lanes of each part, in the upper halves of 32 bits; the lower halves are 0. All parts but the
// last, which fits as it is, are rounded: so the products that are left out are small and of either
// sign.
template <int parts>
struct Split {
  __m512i part[parts];

  explicit Split(__m512 x) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    for (int q = 0; q + 1 < parts; ++q) {
      const __m512i half = _mm512_set1_epi32(0x8000);
      part[q] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), upper);
      x = _mm512_sub_ps(x, _mm512_castsi512_ps(part[q]));
    }
    part[parts - 1] = _mm512_castps_si512(x);
  }
};

// Lane i: `even` in the lower half, `odd` in the upper one, as the unit takes pairs.
inline __m512i pair(__m512i even, __m512i odd) {
  return _mm512_or_si512(_mm512_srli_epi32(even, 16), odd);
}

// All lanes where count is 16 or more, none where it is negative.
inline __mmask16 first_of_16(std::int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

// What becomes of a sum. NaN passes, as in the activation kernels.
inline __m512 finish_sum(__m512 sum, __m512 bias, bool relu) {
  const __m512 x = one_nan(_mm512_add_ps(sum, bias));
  return relu ? _mm512_max_ps(_mm512_setzero_ps(), x) : x;
}

inline void widen(__m512i& largest, __m512i& smallest, __m512 x) {
  const __m512i bits = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
  largest = _mm512_max_epu32(largest, bits);
  // 0 becomes the largest number of all.
  smallest = _mm512_min_epu32(smallest, _mm512_sub_epi32(bits, _mm512_set1_epi32(1)));
}

class RangeOf {
 public:
  explicit RangeOf(SplitRange& range)
      : range_(range),
        largest_(_mm512_set1_epi32(static_cast<int>(range.largest))),
        smallest_(_mm512_set1_epi32(static_cast<int>(range.smallest))) {}
  ~RangeOf() {
    range_.largest = _mm512_reduce_max_epu32(largest_);
    range_.smallest = _mm512_reduce_min_epu32(smallest_);
  }
  RangeOf(const RangeOf&) = delete;
  RangeOf& operator=(const RangeOf&) = delete;

  void add(__m512 x) { widen(largest_, smallest_, x); }

 private:
  SplitRange& range_;
  __m512i largest_;
  __m512i smallest_;
};

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
