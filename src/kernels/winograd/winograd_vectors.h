#pragma once

// Vectors of floats as Winograd's transformations take them: 16 lanes with AVX-512, 8 with AVX2.
// Only for files that are compiled for one of the two.

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/one_nan.h"
#include "kernels/part.h"
#include "kernels/split/split.h"
#ifdef __AVX512F__
#include "kernels/interleave.h"
#include "kernels/split/split_vectors.h"
#endif

namespace weft::kernels::WEFT_ISA {
namespace {

#ifdef __AVX512F__

inline constexpr std::int64_t kLanes = 16;
using Vector = __m512;
using Mask = __mmask16;

inline Vector set(float x) { return _mm512_set1_ps(x); }

// a b + c, and c - a b, rounded once.
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
inline Vector multiply_subtract(Vector a, Vector b, Vector c) { return _mm512_fnmadd_ps(a, b, c); }

// Lanes [first, last), either of which may lie anywhere.
inline Mask lanes_between(std::int64_t first, std::int64_t last) {
  return first_of_16(last) & static_cast<Mask>(~first_of_16(first));
}

inline Vector load(Mask mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
inline Vector load(Mask mask, const std::uint16_t* from) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, from));
}
inline Vector load_aligned(const float* from) { return _mm512_load_ps(from); }
inline void store_aligned(float* to, Vector x) { _mm512_store_ps(to, x); }
inline void store(float* to, Mask mask, Vector x) { _mm512_mask_storeu_ps(to, mask, x); }
inline void store(std::uint16_t* to, Mask mask, Vector x) {
  _mm256_mask_storeu_epi16(to, mask, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

// Every other lane of two vectors.
inline Vector even_lanes(Vector a, Vector b) { return every_other(a, b); }
inline Vector odd_lanes(Vector a, Vector b) {
  const __m512i places = _mm512_add_epi32(even_numbers(), _mm512_set1_epi32(1));
  return _mm512_permutex2var_ps(a, places, b);
}

// Lanes 1 to 15 of x, and lane i of `beyond`.
template <int i>
Vector one_further(Vector x, Vector beyond) {
  constexpr Mask kLast = 0x8000;
  const __m512i bits = _mm512_castps_si512(x);
  const __m128 end = _mm512_castps512_ps128(i == 0 ? beyond : _mm512_permute_ps(beyond, i));
  return _mm512_mask_broadcastss_ps(_mm512_castsi512_ps(_mm512_alignr_epi32(bits, bits, 1)), kLast,
                                    end);
}

// d[j]: lanes j, j + n, j + 2 n, .. of x, and zeros where it has no more.
template <int n, int j, std::size_t count>
void pick_lanes(Vector x, Vector (&d)[count]) {
  const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i step = _mm512_set1_epi32(n);
  const __m512i places = _mm512_add_epi32(_mm512_mullo_epi32(first, step), _mm512_set1_epi32(j));
  d[j] = _mm512_maskz_permutexvar_ps(first_of_16((kLanes - j + n - 1) / n), places, x);
  if constexpr (j + 1 < count) pick_lanes<n, j + 1>(x, d);
}

// The lanes of both in turn, in as many vectors.
inline void interleave(Vector (&y)[2]) {
  const Vector first = interleaved<2>(y, 0);
  y[1] = interleaved<2>(y, 1);
  y[0] = first;
}

#else

inline constexpr std::int64_t kLanes = 8;
using Vector = __m256;
using Mask = __m256i;  // all bits of a lane or none

inline Vector set(float x) { return _mm256_set1_ps(x); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline Vector multiply_subtract(Vector a, Vector b, Vector c) { return _mm256_fnmadd_ps(a, b, c); }

inline Mask lanes_between(std::int64_t first, std::int64_t last) {
  const auto number = [](std::int64_t lane) {
    return _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(lane, 0, kLanes)));
  };
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_andnot_si256(_mm256_cmpgt_epi32(number(first), lanes),
                             _mm256_cmpgt_epi32(number(last), lanes));
}

// A bit a lane.
inline unsigned bits_of(Mask mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
}
inline bool is_whole(Mask mask) { return bits_of(mask) == 0xff; }
inline int first_of(unsigned bits) { return __builtin_ctz(bits); }
inline int end_of(unsigned bits) { return 32 - __builtin_clz(bits); }

inline Vector load(Mask mask, const float* from) { return _mm256_maskload_ps(from, mask); }
inline Vector load(Mask mask, const std::uint16_t* from) {
  if (is_whole(mask)) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  alignas(16) std::uint16_t some[kLanes] = {};
  for (unsigned bits = bits_of(mask); bits != 0; bits &= bits - 1) {
    some[__builtin_ctz(bits)] = from[__builtin_ctz(bits)];
  }
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(some)));
}
inline Vector load_aligned(const float* from) { return _mm256_load_ps(from); }
inline void store_aligned(float* to, Vector x) { _mm256_store_ps(to, x); }
// Lanes that follow each other, or none.
inline void store(float* to, Mask mask, Vector x) {
  if (is_whole(mask)) [[likely]] {
    _mm256_storeu_ps(to, x);
  } else if (const unsigned bits = bits_of(mask); bits != 0) {
    store_part(x, first_of(bits), end_of(bits), to);
  }
}
inline void store(std::uint16_t* to, Mask mask, Vector x) {
  const __m128i halves = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
  if (is_whole(mask)) return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
  if (const unsigned bits = bits_of(mask); bits != 0) {
    store_part(halves, first_of(bits), end_of(bits), to);
  }
}

