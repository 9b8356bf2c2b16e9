#pragma once

// What the kernels of the matrix unit share: taking numbers apart and recording their range. Only
// for files that are compiled for that unit.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/split.h"

namespace weft::kernels::WEFT_ISA {
namespace {

constexpr std::int64_t kHalf = kSplitBlock / 2;      // rows of a tile
constexpr std::int64_t kTile = kHalf * kSplitBlock;  // elements of a tile of bfloat16
constexpr std::int64_t kTileBytes = kTile * 2;
constexpr std::int64_t kLine = 64;

// Tiles 0 to 3: sums, 16 x 16 each. 4 and 5: their rows' operand, pixels or filter. 6 and 7: that
// of their columns.
#define WEFT_LOAD_A(from)        \
  _tile_loadd(4, (from), kLine); \
  _tile_loadd(5, (from) + kTile, kLine)
#define WEFT_LOAD_B(from)        \
  _tile_loadd(6, (from), kLine); \
  _tile_loadd(7, (from) + kTile, kLine)
#define WEFT_PRODUCTS      \
  _tile_dpbf16ps(0, 4, 6); \
  _tile_dpbf16ps(1, 4, 7); \
  _tile_dpbf16ps(2, 5, 6); \
  _tile_dpbf16ps(3, 5, 7)

// Loads that miss the first level hold up the products: few of them can be under way. So the next
// step's operands are fetched, a tile of the filter after each four products (6 to 15% of the
// whole), and pixels where they are not those of this step, moved by one (10%).
inline void prefetch_tile(const std::uint16_t* from) {
  for (int line = 0; line < kTileBytes / kLine; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(from) + line * kLine, _MM_HINT_T0);
  }
}

// Cache lines into the second level.
inline const std::uint16_t* fetch_ahead(const std::uint16_t* from, std::int64_t lines) {
  for (std::int64_t i = 0; i < lines; ++i, from += kLine / 2) {
    _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T1);
  }
  return from;
}

// 32 x 32 sums, rows `line` floats apart: acc = (first ? 0 : acc) + a x b over steps of 32 terms of
// split numbers; product.h has the layouts. between() is called after each four products.
template <int parts, class Between>
inline void multiply_block(const std::uint16_t* a, const std::uint16_t* b, std::int64_t steps,
                           float* sums, std::int64_t line, bool first, const Between& between) {
  constexpr std::int64_t kPart = kSplitBlock * kSplitBlock;
  constexpr std::int64_t kStep = parts * kPart;
  float* const acc[] = {sums, sums + kHalf, sums + kHalf * line, sums + kHalf * line + kHalf};
  const std::int64_t line_bytes = line * 4;
  if (first) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    _tile_loadd(0, acc[0], line_bytes);
    _tile_loadd(1, acc[1], line_bytes);
    _tile_loadd(2, acc[2], line_bytes);
    _tile_loadd(3, acc[3], line_bytes);
  }
  for (std::int64_t step = 0; step < steps; ++step, a += kStep, b += kStep) {
    const std::uint16_t* next = b + kStep;
    // Each line changes one operand of the line before.
    if constexpr (parts == 3) {
      WEFT_LOAD_A(a);
      WEFT_LOAD_B(b + 2 * kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next);
      between();
      WEFT_LOAD_B(b + kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next + kTile);
      between();
      WEFT_LOAD_A(a + kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next + 2 * kTile);
      between();
      WEFT_LOAD_B(b);
      WEFT_PRODUCTS;
      prefetch_tile(next + 3 * kTile);
      between();
      WEFT_LOAD_A(a);
      WEFT_PRODUCTS;
      prefetch_tile(next + 4 * kTile);
      between();
      WEFT_LOAD_A(a + 2 * kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next + 5 * kTile);
      between();
    } else {
      WEFT_LOAD_A(a);
      WEFT_LOAD_B(b + kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next);
      between();
      WEFT_LOAD_A(a + kPart);
      WEFT_PRODUCTS;
      prefetch_tile(next + kTile);
      between();
      WEFT_LOAD_B(b);
      WEFT_PRODUCTS;
      prefetch_tile(next + 2 * kTile);
      between();
      WEFT_LOAD_A(a);
      WEFT_PRODUCTS;
      prefetch_tile(next + 3 * kTile);
      between();
    }
  }
  _tile_stored(0, acc[0], line_bytes);
  _tile_stored(1, acc[1], line_bytes);
  _tile_stored(2, acc[2], line_bytes);
  _tile_stored(3, acc[3], line_bytes);
}

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
  const __m512 x = _mm512_add_ps(sum, bias);
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
