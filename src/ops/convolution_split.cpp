#include "ops/convolution_split.h"

#include <algorithm>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "ops/axis_window.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitAhead;
using kernels::SplitRange;
using kernels::SplitResult;

SplitConvolution::SplitConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : SplitPlan(params, options),
      kernels_(*kernels::split_kernels(split_parts(data_type_))),
      filter_(geometry_, data_type_, rows_.load(data_type_), kernels_) {
  algorithm = kernels_.name;
  choose_tiles(options);
  set_memory(options, filter_.size_in_bytes(), slots_, slot_bytes_);
  explanation = "tiles of " + std::to_string(band_rows_) + " rows x " +
                std::to_string(shares_.most_blocks() * kSplitBlock) + " channels, " +
                std::to_string(block_group_ * kSplitBlock) + " input channels at a time, " +
                std::to_string(shares_.tiles()) + " tiles, " + std::to_string(slots_) + " slots";
}

SplitConvolution::Slot SplitConvolution::slot_memory(std::byte* slots,
                                                     unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  Slot result;
  result.pixels = base::take<std::uint16_t>(memory, pixel_elements_);
  result.rows = base::take<float>(memory, kSplitBlock * kChunk);
  result.acc = base::take<float>(memory, acc_elements_);
  result.sums = base::take<float>(memory, stores_blocks_ ? 0 : kSplitBlock * line_);
  result.taps = base::take<std::int64_t>(memory, most_taps_);
  result.bias = base::take<float>(memory, shares_.most_blocks() * kSplitBlock);
  return result;
}

void SplitConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void SplitConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                 std::byte* slots, SharedRange* ranges) const noexcept {
  shares_.run(slots_, [&](const TileShares::Share& share, unsigned slot, bool has_pixels) {
    const Tile tile = locate(share);
    if (tile.rows <= 0) return;
    compute_tile(arguments, packed, tile, slot_memory(slots, slot), has_pixels, ranges[tile.image]);
  });
}

SplitConvolution::Tile SplitConvolution::locate(const TileShares::Share& share) const noexcept {
  Tile tile;
  std::int64_t index = share.unit;
  tile.first_out_block = share.first_block;
  tile.out_blocks = share.blocks;
  tile.first_row = base::take_digit(index, bands_) * band_rows_;
  for (int d = kSpatial; d-- > 1;) {
    const ConvolutionAxis& axis = geometry_.axes[d];
    tile.phases[d] = axis.phase(shares_pixels_ ? 0 : base::take_digit(index, axis.phase_count()));
    tile.inputs[d] = shares_pixels_ ? all_inputs_[d] : tile.phases[d];
  }
  tile.phases[0] = geometry_.axes[0].phase(0);
  tile.group = base::take_digit(index, geometry_.groups);
  tile.image = index;
  tile.rows = std::min(band_rows_, tile.phases[1].count - tile.first_row);
  return tile;
}

void SplitConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                    const Tile& located, const Slot& slot, bool has_pixels,
                                    SharedRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  Tile tile = located;
  const AxisTaps h(tile.inputs[1]);
  const AxisTaps w = planes_of(2, tile.inputs[2]);
  tile.pitch = tile.inputs[2].count + w.spread;
  tile.plane_size = (tile.rows + h.spread) * tile.pitch;
  tile.part_stride = std::int64_t{h.planes} * w.planes * tile.plane_size * kSplitBlock;
  tile.block_stride = kernels_.parts * tile.part_stride;
  const auto* input =
      static_cast<const std::byte*>(arguments.inputs[0]) +
      (tile.image * g.in_batch_stride + tile.group * g.in_channels * g.in_channel_stride) *
          element_bytes_;
  load_bias(arguments, tile.group, tile.first_out_block, tile.out_blocks, slot.bias);
  SplitRange seen;
  kernels_.enter();
  for (std::int64_t first = 0; first < filter_.in_blocks(); first += split_group_) {
    const std::int64_t blocks = std::min(split_group_, filter_.in_blocks() - first);
    if (!has_pixels && h.count * w.count > 0) {
      split_blocks(tile, h, w, input, first, blocks, slot, seen);
    }
    if (!shares_pixels_) {
      multiply_phases(arguments, packed, tile, h, w, first, blocks, slot, nullptr);
      continue;
    }
    const std::int64_t columns = g.axes[2].phase_count();
    const std::int64_t count = g.axes[1].phase_count() * columns;
    const auto of_phase = [&](std::int64_t index) {
      Tile phase = tile;
      phase.phases[1] = g.axes[1].phase(index / columns);
      phase.phases[2] = g.axes[2].phase(index % columns);
      phase.rows = std::min(tile.rows, phase.phases[1].count - tile.first_row);
      return phase;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const Tile phase = of_phase(i);
      if (phase.rows <= 0) continue;
      const std::int64_t block = tile.first_out_block + (i + 1 < count ? 0 : tile.out_blocks);
      multiply_phases(arguments, packed, phase, h, w, first, blocks, slot,
                      filter_.block(packed, tile.group, block % filter_.out_blocks()) +
                          filter_.class_offset(of_phase((i + 1) % count).phases));
    }
  }
  kernels_.leave();
  range.add(seen);
}

