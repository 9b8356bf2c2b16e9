#pragma once

#include <string>

#include "weft/operator.h"

namespace weft::dml {

// Descriptions for people (WEFT_TRACE), with DirectML's names:
//   "FLOAT32 {1, 3, 8, 8}", "FLOAT16 {4, 3, 3, 3} Strides {9, 36, 3, 1} OWNED_BY_DML"
//   "ACTIVATION_ELU {InputTensor FLOAT32 {8}, OutputTensor FLOAT32 {8}, Alpha 1}"
std::string describe(const TensorDesc& desc);
std::string describe(const OperatorParams& params);

}  // namespace weft::dml
