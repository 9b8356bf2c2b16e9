#include "conformance/doors.h"

namespace weft::conformance {

std::span<const Door> doors() {
  static constexpr Door kDoors[] = {{"api", make_api_backend},
                                    {"command", make_command_backend, true},
                                    {"reference", make_reference_backend}};
  return kDoors;
}

}  // namespace weft::conformance
