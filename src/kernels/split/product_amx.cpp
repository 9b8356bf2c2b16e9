#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/interleave.h"
#include "kernels/split/product.h"
#include "kernels/split/split_levels.h"
#include "kernels/split/split_parts.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// Numbers of a row that lie `step` apart.
template <int step>
__m512i load_masked(const float* from, __mmask16 mask) {
  if constexpr (step == 1) return _mm512_maskz_loadu_epi32(mask, from);
  const __mmask32 wide = _pdep_u32(mask, 0x55555555u);
  return _mm512_castps_si512(
      every_other(_mm512_maskz_loadu_ps(static_cast<__mmask16>(wide), from),
                  _mm512_maskz_loadu_ps(static_cast<__mmask16>(wide >> kHalf), from + kHalf)));
}

// In the lower halves of 32 bits.
template <int step>
__m512i load_masked(const std::uint16_t* from, __mmask16 mask) {
  if constexpr (step == 1) return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
  return _mm512_maskz_loadu_epi16(_pdep_u32(mask, 0x55555555u), from);
}

// Pairs of terms of 16 positions, those of the mask, of two rows: float16 that lie 2 apart.
inline __m512i load_pairs(const std::uint16_t* even, __mmask16 even_mask, const std::uint16_t* odd,
                          __mmask16 odd_mask) {
  const __mmask32 evens = _pdep_u32(even_mask, 0x55555555u);
  const __mmask32 odds = _pdep_u32(odd_mask, 0xaaaaaaaau);
  if (odd == even + 1) return _mm512_maskz_loadu_epi16(evens | odds, even);
  return _mm512_mask_loadu_epi16(_mm512_maskz_loadu_epi16(evens, even), odds, odd - 1);
}

// Takes pairs of terms apart, and their range meanwhile.
template <int parts, class Element>
class PairSplitter {
 public:
  explicit PairSplitter(LaneRange& range)
      : range_(range),
        largest_(_mm512_load_si512(range.largest)),
        smallest_(_mm512_load_si512(range.smallest)) {}
  ~PairSplitter() {
    _mm512_store_si512(range_.largest, largest_);
    _mm512_store_si512(range_.smallest, smallest_);
  }
  PairSplitter(const PairSplitter&) = delete;
  PairSplitter& operator=(const PairSplitter&) = delete;

  void store(__m512i even, __m512i odd, std::uint16_t* to, std::int64_t part_stride) {
    const __m512 x = _mm512_castsi512_ps(even), y = _mm512_castsi512_ps(odd);
    widen(largest_, smallest_, x);
    widen(largest_, smallest_, y);
    const Split<parts> e(x);
    const Split<parts> o(y);
    for (int q = 0; q < parts; ++q) {
      _mm512_store_si512(to + q * part_stride, pair(e.part[q], o.part[q]));
    }
  }

 private:
  LaneRange& range_;
  __m512i largest_;
  __m512i smallest_;
};

template <>
class PairSplitter<2, std::uint16_t> {
 public:
  explicit PairSplitter(LaneRange& range)
      : range_(range), splitter_(_mm512_load_si512(range.largest_half)) {}
  ~PairSplitter() { _mm512_store_si512(range_.largest_half, splitter_.largest()); }
  PairSplitter(const PairSplitter&) = delete;
  PairSplitter& operator=(const PairSplitter&) = delete;

  void store(__m512i even, __m512i odd, std::uint16_t* to, std::int64_t part_stride) {
    store(_mm512_or_si512(even, _mm512_slli_epi32(odd, 16)), to, part_stride);
  }
  void store(__m512i pairs, std::uint16_t* to, std::int64_t part_stride) {
    splitter_.split(pairs, to, part_stride);
  }

 private:
  LaneRange& range_;
  HalfSplitter splitter_;
};

inline void prefetch(const void* from) {
  _mm_prefetch(static_cast<const char*>(from), _MM_HINT_T0);
}

// Where 16 positions of a row lie: in the one image.
template <int step>
class OneImage {
 public:
  OneImage(const PatchRows& rows, std::int64_t position) : at_((rows.first + position) * step) {}

  template <class Element>
  __m512i load(const Element* row, __mmask16 mask) const {
    return load_masked<step>(row + at_, mask);
  }
  std::int64_t at() const { return at_; }
  void move() { at_ += kHalf * step; }

 private:
  std::int64_t at_;  // elements from the row's first
};

