// Rows of windows of three columns that ConvolutionPlan reads where they lie, without the padding
// around them.

#include "base/checked.h"
#include "base/cpu.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Whether positions read one number of padding before a row at most, and one behind it.
bool has_narrow_padding(const ConvolutionAxis& axis) {
  if (axis.phase_count() != 1) return false;
  const Phase phase = axis.phase(0);
  return phase.taps == kernels::kPaddedTaps && phase.offset_step == 1 && phase.in_step <= 2 &&
         phase.first_offset >= -1 &&
         (phase.count - 1) * phase.in_step + phase.offset(phase.taps - 1) <= axis.in_size();
}

}  // namespace

bool suits_padded_rows(const ConvolutionGeometry& g, const kernels::GemmKernel& kernel) noexcept {
  const ConvolutionAxis& row = g.axes[kWidth];
  return kernel.padded_row_tile != nullptr && g.in_strides[kWidth] == 1 &&
         has_narrow_padding(row) && count_tap_ranges(g) > 0 &&
         stays_in_first_cache(g, most_taps(g) / kernels::kPaddedTaps * row.in_size());
}

// As measured with AVX-512 of Zen 4, in terms of a vector of sums: what these take on their way
// into rows, and what padded copies of the input take; and by how much terms take longer across
// where positions lie apart. In turns, one thread, us, across and along: 4 groups of 16 channels,
// 40x40, 379 and 292; 56x56, 625 and 575; 48x48, 412 and 438; at strides of 2, 16 to 32, 56x56
// outputs, 386 and 297; 4 groups of 32, 56x56 outputs, copied, 3101 and 2383. Elsewhere it was not
// measured.
bool is_best_along(DataType type, const ConvolutionGeometry& g,
                   const kernels::GemmKernel& kernel) noexcept {
  constexpr double kTransposed = 8, kCopied = 8, kApart = 1.15;
  const ConvolutionAxis& axis = g.axes[kWidth];
  const bool measured = type == DataType::float32 && kernel.isa == Isa::avx512 &&
                        base::halves_vectors() && has_narrow_padding(axis);
  if (!measured || g.out_channels % kernel.lanes != 0) return false;
  const Phase row = axis.phase(0);
  const bool in_place = suits_padded_rows(g, kernel), apart = row.in_step > 1;
  if (!in_place && !apart) return false;
  const auto terms = static_cast<double>(g.in_channels * most_taps(g));
  const double filled =
      static_cast<double>(row.count) / static_cast<double>(base::round_up(row.count, kernel.lanes));
  const double across = terms / filled * (in_place && apart ? kApart : 1);
  return terms + kTransposed + (in_place ? 0 : kCopied) <= across;
}

bool ConvolutionPlan::reads_padded_rows() const noexcept {
  return data_type_ == DataType::float32 && !across_ && !one_tap_ &&
         chains_ == SumChains::as_usual && !tiling_.gathers && !tiling_.wraps &&
         tiling_.tap_ranges == 0 && suits_padded_rows(geometry_, gemm_);
}

// Whether padded_row_tile() can leave out what rows of a tile read of padding.
bool ConvolutionPlan::leaves_out_padding(const Tile& tile) const noexcept {
  return gemm_.padded_row_tile != nullptr && !tile.windows[kWidth].far &&
         has_narrow_padding(geometry_.axes[kWidth]);
}

}  // namespace weft::ops
