#pragma once

#include <memory>

#include "conformance/backend.h"

namespace weft::conformance {

// All of a case through the DirectML API: device, operator, initializer, binding table, dispatch,
// readback. A convolution is run twice: with the weights bound at execution, and OWNED_BY_DML with
// the buffers that they came from overwritten after initialization.
std::unique_ptr<Backend> make_operator_backend();  // CompileOperator
std::unique_ptr<Backend> make_graph_backend();     // a graph of one node, CompileGraph
std::unique_ptr<Backend> make_late_backend();      // bound after RecordDispatch

}  // namespace weft::conformance
