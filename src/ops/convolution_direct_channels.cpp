// Sums of DirectConvolution over many input channels (kernels/direct/channels.h).

#include <algorithm>
#include <cstdlib>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/convolution_direct.h"

namespace weft::ops {

using kernels::DirectChannels;
using kernels::kDirectChannels;

namespace {

// Fewer are better copied: their planes stay in the first-level cache. With AVX2 one output channel
// has other kernels for copies, which read each row once for all rows of the window.
constexpr std::int64_t kFewestChannels = 8, kFewestForOne = 16;

// More rows of a window of one output channel are better shared all at once, in copies.
constexpr std::int64_t kMostRowsOfOne = 3;

// What a chain of channels reads for a tile, and its sums, should stay in a second-level cache of
// 512 KiB or more.
constexpr std::int64_t kTileBytes = 384 << 10;

// The taps of a phase along one dimension, those that read the lowest positions first.
struct Ascending {
  std::int64_t first_offset, distance;
  std::int64_t first_tap, tap_step;
};

Ascending ascending(const Phase& phase) {
  if (phase.offset_step >= 0) return {phase.first_offset, phase.offset_step, 0, 1};
  return {phase.offset(phase.taps - 1), -phase.offset_step, phase.taps - 1, -1};
}

}  // namespace

bool DirectConvolution::suits_channels() const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t panel = filter_.panel_rows();
  if (kernels_.sum_channels == nullptr || !DirectChannels::has(kernels_.lanes(), panel) ||
      g.in_channels < (panel == 1 && kernels_.lanes() < 16 ? kFewestForOne : kFewestChannels) ||
      g.in_strides[kWidth] != 1 || g.out_strides[kWidth] != 1 ||
      (data_type_ == DataType::float16 && !kernels_.in_place_512)) {
    return false;
  }
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.phase_count() != 1 || axis.phase(0).taps == 0 || axis.phase(0).step != 1) return false;
  }
  const Phase rows = g.axes[kHeight].phase(0), columns = g.axes[kWidth].phase(0);
  const bool shares = rows.in_step == 1 && (rows.taps == 1 || std::abs(rows.offset_step) == 1);
  return (shares || kernels_.lanes() < 16) && (panel > 1 || rows.taps <= kMostRowsOfOne) &&
         columns.in_step == 1 &&
         rows.count >= DirectChannels::block_rows(kernels_.lanes(), panel) &&
         columns.count >= kernels_.lanes() * 3 / 2;
}

void DirectConvolution::choose_channel_tiles(std::int64_t wanted) noexcept {
  // The fewer terms a chain has, the more rows a tile, and the smaller is the error. Of AVX2, one
  // thread of Zen 4, us, of up to 128 terms and of 56: 64 to 3 channels, 640x360, 3x3, 15400 and
  // 13100; 128 to 3, 128x128, 2360 and 2240. AVX-512 is not measured.
  constexpr std::int64_t kMostTerms = 56;
  const ConvolutionGeometry& g = geometry_;
  if (kernels_.lanes() < 16) chain_ = equal_parts(g.in_channels, kMostTerms / most_taps(g));
  const std::int64_t panel = filter_.panel_rows();
  const std::int64_t block = DirectChannels::block_rows(kernels_.lanes(), panel);
  const std::int64_t layers = g.axes[kDepth].phase(0).taps;
  const auto bytes = [&](std::int64_t rows, std::int64_t columns) {
    const std::int64_t read =
        ((rows - 1) * step_[kHeight] + spread_[kHeight] + 1) * layers * chain_;
    return (read * element_bytes_ + rows * panel * static_cast<std::int64_t>(sizeof(float))) *
           columns;
  };
  const std::int64_t width = g.axes[kWidth].max_count(), height = g.axes[kHeight].max_count();
  box_ = {1, block, width};
  // A cut costs what the window reads past it.
  while (box_[kWidth] > 4 * kernels_.lanes() && bytes(block, box_[kWidth]) > 2 * kTileBytes) {
    box_[kWidth] = base::round_up(base::divide_up(box_[kWidth], 2), kernels_.lanes());
  }
  boxes_ = {g.axes[kDepth].max_count(), 1, base::divide_up(width, box_[kWidth])};
  group_block_ = 1;
  group_blocks_ = g.groups;
  const std::int64_t others = g.batch * g.groups * boxes_[kDepth] * boxes_[kWidth];
  while (box_[kHeight] < height && bytes(box_[kHeight] + block, box_[kWidth]) <= kTileBytes &&
         others * (height / (box_[kHeight] + block)) >= wanted) {
    box_[kHeight] += block;
  }
  boxes_[kHeight] = base::divide_up(height, box_[kHeight]);
  tile_count_ = others * boxes_[kHeight];
  sums_stride_ = static_cast<std::int64_t>(base::round_up(box_[kWidth], kernels::kDirectColumns));
  group_floats_ =
      g.in_channels <= chain_
          ? 0
          : DirectChannels::kept_floats(kernels_.lanes(), panel, box_[kHeight], box_[kWidth]);
  const std::int64_t sums = general_.stores_sums() ? 0 : panel * box_[kHeight] * sums_stride_;
  slot_bytes_ = base::slot_bytes((group_floats_ + kPastPlanes + sums) * sizeof(float));
}

