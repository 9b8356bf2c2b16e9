#pragma once

#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// Output rows of a few output channels, summed over many input channels where the input lies:
//
//   out(m, r, i) = bias[m] + sum over c, k, h, w of filter(c, k, h, w, m) * in(c, k, y, x) where
//       y = first_row + r * row_step + h * row_distance,
//       x = first_column + i + w * column_distance
//
// What lies outside of the input is zero and is not read. One fused multiply-add a term, c
// ascending and for each channel its layers; the terms of chain_channels channels are one chain,
// whose sum is added to those of the chains before it. One chain of channels after the other is
// summed for all outputs, so that what is read lies in few places.
//
//   in      in(c, k, y, x) lies c * in_channel_stride + k * in_layer_stride + y * in_row_stride + x
//           elements on; inside where 0 <= y < in_rows and 0 <= x < in_columns
//   filter  filter(c, k, h, w, m) = filter[c * filter_channel_stride + k * filter_layer_stride +
//           h * filter_row_stride + w * out_channels + m]
//   sums    kept_floats() floats, aligned to 64 bytes, where there are several chains
//   out     out(m, r, i) = out[m * out_channel_stride + r * out_row_stride + i]; of the
//           out_channels only stored_channels are written
struct DirectChannels {
  const void* in;
  bool half;  // float16, of AVX-512 only
  std::int64_t in_channel_stride;
  std::int64_t in_layer_stride;
  std::int64_t in_row_stride;
  std::int64_t in_rows;
  std::int64_t in_columns;
  std::int64_t in_channels;
  std::int64_t chain_channels;

  std::int64_t window_layers;
  std::int64_t window_rows;
  std::int64_t window_columns;
  std::int64_t first_row;
  std::int64_t row_step;
  std::int64_t row_distance;
  std::int64_t first_column;
  std::int64_t column_distance;

  const float* filter;
  std::int64_t filter_channel_stride;
  std::int64_t filter_layer_stride;
  std::int64_t filter_row_stride;
  const float* bias;  // out_channels numbers, or null
  const Ramp* ramp;   // of whole sums, or null
  float* sums;

  void* out;
  bool half_out;
  std::int64_t out_channels;  // 1 to kDirectChannels
  std::int64_t stored_channels;
  std::int64_t out_channel_stride;
  std::int64_t out_row_stride;
  std::int64_t rows;
  std::int64_t columns;

  // What is summed next, likewise: it is brought nearer.
  const void* next;
  std::int64_t next_first_row;

  // Whether such sums are expected to be faster than those of padded copies. `lanes`: numbers in a
  // register. With 16 of them, row_step and row_distance are 1.
  static constexpr bool has(std::int64_t lanes, std::int64_t out_channels) {
    return lanes == 16 || out_channels % 2 == 1;
  }
  // Rows that are summed at once: as many as registers suffice for. 0 where there are no sums.
  static constexpr std::int64_t block_rows(std::int64_t lanes, std::int64_t out_channels) {
    constexpr std::int64_t kRows[2][4] = {{12, 0, 4, 0}, {14, 10, 7, 4}};
    return kRows[lanes == 16 ? 1 : 0][out_channels - 1];
  }
  static constexpr std::int64_t kept_floats(std::int64_t lanes, std::int64_t out_channels,
                                            std::int64_t rows, std::int64_t columns) {
    const std::int64_t block = block_rows(lanes, out_channels);
    return out_channels * ((rows + block - 1) / block * block) *
           ((columns + lanes - 1) / lanes * lanes);
  }
};

}  // namespace weft::kernels
