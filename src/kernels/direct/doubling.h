#pragma once

#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// Rows of outputs of a BACKWARD convolution of stride 2, 2 of which read the same 2 rows of the
// input, as 2 columns do: the sums of DirectPhases for 2 x 2 phases, written where they belong.
//
//   out(2 * r + a, 2 * i + b) = sum over h, w < 2 of filter(a, b, h, w) *
//                                                    in(r + h, i + w + (b == 1 ? shift : 0)) + bias
//
// in the order of h, w, as DirectKernels::sum_phases does.
//
//   in      in(r, i) = in[r * in_row_stride + i]; readable up to the next multiple of
//           kDirectColumns columns, and one more
//   filter  by h, then by i + w, then by a and b: those that there are
//   out     out(y, x) = out[y * out_row_stride + x] for those rows and columns that are inside
struct DirectDoubling {
  const float* in;
  std::int64_t in_row_stride;
  int shift;  // 0 or 1
  const float* filter;
  float bias;
  const Ramp* ramp;  // or null
  void* out;         // float32, or with `half` float16
  bool half;
  std::int64_t out_row_stride;
  std::int64_t rows, columns;  // pairs
  const float* next;           // rows that are brought nearer meanwhile, or null
  std::int64_t next_row_stride;
  std::int64_t row_begin, row_end, column_begin, column_end;  // inside, of outputs
};

}  // namespace weft::kernels
