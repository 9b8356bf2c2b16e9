#pragma once

#include <DirectML.h>

#include <deque>
#include <vector>

#include "conformance/conformance_case.h"

namespace weft::conformance {

// A case's desc as DirectML takes it, with all that it points to.
class Desc {
 public:
  // `owned`: FilterTensor and BiasTensor have the flag OWNED_BY_DML. Throws std::runtime_error for
  // what it does not know.
  Desc(const Case& test, bool owned);
  Desc(const Desc&) = delete;
  Desc& operator=(const Desc&) = delete;

  const DML_OPERATOR_DESC* get() const { return &operator_; }

 private:
  const DML_TENSOR_DESC* tensor(const Tensor& tensor, DML_TENSOR_FLAGS flags);
  const UINT* numbers(std::vector<UINT> values);
  const UINT* numbers(const char* field);
  const FLOAT* floats(const char* field);
  const DML_OPERATOR_DESC* activation(const rapidjson::Value& value);

  void make_convolution(bool owned);
  void make_windows();
  void make_resample();

  const Case& test_;
  DML_OPERATOR_DESC operator_ = {};
  DML_CONVOLUTION_OPERATOR_DESC convolution_ = {};
  DML_UNFOLD_OPERATOR_DESC windows_ = {};
  DML_FOLD_OPERATOR_DESC fold_ = {};
  DML_RESAMPLE2_OPERATOR_DESC resample_ = {};
  DML_OPERATOR_DESC fused_ = {};
  DML_ACTIVATION_LINEAR_OPERATOR_DESC function_ = {};
  DML_ELEMENT_WISE_CLIP_OPERATOR_DESC clip_ = {};
  DML_SCALE_BIAS scale_bias_ = {};
  std::deque<std::vector<UINT>> numbers_;
  std::deque<std::vector<FLOAT>> floats_;
  std::deque<DML_BUFFER_TENSOR_DESC> buffers_;
  std::deque<DML_TENSOR_DESC> tensors_;
};

}  // namespace weft::conformance