// The results of a tile's phases from some channel blocks, which have been split.
void SplitConvolution::multiply_phases(const RunArguments& arguments, const std::byte* packed,
                                       const Tile& tile, const AxisTaps& h, const AxisTaps& w,
                                       std::int64_t first_block, std::int64_t block_count,
                                       const Slot& slot,
                                       const std::uint16_t* next_phase) const noexcept {
  // Where a tap lies among the inputs.
  const auto place = [&](int d, std::int64_t tap) {
    return shares_pixels_ ? tile.phases[d].offset(tap) - tile.inputs[d].first_offset : tap;
  };
  // Rows of taps that read nothing but padding are left out: they would add zeros.
  const auto rows_of_taps =
      taps_inside(tile.phases[1], tile.first_row, tile.rows, geometry_.axes[1].in_size());
  const std::int64_t first_tap = rows_of_taps[0];
  const std::int64_t row_taps = tile.phases[2].taps;
  const std::int64_t all_taps = tile.phases[1].taps * row_taps;
  const std::int64_t tap_count = (rows_of_taps[1] - first_tap) * row_taps;
  for (std::int64_t t = 0; t < tap_count; ++t) {
    const std::int64_t i = place(1, first_tap + t / row_taps);
    const std::int64_t j = place(2, t % row_taps);
    slot.taps[t] = ((h.plane[i] * w.planes + w.plane[j]) * tile.plane_size +
                    (h.shift[i] - h.lowest) * tile.pitch + w.shift[j] - w.lowest) *
                   kSplitBlock;
  }
  const std::int64_t line = tile.rows * tile.pitch;
  const std::int64_t class_offset = filter_.class_offset(tile.phases);
  const std::int64_t end_block = first_block + block_count;
  const std::int64_t groups_a_step = kernels::part_products(kernels_.parts);
  const std::int64_t passes = base::divide_up(line, kSplitBlock);
  const auto filter_of = [&](std::int64_t k, std::int64_t block) {
    return filter_.block(packed, tile.group, tile.first_out_block + k) + class_offset +
           (block * all_taps + first_tap * row_taps) * filter_.step();
  };
  // Output blocks from the tile's first on whose products with these pixels follow each other.
  const std::int64_t following = keeps_pixels() && !shares_pixels_
                                     ? filter_.out_blocks() - tile.first_out_block
                                     : tile.out_blocks;
  SplitResult result{};
  std::int64_t alternate = 0;
  for (std::int64_t k = 0; k < tile.out_blocks; ++k) {
    for (std::int64_t first = first_block, count = 0; first < end_block; first += count) {
      count = std::min(block_group_, end_block - first);
      const bool last = first + count == filter_.in_blocks();
      // Where the cache holds the next block's filter too, all of it; otherwise a part.
      const std::int64_t slab = count * tap_count * filter_.step() * 2;
      const std::int64_t fetched =
          std::clamp(kAheadBytes - pixel_elements_ * 2 - slab, std::int64_t{0}, slab);
      const std::int64_t ahead_lines =
          fetch_ahead_ && slab > 0
              ? base::divide_up(fetched / (count * tap_count * 64), passes * groups_a_step)
              : 0;
      // What is multiplied next, maybe in the next tile, which may begin with the first output.
      const std::uint16_t* ahead = first + count < end_block ? filter_of(k, first + count)
                                   : k + 1 < following       ? filter_of(k + 1, first_block)
                                   : shares_pixels_          ? next_phase
                                   : keeps_pixels() ? filter_of(-tile.first_out_block, first_block)
                                                    : filter_of(0, end_block);
      std::int64_t ahead_line = 0;
      for (std::int64_t n = 0; n < line; n += kSplitBlock) {
        // The block before is stored meanwhile.
        float* acc = slot.acc + (multiplies_at_once() ? alternate++ % 2 * kSplitBlock
                                 : keeps_pixels()     ? n
                                                      : k * line_ + n) *
                                    kSplitBlock;
        kernels_.multiply(
            {.a = slot.pixels + (first - first_block) * tile.block_stride + n * kSplitBlock,
             .taps = slot.taps,
             .tap_count = tap_count,
             .block_count = count,
             .block_stride = tile.block_stride,
             .part_stride = tile.part_stride,
             .b = filter_of(k, first),
             .b_gap = (all_taps - tap_count) * filter_.step(),
             .acc = acc,
             .first = first == 0,
             .all_products = all_products_,
             .chain = all_taps <= kFewTaps ? kShortChain : count,
             .ahead = SplitAhead::of(ahead, fetched / 2, ahead_line, ahead_lines)},
            result);
        ahead_line += ahead_lines * groups_a_step * count * tap_count;
        if (last && stores_blocks_) {
          kernels_.store(result);
          result = result_of(arguments, tile, k, n, acc, slot.bias + k * kSplitBlock);
        } else if (last) {
          kernels_.transpose(acc, slot.sums + n, line_);
        }
      }
      if (last && !stores_blocks_) store(arguments, tile, tile.first_out_block + k, slot.sums);
    }
    // Before its sums are written again.
    if (keeps_pixels() && !multiplies_at_once()) kernels_.store(result);
  }
  kernels_.store(result);
}

}  // namespace weft::ops
