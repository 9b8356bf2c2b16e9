#pragma once

#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// Output channels that are summed at once.
inline constexpr int kGemmWindowsChannels = 8;

// Columns of the window.
inline constexpr int kGemmWindowsTaps = 3;

// Input rows that make up a sum, those of all channels, at most: 58 channels of 3x3, whose rows
// are a cache's first level full already where they are of 64 columns.
inline constexpr int kGemmWindowsRows = 176;

// One of them, for the first output row.
struct GemmWindowsRow {
  std::int64_t in;   // where the first tap of the first output lies
  std::int64_t row;  // its number in the input
  bool is_new;       // the output row before does not read it; it comes nearer early
};

// Sums of windows of three columns that move by one or two, formed where the input lies: nothing is
// copied first; even and odd columns come apart in registers.
//
//   sums(m, r, i) = sum over rows k, taps w of a(3 * k + w, m) * in(k, r, column_step * i + w)
//   and then, where there is a bias,  sums(m, r, i) += bias(m)
//   and then, where there is a ramp,  sums(m, r, i) = ramp(sums(m, r, i))
//
// for the output channels m of some panels of 8. The same chain of roundings as in GemmStrips. What
// lies outside of the input is zero and is not read.
//
//   in    in(k, r, x) = in[rows[k].in + r * in_row_stride + x]; inside where
//         0 <= rows[k].row + r * row_step < in_rows and 0 <= first_column + x < in_columns
//   half  in and out are float16, else float32
//   a     a(t, m) = a[m / 8 * a_panel_stride + t * 8 + m % 8]
//   bias  a number a channel, or null
//   out   sums(m, r, i) = out[m * out_channel_stride + r * out_row_stride + i]
//   next  what is summed next lies so many elements on; it comes nearer
struct GemmWindows {
  const void* in = nullptr;
  bool half = false;
  std::int64_t in_row_stride = 0;
  std::int64_t row_step = 0;  // positive
  std::int64_t in_rows = 0;
  std::int64_t column_step = 0;  // 1 or 2
  std::int64_t first_column = 0;
  std::int64_t in_columns = 0;
  const GemmWindowsRow* rows = nullptr;
  std::int64_t row_count = 0;  // with bias_terms 2 or more

  const float* a = nullptr;
  std::int64_t a_panel_stride = 0;
  std::int64_t panels = 0;
  const float* bias = nullptr;
  bool bias_terms = false;  // as GemmStrips has it; not of float16
  const Ramp* ramp = nullptr;

  void* out = nullptr;
  std::int64_t out_channel_stride = 0;
  std::int64_t out_row_stride = 0;
  std::int64_t out_rows = 0;
  std::int64_t out_columns = 0;

  std::int64_t next_in = 0;
  std::int64_t next_out = 0;
};

}  // namespace weft::kernels
