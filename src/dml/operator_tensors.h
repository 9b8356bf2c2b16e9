#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "weft/operator.h"

namespace weft::dml {

// The tensors of an operator in the order of its desc's members, absent ones included: the order of
// DirectML's bindings, and of weft::Bindings.
struct OperatorTensors {
  struct Tensor {
    std::string_view name;   // "FilterTensor"
    const TensorDesc* desc;  // null: absent
  };

  std::array<Tensor, 3> storage;
  std::size_t input_count;
  Tensor output;

  std::span<const Tensor> inputs() const& { return std::span(storage).first(input_count); }
  // A loop over a temporary's inputs would outlive it.
  std::span<const Tensor> inputs() && = delete;
};

// Points into `params`.
OperatorTensors tensors_of(const OperatorParams& params);

// "CONVOLUTION.FilterTensor".
std::string full_name(const OperatorParams& params, const OperatorTensors::Tensor& tensor);

// Bytes that the tensor's buffer has to have.
std::uint64_t total_bytes(const TensorDesc& desc);

// Bytes from the first to the last element, of a tensor that weft::validate() has found in order.
std::uint64_t extent_in_bytes(const TensorDesc& desc);

// The tensor's strides, those of a packed one written out.
Dims strides_of(const TensorDesc& desc);

}  // namespace weft::dml
