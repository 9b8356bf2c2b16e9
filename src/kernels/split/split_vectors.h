#pragma once

// Taking numbers apart, recording their range and finishing sums. Only for files that are compiled
// for AVX-512.

#include <immintrin.h>

#include <cstdint>

#include "kernels/one_nan.h"
#include "kernels/split/split.h"

namespace weft::kernels::WEFT_ISA {
namespace {

// 16 lanes of each part, in the upper halves of 32 bits; the lower halves are 0. All parts are
// rounded: so the products that are left out are small and of either sign. The last of three fits
// as it is, and so does the last of two of a float16.
template <int parts>
struct Split {
  __m512i part[parts];

  explicit Split(__m512 x) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    const __m512i half = _mm512_set1_epi32(0x8000);
    for (int q = 0; q < 2; ++q) {
      part[q] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), upper);
      x = _mm512_sub_ps(x, _mm512_castsi512_ps(part[q]));
    }
    if constexpr (parts == 3) part[2] = _mm512_castps_si512(x);
  }
};

// Takes 32 numbers of float16 apart at a time, 16 bits a lane, into the parts of Split<2>.
class HalfSplitter {
 public:
  HalfSplitter() : HalfSplitter(_mm512_setzero_si512()) {}
  explicit HalfSplitter(__m512i largest) : largest_(largest) {
    // Or GCC makes them anew in every turn of a loop, which takes a fifth of its time.
    asm(""
        : "+v"(sign_), "+v"(exponent_), "+v"(half_), "+v"(bias_), "+v"(rest_bits_), "+v"(rests_));
  }

  // Stores both parts.
  void split(__m512i x, std::uint16_t* to, std::int64_t part_stride) {
    const __m512i absolute = _mm512_andnot_si512(sign_, x);
    largest_ = _mm512_max_epu16(largest_, absolute);
    const __mmask32 normal = _mm512_test_epi16_mask(x, exponent_);
    if (__builtin_expect(_mm512_mask_test_epi16_mask(~normal, absolute, absolute) != 0, 0)) {
      widened(x, to, part_stride);
      return;
    }
    // Of 10 bits after the first, rounding keeps 7. The rest is a whole number of -4 to 3 times a
    // power of two: bfloat16 of that number, and the exponent added.
    const __m512i rounded = _mm512_srli_epi16(_mm512_add_epi16(absolute, half_), 3);
    const __m512i first = _mm512_maskz_add_epi16(normal, rounded, bias_);
    // first | (sign & x)
    _mm512_store_si512(to, _mm512_ternarylogic_epi32(first, sign_, x, 0xf8));
    const __m512i power = _mm512_srli_epi16(_mm512_and_si512(x, exponent_), 3);
    const __mmask32 inexact = _mm512_mask_test_epi16_mask(normal, x, rest_bits_);
    const __m512i second =
        _mm512_maskz_add_epi16(inexact, _mm512_permutexvar_epi16(x, rests_), power);
    // second ^ (sign & x)
    _mm512_store_si512(to + part_stride, _mm512_ternarylogic_epi32(second, sign_, x, 0x78));
  }

  // Absolute values of all lanes so far.
  __m512i largest() const { return largest_; }

 private:
  // Where some are subnormal. Inline: a call would cost the callers' loops their registers.
  __attribute__((always_inline)) static void widened(__m512i x, std::uint16_t* to,
                                                     std::int64_t part_stride) {
    const Split<2> low(_mm512_cvtph_ps(_mm512_castsi512_si256(x)));
    const Split<2> high(_mm512_cvtph_ps(_mm512_extracti64x4_epi64(x, 1)));
    for (int q = 0; q < 2; ++q, to += part_stride) {
      _mm512_store_si512(
          to, _mm512_inserti64x4(
                  _mm512_castsi256_si512(_mm512_cvtepi32_epi16(_mm512_srli_epi32(low.part[q], 16))),
                  _mm512_cvtepi32_epi16(_mm512_srli_epi32(high.part[q], 16)), 1));
    }
  }

  static __m512i all(int value) { return _mm512_set1_epi16(static_cast<short>(value)); }

  __m512i largest_;
  __m512i sign_ = all(0x8000);
  __m512i exponent_ = all(0x7c00);
  __m512i half_ = all(4);
  __m512i bias_ = all((127 - 15) << 7);
  __m512i rest_bits_ = all(7);
  // bfloat16 of 0, 1, 2, 3, -4, -3, -2, -1, less the exponent that float16 adds
  __m512i rests_ =
      _mm512_sub_epi16(_mm512_broadcast_i32x4(_mm_setr_epi16(0, 0x3f80, 0x4000, 0x4040, -0x3f80,
                                                             -0x3fc0, -0x4000, -0x4080)),
                       all(25 << 7));
};

// Lane i: `even` in the lower half, `odd` in the upper one, as the unit takes pairs.
inline __m512i pair(__m512i even, __m512i odd) {
  return _mm512_or_si512(_mm512_srli_epi32(even, 16), odd);
}

inline __m512i pair_of_halves(__m256i even, __m256i odd) {
  return _mm512_or_si512(_mm512_cvtepu16_epi32(even),
                         _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16));
}

// All lanes where count is 16 or more, none where it is negative.
inline __mmask16 first_of_16(std::int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

// What becomes of a sum.
inline __m512 finish_sum(__m512 sum, __m512 bias, const Ramp* bent) {
  const __m512 x = one_nan(_mm512_add_ps(sum, bias));
  return bent != nullptr ? ramp(x, *bent) : x;
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
