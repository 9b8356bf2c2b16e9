#pragma once

#include <vector>

#include "weft/error.h"
#include "weft/plan.h"
#include "weft/tensor.h"

namespace weft {

// Copies each window of the input into one column of the output (im2col).
//
//   out(n, c * W + w, b) = in(n, c, b * strides + w * dilations - start_padding), 0 outside
//
// b and w stand for one coordinate a spatial dimension, counted row-major (last one fastest) in the
// output.
//
// input   (N, C, spatial...)    1 to 6 spatial dimensions
// output  (N, C * W, B)         W = product of window_sizes, B = product of
//         (In + start + end - (Window - 1) * dilation - 1) / stride + 1 over the dimensions;
//         leading ones may bring it to the rank of the input
//
// Strides, dilations and padding are in elements of the image; they have nothing to do with the
// strides of the tensors, which are in elements of memory.
//
// Any 8- to 64-bit integer or float type, the same for both tensors; any tensor strides. An exact
// copy.
// Throws Error: invalid_argument, listing every broken rule.
// Source: DML_UNFOLD_OPERATOR_DESC. Where the page is silent: docs/decisions.md#fold-and-unfold.
struct UnfoldParams {
  TensorDesc input = {};
  TensorDesc output = {};
  Dims window_sizes = {};   // one a spatial dimension, >= 1
  Dims strides = {};        // >= 1; empty: all 1
  Dims dilations = {};      // >= 1; empty: all 1
  Dims start_padding = {};  // >= 0; empty: all 0
  Dims end_padding = {};    // likewise
};

WEFT_API std::vector<Violation> validate(const UnfoldParams& params);

// Sizes of the output for everything else in `params`; params.output is not read. Throws Error.
WEFT_API Dims output_sizes(const UnfoldParams& params);

WEFT_API Plan plan(const UnfoldParams& params, const PlanOptions& options = {});

// Plans and runs at once.
WEFT_API void unfold(const UnfoldParams& params, ConstBuffer input, Buffer output);

// The same on typed views; `params` brings everything but the tensors.
//
// Example:
//
//   const std::vector<float> x(1 * 1 * 5 * 5, 1.0f);
//   std::vector<float> y(1 * 9 * 9);
//   weft::unfold<float>({x, {1, 1, 5, 5}}, {y, {1, 9, 9}}, {.window_sizes = {3, 3}});
template <class T>
void unfold(TensorView<const T> input, TensorView<T> output, UnfoldParams params) {
  params.input = input.desc();
  params.output = output.desc();
  unfold(params, {input.data.data(), input.data.size_bytes()},
         {output.data.data(), output.data.size_bytes()});
}

}  // namespace weft
