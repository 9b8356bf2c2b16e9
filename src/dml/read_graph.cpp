#include "dml/read_graph.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "dml/operator.h"
#include "dml/operator_tensors.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

using Source = Graph::Source;

constexpr UINT kMaxBufferCount = 1'000'000;   // descriptors of a heap
constexpr std::uint64_t kMaxTensorCount = 3;  // inputs of an operator
constexpr SIZE_T kMaxConstantSize = INT64_MAX;

class GraphReader {
 public:
  GraphReader(const DML_GRAPH_DESC& desc, const Device& device) : desc_(desc), device_(device) {}

  Graph read() {
    check_counts();
    for (UINT i = 0; i < desc_.NodeCount; ++i) read_node(i);
    for (UINT i = 0; i < desc_.InputEdgeCount; ++i) read_input_edge(i);
    for (UINT i = 0; i < desc_.IntermediateEdgeCount; ++i) read_intermediate_edge(i);
    graph_.outputs.resize(desc_.OutputCount);
    for (UINT i = 0; i < desc_.OutputEdgeCount; ++i) read_output_edge(i);
    check_connections();
    graph_.input_count = desc_.InputCount;
    sort_nodes();
    return std::move(graph_);
  }

 private:
  // A node of the desc: an operator's index in graph_.nodes, or a constant's in graph_.constants.
  struct NodeRef {
    Source source;
    bool is_used = false;
  };

  // Counts that do not go together are found before any array is read.
  void check_counts() const {
    if (desc_.NodeCount == 0 || !desc_.Nodes) refuse("Nodes", "empty", "one node or more");
    if (desc_.OutputCount == 0 || !desc_.OutputEdges) {
      refuse("OutputEdges", "empty", "one for each output");
    }
    if (desc_.InputEdgeCount != 0 && !desc_.InputEdges) refuse("InputEdges", "null", "an array");
    if (desc_.IntermediateEdgeCount != 0 && !desc_.IntermediateEdges) {
      refuse("IntermediateEdges", "null", "an array");
    }
    check_buffer_count("InputCount", desc_.InputCount);
    check_buffer_count("OutputCount", desc_.OutputCount);
    if (desc_.OutputEdgeCount != desc_.OutputCount) {
      refuse("OutputEdgeCount", std::to_string(desc_.OutputEdgeCount),
             std::to_string(desc_.OutputCount), "every output of the graph has one edge");
    }
    const std::uint64_t edges_in =
        std::uint64_t{desc_.InputEdgeCount} + desc_.IntermediateEdgeCount;
    const std::uint64_t most = kMaxTensorCount * desc_.NodeCount;
    if (edges_in > most) {
      refuse("InputEdgeCount + IntermediateEdgeCount", std::to_string(edges_in),
             "at most " + std::to_string(most), "one edge for each input of each node");
    }
    const std::uint64_t edges_out =
        std::uint64_t{desc_.OutputEdgeCount} + desc_.IntermediateEdgeCount;
    if (edges_out < desc_.NodeCount) {
      refuse("OutputEdgeCount + IntermediateEdgeCount", std::to_string(edges_out),
             "at least " + std::to_string(desc_.NodeCount), "every node's output is connected");
    }
  }

  static void check_buffer_count(const char* field, UINT count) {
    if (count <= kMaxBufferCount) return;
    refuse(field, std::to_string(count), "at most " + std::to_string(kMaxBufferCount),
           "descriptors of a heap");
  }

  void read_node(UINT index) {
    const DML_GRAPH_NODE_DESC& node = desc_.Nodes[index];
    const std::string where = "Nodes[" + std::to_string(index) + "]";
    const std::uint32_t type = raw(node.Type);
    if (type != DML_GRAPH_NODE_TYPE_OPERATOR && type != DML_GRAPH_NODE_TYPE_CONSTANT) {
      refuse(where + ".Type", std::to_string(type), "OPERATOR (1) or CONSTANT (2)");
    }
    if (!node.Desc) refuse(where + ".Desc", "null", "the node's desc");
    if (type == DML_GRAPH_NODE_TYPE_CONSTANT) {
      read_constant(where, *static_cast<const DML_CONSTANT_DATA_GRAPH_NODE_DESC*>(node.Desc));
    } else {
      read_operator_node(index, where,
                         *static_cast<const DML_OPERATOR_GRAPH_NODE_DESC*>(node.Desc));
    }
  }

  void read_constant(const std::string& where, const DML_CONSTANT_DATA_GRAPH_NODE_DESC& node) {
    if (device_.feature_level() < 0x6200) {
      refuse(where + ".Type", "CONSTANT (2)", "OPERATOR (1)",
             "constants came with feature level 6_2, the device has " +
                 feature_level_text(device_.feature_level()));
    }
    if (!node.Data || node.DataSize == 0) {
      refuse(where + ".Data", "empty", "the constant's bytes");
    }
    if (node.DataSize > kMaxConstantSize) {
      refuse(where + ".DataSize", std::to_string(node.DataSize),
             "at most " + std::to_string(kMaxConstantSize));
    }
    refs_.push_back(
        {{Source::Kind::constant, static_cast<std::uint32_t>(graph_.constants.size())}});
    constants_.push_back(&node);
    graph_.constants.emplace_back();
  }

