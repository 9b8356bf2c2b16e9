#pragma once

#include <cstddef>

#include "reference/expected.h"
#include "weft/element_wise.h"

namespace weft::reference {

// The formulas of weft/element_wise.h, element by element. The params have to be valid.
ExpectedTensor element_wise(const ElementWiseParams& params, const std::byte* input);

}  // namespace weft::reference
