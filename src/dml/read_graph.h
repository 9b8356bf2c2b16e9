#pragma once

#include "dml/device.h"
#include "dml/graph.h"

namespace weft::dml {

// The graph that a desc describes, its nodes in an order in which they can run. Nothing in the
// result points into the desc.
//
//   nodes    operators of `device`, or constants (feature level 6_2); names are not needed
//   edges    of the kind of their array; every tensor that an operator describes has exactly one
//            edge into it, every output at least one out of it; no cycles
//   bytes    both ends of an intermediate edge have one TotalTensorSizeInBytes; a constant has as
//            many bytes as its reader, or as many before rounding up to a multiple of 4
//   owned    OWNED_BY_DML tensors are connected to graph inputs, and all readers of one agree
//
// Throws com::Failure or Error.
Graph read_graph(const DML_GRAPH_DESC* desc, const Device& device);

}  // namespace weft::dml
