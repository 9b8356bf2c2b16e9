#include "dml/operator_tensors.h"

#include <variant>

namespace weft::dml {

namespace {

struct Lister {
  OperatorTensors operator()(const ConvolutionParams& p) const {
    return {{{{"InputTensor", &p.input},
              {"FilterTensor", &p.filter},
              {"BiasTensor", p.bias ? &*p.bias : nullptr}}},
            3,
            {"OutputTensor", &p.output}};
  }

  template <class Params>  // all others have one input
  OperatorTensors operator()(const Params& p) const {
    return {{{{"InputTensor", &p.input}}}, 1, {"OutputTensor", &p.output}};
  }
};

}  // namespace

OperatorTensors tensors_of(const OperatorParams& params) { return std::visit(Lister{}, params); }

std::string full_name(const OperatorParams& params, const OperatorTensors::Tensor& tensor) {
  return std::string(name(type_of(params))).append(".").append(tensor.name);
}

std::uint64_t total_bytes(const TensorDesc& desc) {
  return desc.total_size_in_bytes != 0 ? desc.total_size_in_bytes
                                       : minimum_size_in_bytes(desc).value_or(0);
}

std::uint64_t extent_in_bytes(const TensorDesc& desc) {
  const Dims strides = strides_of(desc);
  std::uint64_t last = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    last += (desc.sizes[d] - std::uint64_t{1}) * strides[d];
  }
  return (last + 1) * byte_size(desc.data_type);
}

Dims strides_of(const TensorDesc& desc) {
  return desc.strides.empty() ? packed_strides(desc.sizes).value_or(Dims{}) : desc.strides;
}

}  // namespace weft::dml
