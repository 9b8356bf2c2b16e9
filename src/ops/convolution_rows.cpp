// Sums of ConvolutionPlan that are formed row by row straight from the input.

#include <algorithm>

#include "kernels/one_nan.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

void ConvolutionPlan::sum_rows(const RunArguments& arguments, const std::byte* packed,
                               const Tile& tile, std::int64_t channel,
                               const Slot& slot) const noexcept {
  for (std::int64_t d = 0; d < tile.count[0]; ++d) {
    for (std::int64_t h = 0; h < tile.count[1]; ++h) {
      for (std::int64_t i = 0; i < tile.merged; ++i) {
        const std::int64_t count = std::min(tile.count[2], tile.last[i].count - tile.first[2]);
        sum_row(arguments, packed, tile, {tile.phases[0], tile.phases[1], tile.last[i]}, channel,
                {tile.first[0] + d, tile.first[1] + h, tile.first[2]}, count, slot);
      }
    }
  }
}

void ConvolutionPlan::sum_row(const RunArguments& arguments, const std::byte* packed,
                              const Tile& tile, const std::array<Phase, kSpatial>& phases,
                              std::int64_t channel,
                              const std::array<std::int64_t, kSpatial>& position,
                              std::int64_t count, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = phases;
  const std::byte* input = input_of(arguments, tile);
  const auto* filter = static_cast<const std::byte*>(arguments.inputs[1]);
  const std::int64_t stride = pw.in_step * g.in_strides[2];
  const bool in_place = data_type_ == DataType::float32 && stride == 1;
  const kernels::LoadRow load = rows_.load(data_type_);
  const std::int64_t columns = filter_.panel_rows();
  const float* panel = filter_in_place_ ? nullptr
                                        : filter_.panel(packed, tile.group, channel / columns,
                                                        filter_.class_offset(phases)) +
                                              channel % columns;
  const std::int64_t filter_first =
      g.filter_origin + tile.group * g.filter_group_stride + channel * g.filter_out_stride;
  const auto filter_offset = [&](int axis, std::int64_t tap) {
    return (phases[axis].tap_class + tap * g.axes[axis].tap_step()) * g.filter_strides[axis];
  };
  float* sums = slot.row_sums;
  std::fill_n(sums, count, 0.0f);
  const std::int64_t out_channel = tile.group * g.out_channels + channel;
  const std::int64_t terms = g.in_channels * pd.taps * ph.taps * pw.taps;
  const bool ends_at_bias = adds_to_bias(phases);
  const std::int64_t last_terms = ends_at_bias ? terms - kernels::kGemmBiasTerms : terms;
  if (ends_at_bias) std::fill_n(slot.row_chain, count, bias_of(arguments, out_channel));
  const auto end_chain = [&] {
    if (sums == slot.row_sums) return;
    for (std::int64_t i = 0; i < count; ++i) slot.row_sums[i] += sums[i];
  };
  const std::int64_t chain = chain_ * chains_in_one(g, gemm_, pd.taps * ph.taps * pw.taps);
  std::int64_t k = 0;
  for (std::int64_t c = 0; c < g.in_channels; ++c) {
    if (c > 0 && c % chain == 0) {
      end_chain();
      sums = slot.row_chain;
      std::fill_n(sums, count, 0.0f);
    }
    for (std::int64_t j = 0; j < pd.taps; ++j) {
      const std::int64_t d = position[0] * pd.in_step + pd.offset(j);
      for (std::int64_t i = 0; i < ph.taps; ++i) {
        const std::int64_t h = position[1] * ph.in_step + ph.offset(i);
        const bool inside = d >= 0 && d < g.axes[0].in_size() && h >= 0 && h < g.axes[1].in_size();
        if (!inside) {
          k += pw.taps;
          continue;
        }
        const std::int64_t row =
            c * g.in_channel_stride + d * g.in_strides[0] + h * g.in_strides[1];
        for (std::int64_t w = 0; w < pw.taps; ++w, ++k) {
          const auto [inside_begin, inside_end] = g.axes[2].inside(pw, pw.offset(w));
          const std::int64_t begin = std::max(inside_begin, position[2]);
          const std::int64_t end = std::min(inside_end, position[2] + count);
          if (begin >= end) continue;
          const std::byte* from =
              input +
              (row + (begin * pw.in_step + pw.offset(w)) * g.in_strides[2]) * element_bytes_;
          if (!in_place) load(from, stride, slot.row, end - begin);
          float weight;
          if (filter_in_place_) {
            const std::int64_t at = filter_first + c * g.filter_in_stride + filter_offset(0, j) +
                                    filter_offset(1, i) + filter_offset(2, w);
            load(filter + at * element_bytes_, 1, &weight, 1);
          } else {
            weight = panel[k * columns];
          }
          gemm_.add_scaled_row(weight, in_place ? reinterpret_cast<const float*>(from) : slot.row,
                               (k < last_terms ? sums : slot.row_chain) + (begin - position[2]),
                               end - begin);
        }
      }
    }
  }
  if (ends_at_bias) sums = slot.row_chain;
  end_chain();
  finish(arguments, out_channel, slot.row_sums, count, !ends_at_bias);
  const std::int64_t offset = tile.image * g.out_batch_stride + out_channel * g.out_channel_stride +
                              (pd.start + position[0] * pd.step) * g.out_strides[0] +
                              (ph.start + position[1] * ph.step) * g.out_strides[1] +
                              (pw.start + position[2] * pw.step) * g.out_strides[2];
  rows_.store(data_type_)(slot.row_sums,
                          static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_,
                          pw.step * g.out_strides[2], count);
}

// Sums of products that all vanish are 0 or -0, by whether padding is multiplied too, which levels
// and tiles differ in. A bias that is not -0, added at the end, makes them all 0: there always is
// one. (Sums that end at their bias multiply all padding.)
void ConvolutionPlan::load_channel_bias(const RunArguments& arguments, std::int64_t first,
                                        std::int64_t channels, float* bias) const noexcept {
  if (arguments.inputs[2] == nullptr) {
    std::fill_n(bias, channels, 0.0f);
    return;
  }
  const auto* from = static_cast<const std::byte*>(arguments.inputs[2]);
  rows_.load(data_type_)(from + first * geometry_.bias_stride * element_bytes_,
                         geometry_.bias_stride, bias, channels);
  for (std::int64_t n = 0; n < channels; ++n) bias[n] += 0.0f;
}

void ConvolutionPlan::load_bias(const RunArguments& arguments, const Tile& tile,
                                std::int64_t first_panel, std::int64_t panels,
                                float* bias) const noexcept {
  const std::int64_t columns = filter_.panel_rows();
  const std::int64_t first = first_panel * columns;
  const std::int64_t channels = std::min(panels * columns, geometry_.out_channels - first);
  load_channel_bias(arguments, tile.group * geometry_.out_channels + first, channels, bias);
  std::fill(bias + channels, bias + panels * columns, 0.0f);
}

float ConvolutionPlan::bias_of(const RunArguments& arguments, std::int64_t channel) const noexcept {
  float value;
  load_channel_bias(arguments, channel, 1, &value);
  return value;
}

void ConvolutionPlan::finish(const RunArguments& arguments, std::int64_t channel, float* sums,
                             std::int64_t count, bool add_bias) const noexcept {
  if (add_bias) {
    const float value = bias_of(arguments, channel);
    for (std::int64_t i = 0; i < count; ++i) sums[i] += value;
  }
  for (std::int64_t i = 0; i < count; ++i) sums[i] = kernels::one_nan(sums[i]);
  activate(sums, count);
}

}  // namespace weft::ops