// In one of several images or in two.
template <int step>
class Images {
 public:
  Images(const PatchRows& rows, std::int64_t position)
      : length_(rows.length),
        skipped_(rows.image_stride - rows.length * step),
        at_((rows.first + position) * step) {
    left_ = length_ - (rows.first + position);
    if (left_ > 0) return;
    // Far fewer than 2^32: 32-bit division takes half the time.
    const std::int64_t image =
        static_cast<std::uint32_t>(rows.first + position) / static_cast<std::uint32_t>(length_);
    left_ += image * length_;
    at_ += image * skipped_;
  }

  template <class Element>
  __m512i load(const Element* row, __mmask16 mask) const {
    const Element* from = row + at_;
    if (left_ >= kHalf) return load_masked<step>(from, mask);
    const __mmask16 here = first_of_16(left_);
    return _mm512_or_si512(load_masked<step>(from, mask & here),
                           load_masked<step>(from + skipped_, mask & ~here));
  }

  std::int64_t at() const { return at_; }

  void move() {
    at_ += kHalf * step;
    left_ -= kHalf;
    if (left_ > 0) return;
    at_ += skipped_;
    left_ += length_;
  }

 private:
  std::int64_t length_;
  std::int64_t skipped_;  // elements from an image's end to the next one
  std::int64_t at_;       // from the row's first
  std::int64_t left_;     // of the image
};

// One pair of terms of 32 positions.
template <int parts, class Element, class Place>
void pack_rows_unit(const PatchRows& rows, std::int64_t unit,
                    PairSplitter<parts, Element>& splitter) {
  // Far fewer than 2^32: 32-bit division takes half the time.
  const auto blocks = static_cast<std::uint32_t>((rows.positions + kSplitBlock - 1) / kSplitBlock);
  const std::int64_t pair_index = static_cast<std::uint32_t>(unit) / blocks;
  const std::int64_t block = static_cast<std::uint32_t>(unit) % blocks;
  const bool has_even = 2 * pair_index < rows.terms;
  const bool has_odd = 2 * pair_index + 1 < rows.terms;
  const auto* const all = static_cast<const Element*>(rows.rows);
  const std::int64_t* const offsets = rows.offsets + (has_even ? 2 * pair_index : 0);
  const Element* even = all + offsets[0];
  const Element* odd = all + offsets[has_odd ? 1 : 0];
  Place place(rows, block * kSplitBlock);
  std::uint16_t* to = rows.to + block * rows.block_stride +
                      pair_index / kHalf * (parts * kSplitPatchPart) +
                      pair_index % kHalf * kSplitBlock;
  for (std::int64_t half = 0; half < 2; ++half) {
    const std::int64_t at = block * kSplitBlock + half * kHalf;
    const __mmask16 mask = first_of_16(rows.positions - at);
    const __m512i x = place.load(even, has_even ? mask : __mmask16{0});
    const __m512i y = place.load(odd, has_odd ? mask : __mmask16{0});
    prefetch(all + offsets[kPatchTermsAhead] + place.at());
    prefetch(all + offsets[has_odd ? kPatchTermsAhead + 1 : kPatchTermsAhead] + place.at());
    place.move();
    splitter.store(x, y, to + half * kTile, kSplitPatchPart);
  }
}

template <int parts, class Element, class Place>
void pack_rows_units(const PatchRows& rows, std::int64_t first, std::int64_t end,
                     LaneRange& range) {
  PairSplitter<parts, Element> splitter(range);
  for (std::int64_t unit = first; unit < end; ++unit) {
    pack_rows_unit<parts, Element, Place>(rows, unit, splitter);
  }
}

// Lanes at `first` and after it, of those before `last`.
inline __mmask16 between(std::int64_t first, std::int64_t last) {
  return static_cast<__mmask16>(first_of_16(last) & ~first_of_16(first));
}

// `step` elements from one position to the next.
template <int parts, class Element, int step>
void pack_pairs(const PatchPairs& pairs, LaneRange& range) {
  PairSplitter<parts, Element> splitter(range);
  const auto* const row = static_cast<const Element*>(pairs.row);
  const std::int64_t part_stride = pairs.part_stride, positions = pairs.positions;
  for (std::int64_t n = 0; n < pairs.pairs; ++n) {
    const PatchPairs::Tap even = pairs.taps[2 * n], odd = pairs.taps[2 * n + 1];
    std::uint16_t* to = pairs.to + n * pairs.pair_stride;
    const auto pack = [&](std::int64_t p, __mmask16 even_mask, __mmask16 odd_mask) {
      const Element *x = row + even.offset + p * step, *y = row + odd.offset + p * step;
      if constexpr (step == 2 && sizeof(Element) == 2) {
        splitter.store(load_pairs(x, even_mask, y, odd_mask), to + 2 * p, part_stride);
      } else {
        splitter.store(load_masked<step>(x, even_mask), load_masked<step>(y, odd_mask), to + 2 * p,
                       part_stride);
      }
    };
    const auto pack_masked = [&](std::int64_t p) {
      pack(p, between(even.begin - p, even.end - p), between(odd.begin - p, odd.end - p));
    };
    // Between them all positions of both taps lie inside.
    const std::int64_t begin = even.begin > odd.begin ? even.begin : odd.begin;
    const std::int64_t end = even.end < odd.end ? even.end : odd.end;
    std::int64_t p = 0;
    for (; p < begin && p < positions; p += kHalf) pack_masked(p);
    for (; p + kHalf <= end; p += kHalf) pack(p, 0xffff, 0xffff);
    for (; p < positions; p += kHalf) pack_masked(p);
  }
}

