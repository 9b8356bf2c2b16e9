// Depthwise sums of DirectConvolution straight from the input (kernels/direct/in_place.h).

#include <algorithm>

#include "base/checked.h"
#include "ops/convolution_direct.h"

namespace weft::ops {

using kernels::DirectExtent;
using kernels::DirectInPlace;

namespace {

constexpr int kDepth = 0, kHeight = 1, kWidth = 2;

// Wider rows take as long, or longer, with windows of 7 rows, and of 5 at stride 2.
constexpr std::int64_t kMostColumns = 32, kMostHalfColumns = 16, kMostStridedColumns = 8;

// Results of some channels wait in the cache for an activation.
constexpr std::int64_t kBatchBytes = 64 << 10;

}  // namespace

bool DirectConvolution::suits_in_place() const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const bool half = data_type_ == DataType::float16;
  if (kernels_.in_place == nullptr || phases_.size() != 1 || (half && general_.has_activation()) ||
      g.in_channels != 1 || g.out_channels != 1 || g.in_strides[kWidth] != 1 ||
      g.out_strides[kWidth] != 1) {
    return false;
  }
  const auto& phases = phases_[0].phases;
  for (const Phase& phase : phases) {
    if (phase.taps == 0 || phase.step != 1 || (phase.taps > 1 && phase.offset_step != 1)) {
      return false;
    }
  }
  const Phase& rows = phases[kHeight];
  const std::int64_t last = (rows.count - 1) * rows.in_step + rows.first_offset;
  if (rows.first_offset <= -rows.taps || last >= g.axes[kHeight].in_size()) return false;
  const std::int64_t width = phases[kWidth].count;
  if (rows.taps == 7 && width > (half ? kMostHalfColumns : kMostColumns)) return false;
  if (rows.taps == 5 && rows.in_step == 2 && width > kMostStridedColumns) return false;
  const std::int64_t loads = base::divide_up(width, 8) * rows.in_step;
  if (loads * phases[kWidth].taps > DirectInPlace::kMaxMasks) return false;
  return phases[kHeight].in_step == phases[kWidth].in_step &&
         DirectInPlace::has_window(phases[kHeight].taps, phases[kHeight].in_step);
}

void DirectConvolution::use_no_planes() noexcept {
  group_floats_ = 0;
  const std::int64_t bytes = box_[kDepth] * box_[kHeight] * box_[kWidth] * element_bytes_;
  // Two channels at a time.
  batch_ =
      std::min(std::clamp<std::int64_t>(kBatchBytes / bytes, 2, kMaxBatch) / 2 * 2, group_block_);
  slot_bytes_ = 0;
}

void DirectConvolution::sum_in_place(const RunArguments& arguments, const std::byte* packed,
                                     const Tile& tile, const Batch& batch) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto extent = [](const Extent& x) { return DirectExtent{x[0], x[1], x[2]}; };
  Extent sizes, window, first;
  std::int64_t out = tile.image * g.out_batch_stride + batch.first * g.out_channel_stride;
  for (int d = 0; d < kSpatial; ++d) {
    const Phase& phase = phases_[0].phases[d];
    sizes[d] = g.axes[d].in_size();
    window[d] = phase.taps;
    first[d] = tile.first[d] * phase.in_step + phase.first_offset;
    out += tile.first[d] * g.out_strides[d];
  }
  float bias[kMaxBatch];
  const auto* biases = static_cast<const std::byte*>(arguments.inputs[2]);
  if (biases != nullptr) {
    rows_.load(data_type_)(biases + batch.first * g.bias_stride * element_bytes_, g.bias_stride,
                           bias, batch.count);
  }
  std::byte* const to = static_cast<std::byte*>(arguments.outputs[0]) + out * element_bytes_;
  kernels_.in_place({
      .in = static_cast<const std::byte*>(arguments.inputs[0]) +
            (tile.image * g.in_batch_stride + batch.first * g.in_channel_stride) * element_bytes_,
      .in_sizes = extent(sizes),
      .in_strides = extent(g.in_strides),
      .window = extent(window),
      .step = extent(step_),
      .first = extent(first),
      .filter = filter_.panel(packed, batch.first, 0, phases_[0].class_offset),
      .bias = biases != nullptr ? bias : nullptr,
      .out = to,
      .half = data_type_ == DataType::float16,
      .out_sizes = extent(tile.size),
      .out_strides = extent(g.out_strides),
      .channels = batch.count,
      .in_channel_stride = g.in_channel_stride,
      .filter_channel_stride = filter_.panel(packed, 1, 0, 0) - filter_.panel(packed, 0, 0, 0),
      .out_channel_stride = g.out_channel_stride,
  });
  if (!general_.has_activation()) return;
  auto* const results = reinterpret_cast<float*>(to);
  for (std::int64_t n = 0; n < batch.count; ++n) {
    for (std::int64_t d = 0; d < tile.size[kDepth]; ++d) {
      for (std::int64_t h = 0; h < tile.size[kHeight]; ++h) {
        general_.activate(results + n * g.out_channel_stride + d * g.out_strides[kDepth] +
                              h * g.out_strides[kHeight],
                          tile.size[kWidth]);
      }
    }
  }
}

}  // namespace weft::ops
