#pragma once

#include <string_view>

namespace weft::com {

enum class Severity { error, warning, info };

// Whether WEFT_LOG (error, warning or info; unset: nothing) asks for messages of this severity.
// Read once.
bool logs(Severity severity) noexcept;

// One line on stderr when logs(severity): "weft: error: TEXT". Any thread.
void log(Severity severity, std::string_view text) noexcept;

}  // namespace weft::com
