#pragma once

#include <cstddef>
#include <span>

#include "reference/expected.h"
#include "weft/operator.h"

namespace weft::reference {

// What any operator has to give, computed naively in double from the headers' formulas. The params
// have to be valid; inputs are in the order of Bindings, null where absent.
// CONVOLUTION computes one of `every` outputs; the others may be anything.
ExpectedTensor evaluate(const OperatorParams& params, std::span<const std::byte* const> inputs,
                        std::int64_t every = 1);

}  // namespace weft::reference
