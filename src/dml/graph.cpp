#include "dml/graph.h"

#include <utility>

#include "dml/operator_tensors.h"

namespace weft::dml {

Graph single_node_graph(const OperatorParams& params) {
  Graph graph;
  graph.is_operator = true;
  Graph::Node node{params, {}, std::string(name(type_of(params)))};
  const OperatorTensors tensors = tensors_of(node.params);
  for (const auto& tensor : tensors.inputs()) {
    node.inputs.push_back(
        {tensor.desc ? Graph::Source::Kind::input : Graph::Source::Kind::none, graph.input_count});
    ++graph.input_count;
  }
  graph.nodes.push_back(std::move(node));
  graph.outputs.push_back({Graph::Source::Kind::node, 0});
  return graph;
}

}  // namespace weft::dml
