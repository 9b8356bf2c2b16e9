#pragma once

#include <vector>

#include "weft/convolution.h"

namespace weft::reference {

// The sums of a convolution as strict mode promises them: one chain of fused multiply-adds for each
// output, by input channel and tap, then the bias. Packed tensors, cross-correlation, neither
// activation nor output padding.
std::vector<float> chains(const ConvolutionParams& params, const std::vector<float>& input,
                          const std::vector<float>& filter, const std::vector<float>& bias);

}  // namespace weft::reference
