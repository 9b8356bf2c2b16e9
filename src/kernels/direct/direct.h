#pragma once

#include <cstdint>
#include <span>

#include "kernels/direct/phases.h"
#include "weft/isa.h"

namespace weft::kernels {

// Most output channels that one call sums.
inline constexpr std::int64_t kDirectChannels = 4;

// Output rows may be computed, and input rows read, up to the next multiple of this many columns.
inline constexpr std::int64_t kDirectColumns = 16;

// A block of output rows of a few output channels, summed straight from padded input rows:
//
//   out(m, r, i) = sum over c, t of filter(c, t, m) * in(c, r * in_row_stride + taps[t] + i)
//                  + bias[m]
//
// One multiply-add a term, fused where the instruction set has it, c ascending. The taps of a
// channel come in an order that depends on the window alone: ascending, or, where a row serves
// several output rows, column by column of the window.
//
//   in      in(c, o) = in[c * in_channel_stride + o]; readable up to the next multiple of
//           kDirectColumns columns
//   filter  filter(c, t, m) = filter[(c * tap_count + t) * out_channels + m]
//   out     out(m, r, i) = out[m * out_channel_stride + r * out_row_stride + i]; only `columns`
//           elements of a row are written
struct DirectBlock {
  const float* in;
  std::int64_t in_channel_stride;
  std::int64_t in_row_stride;
  std::int64_t in_channels;

  const std::int64_t* taps;
  std::int64_t tap_count;
  // Taps (.., h, w) of which taps(h, w) == taps(0, w) + h * in_row_stride, so that an input row
  // serves several output rows; 0 where they do not lie so.
  std::int64_t window_rows;
  std::int64_t window_columns;

  const float* filter;
  const float* bias;          // out_channels numbers, or null
  std::int64_t out_channels;  // 1 to kDirectChannels
  float* out;
  std::int64_t out_channel_stride;
  std::int64_t out_row_stride;
  std::int64_t rows;
  std::int64_t columns;
};

// to[r * to_row_stride + i] = from[r * from_row_stride + i * from_stride], widened to float32. May
// write zeros after the last column, up to the next multiple of kDirectColumns, and goes from the
// first row to the last.
//
// With to_odd, from_stride is 2 and `columns` counts the elements from the first to the last one
// read: those of even number go to `to`, those of odd number to `to_odd`.
struct DirectRows {
  const void* from;
  std::int64_t from_row_stride;  // elements
  std::int64_t from_stride;
  float* to;
  float* to_odd;  // or null
  std::int64_t to_row_stride;
  std::int64_t rows;
  std::int64_t columns;
};

struct DirectKernels {
  Isa isa;
  const char* f32_name;  // what plans report: "direct_f32_avx2"
  const char* f16_name;
  void (*multiply)(const DirectBlock& block) noexcept;
  void (*sum_phases)(const DirectPhases& phases) noexcept;
  void (*load_f32)(const DirectRows& rows) noexcept;
  void (*load_f16)(const DirectRows& rows) noexcept;
};

// Best instruction set first.
std::span<const DirectKernels> direct_kernel_table() noexcept;
const DirectKernels& direct_kernels(Isa isa) noexcept;

}  // namespace weft::kernels
