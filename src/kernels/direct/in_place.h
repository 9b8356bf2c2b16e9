#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ramp.h"
#include "weft/isa.h"

namespace weft::kernels {

// Sizes along depth, height and width.
struct DirectExtent {
  std::int64_t depth, height, width;
};

// Depthwise sums straight from the input, which is not padded: parts of a vector that lie beside a
// row are masked, rows and layers outside are left out. Copied is only what vectors would be loaded
// from beyond the input, and with AVX-512 what is widened once for a window of seven rows. For some
// channels one after the other,
//
//   out(d, h, w) = sum over k, i, j of filter(k, i, j) * in(d * step.depth + k + first.depth, ..)
//                  + bias
//
// One multiply-add a term, for each layer of the window one column after the other, or row by row.
// Which of them, rows do not decide.
//
//   in      in(d, h, w) = in[d * in_strides.depth + h * in_strides.height + w] inside in_sizes
//   filter  window.depth * window.width * window.height numbers: of each layer one column of the
//           window after the other
//   out     contiguous along rows
struct DirectInPlace {
  const void* in;  // float32, or with `half` float16, as the output is
  DirectExtent in_sizes;
  DirectExtent in_strides;  // of width: 1
  DirectExtent window;
  DirectExtent step;
  DirectExtent first;  // what the first tap of the first output reads

  // Where width is not 0, a row is a whole plane of such rows, as wide as those of the output, and
  // the window's columns are those of a window over height and width: no lane is idle.
  struct Plane {
    std::int64_t width, window_width, first_row, first_column;
  };
  Plane plane;

  // A window of one row whose taps are summed as those of DirectWindow::Kind::run. See has_run().
  bool run = false;

  // Whether half a vector takes half the time of a whole one (base::halves_vectors()).
  bool halves = false;

  // How many elements vectors may read before a channel's first row and after its last one, and
  // where they may: nowhere between rows with gaps.
  std::int64_t before, after;
  const void* readable;
  const void* readable_end;
  // Memory for so many channels, an even number if there is more than one, each of copied_stride(),
  // and for what vectors may read around them, rounded up to kDirectColumns.
  float* copy;
  std::int64_t copied;

  const float* filter;
  const float* bias;  // a number a channel, or null
  const Ramp* ramp;   // or null
  void* out;
  bool half;
  DirectExtent out_sizes;
  DirectExtent out_strides;  // of width: 1

  // From channel to channel; biases follow each other.
  std::int64_t channels;
  std::int64_t in_channel_stride;
  std::int64_t filter_channel_stride;
  std::int64_t out_channel_stride;

  // Floats from channel to channel, of so many elements that are read.
  static constexpr std::int64_t copied_stride(std::int64_t elements) {
    return (elements + 31) / 16 * 16;
  }

  // Most rows and columns of a window, and masks of one row: vectors times columns of the window.
  static constexpr std::int64_t kMaxRows = 7, kMaxColumns = 64, kMaxMasks = 1024;

  // Most columns of a window of one row.
  static constexpr std::int64_t kMaxRun = 128;

  // Whether there is memory for the masks of rows of so many vectors.
  static constexpr bool has_masks(std::int64_t vectors, std::int64_t columns) {
    return columns <= kMaxColumns && vectors * columns <= kMaxMasks;
  }

  // Whether there are kernels for rows of so many elements, and a window of one row of so many
  // columns that begins so much before them. With AVX-512 vectors leave only the ends of the rows.
  static constexpr bool has_run(Isa isa, std::int64_t in, std::int64_t out, std::int64_t columns,
                                std::int64_t before) {
    if (isa == Isa::avx2) return out > 32 && columns > 1 && columns <= kMaxRun;
    const std::int64_t vectors = (out + 15) / 16;
    return vectors >= 8 && columns > 16 && columns <= 32 && before >= 0 && before <= 16 &&
           (vectors - 3) * 16 - before + 31 <= in;
  }

  // Whether there are kernels that sum all rows of such a size under a window of 3 x 3: where all
  // padding lies in the first and in the last vector.
  static constexpr bool has_three(std::int64_t in, std::int64_t out, std::int64_t before) {
    return before <= 16 && in + before - 2 >= (out - 1) / 16 * 16;
  }

  // Floats of a row of float16 there, with zeros around it. Memory for two is copied to.
  static constexpr std::int64_t run_floats(std::int64_t in, std::int64_t out) {
    return 16 + std::max((in + 15) / 16 * 16, (out + 15) / 16 * 16 + 32);
  }

  // Whether there are kernels for so many rows of the window and that step, of height and width,
  // where less than a window is padded.
  static constexpr bool has_window(std::int64_t rows, std::int64_t step) {
    if (step == 2) return rows == 3 || rows == 5;
    return step == 1 && (rows == 3 || rows == 5 || rows == kMaxRows);
  }
};

}  // namespace weft::kernels
