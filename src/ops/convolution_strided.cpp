// Products of ConvolutionPlan with positions along vectors, of windows that move by two columns,
// where they lie.

#include <algorithm>
#include <array>

#include "kernels/gemm/strided.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

using kernels::GemmStrided;
using kernels::GemmStridedRow;
using kernels::kGemmStridedChannels;
using kernels::kGemmStridedRows;
using kernels::kGemmStridedTaps;

namespace {

// Each panel takes even and odd columns apart anew; a copy of them is made once, and costs as many
// terms the more, the fewer panels there are. In turns, one thread of Zen 5, us, copied and where
// they lie, 256x256: 16 to 8 channels 472 and 196, to 16 516 and 338, to 32 818 and 677, to 64 1415
// and 1342; 3 to 16 channels 86 and 76, to 32 144 and 146. Rows of 14 outputs: 8 to 8 channels, 32
// groups, 81 and 113.
constexpr std::int64_t kMostPanels = 4, kFewPanels = 2, kManyChannels = 8;
constexpr std::int64_t kFewestColumns = 24;

// Whether of the rows that row j of the window meets, one output row after the other, none was met
// by another one before.
bool is_new(const Phase& height, std::int64_t j) {
  if (height.taps == 1 || height.in_step % height.offset_step != 0) return true;
  const std::int64_t later = j + height.in_step / height.offset_step;
  return later < 0 || later >= height.taps;
}

}  // namespace

bool suits_strided(const ConvolutionGeometry& g, const kernels::GemmKernel& kernel) noexcept {
  const std::int64_t panels = g.out_channels / kGemmStridedChannels;
  if (kernel.strided == nullptr || g.out_channels % kGemmStridedChannels != 0 ||
      panels > (g.in_channels < kManyChannels ? kFewPanels : kMostPanels) || g.in_strides[2] != 1 ||
      g.out_strides[2] != 1) {
    return false;
  }
  std::int64_t rows = g.in_channels;
  for (int d = 0; d < kSpatial; ++d) {
    const ConvolutionAxis& axis = g.axes[d];
    if (axis.phase_count() != 1 || axis.phase(0).taps == 0) return false;
    if (d < 2 && axis.phase(0).taps > kGemmStridedRows) return false;
    if (d < 2) rows *= axis.phase(0).taps;
  }
  const Phase columns = g.axes[2].phase(0);
  return columns.in_step == 2 && columns.offset_step == 1 && columns.taps == kGemmStridedTaps &&
         columns.count >= kFewestColumns && rows <= kGemmStridedRows;
}

void ConvolutionPlan::multiply_strided(const RunArguments& arguments, const std::byte* packed,
                                       const Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [depth, height, width] = tile.phases;
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const float* const filter = filter_.panel(packed, tile.group, tile.first_panel, offset);
  const bool has_bias = arguments.inputs[2] != nullptr;
  if (has_bias) load_bias(arguments, tile, tile.first_panel, tile.panel_count, slot.bias);
  std::array<GemmStridedRow, kGemmStridedRows> rows;
  GemmStrided sums{
      .in = input_of(arguments, tile),
      .half = data_type_ == DataType::float16,
      .in_row_stride = height.in_step * g.in_strides[1],
      .row_step = height.in_step,
      .in_rows = g.axes[1].in_size(),
      .first_column = tile.first[2] * width.in_step + width.first_offset,
      .in_columns = g.axes[2].in_size(),
      .rows = rows.data(),
      .a = filter,
      .a_panel_stride = filter_.panel(packed, tile.group, tile.first_panel + 1, offset) - filter,
      .panels = tile.panel_count,
      .bias = has_bias ? slot.bias : nullptr,
      .bias_terms = adds_to_bias(tile.phases),
      .relu = is_relu(),
      .out_channel_stride = g.out_channel_stride,
      .out_row_stride = g.out_strides[1],
      .out_rows = tile.count[1],
      .out_columns = tile.count[2]};
  // Other activations take a row while it is near.
  const bool activates = activation_ && !sums.relu;
  if (activates) sums.out_rows = 1;
  for (std::int64_t d = tile.first[0]; d < tile.first[0] + tile.count[0]; ++d) {
    for (std::int64_t h = tile.first[1]; h < tile.first[1] + tile.count[1]; h += sums.out_rows) {
      sums.row_count = 0;
      for (std::int64_t c = 0; c < g.in_channels; ++c) {
        for (std::int64_t i = 0; i < depth.taps; ++i) {
          const std::int64_t layer = d * depth.in_step + depth.offset(i);
          const bool inside = layer >= 0 && layer < g.axes[0].in_size();
          for (std::int64_t j = 0; j < height.taps; ++j) {
            const std::int64_t row = h * height.in_step + height.offset(j);
            rows[sums.row_count++] = {.in = c * g.in_channel_stride + layer * g.in_strides[0] +
                                            row * g.in_strides[1] + sums.first_column,
                                      .row = inside ? row : sums.in_rows,
                                      .is_new = inside && is_new(height, j)};
          }
        }
      }
      std::byte* const to =
          first_output(arguments, tile) +
          (d * g.out_strides[0] + h * g.out_strides[1] + tile.first[2]) * element_bytes_;
      sums.out = to;
      gemm_.strided(sums);
      for (std::int64_t n = 0; activates && n < channel_count(tile); ++n) {
        activate(reinterpret_cast<float*>(to) + n * g.out_channel_stride, tile.count[2]);
      }
    }
  }
}

}  // namespace weft::ops
