// Products of ConvolutionPlan with positions along vectors, of windows of three columns, where they
// lie.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/cpu.h"
#include "kernels/gemm/windows.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

using kernels::GemmWindows;
using kernels::GemmWindowsRow;
using kernels::kGemmWindowsChannels;
using kernels::kGemmWindowsRows;
using kernels::kGemmWindowsTaps;

namespace {

// With fewer input channels, results are a good part of all that moves.
constexpr std::int64_t kManyChannels = 8;

// Of a filter that is broadcast so far, one that is not prepared is read where it lies.
constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 28;

// The rows of a window and two panels' results of longer ones are a cache's first level full. In
// turns, 3 to 16 channels, 640x640, two threads: 259 us, where they lie up to 411.
constexpr std::int64_t kLongestRow = 256;

// Steps and strides beyond are of no tensor that is more than one position long.
constexpr std::int64_t kLargest = 1 << 30;

// Output columns that fill two vectors or more well enough, or one, of
// AVX-512.
constexpr std::int64_t kFewestColumns = 24, kFewestOfOne = 12, kOneVector = 16;

bool fill_one(std::int64_t columns) { return columns >= kFewestOfOne && columns <= kOneVector; }

// Where windows move by two columns, each panel takes even and odd ones apart anew; a copy costs as
// many terms the more, the fewer panels there are. In turns, one thread of Zen 5, us, copied and
// where they lie, 256x256: 16 to 8 channels 472 and 196, to 16 516 and 338, to 32 818 and 677, to
// 64 1415 and 1342; 3 to 16 86 and 76, to 32 144 and 146.
bool suits_by_two(const ConvolutionGeometry& g, std::int64_t panels, std::int64_t columns) {
  if (g.in_channels < kManyChannels) {
    return columns >= kFewestColumns &&
           (panels == 1 || (panels == 2 && g.in_channels > 1 && columns <= kLongestRow));
  }
  if (columns >= 2 * kOneVector) return panels <= 4;
  return panels <= 3 && (columns >= kFewestColumns || (g.groups > 1 && fill_one(columns)));
}

// Where they move by one, output channels that fill vectors are better along these. In turns, as
// above: 32 groups of 8 to 8, 14x14, 60 and 47, 28x28, 191 and 160, 56x56, 787 and 592; 10 of 24 to
// 24, 14x14, 138 and 118, 28x28, 535 and 473, 56x56, 1641 and 1625; 16 of 16 to 16, 14x14, 73 and
// 80; 16 to 8, 28x28, 13 and 14, 56x56, 43 and 37.
bool suits_by_one(const ConvolutionGeometry& g, std::int64_t panels, std::int64_t columns) {
  if (g.in_channels < kManyChannels) return false;
  if (g.groups == 1) return panels == 1 && columns >= 3 * kOneVector;
  if (columns > 2 * kOneVector) return panels == 1;
  return (panels == 1 || panels == 3) && (columns >= kFewestColumns || fill_one(columns));
}

// Whether row j of the window meets no row that another one of its rows met one output row before.
bool is_new(const Phase& height, std::int64_t j) {
  return height.taps == 1 || height.in_step % height.offset_step != 0 ||
         j + height.in_step / height.offset_step >= height.taps;
}

bool is_large(const ConvolutionGeometry& g, int d) {
  const Phase phase = g.axes[d].phase(0);
  return phase.in_step > kLargest / phase.count ||
         phase.offset_step > kLargest / kGemmWindowsRows || phase.first_offset < -kLargest ||
         std::abs(g.in_strides[d]) > kLargest;
}

}  // namespace

