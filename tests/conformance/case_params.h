#pragma once

#include "conformance/conformance_case.h"
#include "weft/operator.h"

namespace weft::conformance {

// A case's desc as the C++ API takes it. Throws std::runtime_error for what it does not know.
OperatorParams params_of(const Case& test);

}  // namespace weft::conformance
