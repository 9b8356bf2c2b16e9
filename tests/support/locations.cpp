#include "support/locations.h"

#include <cstdlib>

namespace weft::testing {

std::string source_dir() { return WEFT_SOURCE_DIR; }

std::string weft_binary() {
#ifdef WEFT_BINARY
  return WEFT_BINARY;
#else
  return {};
#endif
}

std::string conformance_dir() {
  const char* set = std::getenv("WEFT_CONFORMANCE_DIR");
  return set != nullptr && *set != '\0' ? set : WEFT_CONFORMANCE_DIR;
}

}  // namespace weft::testing
