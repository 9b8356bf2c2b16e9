// Sums of ConvolutionPlan on their way to the output.

#include <algorithm>

#include "base/cpu.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

ConvolutionPlan::Results ConvolutionPlan::results_of(const RunArguments& arguments,
                                                     const Tile& tile,
                                                     std::int64_t panel) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = tile.phases;
  const std::int64_t columns = filter_.panel_rows();
  const std::int64_t pitch = tile.count[2] * tile.merged;
  // The last of the merged phases may have a position less.
  std::int64_t length = pitch;
  for (std::int64_t i = 0; i < tile.merged; ++i) {
    if (tile.first[2] + tile.count[2] > tile.last[i].count) --length;
  }
  const std::int64_t step = tile.merged > 1 ? 1 : pw.step;
  const std::int64_t start = pw.start + tile.first[2] * tile.merged * step;
  const std::int64_t stride = step * g.out_strides[2];
  const std::int64_t row_stride = ph.step * g.out_strides[1];
  const std::int64_t offset =
      tile.image * g.out_batch_stride +
      (tile.group * g.out_channels + panel * columns) * g.out_channel_stride +
      (pd.start + tile.first[0] * pd.step) * g.out_strides[0] +
      (ph.start + tile.first[1] * ph.step) * g.out_strides[1] + start * g.out_strides[2];
  return {.to = static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_,
          .channels = std::min(columns, g.out_channels - panel * columns),
          .pitch = pitch,
          .length = length,
          .stride = stride,
          .row_stride = row_stride,
          .layer_stride = pd.step * g.out_strides[0],
          .joined = length == pitch && stride == 1 && row_stride == pitch};
}

void ConvolutionPlan::store_panel(const RunArguments& arguments, const Tile& tile,
                                  std::int64_t panel, float* sums,
                                  const Slot& slot) const noexcept {
  const std::int64_t columns = filter_.panel_rows();
  const Results results = results_of(arguments, tile, panel);
  activate(sums, tile.count[0] * tile.count[1] * results.pitch * columns);
  for (std::int64_t d = 0; d < tile.count[0]; ++d) {
    std::byte* const to = results.to + d * results.layer_stride * element_bytes_;
    const float* from = sums + d * tile.count[1] * results.pitch * columns;
    if (results.joined) {
      store_run(from, tile.count[1] * results.pitch, results.channels, to, 1, slot);
      continue;
    }
    for (std::int64_t h = 0; h < tile.count[1]; ++h) {
      store_run(from + h * results.pitch * columns, results.length, results.channels,
                to + h * results.row_stride * element_bytes_, results.stride, slot);
    }
  }
}

// They are stored all at once, faster than an outer cache takes them; beside those of another
// thread, Intel's had better not be asked for. In turns, in us: 32 groups of 16 channels, 14x14,
// 3x3, on one thread 471 to 404, two 303 to 257; 16 to 48 channels, 14x14, 5x5, 66 to 60. Of Zen 4,
// 8 groups of 16, 28x28, in two boxes each, 323 to 311, 168 to 152.
LinesAhead ConvolutionPlan::results_ahead(const RunArguments& arguments, const Tile& tile,
                                          std::int64_t panel, std::int64_t strips) const noexcept {
  const Results results = results_of(arguments, tile, panel);
  const bool beside_others = tiling_.box_count() > 1 && slots_ > 1 && !base::is_amd();
  if (!results.joined || tile.count[0] > 1 || beside_others) return {};
  return {results.to, results.channels, geometry_.out_channel_stride * element_bytes_,
          tile.count[1] * results.pitch * element_bytes_, strips};
}

void ConvolutionPlan::store_run(const float* sums, std::int64_t count, std::int64_t channels,
                                std::byte* to, std::int64_t stride,
                                const Slot& slot) const noexcept {
  if (count == 1) {
    return rows_.store(data_type_)(sums, to, geometry_.out_channel_stride, channels);
  }
  const std::int64_t columns = filter_.panel_rows();
  const bool half = data_type_ == DataType::float16;
  if (stride == 1 && (!half || gemm_.rounds)) {
    gemm_.transpose({.from = sums,
                     .to = reinterpret_cast<float*>(to),
                     .half = half ? reinterpret_cast<std::uint16_t*>(to) : nullptr,
                     .from_stride = columns,
                     .to_stride = geometry_.out_channel_stride,
                     .rows = count,
                     .columns = channels});
    return;
  }
  const kernels::StoreRow store_row = rows_.store(data_type_);
  for (std::int64_t first = 0; first < count; first += kBlockPositions) {
    const std::int64_t rows = std::min(kBlockPositions, count - first);
    gemm_.transpose({.from = sums + first * columns,
                     .to = slot.block,
                     .from_stride = columns,
                     .to_stride = kBlockPositions,
                     .rows = rows,
                     .columns = channels});
    for (std::int64_t n = 0; n < channels; ++n) {
      store_row(slot.block + n * kBlockPositions,
                to + (n * geometry_.out_channel_stride + first * stride) * element_bytes_, stride,
                rows);
    }
  }
}

void ConvolutionPlan::activate(float* sums, std::int64_t count) const noexcept {
  if (!activation_) return;
  if (const auto& scale_bias = activation_->scale_bias) {
    scale_row_(sums, count, scale_bias->scale, scale_bias->bias);
  }
  if (activation_row_ != nullptr) {
    activation_row_(sums, count, activation_->alpha, activation_->beta);
  }
}

}  // namespace weft::ops