void DirectConvolution::sum_channels(const RunArguments& arguments, const std::byte* packed,
                                     std::int64_t index, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [depth, height, width] = phases_[0].phases;
  const Tile tile = locate(index);
  const Ascending rows = ascending(height);
  // Of the window's layers those that lie inside, none where all are padding.
  const Ascending layers = ascending(depth);
  const std::int64_t layer = tile.first[kDepth] * depth.in_step + layers.first_offset;
  const std::int64_t distance = std::max<std::int64_t>(layers.distance, 1);
  const std::int64_t in_layers = g.axes[kDepth].in_size();
  const std::int64_t front = layer < 0 ? base::divide_up(-layer, distance) : 0;
  const std::int64_t end =
      layer < in_layers ? std::min((in_layers - 1 - layer) / distance + 1, depth.taps) : 0;
  const std::int64_t row_taps = width.taps, layer_taps = height.taps * width.taps;
  const std::int64_t first_tap =
      (layers.first_tap + front * layers.tap_step) * layer_taps + rows.first_tap * row_taps;
  const bool half = data_type_ == DataType::float16;
  const bool direct = general_.stores_sums();
  const std::int64_t panel_rows = filter_.panel_rows();
  const auto input_at = [&](const Tile& at, std::int64_t in_layer) {
    return static_cast<const std::byte*>(arguments.inputs[0]) +
           (at.image * g.in_batch_stride + at.first_group * g.in_channels * g.in_channel_stride +
            in_layer * g.in_strides[kDepth]) *
               element_bytes_;
  };
  const Tile next = locate(std::min(index + 1, tile_count_ - 1));
  for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
    const std::int64_t first_channel = panel * panel_rows;
    const std::int64_t channels = std::min(panel_rows, g.out_channels - first_channel);
    const std::int64_t channel = tile.first_group * g.out_channels + first_channel;
    float bias[kDirectChannels] = {};
    for (std::int64_t m = 0; m < channels; ++m) bias[m] = bias_of(arguments, channel + m);
    const std::int64_t out = tile.image * g.out_batch_stride + channel * g.out_channel_stride +
                             tile.first[kDepth] * g.out_strides[kDepth] +
                             tile.first[kHeight] * g.out_strides[kHeight] + tile.first[kWidth];
    auto* const output = static_cast<std::byte*>(arguments.outputs[0]) + out * element_bytes_;
    const DirectChannels block{
        .in = input_at(tile, layer + front * distance),
        .half = half,
        .in_channel_stride = g.in_channel_stride,
        .in_layer_stride = distance * g.in_strides[kDepth],
        .in_row_stride = g.in_strides[kHeight],
        .in_rows = g.axes[kHeight].in_size(),
        .in_columns = g.axes[kWidth].in_size(),
        .in_channels = g.in_channels,
        .chain_channels = chain_,
        .window_layers = std::max<std::int64_t>(end - front, 0),
        .window_rows = height.taps,
        .window_columns = width.taps,
        .first_row = tile.first[kHeight] * height.in_step + rows.first_offset,
        .row_step = height.in_step,
        .row_distance = rows.distance,
        .first_column = tile.first[kWidth] + width.first_offset,
        .column_distance = width.offset_step,
        .filter =
            filter_.panel(packed, tile.first_group, panel, phases_[0].class_offset + first_tap),
        .filter_channel_stride = depth.taps * layer_taps * panel_rows,
        .filter_layer_stride = layers.tap_step * layer_taps * panel_rows,
        .filter_row_stride = rows.tap_step * row_taps * panel_rows,
        .bias = arguments.inputs[2] != nullptr ? bias : nullptr,
        .ramp = general_.ramp(),
        .sums = slot.planes,
        .out = direct ? static_cast<void*>(output) : slot.sums,
        .half_out = direct && half,
        .out_channels = panel_rows,
        .stored_channels = channels,
        .out_channel_stride = direct ? g.out_channel_stride : tile.size[kHeight] * sums_stride_,
        .out_row_stride = direct ? g.out_strides[kHeight] : sums_stride_,
        .rows = tile.size[kHeight],
        .columns = tile.size[kWidth],
        .next = input_at(next, std::max<std::int64_t>(
                                   next.first[kDepth] * depth.in_step + layers.first_offset, 0)),
        .next_first_row = next.first[kHeight] * height.in_step + rows.first_offset};
    kernels_.sum_channels(block);
    if (general_.only_ramps()) continue;
    for (std::int64_t m = 0; m < channels; ++m) {
      float* const sums = static_cast<float*>(block.out) + m * block.out_channel_stride;
      activate_rows(sums, tile.size[kHeight], block.out_row_stride, tile.size[kWidth]);
      for (std::int64_t r = 0; !direct && r < tile.size[kHeight]; ++r) {
        rows_.store(data_type_)(
            sums + r * block.out_row_stride,
            output + (m * g.out_channel_stride + r * g.out_strides[kHeight]) * element_bytes_, 1,
            tile.size[kWidth]);
      }
    }
  }
}

}  // namespace weft::ops
