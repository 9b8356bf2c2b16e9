#pragma once

#include <cstddef>

#include "reference/expected.h"
#include "weft/convolution.h"

namespace weft::reference {

// The formulas of weft/convolution.h, tap by tap. The params have to be valid; `bias` is null when
// they have none. Of `every` outputs one is computed; the others may be anything.
ExpectedTensor convolution(const ConvolutionParams& params, const std::byte* input,
                           const std::byte* filter, const std::byte* bias, std::int64_t every = 1);

}  // namespace weft::reference
