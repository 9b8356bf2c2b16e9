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
// float32 and float16 everywhere (float16 is computed in float32 and rounded once); IDENTITY and
// CLIP also 8- to 64-bit integers, IDENTITY float64, RELU int8 to int32, SHRINK 8- to 32-bit
// integers. 64-bit types take no ScaleBias. Input and output may be the same memory in the same
// layout. Throws Error: invalid_argument, listing every broken rule.
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
WEFT_API void element_wise(const ElementWiseParams& params, ConstBuffer input, Buffer output);

}  // namespace weft
