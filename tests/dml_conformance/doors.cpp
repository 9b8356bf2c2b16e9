#include "conformance/doors.h"

#include "dml_conformance/directml_backend.h"

namespace weft::conformance {

std::span<const Door> doors() {
  static constexpr Door kDoors[] = {{"operator", make_operator_backend},
                                    {"graph", make_graph_backend},
                                    {"late", make_late_backend}};
  return kDoors;
}

}  // namespace weft::conformance
