#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/operator.h"

namespace weft::dml {

// Operators and how bytes flow between them: what CompileOperator and CompileGraph compile. An
// operator on its own is a graph of one node whose inputs and output are the graph's.
//
// Edges carry bytes: the two ends may describe them with other sizes, strides and types.
struct Graph {
  // Where the bytes of a node's input, or of a graph output, come from.
  struct Source {
    enum class Kind : std::uint8_t {
      none,  // an optional tensor that is absent
      input,
      node,
      constant
    };
    Kind kind = Kind::none;
    std::uint32_t index = 0;  // of the graph input, the node, or the constant

    bool operator==(const Source&) const = default;
  };

  struct Node {
    OperatorParams params;
    std::vector<Source> inputs;  // in the order of tensors_of(params)
    std::string name;            // for messages: "CONVOLUTION" or "node 3 CONVOLUTION"
  };

  bool is_operator = false;  // one operator alone: input i is its tensor i, absent ones included
  std::uint32_t input_count = 0;  // some may have no consumer
  std::vector<Node> nodes;        // each after those that it reads from
  // Data of the constant nodes; of one that is an output less than 2^32 bytes.
  std::vector<std::vector<std::byte>> constants;
  std::vector<Source> outputs;  // nodes or constants
};

Graph single_node_graph(const OperatorParams& params);

// Gives a CONVOLUTION the element-wise operator that alone reads its output, where that changes no
// bit of the result and the two agree about the layout in between; the intermediate tensor is gone
// then. float32 fuses every function that CONVOLUTION can fuse; float16, which would be rounded
// once instead of twice, only IDENTITY, RELU and CLIP, which rounding commutes with.
void fuse_activations(Graph& graph);

}  // namespace weft::dml