  void read_operator_node(UINT index, const std::string& where,
                          const DML_OPERATOR_GRAPH_NODE_DESC& node) {
    const auto* op = own<Operator>(node.Operator);
    if (!op || &op->device() != &device_) {
      refuse_object(where + ".Operator", node.Operator, op, "an operator of this device");
    }
    refs_.push_back({{Source::Kind::node, static_cast<std::uint32_t>(graph_.nodes.size())}});
    Graph::Node& added = graph_.nodes.emplace_back();
    added.params = op->params();
    added.name =
        "node " + std::to_string(index) + " " + std::string(weft::name(type_of(added.params)));
    added.inputs.resize(tensors_of(added.params).input_count);
  }

  template <class Edge>
  const Edge& edge(const std::string& where, const DML_GRAPH_EDGE_DESC& desc,
                   DML_GRAPH_EDGE_TYPE type, const char* type_name) const {
    if (raw(desc.Type) != static_cast<std::uint32_t>(type)) {
      refuse(where + ".Type", std::to_string(raw(desc.Type)),
             std::string(type_name) + " (" + std::to_string(type) + ")");
    }
    if (!desc.Desc) refuse(where + ".Desc", "null", "the edge's desc");
    return *static_cast<const Edge*>(desc.Desc);
  }

  static void check_index(const std::string& where, UINT index, std::size_t count) {
    if (index < count) return;
    refuse(where, std::to_string(index), "less than " + std::to_string(count));
  }

  NodeRef& from_node(const std::string& where, UINT node, UINT output) {
    check_index(where + ".FromNodeIndex", node, refs_.size());
    check_index(where + ".FromNodeOutputIndex", output, 1);
    refs_[node].is_used = true;
    return refs_[node];
  }

  // The input that an edge ends in, with its tensor.
  std::pair<Source*, const TensorDesc*> to_node(const std::string& where, UINT node, UINT input) {
    check_index(where + ".ToNodeIndex", node, refs_.size());
    if (refs_[node].source.kind != Source::Kind::node) {
      refuse(where + ".ToNodeIndex", "a constant node", "an operator node");
    }
    Graph::Node& target = graph_.nodes[refs_[node].source.index];
    check_index(where + ".ToNodeInputIndex", input, target.inputs.size());
    const TensorDesc* desc = tensors_of(target.params).storage[input].desc;
    if (!desc) {
      refuse(where + ".ToNodeInputIndex", std::to_string(input), "an input that exists",
             target.name + " has no such tensor");
    }
    Source& source = target.inputs[input];
    if (source.kind != Source::Kind::none) {
      refuse(where + ".ToNodeInputIndex", "connected twice", "connected once", target.name);
    }
    return {&source, desc};
  }

  void read_input_edge(UINT index) {
    const std::string where = "InputEdges[" + std::to_string(index) + "]";
    const auto& e = edge<DML_INPUT_GRAPH_EDGE_DESC>(where, desc_.InputEdges[index],
                                                    DML_GRAPH_EDGE_TYPE_INPUT, "INPUT");
    check_index(where + ".GraphInputIndex", e.GraphInputIndex, desc_.InputCount);
    const auto [source, tensor] = to_node(where, e.ToNodeIndex, e.ToNodeInputIndex);
    *source = {Source::Kind::input, e.GraphInputIndex};
    owned_.resize(desc_.InputCount);
    Ownership& owned = owned_[e.GraphInputIndex];
    if (owned.is_known && owned.by_dml != tensor->owned_by_dml) {
      refuse(where,
             tensor->owned_by_dml ? "to a tensor that is OWNED_BY_DML"
                                  : "to a tensor that is not OWNED_BY_DML",
             "as the other readers of graph input " + std::to_string(e.GraphInputIndex),
             "it is bound either at initialization or at execution");
    }
    owned = {true, tensor->owned_by_dml};
  }

  void read_intermediate_edge(UINT index) {
    const std::string where = "IntermediateEdges[" + std::to_string(index) + "]";
    const auto& e = edge<DML_INTERMEDIATE_GRAPH_EDGE_DESC>(
        where, desc_.IntermediateEdges[index], DML_GRAPH_EDGE_TYPE_INTERMEDIATE, "INTERMEDIATE");
    const NodeRef& from = from_node(where, e.FromNodeIndex, e.FromNodeOutputIndex);
    const auto [source, tensor] = to_node(where, e.ToNodeIndex, e.ToNodeInputIndex);
    if (tensor->owned_by_dml) {
      refuse(where, "to a tensor that is OWNED_BY_DML", "to one that is not",
             "owned tensors are connected to graph inputs");
    }
    check_bytes(where, from.source, *tensor);
    *source = from.source;
  }

