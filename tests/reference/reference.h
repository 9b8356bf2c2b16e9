#pragma once

#include <cstddef>
#include <span>

#include "reference/expected.h"
#include "weft/operator.h"

namespace weft::reference {

// What any operator has to give, computed naively in double from the headers' formulas. The params
// have to be valid; inputs are in the order of Bindings, null where absent.
ExpectedTensor evaluate(const OperatorParams& params, std::span<const std::byte* const> inputs);

}  // namespace weft::reference
