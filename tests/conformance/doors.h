#pragma once

#include <memory>
#include <ostream>
#include <span>

#include "conformance/backend.h"

namespace weft::conformance {

// A way to run cases, by name.
struct Door {
  const char* name;
  std::unique_ptr<Backend> (*make)();
  bool needs_command = false;
};
inline std::ostream& operator<<(std::ostream& out, const Door& door) { return out << door.name; }

// Those of the executable at hand, which defines this.
std::span<const Door> doors();

}  // namespace weft::conformance
