#include "reference/reference.h"

#include "reference/convolution.h"
#include "reference/element_wise.h"
#include "reference/resample.h"
#include "reference/sliding_window.h"

namespace weft::reference {

ExpectedTensor evaluate(const OperatorParams& params, std::span<const std::byte* const> inputs,
                        std::int64_t every) {
  struct {
    std::span<const std::byte* const> in;
    std::int64_t every;
    ExpectedTensor operator()(const ConvolutionParams& p) const {
      return convolution(p, in[0], in[1], in[2], every);
    }
    ExpectedTensor operator()(const FoldParams& p) const { return fold(p, in[0]); }
    ExpectedTensor operator()(const UnfoldParams& p) const { return unfold(p, in[0]); }
    ExpectedTensor operator()(const ResampleParams& p) const { return resample(p, in[0]); }
    ExpectedTensor operator()(const ElementWiseParams& p) const { return element_wise(p, in[0]); }
  } visitor{inputs, every};
  return std::visit(visitor, params);
}

}  // namespace weft::reference
