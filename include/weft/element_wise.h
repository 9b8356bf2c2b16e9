#pragma once

#include <vector>

#include "weft/activation.h"
#include "weft/error.h"
#include "weft/plan.h"
#include "weft/tensor.h"

namespace weft {

// Applies a function of one number to every element: ELEMENT_WISE_IDENTITY, ELEMENT_WISE_CLIP and
// the ACTIVATION_ operators that CONVOLUTION can fuse.
//
//   out(x) = f(in(x))     f as in activation.h
//
// input, output  1 to 8 dimensions of the same sizes, any strides: identity is also the way to
//                copy a tensor into another layout
//
// Types: float32 and float16 everywhere, and
//   ELEMENT_WISE_IDENTITY  8- to 64-bit integers, float64; an exact copy without ScaleBias
//   ELEMENT_WISE_CLIP      8- to 64-bit integers
//   ACTIVATION_RELU        8- to 32-bit signed integers
//   ACTIVATION_SHRINK      8- to 32-bit integers
// 64-bit types take no ScaleBias.
//
// float32 keeps an error bound over all numbers for every function
// (docs/decisions.md#large-arguments); scale and bias are rounded once, then the function. float16
// is widened, computed as float32 and rounded once at the end. Of integers, copies, CLIP's bounds
// and RELU are exact; ScaleBias and SHRINK are computed in double, truncated toward zero and
// saturated to the type. So are the floats Min and Max, before they bound anything.
//
// Strides are those of the tensors, in elements. Input and output may be the same memory in the
// same layout. Throws Error, listing every broken rule: unsupported where the type is an operator
// that DirectML has and Weft has not, else invalid_argument.
// Source: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC, DML_ELEMENT_WISE_CLIP_OPERATOR_DESC,
// DML_ACTIVATION_..._OPERATOR_DESC. Where the pages are silent: docs/decisions.md#element-wise.
struct ElementWiseParams {
  TensorDesc input = {};
  TensorDesc output = {};
  Activation function = {};  // its type is the operator's
};

WEFT_API std::vector<Violation> validate(const ElementWiseParams& params);

// The input's sizes; params.output is not read. Throws Error.
WEFT_API Dims output_sizes(const ElementWiseParams& params);

WEFT_API Plan plan(const ElementWiseParams& params, const PlanOptions& options = {});

// Plans and runs at once.
//
// Example:
//
//   const weft::TensorDesc five{.sizes = {5}};
//   const std::vector<float> x{-2, -1, 0, 1, 2};
//   std::vector<float> y(5);
//   weft::element_wise({five, five, {.type = weft::OperatorType::activation_relu}},
//                      {x.data(), 20}, {y.data(), 20});
WEFT_API void element_wise(const ElementWiseParams& params, ConstBuffer input, Buffer output);

}  // namespace weft
