#pragma once

#include <cstddef>

#include "reference/expected.h"
#include "weft/fold.h"
#include "weft/unfold.h"

namespace weft::reference {

// The formulas of weft/unfold.h and weft/fold.h, element by element. The params have to be valid.
ExpectedTensor unfold(const UnfoldParams& params, const std::byte* input);
ExpectedTensor fold(const FoldParams& params, const std::byte* input);

}  // namespace weft::reference
