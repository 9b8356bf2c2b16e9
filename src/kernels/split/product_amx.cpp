#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/product.h"
#include "kernels/split/split_levels.h"
#include "kernels/split/split_parts.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// One pair of terms of 32 positions.
template <int parts>
void pack_rows_unit(const PatchRows& rows, std::int64_t unit, LaneRange& range) {
  // Far fewer than 2^32: 32-bit division takes half the time.
  const auto blocks = static_cast<std::uint32_t>((rows.positions + kSplitBlock - 1) / kSplitBlock);
  const std::int64_t pair_index = static_cast<std::uint32_t>(unit) / blocks;
  const std::int64_t block = static_cast<std::uint32_t>(unit) % blocks;
  const bool has_even = 2 * pair_index < rows.terms;
  const bool has_odd = 2 * pair_index + 1 < rows.terms;
  const float* even = rows.rows + (has_even ? 2 * pair_index : 0) * rows.row_stride;
  const float* odd = even + (has_odd ? rows.row_stride : 0);
  std::uint16_t* to = rows.to + block * rows.block_stride +
                      pair_index / kHalf * (parts * kSplitPatchPart) +
                      pair_index % kHalf * kSplitBlock;
  __m512i largest = _mm512_load_si512(range.largest);
  __m512i smallest = _mm512_load_si512(range.smallest);
  for (std::int64_t half = 0; half < 2; ++half) {
    const std::int64_t at = block * kSplitBlock + half * kHalf;
    const __mmask16 mask = first_of_16(rows.positions - at);
    const __m512 x = _mm512_maskz_loadu_ps(has_even ? mask : __mmask16{0}, even + at);
    const __m512 y = _mm512_maskz_loadu_ps(has_odd ? mask : __mmask16{0}, odd + at);
    widen(largest, smallest, x);
    widen(largest, smallest, y);
    const Split<parts> e(x);
    const Split<parts> o(y);
    for (int q = 0; q < parts; ++q) {
      _mm512_store_si512(to + q * kSplitPatchPart + half * kTile, pair(e.part[q], o.part[q]));
    }
  }
  _mm512_store_si512(range.largest, largest);
  _mm512_store_si512(range.smallest, smallest);
}

template <int parts>
void pack_taps_unit(const PatchTaps& taps, std::int64_t unit) {
  constexpr __mmask32 kOdd = 0xaaaaaaaau;
  const std::uint32_t* even = taps.planes + taps.offsets[2 * unit];
  const std::uint32_t* odd = taps.planes + taps.offsets[2 * unit + 1];
  std::uint16_t* to =
      taps.to + unit / kHalf * (parts * kSplitPatchPart) + unit % kHalf * kSplitBlock;
  for (int q = 0; q < parts; ++q) {
    for (std::int64_t half = 0; half < 2; ++half) {
      const std::int64_t at = q * taps.part_stride + half * kHalf;
      _mm512_store_si512(to + q * kSplitPatchPart + half * kTile,
                         _mm512_mask_blend_epi16(kOdd, _mm512_loadu_si512(even + at),
                                                 _mm512_loadu_si512(odd + at)));
    }
  }
}

template <int parts>
void pack_units(ProductSide& side, std::int64_t count) {
  if (side.rows.terms > 0) {
    const std::int64_t all = (side.rows.terms + kSplitBlock - 1) / kSplitBlock * kHalf *
                             ((side.rows.positions + kSplitBlock - 1) / kSplitBlock);
    const std::int64_t end = all - side.units < count ? all : side.units + count;
    for (; side.units < end; ++side.units) pack_rows_unit<parts>(side.rows, side.units, side.range);
  } else if (side.taps.terms > 0) {
    const std::int64_t all = side.taps.terms / 2;
    const std::int64_t end = all - side.units < count ? all : side.units + count;
    for (; side.units < end; ++side.units) pack_taps_unit<parts>(side.taps, side.units);
  }
}