template <int parts, class Element>
void pack_pairs(const PatchPairs& pairs, LaneRange& range) {
  if (pairs.step == 2) {
    pack_pairs<parts, Element, 2>(pairs, range);
  } else {
    pack_pairs<parts, Element, 1>(pairs, range);
  }
}

template <int parts>
void pack_pairs(const PatchPairs& pairs, LaneRange& range) noexcept {
  if constexpr (parts == 2) {
    if (pairs.half) return pack_pairs<parts, std::uint16_t>(pairs, range);
  }
  pack_pairs<parts, float>(pairs, range);
}

template <int parts, class Element>
auto pack_rows_of(const PatchRows& rows) {
  const bool one = rows.length == INT64_MAX;
  if (rows.step == 2) {
    return one ? pack_rows_units<parts, Element, OneImage<2>>
               : pack_rows_units<parts, Element, Images<2>>;
  }
  return one ? pack_rows_units<parts, Element, OneImage<1>>
             : pack_rows_units<parts, Element, Images<1>>;
}

template <int parts>
auto pack_rows_of(const PatchRows& rows) {
  if constexpr (parts == 2) {
    if (rows.half) return pack_rows_of<parts, std::uint16_t>(rows);
  }
  return pack_rows_of<parts, float>(rows);
}

template <int parts>
void pack_units(ProductSide& side, std::int64_t count) {
  if (side.rows.terms > 0) {
    const std::int64_t all = (side.rows.terms + kSplitBlock - 1) / kSplitBlock * kHalf *
                             ((side.rows.positions + kSplitBlock - 1) / kSplitBlock);
    const std::int64_t end = all - side.units < count ? all : side.units + count;
    if (side.units == end) return;
    pack_rows_of<parts>(side.rows)(side.rows, side.units, end, side.range);
    side.units = end;
  }
}

// To the cache, where the next block's line is asked for, or, whole lines only, past it.
inline void store_vector(float* to, __mmask16 mask, __m512 y, const ProductResult& result) {
  if (result.past_cache && mask == 0xffff && reinterpret_cast<std::uintptr_t>(to) % kLine == 0) {
    _mm512_stream_ps(to, y);
  } else {
    _mm512_mask_storeu_ps(to, mask, y);
    __builtin_prefetch(to + result.ahead, 1, 3);
  }
}

// 32 of float16, likewise.
inline void store_halves(std::uint16_t* to, __m512 x, __m512 y, const ProductResult& result) {
  const __m256i low = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
  const __m256i high = _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT);
  _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
  __builtin_prefetch(to + result.ahead, 1, 3);
}

template <int rows>
inline void store_output(const ProductResult& result, std::int64_t output) {
  const __m512 bias = _mm512_set1_ps(result.bias[output]);
  for (std::int64_t r = 0; r < result.run_count; ++r) {
    const ProductResult::Run& run = result.runs[r];
    const float* acc = result.acc + output * kSplitBlock + run.first;
    const std::int64_t at = output * result.output_stride;
    for (std::int64_t n = 0; n < run.end; acc += kHalf) {
      __m512 x[rows];
      const __mmask16 loaded = first_of_16((run.end - n + rows - 1) / rows);
#pragma GCC unroll 8
      for (int q = 0; q < rows; ++q) {
        x[q] = finish_sum(_mm512_maskz_loadu_ps(loaded, acc + q * kSplitBlock * kSplitBlock), bias,
                          result.ramp);
      }
      const auto result_of = [&](std::int64_t v) { return interleaved<rows>(x, v); };
#pragma GCC unroll 8
      for (std::int64_t v = 0; v < rows; ++v, n += kHalf) {
        const __mmask16 mask = between(run.begin - n, run.end - n);
        if (!result.half) {
          store_vector(static_cast<float*>(run.to) + at + n, mask, result_of(v), result);
          continue;
        }
        auto* const to = static_cast<std::uint16_t*>(run.to) + at + n;
        if (v + 1 < rows && run.begin <= n && run.end - n >= kSplitBlock) {
          store_halves(to, result_of(v), result_of(v + 1), result);
          ++v;
          n += kHalf;
        } else {
          _mm256_mask_storeu_epi16(to, mask,
                                   _mm512_cvtps_ph(result_of(v), _MM_FROUND_TO_NEAREST_INT));
        }
      }
    }
  }
}

