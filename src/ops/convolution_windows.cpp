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

// The rows of a window and two panels' results of longer ones are a cache's first level full. In
// turns, 3 to 16 channels, 640x640, two threads: 259 us, where they lie up to 411.
constexpr std::int64_t kLongestRow = 256;

// Steps and strides beyond are of no tensor that is more than one position long.
constexpr std::int64_t kLargestStep = 1 << 30;

// Output columns that fill two vectors of AVX-512 or more well enough, or one.
constexpr std::int64_t kFewestColumns = 24, kFewestOfOne = 12, kOneVector = 16;

bool fill_one(std::int64_t columns) { return columns >= kFewestOfOne && columns <= kOneVector; }

// Where windows move by two columns, each panel takes even and odd ones apart anew; a copy costs as
// many terms the more, the fewer panels there are. In turns, one thread of Zen 5, us, copied and
// where they lie, 256x256: 16 to 8 channels 476 and 198, to 16 522 and 367, to 32 803 and 680, to
// 64 1386 and 1289; 3 to 16 90 and 78, to 32 149 and 171.
bool suits_by_two(const ConvolutionGeometry& g, std::int64_t panels, std::int64_t columns) {
  if (g.in_channels < kManyChannels) {
    return columns >= kFewestColumns &&
           (panels == 1 || (panels == 2 && g.in_channels > 1 && columns <= kLongestRow));
  }
  if (columns >= 2 * kOneVector) return panels <= 4;
  return panels <= 3 && (columns >= kFewestColumns || (g.groups > 1 && fill_one(columns)));
}

// Where they move by one, output channels that fill vectors are better along these. In turns, as
// above: 32 groups of 8 to 8, 14x14, 55 and 54, 28x28, 191 and 175, 56x56, 825 and 598; 10 of 24 to
// 24, 14x14, 139 and 117, 28x28, 535 and 468, 56x56, 1607 and 1677; 16 of 16 to 16, 14x14, 73 and
// 77; 16 to 8, 28x28, 13 and 14, 56x56, 43 and 37.
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
  return phase.in_step > kLargestStep / phase.count ||
         phase.offset_step > kLargestStep / kGemmWindowsRows ||
         phase.first_offset < -kLargestStep || std::abs(g.in_strides[d]) > kLargestStep;
}

}  // namespace

bool suits_windows(const ConvolutionParams& params, const ConvolutionGeometry& g,
                   const PlanOptions& options) {
  const kernels::GemmKernel& kernel = kernels::gemm_kernel(base::choose_isa(options.max_isa));
  // Other activations of float16 wait for sums that are not rounded yet.
  const bool stores_sums =
      params.input.data_type == DataType::float32 || ramp_of(params.fused_activation);
  if (kernel.windows == nullptr || !stores_sums ||
      is_best_along(params.input.data_type, g, kernel) ||
      g.out_channels % kGemmWindowsChannels != 0 || g.in_strides[2] != 1 || g.out_strides[2] != 1 ||
      *element_count(params.filter.sizes) > kMostPackedWeights) {
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
  load_bias(arguments, tile, tile.first_panel, tile.panel_count, slot.bias);
  // What a layer of a tile reads and writes first, offsets of taps aside, and which tile the thread
  // is likely to compute next.
  const auto reads = [&](const Tile& at, std::int64_t d) {
    return input_of(arguments, at) +
           (d * depth.in_step * g.in_strides[0] + at.first[1] * height.in_step * g.in_strides[1] +
            at.first[2] * width.in_step) *
               element_bytes_;
  };
  const auto writes = [&](const Tile& at, std::int64_t d) {
    return first_output(arguments, at) +
           (d * g.out_strides[0] + at.first[1] * g.out_strides[1] + at.first[2]) * element_bytes_;
  };
  const Tile next = locate(std::min(tile.index + 1, tile_count_ - 1));
  std::array<GemmWindowsRow, kGemmWindowsRows> rows;
  GemmWindows sums{
      .half = data_type_ == DataType::float16,
      .in_row_stride = height.in_step * g.in_strides[1],
      .row_step = height.in_step,
      .in_rows = g.axes[1].in_size(),
      .column_step = width.in_step,
      .first_column = tile.first[2] * width.in_step + width.first_offset,
      .in_columns = g.axes[2].in_size(),
      .rows = rows.data(),
      .row_count = g.in_channels * depth.taps * height.taps,
      .a = filter,
      .a_panel_stride = filter_.panel(packed, tile.group, tile.first_panel + 1, offset) - filter,
      .panels = tile.panel_count,
      .bias = slot.bias,
      .bias_terms = adds_to_bias(tile.phases),
      .ramp = ramp(),
      .out_channel_stride = g.out_channel_stride,
      .out_row_stride = g.out_strides[1],
      .out_rows = tile.count[1],
      .out_columns = tile.count[2]};
  const std::int64_t end = tile.first[0] + tile.count[0];
  for (std::int64_t d = tile.first[0]; d < end; ++d) {
    GemmWindowsRow* to = rows.data();
    for (std::int64_t c = 0; c < g.in_channels; ++c) {
      for (std::int64_t i = 0; i < depth.taps; ++i) {
        const std::int64_t layer = d * depth.in_step + depth.offset(i);
        const bool inside = layer >= 0 && layer < g.axes[0].in_size();
        for (std::int64_t j = 0; j < height.taps; ++j) {
          *to++ = {.in = c * g.in_channel_stride + depth.offset(i) * g.in_strides[0] +
                         height.offset(j) * g.in_strides[1] + width.first_offset,
                   .row = inside ? tile.first[1] * height.in_step + height.offset(j) : sums.in_rows,
                   .is_new = inside && is_new(height, j)};
        }
      }
    }
    const bool last = d + 1 == end;
    const Tile& after = last ? next : tile;
    const std::int64_t d_after = last ? next.first[0] : d + 1;
    sums.in = reads(tile, d);
    sums.out = writes(tile, d);
    sums.next_in = (reads(after, d_after) - reads(tile, d)) / element_bytes_;
    sums.next_out = (writes(after, d_after) - writes(tile, d)) / element_bytes_;
    gemm_.windows(sums);
    if (only_ramps()) continue;
    for (std::int64_t n = 0; n < channel_count(tile); ++n) {
      for (std::int64_t h = 0; h < tile.count[1]; ++h) {
        activate(static_cast<float*>(sums.out) + n * g.out_channel_stride + h * g.out_strides[1],
                 tile.count[2]);
      }
    }
  }
}

}  // namespace weft::ops