inline void store_output(const ProductResult& result, std::int64_t output) {
  const __m512 bias = _mm512_set1_ps(result.bias[output]);
  if (result.runs[0].count == kSplitBlock && !result.half) {
    const float* acc = result.acc + output * kSplitBlock;
    float* to = static_cast<float*>(result.runs[0].to) + output * result.output_stride;
    for (std::int64_t p = 0; p < kSplitBlock; p += kHalf) {
      _mm512_storeu_ps(to + p, finish_sum(_mm512_load_ps(acc + p), bias, result.relu));
      // The next block's, in all likelihood.
      __builtin_prefetch(to + kSplitBlock + p, 1, 3);
    }
    return;
  }
  for (std::int64_t r = 0; r < result.run_count; ++r) {
    const ProductResult::Run& run = result.runs[r];
    const float* acc = result.acc + output * kSplitBlock + run.first;
    for (std::int64_t p = 0; p < run.count; p += kHalf) {
      const __mmask16 mask = first_of_16(run.count - p);
      const __m512 y = finish_sum(_mm512_maskz_loadu_ps(mask, acc + p), bias, result.relu);
      const std::int64_t at = output * result.output_stride + p;
      if (result.half) {
        _mm256_mask_storeu_epi16(static_cast<std::uint16_t*>(run.to) + at, mask,
                                 _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT));
      } else {
        _mm512_mask_storeu_ps(static_cast<float*>(run.to) + at, mask, y);
        __builtin_prefetch(static_cast<float*>(run.to) + at + kSplitBlock, 1, 3);
      }
    }
  }
}

// The outputs of one block, some at a time.
class Storing {
 public:
  Storing(const ProductResult& result, std::int64_t slices)
      : result_(result), at_once_((result.outputs + slices - 1) / slices) {}

  void some() {
    for (std::int64_t i = 0; i < at_once_ && next_ < result_.outputs; ++i) {
      store_output(result_, next_++);
    }
  }
  void all() {
    while (next_ < result_.outputs) store_output(result_, next_++);
  }

 private:
  const ProductResult& result_;
  std::int64_t at_once_;
  std::int64_t next_ = 0;
};

template <int parts>
void split_row(const float* row, std::int64_t count, std::uint32_t* to, std::int64_t part_stride,
               SplitRange& range) noexcept {
  RangeOf seen(range);
  for (std::int64_t i = 0; i < count; i += kHalf) {
    const __mmask16 mask = first_of_16(count - i);
    const __m512 x = _mm512_maskz_loadu_ps(mask, row + i);
    seen.add(x);
    const Split<parts> split(x);
    for (int q = 0; q < parts; ++q) {
      _mm512_mask_storeu_epi32(to + q * part_stride + i, mask, pair(split.part[q], split.part[q]));
    }
  }
}

template <int parts>
void multiply(const ProductBlock& block, ProductSide& side) noexcept {
  constexpr std::int64_t kSlices = parts == 3 ? 6 : 4;
  Storing storing(side.result, kSlices * (block.steps > 0 ? block.steps : 1));
  const std::int64_t units = (side.units_a_step + kSlices - 1) / kSlices;
  multiply_block<parts>(block.filter, block.patches, block.steps, block.acc, kSplitBlock,
                        block.first, [&] {
                          storing.some();
                          pack_units<parts>(side, units);
                        });
  storing.all();
  side.result.outputs = 0;
}

}  // namespace

void product_split_row_2(const float* row, std::int64_t count, std::uint32_t* to,
                         std::int64_t part_stride, SplitRange& range) noexcept {
  split_row<2>(row, count, to, part_stride, range);
}
void product_split_row_3(const float* row, std::int64_t count, std::uint32_t* to,
                         std::int64_t part_stride, SplitRange& range) noexcept {
  split_row<3>(row, count, to, part_stride, range);
}
void product_multiply_2(const ProductBlock& block, ProductSide& side) noexcept {
  multiply<2>(block, side);
}
void product_multiply_3(const ProductBlock& block, ProductSide& side) noexcept {
  multiply<3>(block, side);
}
void product_store(ProductSide& side) noexcept {
  Storing(side.result, 1).all();
  side.result.outputs = 0;
}
void product_pack_2(ProductSide& side) noexcept { pack_units<2>(side, INT64_MAX); }
void product_pack_3(ProductSide& side) noexcept { pack_units<3>(side, INT64_MAX); }

}  // namespace weft::kernels::WEFT_ISA