template <int picks>
Vector every_other_of(Vector a, Vector b) {
  const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, picks));
  return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8));
}
inline Vector even_lanes(Vector a, Vector b) { return every_other_of<0x88>(a, b); }
inline Vector odd_lanes(Vector a, Vector b) { return every_other_of<0xdd>(a, b); }

template <int i>
Vector one_further(Vector x, Vector beyond) {
  const __m256i next = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  const Vector end = _mm256_permutevar8x32_ps(beyond, _mm256_set1_epi32(i));
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(x, next), end, 0x80);
}

template <int n, int j, std::size_t count>
void pick_lanes(Vector x, Vector (&d)[count]) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i places =
      _mm256_add_epi32(_mm256_mullo_epi32(lanes, _mm256_set1_epi32(n)), _mm256_set1_epi32(j));
  const __m256i some = _mm256_cmpgt_epi32(_mm256_set1_epi32(kLanes), places);
  d[j] = _mm256_and_ps(_mm256_permutevar8x32_ps(x, places), _mm256_castsi256_ps(some));
  if constexpr (j + 1 < count) pick_lanes<n, j + 1>(x, d);
}

inline void interleave(Vector (&y)[2]) {
  const Vector low = _mm256_unpacklo_ps(y[0], y[1]), high = _mm256_unpackhi_ps(y[0], y[1]);
  y[0] = _mm256_permute2f128_ps(low, high, 0x20);
  y[1] = _mm256_permute2f128_ps(low, high, 0x31);
}

inline Vector finish_sum(Vector sum, Vector bias, const Ramp* bent) {
  const Vector x = sum + bias;
  const Vector y = _mm256_blendv_ps(x, set(kOneNan), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return bent != nullptr ? ramp(y, *bent) : y;
}

class RangeOf {
 public:
  explicit RangeOf(SplitRange& range)
      : range_(range),
        largest_(_mm256_set1_epi32(static_cast<int>(range.largest))),
        smallest_(_mm256_set1_epi32(static_cast<int>(range.smallest))) {}
  ~RangeOf() {
    alignas(32) std::uint32_t largest[kLanes], smallest[kLanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(largest), largest_);
    _mm256_store_si256(reinterpret_cast<__m256i*>(smallest), smallest_);
    range_ = {*std::max_element(largest, largest + kLanes),
              *std::min_element(smallest, smallest + kLanes)};
  }
  RangeOf(const RangeOf&) = delete;
  RangeOf& operator=(const RangeOf&) = delete;

  void add(Vector x) {
    const __m256i bits = _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
    largest_ = _mm256_max_epu32(largest_, bits);
    smallest_ = _mm256_min_epu32(smallest_, _mm256_sub_epi32(bits, _mm256_set1_epi32(1)));
  }

 private:
  SplitRange& range_;
  __m256i largest_;
  __m256i smallest_;
};

#endif

inline void interleave(Vector (&)[1]) {}
inline void interleave(Vector (&y)[4]) {
  Vector even[] = {y[0], y[2]};
  Vector odd[] = {y[1], y[3]};
  interleave(even);
  interleave(odd);
  for (std::int64_t i = 0; i < 2; ++i) {
    Vector both[] = {even[i], odd[i]};
    interleave(both);
    y[2 * i] = both[0];
    y[2 * i + 1] = both[1];
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
