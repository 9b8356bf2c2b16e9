#include "compute/layers.h"

#include <array>
#include <cstring>
#include <deque>

namespace weft::testing {

namespace {

// A packed float32 tensor's desc.
struct FloatTensor {
  FloatTensor(std::array<UINT, 4> tensor_sizes, bool owned = false) : sizes(tensor_sizes) {
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.Flags = owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes.data();
    buffer.TotalTensorSizeInBytes = 4;
    for (const UINT size : sizes) buffer.TotalTensorSizeInBytes *= size;
    desc = {DML_TENSOR_TYPE_BUFFER, &buffer};
  }
  FloatTensor(const FloatTensor&) = delete;

  std::array<UINT, 4> sizes;
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC desc = {};
};

ComPtr<IDMLOperator> make_operator(IDMLDevice* device, const DML_OPERATOR_DESC& desc) {
  ComPtr<IDMLOperator> op;
  WEFT_CHECK_HR(device->CreateOperator(&desc, IID_PPV_ARGS(&op)));
  return op;
}

// Edges of a graph that is being put together.
class ChainGraph {
 public:
  void add_node(IDMLOperator* op) { operators_.push_back({op, nullptr}); }
  UINT last_node() const { return static_cast<UINT>(operators_.size()) - 1; }

  void add_input(UINT to_input) {
    inputs_.push_back({input_count_++, last_node(), to_input, nullptr});
  }
  // The last node reads what the one before wrote.
  void connect() { intermediates_.push_back({last_node() - 1, 0, last_node(), 0, nullptr}); }

  ComPtr<IDMLCompiledOperator> compile(IDMLDevice1* device) const {
    std::vector<DML_GRAPH_NODE_DESC> nodes;
    for (const auto& node : operators_) nodes.push_back({DML_GRAPH_NODE_TYPE_OPERATOR, &node});
    std::vector<DML_GRAPH_EDGE_DESC> inputs;
    for (const auto& edge : inputs_) inputs.push_back({DML_GRAPH_EDGE_TYPE_INPUT, &edge});
    std::vector<DML_GRAPH_EDGE_DESC> intermediates;
    for (const auto& edge : intermediates_) {
      intermediates.push_back({DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &edge});
    }
    const DML_OUTPUT_GRAPH_EDGE_DESC output = {last_node(), 0, 0, nullptr};
    const DML_GRAPH_EDGE_DESC outputs[] = {{DML_GRAPH_EDGE_TYPE_OUTPUT, &output}};
    DML_GRAPH_DESC desc = {};
    desc.InputCount = input_count_;
    desc.OutputCount = 1;
    desc.NodeCount = static_cast<UINT>(nodes.size());
    desc.Nodes = nodes.data();
    desc.InputEdgeCount = static_cast<UINT>(inputs.size());
    desc.InputEdges = inputs.data();
    desc.OutputEdgeCount = 1;
    desc.OutputEdges = outputs;
    desc.IntermediateEdgeCount = static_cast<UINT>(intermediates.size());
    desc.IntermediateEdges = intermediates.data();
    ComPtr<IDMLCompiledOperator> compiled;
    WEFT_CHECK_HR(device->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
    return compiled;
  }

 private:
  UINT input_count_ = 0;
  std::vector<DML_OPERATOR_GRAPH_NODE_DESC> operators_;
  std::vector<DML_INPUT_GRAPH_EDGE_DESC> inputs_;
  std::vector<DML_INTERMEDIATE_GRAPH_EDGE_DESC> intermediates_;
};

}  // namespace

ComPtr<IDMLOperator> make_operator(IDMLDevice* device, const Layer& layer) {
  const FloatTensor input({1, layer.input_channels, layer.height, layer.width});
  const FloatTensor filter({layer.output_channels, layer.input_channels, 3, 3}, layer.owned);
  const FloatTensor bias({1, layer.output_channels, 1, 1}, layer.owned);
  const FloatTensor output({1, layer.output_channels, layer.height, layer.width});
  const UINT ones[] = {1, 1};
  const UINT zeros[] = {0, 0};
  const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {};
  const DML_OPERATOR_DESC fused = {DML_OPERATOR_ACTIVATION_RELU, &relu};
  DML_CONVOLUTION_OPERATOR_DESC desc = {};
  desc.InputTensor = &input.desc;
  desc.FilterTensor = &filter.desc;
  desc.BiasTensor = &bias.desc;
  desc.OutputTensor = &output.desc;
  desc.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
  desc.Direction = DML_CONVOLUTION_DIRECTION_FORWARD;
  desc.DimensionCount = 2;
  desc.Strides = ones;
  desc.Dilations = ones;
  desc.StartPadding = ones;
  desc.EndPadding = ones;
  desc.OutputPadding = zeros;
  desc.GroupCount = 1;
  if (layer.relu) desc.FusedActivation = &fused;
  return make_operator(device, {DML_OPERATOR_CONVOLUTION, &desc});
}

ComPtr<IDMLOperator> make_relu(IDMLDevice* device, const Layer& layer) {
  const FloatTensor tensor({1, layer.output_channels, layer.height, layer.width});
  DML_ACTIVATION_RELU_OPERATOR_DESC desc = {&tensor.desc, &tensor.desc};
  return make_operator(device, {DML_OPERATOR_ACTIVATION_RELU, &desc});
}

ComPtr<IDMLCompiledOperator> compile_chain(IDMLDevice1* device, const std::vector<Layer>& layers,
                                           bool separate_relus) {
  std::vector<ComPtr<IDMLOperator>> operators;
  ChainGraph graph;
  for (const Layer& layer : layers) {
    operators.push_back(make_operator(device, layer));
    graph.add_node(operators.back().Get());
    if (operators.size() == 1) {
      graph.add_input(0);
    } else {
      graph.connect();
    }
    graph.add_input(1);
    graph.add_input(2);
    if (!separate_relus) continue;
    operators.push_back(make_relu(device, layer));
    graph.add_node(operators.back().Get());
    graph.connect();
  }
  return graph.compile(device);
}

std::vector<std::byte> sample_floats(UINT64 size_in_bytes, unsigned seed) {
  std::vector<std::byte> bytes(size_in_bytes);
  for (UINT64 i = 0; i < size_in_bytes / 4; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const float value = static_cast<float>(static_cast<int>(seed >> 16) % 257 - 128) / 256;
    std::memcpy(&bytes[i * 4], &value, 4);
  }
  return bytes;
}

}  // namespace weft::testing
