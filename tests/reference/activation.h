#pragma once

#include "reference/expected.h"
#include "weft/activation.h"

namespace weft::reference {

// f of weft/activation.h for any x in the range, scale and bias included, as an ordinary float32
// evaluation may give it. NaN stays NaN. Anything goes where the formula has no value for an
// infinite x (infinity / infinity, 0 * infinity).
Expected apply(const Activation& activation, Range x);

}  // namespace weft::reference