  void check_bytes(const std::string& where, const Source& from, const TensorDesc& to) const {
    const std::uint64_t wanted = total_bytes(to);
    if (from.kind == Source::Kind::node) {
      const std::uint64_t given =
          total_bytes(*tensors_of(graph_.nodes[from.index].params).output.desc);
      if (given == wanted) return;
      refuse(where, "from " + std::to_string(given) + " to " + std::to_string(wanted) + " bytes",
             "between tensors of one TotalTensorSizeInBytes");
    }
    const std::uint64_t given = constants_[from.index]->DataSize;
    const std::uint64_t extent = extent_in_bytes(to);
    const bool is_rounded = wanted == minimum_size_in_bytes(to);
    if (given == wanted || (given == extent && is_rounded)) return;
    const std::string either =
        is_rounded && extent != wanted ? std::to_string(extent) + " or " : "";
    refuse(where, "from a constant of " + std::to_string(given) + " bytes",
           "from one of " + either + std::to_string(wanted), "the tensor's TotalTensorSizeInBytes");
  }

  // A constant that is a graph output is copied as a tensor of bytes.
  void check_copied(const std::string& where, const Source& constant) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t size = constants_[constant.index]->DataSize;
    if (size <= kMost) return;
    refuse(where, "from a constant of " + std::to_string(size) + " bytes",
           "from one of at most " + std::to_string(kMost), "the elements that a tensor can have");
  }

  void read_output_edge(UINT index) {
    const std::string where = "OutputEdges[" + std::to_string(index) + "]";
    const auto& e = edge<DML_OUTPUT_GRAPH_EDGE_DESC>(where, desc_.OutputEdges[index],
                                                     DML_GRAPH_EDGE_TYPE_OUTPUT, "OUTPUT");
    check_index(where + ".GraphOutputIndex", e.GraphOutputIndex, desc_.OutputCount);
    const NodeRef& from = from_node(where, e.FromNodeIndex, e.FromNodeOutputIndex);
    if (from.source.kind == Source::Kind::constant) check_copied(where, from.source);
    Source& output = graph_.outputs[e.GraphOutputIndex];
    if (output.kind != Source::Kind::none) {
      refuse(where + ".GraphOutputIndex", "connected twice", "connected once");
    }
    output = from.source;
  }

  // Every output edge went to an output of its own, and there are as many of both: none is left.
  void check_connections() {
    for (std::size_t i = 0; i < refs_.size(); ++i) {
      if (!refs_[i].is_used) {
        refuse("Nodes[" + std::to_string(i) + "]", "unconnected", "read by an edge",
               "every output of every node is connected");
      }
    }
    for (const Graph::Node& node : graph_.nodes) {
      const OperatorTensors tensors = tensors_of(node.params);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].kind != Source::Kind::none || !tensors.inputs()[i].desc) continue;
        refuse(node.name + "." + std::string(tensors.inputs()[i].name), "unconnected",
               "the end of an edge", "every tensor that an operator describes is connected");
      }
    }
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      const auto* data = static_cast<const std::byte*>(constants_[c]->Data);
      graph_.constants[c].assign(data, data + constants_[c]->DataSize);
    }
  }

  // Puts nodes after those that they read from.
  void sort_nodes() {
    const auto count = static_cast<std::uint32_t>(graph_.nodes.size());
    std::vector<std::vector<std::uint32_t>> readers(count);
    std::vector<std::uint32_t> missing(count, 0);
    for (std::uint32_t n = 0; n < count; ++n) {
      for (const Source& source : graph_.nodes[n].inputs) {
        if (source.kind != Source::Kind::node) continue;
        readers[source.index].push_back(n);
        ++missing[n];
      }
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t n = 0; n < count; ++n) {
      if (missing[n] == 0) order.push_back(n);
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      for (const std::uint32_t reader : readers[order[done]]) {
        if (--missing[reader] == 0) order.push_back(reader);
      }
    }
    if (order.size() != count) {
      refuse("IntermediateEdges", "a cycle", "without one", "a graph is directed and acyclic");
    }
    std::vector<std::uint32_t> place(count);
    std::vector<Graph::Node> sorted;
    for (std::uint32_t i = 0; i < count; ++i) {
      place[order[i]] = i;
      sorted.push_back(std::move(graph_.nodes[order[i]]));
    }
    const auto update = [&](Source& source) {
      if (source.kind == Source::Kind::node) source.index = place[source.index];
    };
    for (Graph::Node& node : sorted) {
      for (Source& source : node.inputs) update(source);
    }
    for (Source& source : graph_.outputs) update(source);
    graph_.nodes = std::move(sorted);
  }

  struct Ownership {
    bool is_known = false;
    bool by_dml = false;
  };

  const DML_GRAPH_DESC& desc_;
  const Device& device_;
  Graph graph_;
  std::vector<NodeRef> refs_;
  std::vector<const DML_CONSTANT_DATA_GRAPH_NODE_DESC*> constants_;
  std::vector<Ownership> owned_;  // by graph input
};

}  // namespace

Graph read_graph(const DML_GRAPH_DESC* desc, const Device& device) {
  if (!desc) refuse("desc", "null", "a DML_GRAPH_DESC");
  return GraphReader(*desc, device).read();
}

}  // namespace weft::dml
