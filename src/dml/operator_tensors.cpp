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

}  // namespace weft::dml
