#pragma once

#include <DirectML.h>

namespace weft::testing {

// Throws std::runtime_error with the call and the code where an HRESULT is a failure.
void check(HRESULT result, const char* call);

#define WEFT_CHECK_HR(call) ::weft::testing::check((call), #call)

}  // namespace weft::testing
