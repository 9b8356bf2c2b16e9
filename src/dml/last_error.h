#pragma once

#include <string>

namespace weft::dml {

// The last message of the calling thread; never null, empty at first.
const char* last_error() noexcept;
void set_last_error(std::string text) noexcept;

}  // namespace weft::dml
