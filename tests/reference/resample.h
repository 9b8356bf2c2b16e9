#pragma once

#include <cstddef>

#include "reference/expected.h"
#include "weft/resample.h"

namespace weft::reference {

// The formulas of weft/resample.h, output by output, with coordinates in float32 as they are
// defined there. The params have to be valid.
ExpectedTensor resample(const ResampleParams& params, const std::byte* input);

}  // namespace weft::reference
