#pragma once

#include <cstdint>
#include <vector>

#include "weft/convolution.h"

namespace weft::reference {

// The sums of a convolution as strict mode promises them: one chain of fused multiply-adds for each
// output, by input channel and tap, then the bias; or one for so many channels after the others,
// added in their order. Packed tensors, cross-correlation, neither activation nor output padding.
std::vector<float> chains(const ConvolutionParams& params, const std::vector<float>& input,
                          const std::vector<float>& filter, const std::vector<float>& bias,
                          std::int64_t channels = INT64_MAX);

}  // namespace weft::reference
