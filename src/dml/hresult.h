#pragma once

#include <string>

#include "com/windows.h"

namespace weft::dml {

// "E_INVALIDARG (0x80070057)"; only the number where the code has no name here.
std::string hresult_text(HRESULT code);

}  // namespace weft::dml
