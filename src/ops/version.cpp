#include "weft/info.h"

namespace weft {

std::string_view version() noexcept { return WEFT_VERSION; }
std::string_view feature_level() noexcept { return "6_4"; }

}  // namespace weft