bool suits_windows(const ConvolutionParams& params, const ConvolutionGeometry& g,
                   const PlanOptions& options) {
  const kernels::GemmKernel& kernel = kernels::gemm_kernel(base::choose_isa(options.max_isa));
  // Other activations of float16 wait for sums that are not rounded yet.
  const bool stores_sums = params.input.data_type == DataType::float32 ||
                           !params.fused_activation ||
                           (params.fused_activation->type == OperatorType::activation_relu &&
                            !params.fused_activation->scale_bias);
  if (kernel.windows == nullptr || options.strict || !stores_sums ||
      g.out_channels % kGemmWindowsChannels != 0 || g.in_strides[2] != 1 || g.out_strides[2] != 1 ||
      *element_count(params.filter.sizes) > kMostWeights) {
    return false;
  }
  std::int64_t rows = g.in_channels;
  for (int d = 0; d < kSpatial; ++d) {
    const ConvolutionAxis& axis = g.axes[d];
    if (axis.phase_count() != 1 || axis.window() > kGemmWindowsRows || is_large(g, d)) return false;
    if (d < 2) rows *= axis.phase(0).taps;
  }
  const Phase columns = g.axes[2].phase(0);
  if (rows == 0 || rows > kGemmWindowsRows || columns.taps != kGemmWindowsTaps ||
      columns.offset_step != 1) {
    return false;
  }
  const std::int64_t panels = g.out_channels / kGemmWindowsChannels;
  return (columns.in_step == 2 && suits_by_two(g, panels, columns.count)) ||
         (columns.in_step == 1 && suits_by_one(g, panels, columns.count));
}

void ConvolutionPlan::multiply_windows(const RunArguments& arguments, const std::byte* packed,
                                       const Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Phase &depth = tile.phases[0], &height = tile.phases[1], &width = tile.phases[2];
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const float* const filter = filter_.panel(packed, tile.group, tile.first_panel, offset);
  const bool has_bias = arguments.inputs[2] != nullptr;
  if (has_bias) load_bias(arguments, tile, tile.first_panel, tile.panel_count, slot.bias);
  std::array<GemmWindowsRow, kGemmWindowsRows> rows;
  GemmWindows sums{
      .in = input_of(arguments, tile),
      .half = data_type_ == DataType::float16,
      .in_row_stride = height.in_step * g.in_strides[1],
      .row_step = height.in_step,
      .in_rows = g.axes[1].in_size(),
      .column_step = width.in_step,
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
  // Elements from the first of an image's, or of all images', and which tile the thread is likely
  // to compute next.
  const Tile next = locate(std::min(tile.index + 1, tile_count_ - 1));
  const auto in_at = [&](const Tile& at, std::int64_t d, std::int64_t h) {
    return at.image * g.in_batch_stride + at.group * g.in_channels * g.in_channel_stride +
           d * depth.in_step * g.in_strides[0] + h * height.in_step * g.in_strides[1] +
           at.first[2] * width.in_step * g.in_strides[2];
  };
  const auto out_at = [&](const Tile& at, std::int64_t d, std::int64_t h) {
    const std::int64_t channel = at.group * g.out_channels + at.first_panel * filter_.panel_rows();
    return at.image * g.out_batch_stride + channel * g.out_channel_stride + d * g.out_strides[0] +
           h * g.out_strides[1] + at.first[2] * g.out_strides[2];
  };
  const std::int64_t end_d = tile.first[0] + tile.count[0], end_h = tile.first[1] + tile.count[1];
  for (std::int64_t d = tile.first[0]; d < end_d; ++d) {
    for (std::int64_t h = tile.first[1]; h < end_h; h += sums.out_rows) {
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
      const bool same_layer = h + sums.out_rows < end_h, same_tile = same_layer || d + 1 < end_d;
      const Tile& tile_after = same_tile ? tile : next;
      const std::int64_t d_after = same_layer ? d : same_tile ? d + 1 : next.first[0];
      const std::int64_t h_after = same_layer ? h + sums.out_rows : tile_after.first[1];
      sums.next_in = in_at(tile_after, d_after, h_after) - in_at(tile, d, h);
      sums.next_out = out_at(tile_after, d_after, h_after) - out_at(tile, d, h);
      std::byte* const to =
          static_cast<std::byte*>(arguments.outputs[0]) + out_at(tile, d, h) * element_bytes_;
      sums.out = to;
      gemm_.windows(sums);
      for (std::int64_t n = 0; activates && n < channel_count(tile); ++n) {
        activate(reinterpret_cast<float*>(to) + n * g.out_channel_stride, tile.count[2]);
      }
    }
  }
}

}  // namespace weft::ops
