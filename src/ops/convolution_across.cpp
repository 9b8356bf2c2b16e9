// Products of ConvolutionPlan with positions along vectors.

#include <algorithm>

#include "base/checked.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Input rows of a tile stay in a second-level cache beside the filter, and its tiles are short
// enough for threads to end together.
constexpr std::int64_t kAcrossPositions = 4096;

}  // namespace

void ConvolutionPlan::choose_boxes_across(unsigned threads) {
  const ConvolutionGeometry& g = geometry_;
  constexpr int kLast = kSpatial - 1;
  const std::int64_t width = g.axes[kLast].max_count();
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const std::int64_t others = g.batch * g.groups * phase_counts_[0] * phase_counts_[1];
  std::int64_t positions = width;
  for (int d = 0; d < kLast; ++d) positions *= g.axes[d].max_count();
  const std::int64_t wanted = threads > 1 ? 4 * std::int64_t{threads} : 1;
  const std::int64_t target = std::clamp(
      base::divide_up(positions, base::divide_up(wanted, others)), 8 * columns, kAcrossPositions);
  std::int64_t left = target;
  tiling_.channel_block = g.in_channels;
  for (int d = kLast; d >= 0; --d) {
    const std::int64_t size = g.axes[d].max_count();
    const std::int64_t parts =
        base::divide_up(size, std::min(size, std::max<std::int64_t>(left, 1)));
    std::int64_t part = base::divide_up(size, parts);
    if (d == kLast && part < size) {
      part = base::divide_up(part, columns) * columns;
      // No row may end in less than whole vectors.
      if (size % part != 0 && size % part < columns) part = size;
    }
    tiling_.box[d] = part;
    tiling_.boxes[d] = base::divide_up(size, part);
    left /= part;
  }
  const std::int64_t tiles = others * tiling_.box_count();
  if (tiles < wanted) {
    tiling_.panel_block = base::divide_up(
        filter_.panels(), std::min(base::divide_up(wanted, tiles), filter_.panels()));
  } else {
    tiling_.panel_block = filter_.panels();
  }
  tiling_.panel_blocks = base::divide_up(filter_.panels(), tiling_.panel_block);
}

void ConvolutionPlan::multiply_across(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t rows = filter_.panel_rows();
  const float* input = slot.planes;
  if (tile.in_place) {
    input = reinterpret_cast<const float*>(tile.input);
  } else {
    pack_planes(tile, 0, g.in_channels, slot);
  }
  const bool has_bias = arguments.inputs[2] != nullptr;
  for (std::int64_t p = 0; has_bias && p < tile.panel_count; ++p) {
    load_bias(arguments, tile, tile.first_panel + p, slot.bias + p * rows);
  }
  const std::int64_t first_channel = tile.first_panel * rows;
  const std::int64_t channels = std::min(tile.panel_count * rows, g.out_channels - first_channel);
  float* output = static_cast<float*>(arguments.outputs[0]) + tile.image * g.out_batch_stride +
                  (tile.group * g.out_channels + first_channel) * g.out_channel_stride;
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t strips = list_strips(tile, g.in_channels, slot);
  const std::int64_t strips_a_row = strips / (tile.count[0] * tile.count[1]);
  for (std::int64_t s = 0; s < strips; ++s) {
    const Strip& strip = slot.strips[s];
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      float* to = output + p * rows * g.out_channel_stride + strip.acc;
      const std::int64_t count = std::min(rows, channels - p * rows);
      // Results go to lines that nobody has read: fetch those of the next panel.
      const float* next = to + (p + 1 < tile.panel_count ? rows : 0) * g.out_channel_stride;
      gemm_.tile(strip.count / gemm_.lanes, count,
                 1)({.a = filter_.panel(packed, tile.group, tile.first_panel + p, offset),
                     .b = input + strip.a,
                     .acc = to,
                     .bias = has_bias ? slot.bias + p * rows : nullptr,
                     .terms = strip.terms,
                     .depth = strip.depth,
                     .a_step = 1,
                     .acc_stride = g.out_channel_stride,
                     .next = reinterpret_cast<const char*>(next),
                     .next_step = g.out_channel_stride * std::int64_t{sizeof(float)},
                     .first = true,
                     .bias_of_positions = true});
    }
    if (activation_ && (s + 1) % strips_a_row == 0) {
      float* row = output + slot.strips[s + 1 - strips_a_row].acc;
      for (std::int64_t n = 0; n < channels; ++n) {
        activate(row + n * g.out_channel_stride, tile.count[2]);
      }
    }
  }
}

}  // namespace weft::ops