// 32 positions of an output as they lie, from `acc` to elements from `first` on.
inline void store_whole(const ProductResult& result, std::int64_t output, const float* acc,
                        std::int64_t first) {
  const __m512 bias = _mm512_set1_ps(result.bias[output]);
  const std::int64_t at = output * result.output_stride + first;
  const __m512 x = finish_sum(_mm512_load_ps(acc), bias, result.ramp);
  const __m512 y = finish_sum(_mm512_load_ps(acc + kHalf), bias, result.ramp);
  if (result.half) {
    store_halves(static_cast<std::uint16_t*>(result.runs[0].to) + at, x, y, result);
  } else {
    auto* to = static_cast<float*>(result.runs[0].to) + at;
    store_vector(to, 0xffff, x, result);
    store_vector(to + kHalf, 0xffff, y, result);
  }
}

template <int rows>
void store_range(const ProductResult& result, std::int64_t end) {
  for (std::int64_t output = result.next; output < end; ++output) {
    store_output<rows>(result, output);
  }
}

void store_outputs(ProductResult& result, std::int64_t count) {
  static constexpr decltype(&store_range<1>) kStores[] = {
      store_range<1>, store_range<2>, store_range<3>, store_range<4>,
      store_range<5>, store_range<6>, store_range<7>, store_range<8>};
  static_assert(sizeof kStores / sizeof *kStores == kMostInterleaved);
  const std::int64_t end =
      result.outputs - result.next < count ? result.outputs : result.next + count;
  if (result.next >= end) return;
  const ProductResult::Run& run = result.runs[0];
  if (result.interleaved == 1 && run.begin == 0 && run.end == kSplitBlock) {
    for (std::int64_t o = result.next; o < end; ++o) {
      store_whole(result, o, result.acc + o * kSplitBlock, 0);
    }
  } else if (result.interleaved == 1 && run.end == kWideBlock) {
    for (std::int64_t o = result.next; o < end; ++o) {
      store_whole(result, o, result.acc + o * kSplitBlock, 0);
      store_whole(result, o, result.acc + (o + kHalf) * kSplitBlock, kSplitBlock);
    }
  } else {
    kStores[result.interleaved - 1](result, end);
  }
  result.next = end;
}

template <int parts>
void multiply(const ProductBlock& block, ProductSide& side) noexcept {
  constexpr std::int64_t kSlices = part_products(parts);
  const std::int64_t slices = kSlices * (side.result.steps > 0 ? side.result.steps : 1);
  const std::int64_t outputs = (side.result.outputs + slices - 1) / slices;
  const std::int64_t units = (side.units_a_step + kSlices - 1) / kSlices;
  SplitAhead ahead = block.ahead;
  const auto between = [&] {
    store_outputs(side.result, outputs);
    ahead.fetch();
    pack_units<parts>(side, units);
  };
  if (block.next == nullptr) {
    multiply_block<parts, true>(block, between);
  } else if (parts == 2 && block.positions == kWideBlock) {
    multiply_wide(block, between);
  } else {
    multiply_block<parts, false>(block, between);
  }
}

}  // namespace

void product_pack_pairs_2(const PatchPairs& pairs, LaneRange& range) noexcept {
  pack_pairs<2>(pairs, range);
}
void product_pack_pairs_3(const PatchPairs& pairs, LaneRange& range) noexcept {
  pack_pairs<3>(pairs, range);
}
void product_multiply_2(const ProductBlock& block, ProductSide& side) noexcept {
  multiply<2>(block, side);
}
void product_multiply_3(const ProductBlock& block, ProductSide& side) noexcept {
  multiply<3>(block, side);
}
void product_store(ProductSide& side) noexcept { store_outputs(side.result, side.result.outputs); }
void product_pack_2(ProductSide& side) noexcept { pack_units<2>(side, INT64_MAX); }
void product_pack_3(ProductSide& side) noexcept { pack_units<3>(side, INT64_MAX); }

}  // namespace weft::kernels::WEFT_ISA
