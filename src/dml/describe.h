#pragma once

#include <string>

#include "dml/graph.h"
#include "weft/operator.h"

namespace weft::dml {

// Descriptions for people (WEFT_TRACE), with DirectML's names:
//   "FLOAT32 {1, 3, 8, 8}", "FLOAT16 {4, 3, 3, 3} Strides {9, 36, 3, 1} OWNED_BY_DML"
//   "ACTIVATION_ELU {InputTensor FLOAT32 {8}, OutputTensor FLOAT32 {8}, Alpha 1}"
std::string describe(const TensorDesc& desc);
std::string describe(const OperatorParams& params);
//   "node 0 CONVOLUTION (input 0, constant 0, none); node 1 ACTIVATION_RELU (node 0 CONVOLUTION);
//    output 0 = node 1 ACTIVATION_RELU", on one line
std::string describe(const Graph& graph);

}  // namespace weft::dml
