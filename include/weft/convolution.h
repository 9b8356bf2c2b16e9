#pragma once

#include <optional>
#include <vector>

#include "weft/activation.h"
#include "weft/error.h"
#include "weft/plan.h"
#include "weft/tensor.h"

namespace weft {

// The values are those of DML_CONVOLUTION_MODE and DML_CONVOLUTION_DIRECTION.
enum class ConvolutionMode : std::uint32_t { convolution = 0, cross_correlation = 1 };
enum class ConvolutionDirection : std::uint32_t { forward = 0, backward = 1 };

// Convolves an image with a filter, or (BACKWARD) spreads it through the filter: the gradient of a
// forward convolution with respect to its input, also called transposed convolution. ONNX: Conv,
// ConvTranspose.
//
//   FORWARD   out(n, o, y) = f( bias(o) + sum over i', k of
//                 in(n, i, y * stride + k * dilation - start_padding) * filter(o, i', k') )
//   BACKWARD  out(n, o, y) = f( bias(o) + sum over i', j, k with
//                 y = j * stride + k * dilation - start_padding of
//                 in(n, i, j) * filter(i, o', k') )
//
// Channels form groups: of Ci / groups in the input and of Co / groups in the output. Output
// channel o is the one numbered o' = o % (Co / groups) of group g = o / (Co / groups), and is made
// of this group's input channels alone: i = g * (Ci / groups) + i' for 0 <= i' < Ci / groups.
//
// k' is k for cross_correlation and Window - 1 - k for convolution. Positions outside the input
// contribute nothing (they are skipped, so infinities in the filter do no harm there). Without a
// bias or an activation, bias(o) is 0 and f(x) is x.
//
// input   (N, Ci, spatial...)   1 to 3 spatial dimensions
// filter  FORWARD (Co, Ci / groups, window...), BACKWARD (Ci, Co / groups, window...)
// bias    (1, Co, 1...)
// output  (N, Co, spatial...)
//   FORWARD   (In + start + end - (Window - 1) * dilation - 1) / stride + 1 + output_padding
//   BACKWARD  at least
//             max(1, (In - 1) * stride + (Window - 1) * dilation + 1 - start - end) +
//             output_padding; a larger output has its further elements computed like all others
//
// The last output_padding[d] elements of a dimension are zero before bias and activation.
// Strides, dilations and padding are in elements of the image (BACKWARD: of the output); they have
// nothing to do with the strides of the tensors, which are in elements of memory.
//
// float32 or float16, one type for all tensors; any tensor strides, though rows whose elements are
// apart in memory, as with channels last, are copied into the workspace and out of it again, 16 MiB
// of images or one image at a time. float16 is computed in float32 and rounded once. Throws Error:
// invalid_argument, listing every broken rule.
// Source: DML_CONVOLUTION_OPERATOR_DESC. Where the page is silent: docs/decisions.md#convolution.
struct ConvolutionParams {
  TensorDesc input = {};
  TensorDesc filter = {};
  std::optional<TensorDesc> bias = std::nullopt;
  TensorDesc output = {};
  ConvolutionMode mode = ConvolutionMode::cross_correlation;
  ConvolutionDirection direction = ConvolutionDirection::forward;
  Dims strides = {};    // one a spatial dimension, >= 1; empty: all 1
  Dims dilations = {};  // likewise
  // Pads the input (FORWARD) or crops the output (BACKWARD); >= 0; empty: all 0.
  Dims start_padding = {};
  Dims end_padding = {};     // likewise
  Dims output_padding = {};  // likewise
  std::uint32_t group_count = 1;
  std::optional<Activation> fused_activation = std::nullopt;
};

WEFT_API std::vector<Violation> validate(const ConvolutionParams& params);

// Sizes of the output for everything else in `params` (BACKWARD: the smallest allowed).
// params.output is not read. Throws Error.
WEFT_API Dims output_sizes(const ConvolutionParams& params);

WEFT_API Plan plan(const ConvolutionParams& params, const PlanOptions& options = {});

// Plans and runs at once; `bias` is empty when params.bias is.
//
// Example:
//
//   weft::ConvolutionParams params{.input = {.sizes = {1, 1, 3, 3}},
//                                  .filter = {.sizes = {1, 1, 2, 2}}};
//   params.output.sizes = weft::output_sizes(params);  // 1x1x2x2
//   const std::vector<float> x(9, 1.0f), w(4, 0.5f);
//   std::vector<float> y(4);
//   weft::convolution(params, {x.data(), 36}, {w.data(), 16}, {}, {y.data(), 16});
WEFT_API void convolution(const ConvolutionParams& params, ConstBuffer input, ConstBuffer filter,
                          ConstBuffer bias, Buffer output);

}  // namespace weft
