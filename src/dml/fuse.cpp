#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "dml/graph.h"
#include "dml/operator_tensors.h"

namespace weft::dml {

namespace {

using Source = Graph::Source;

// The function as CONVOLUTION takes it; nothing where it cannot.
std::optional<Activation> fusable(const Activation& f, DataType type) {
  Activation result = f;
  if (f.type == OperatorType::element_wise_identity) {
    result = {.type = OperatorType::activation_identity};
    if (f.scale_bias) {
      result = {OperatorType::activation_linear, f.scale_bias->scale, f.scale_bias->bias};
    }
  }
  if (!is_fusable(result.type)) return std::nullopt;
  const bool rounding_commutes =
      result.type == OperatorType::activation_identity ||
      result.type == OperatorType::activation_relu ||
      (result.type == OperatorType::element_wise_clip && !result.scale_bias);
  if (type == DataType::float16 && !rounding_commutes) return std::nullopt;
  return result;
}

bool is_packed(const TensorDesc& desc) {
  return desc.strides.empty() || desc.strides == packed_strides(desc.sizes);
}

// The output desc of the fused convolution: its own coordinates in the memory of the element-wise
// operator's output. Nothing where the two see different elements in between.
std::optional<TensorDesc> fused_output(const TensorDesc& convolved, const ElementWiseParams& f) {
  if (convolved.data_type != f.input.data_type) return std::nullopt;
  TensorDesc result = f.output;
  if (convolved.sizes == f.input.sizes && strides_of(convolved) == strides_of(f.input)) {
    return result;
  }
  const bool packed = is_packed(convolved) && is_packed(f.input) && is_packed(f.output);
  if (!packed || element_count(convolved.sizes) != element_count(f.input.sizes)) {
    return std::nullopt;
  }
  result.sizes = convolved.sizes;
  result.strides.clear();
  return result;
}

std::size_t use_count(const Graph& graph, const Source& source) {
  std::size_t count =
      static_cast<std::size_t>(std::count(graph.outputs.begin(), graph.outputs.end(), source));
  for (const Graph::Node& node : graph.nodes) {
    count += static_cast<std::size_t>(std::count(node.inputs.begin(), node.inputs.end(), source));
  }
  return count;
}

bool try_to_fuse(const Graph& graph, Graph::Node& producer, const Graph::Node& consumer,
                 const Source& edge) {
  auto* convolution = std::get_if<ConvolutionParams>(&producer.params);
  const auto* element_wise = std::get_if<ElementWiseParams>(&consumer.params);
  if (!convolution || convolution->fused_activation || !element_wise) return false;
  const auto function = fusable(element_wise->function, element_wise->output.data_type);
  const auto output = fused_output(convolution->output, *element_wise);
  if (!function || !output || use_count(graph, edge) != 1) return false;

  ConvolutionParams fused = *convolution;
  fused.fused_activation = function;
  fused.output = *output;
  // The rules decide, not this function: an output that CONVOLUTION cannot write stays apart.
  if (!validate(fused).empty()) return false;
  *convolution = std::move(fused);
  return true;
}

// Takes node `removed` out; what read from it reads from `replacement`.
void remove_node(Graph& graph, std::uint32_t removed, std::uint32_t replacement) {
  const auto update = [&](Source& source) {
    if (source.kind != Source::Kind::node) return;
    if (source.index == removed) source.index = replacement;
    if (source.index > removed) --source.index;
  };
  for (Graph::Node& node : graph.nodes) {
    for (Source& source : node.inputs) update(source);
  }
  for (Source& source : graph.outputs) update(source);
  graph.nodes.erase(graph.nodes.begin() + removed);
}

}  // namespace

void fuse_activations(Graph& graph) {
  for (std::uint32_t n = 0; n < graph.nodes.size();) {
    const Source edge = graph.nodes[n].inputs[0];
    if (edge.kind == Source::Kind::node &&
        try_to_fuse(graph, graph.nodes[edge.index], graph.nodes[n], edge)) {
      remove_node(graph, n, edge.index);
    } else {
      ++n;
    }
  }
}

}  // namespace weft::dml
