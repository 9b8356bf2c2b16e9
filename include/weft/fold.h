#pragma once

#include <vector>

#include "weft/error.h"
#include "weft/plan.h"
#include "weft/tensor.h"

namespace weft {

// Adds the columns of the input back into an image, where windows overlap as a sum (col2im).
//
//   out(n, c, p) = sum of in(n, c * W + w, b) over all w, b with
//                  p = b * strides + w * dilations - start_padding
//
// b and w stand for one coordinate a spatial dimension, counted row-major (last one fastest) in the
// input. What falls outside the output is dropped. The sum runs over w in row-major order.
//
// input   (N, C * W, B)         W = product of window_sizes, B = product of
//         (Out + start + end - (Window - 1) * dilation - 1) / stride + 1 over the dimensions;
//         leading ones may bring it to the rank of the output
// output  (N, C, spatial...)    1 to 6 spatial dimensions
//
// Strides, dilations and padding are in elements of the image; they have nothing to do with the
// strides of the tensors, which are in elements of memory.
//
// Any 8- to 64-bit integer or float type, the same for both tensors; any tensor strides. Integers
// wrap modulo 2^bits; float16 is summed in float32 and rounded once.
// Throws Error: invalid_argument, listing every broken rule.
// Source: DML_FOLD_OPERATOR_DESC. Where the page is silent: docs/decisions.md#fold-and-unfold.
struct FoldParams {
  TensorDesc input = {};
  TensorDesc output = {};
  Dims window_sizes = {};   // one a spatial dimension, >= 1
  Dims strides = {};        // >= 1; empty: all 1
  Dims dilations = {};      // >= 1; empty: all 1
  Dims start_padding = {};  // >= 0, around the output; empty: all 0
  Dims end_padding = {};    // likewise
};

WEFT_API std::vector<Violation> validate(const FoldParams& params);

// Sizes of the *input* that an output of params.output's sizes needs; params.input is not read.
// (The other way round is not unique: a stride can leave rows of the output unreached.) Throws
// Error.
WEFT_API Dims input_sizes(const FoldParams& params);

WEFT_API Plan plan(const FoldParams& params, const PlanOptions& options = {});

// Plans and runs at once.
WEFT_API void fold(const FoldParams& params, ConstBuffer input, Buffer output);

// The same on typed views; `params` brings everything but the tensors.
//
// Example:
//
//   const std::vector<float> columns(1 * 9 * 9, 1.0f);
//   std::vector<float> image(1 * 1 * 5 * 5);
//   weft::fold<float>({columns, {1, 9, 9}}, {image, {1, 1, 5, 5}}, {.window_sizes = {3, 3}});
template <class T>
void fold(TensorView<const T> input, TensorView<T> output, FoldParams params) {
  params.input = input.desc();
  params.output = output.desc();
  fold(params, {input.data.data(), input.data.size_bytes()},
       {output.data.data(), output.data.size_bytes()});
}

}  // namespace weft
