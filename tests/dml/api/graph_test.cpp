#include <functional>
#include <numeric>

#include "operators.h"

namespace weft::testing {
namespace {

// A DML_GRAPH_DESC with what it points at; every array may be changed before compile().
class GraphDesc {
 public:
  UINT add(const ComPtr<IDMLOperator>& op) {
    operators_.push_back(op);
    return add(DML_OPERATOR_GRAPH_NODE_DESC{op.Get(), nullptr});
  }
  UINT add(DML_OPERATOR_GRAPH_NODE_DESC node) {
    operator_nodes.push_back(std::make_unique<DML_OPERATOR_GRAPH_NODE_DESC>(node));
    nodes.push_back({DML_GRAPH_NODE_TYPE_OPERATOR, operator_nodes.back().get()});
    return static_cast<UINT>(nodes.size() - 1);
  }
  UINT add_constant(const void* data, std::size_t size) {
    constants.push_back(std::make_unique<DML_CONSTANT_DATA_GRAPH_NODE_DESC>());
    *constants.back() = {data, size, nullptr};
    nodes.push_back({DML_GRAPH_NODE_TYPE_CONSTANT, constants.back().get()});
    return static_cast<UINT>(nodes.size() - 1);
  }
  void input(UINT graph_input, UINT node, UINT node_input) {
    inputs.push_back(std::make_unique<DML_INPUT_GRAPH_EDGE_DESC>());
    *inputs.back() = {graph_input, node, node_input, nullptr};
    input_edges.push_back({DML_GRAPH_EDGE_TYPE_INPUT, inputs.back().get()});
    input_count = std::max(input_count, graph_input + 1);
  }
  void edge(UINT from, UINT to, UINT to_input) {
    intermediates.push_back(std::make_unique<DML_INTERMEDIATE_GRAPH_EDGE_DESC>());
    *intermediates.back() = {from, 0, to, to_input, nullptr};
    intermediate_edges.push_back({DML_GRAPH_EDGE_TYPE_INTERMEDIATE, intermediates.back().get()});
  }
  void output(UINT from, UINT graph_output) {
    outputs.push_back(std::make_unique<DML_OUTPUT_GRAPH_EDGE_DESC>());
    *outputs.back() = {from, 0, graph_output, nullptr};
    output_edges.push_back({DML_GRAPH_EDGE_TYPE_OUTPUT, outputs.back().get()});
    output_count = std::max(output_count, graph_output + 1);
  }

  DML_GRAPH_DESC desc() const {
    return {input_count,
            output_count,
            static_cast<UINT>(nodes.size()),
            nodes.data(),
            static_cast<UINT>(input_edges.size()),
            input_edges.data(),
            static_cast<UINT>(output_edges.size()),
            output_edges.data(),
            static_cast<UINT>(intermediate_edges.size()),
            intermediate_edges.data()};
  }

  UINT input_count = 0;
  UINT output_count = 0;
  std::vector<DML_GRAPH_NODE_DESC> nodes;
  std::vector<DML_GRAPH_EDGE_DESC> input_edges;
  std::vector<DML_GRAPH_EDGE_DESC> output_edges;
  std::vector<DML_GRAPH_EDGE_DESC> intermediate_edges;
  std::vector<std::unique_ptr<DML_OPERATOR_GRAPH_NODE_DESC>> operator_nodes;
  std::vector<std::unique_ptr<DML_CONSTANT_DATA_GRAPH_NODE_DESC>> constants;
  std::vector<std::unique_ptr<DML_INPUT_GRAPH_EDGE_DESC>> inputs;
  std::vector<std::unique_ptr<DML_OUTPUT_GRAPH_EDGE_DESC>> outputs;
  std::vector<std::unique_ptr<DML_INTERMEDIATE_GRAPH_EDGE_DESC>> intermediates;

 private:
  std::vector<ComPtr<IDMLOperator>> operators_;
};

HRESULT compile_graph(Machine& machine, const DML_GRAPH_DESC& desc,
                      ComPtr<IDMLCompiledOperator>& compiled) {
  return machine.dml->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled));
}

ComPtr<IDMLOperator> relu(Machine& machine, UINT count = 4) {
  return create(machine, ReluDesc(count).operator_desc());
}

// convolution (graph inputs 0, 1) -> relu -> output 0
GraphDesc small_graph(Machine& machine, DML_TENSOR_FLAGS filter_flags = DML_TENSOR_FLAG_NONE) {
  GraphDesc graph;
  const UINT convolution =
      graph.add(create(machine, ConvolutionDesc(filter_flags).operator_desc()));
  const UINT activation = graph.add(relu(machine));
  graph.input(0, convolution, 0);
  graph.input(1, convolution, 1);
  graph.edge(convolution, activation, 0);
  graph.output(activation, 0);
  return graph;
}

using Graphs = MachineTest;

std::vector<float> run(Machine& machine, IDMLCompiledOperator* compiled,
                       const std::vector<Binding>& inputs, std::size_t count,
                       ID3D12Resource* persistent = nullptr) {
  const auto output = machine.buffer(count * sizeof(float));
  const auto bound = bind_all(machine, compiled, inputs, {Binding(output)}, persistent);
  machine.recorder->RecordDispatch(machine.list.Get(), compiled, bound.table.Get());
  machine.execute();
  EXPECT_OK(machine.dml->GetDeviceRemovedReason());
  return machine.read(output.Get(), count);
}

const std::vector<float> kInput = {1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> kFilter = {1, 0, 0, -1};  // every sum is x - (x + 4)

TEST_F(Graphs, RunWhatTheirOperatorsDo) {
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), small_graph(machine()).desc(), compiled));
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(kInput);
  const auto filter = machine().buffer_of(kFilter);
  EXPECT_EQ(run(machine(), compiled.Get(), {Binding(input), Binding(filter)}, 4),
            std::vector<float>(4, 0.0f));
}

TEST_F(Graphs, OwnedInputsAndConstants) {
  GraphDesc graph = small_graph(machine(), DML_TENSOR_FLAG_OWNED_BY_DML);
  ComPtr<IDMLCompiledOperator> owned;
  ASSERT_OK(compile_graph(machine(), graph.desc(), owned));
  const auto input = machine().buffer_of(kInput);
  const auto filter = machine().buffer_of(std::vector<float>(4, 0.5f));
  const auto persistent = persistent_for(machine(), owned.Get());
  initialize(machine(), owned.Get(), {{}, Binding(filter)}, persistent.Get());
  machine().write(filter.Get(), std::vector<float>(4, 77.0f));
  const std::vector<float> expected = {6, 8, 12, 14};
  EXPECT_EQ(run(machine(), owned.Get(), {Binding(input), {}}, 4, persistent.Get()), expected);

  GraphDesc with_constant;
  std::vector<float> data(4, 0.5f);
  const UINT convolution = with_constant.add(create(machine(), ConvolutionDesc().operator_desc()));
  const UINT constant = with_constant.add_constant(data.data(), 16);
  with_constant.input(0, convolution, 0);
  with_constant.edge(constant, convolution, 1);
  with_constant.output(convolution, 0);
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), with_constant.desc(), compiled));
  data.assign(4, 99.0f);
  initialize(machine(), compiled.Get());
  EXPECT_EQ(compiled->GetBindingProperties().PersistentResourceSize, 0u);
  EXPECT_EQ(run(machine(), compiled.Get(), {Binding(input)}, 4), expected);
}

// A graph input that nothing reads needs no buffer, and may have one.
TEST_F(Graphs, InputsWithoutReaders) {
  GraphDesc graph = small_graph(machine());
  graph.input_count = 5;
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), graph.desc(), compiled));
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(kInput);
  const auto filter = machine().buffer_of(kFilter);
  EXPECT_EQ(
      run(machine(), compiled.Get(), {Binding(input), Binding(filter), {}, Binding(filter), {}}, 4)
          .size(),
      4u);
}

// Producer and consumer of an edge describe the same bytes in their own ways.
TEST_F(Graphs, EdgesCarryBytes) {
  GraphDesc graph;
  const UINT convolution = graph.add(create(machine(), ConvolutionDesc().operator_desc()));
  Tensor as_integers({4}, DML_TENSOR_FLAG_NONE, DML_TENSOR_DATA_TYPE_UINT32);
  Tensor transposed({2, 2});
  const UINT strides[] = {1, 2};
  Tensor result({2, 2});
  DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC copy = {&as_integers, &as_integers, nullptr};
  const UINT copied = graph.add(create(machine(), {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &copy}));
  transposed.buffer.Strides = strides;
  copy = {&transposed, &result, nullptr};
  const UINT turned = graph.add(create(machine(), {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &copy}));
  graph.input(0, convolution, 0);
  graph.input(1, convolution, 1);
  graph.edge(convolution, copied, 0);
  graph.edge(copied, turned, 0);
  graph.output(turned, 0);
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), graph.desc(), compiled));
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(kInput);
  const auto filter = machine().buffer_of(std::vector<float>(4, 0.5f));
  EXPECT_EQ(run(machine(), compiled.Get(), {Binding(input), Binding(filter)}, 4),
            (std::vector<float>{6, 12, 8, 14}));
}

// Nodes in any order, one value read twice, an output that another node reads.
TEST_F(Graphs, AnyOrderManyReaders) {
  GraphDesc graph;
  const UINT last = graph.add(relu(machine()));
  const UINT constant = graph.add_constant(kFilter.data(), 16);
  const UINT first = graph.add(relu(machine()));
  const UINT other = graph.add(relu(machine()));
  graph.input(0, first, 0);
  graph.edge(first, last, 0);
  graph.edge(constant, other, 0);
  graph.output(first, 1);
  graph.output(last, 0);
  graph.output(other, 2);
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), graph.desc(), compiled));
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(std::vector<float>{-1, 2, -3, 4});
  const auto results = machine().buffer(48);
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(input)},
                              {Binding(results.Get(), 0, 16), Binding(results.Get(), 16, 16),
                               Binding(results.Get(), 32, 16)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(results.Get(), 12),
            (std::vector<float>{0, 2, 0, 4, 0, 2, 0, 4, 1, 0, 0, 0}));
}

// A compiled graph holds none of its operators; one of an operator holds it.
TEST_F(Graphs, HoldNoOperators) {
  const std::int64_t before = weft_dml_live_objects();
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(compile_graph(machine(), small_graph(machine()).desc(), compiled));
  EXPECT_EQ(weft_dml_live_objects(), before + 1);
  compiled = compile(machine(), ReluDesc(4).operator_desc());
  EXPECT_EQ(weft_dml_live_objects(), before + 2);
}

// ---- Refusals ----

struct BadGraph {
  const char* name;
  const char* message;
  std::function<void(Machine&, GraphDesc&)> change;
  std::function<void(DML_GRAPH_DESC&)> change_desc = [](DML_GRAPH_DESC&) {};
};

void PrintTo(const BadGraph& bad, std::ostream* out) { *out << bad.name; }

class BadGraphs : public MachineTest, public ::testing::WithParamInterface<BadGraph> {};

TEST_P(BadGraphs, AreRefused) {
  GraphDesc graph = small_graph(machine());
  if (GetParam().change) GetParam().change(machine(), graph);
  DML_GRAPH_DESC desc = graph.desc();
  GetParam().change_desc(desc);
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_EQ(compile_graph(machine(), desc, compiled), E_INVALIDARG);
  const std::string message = weft_last_error();
  EXPECT_NE(message.find("IDMLDevice1::CompileGraph: "), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
}

void set_type(DML_GRAPH_EDGE_DESC& edge, std::uint32_t type) {
  std::memcpy(&edge.Type, &type, sizeof type);
}

const BadGraph kBadGraphs[] = {
    {"NoNodes", "Nodes is empty", nullptr, [](auto& d) { d.NodeCount = 0; }},
    {"NullNodes", "Nodes is empty", nullptr, [](auto& d) { d.Nodes = nullptr; }},
    {"NoOutputs", "OutputEdges is empty", nullptr, [](auto& d) { d.OutputCount = 0; }},
    {"NullInputEdges", "InputEdges is null", nullptr, [](auto& d) { d.InputEdges = nullptr; }},
    {"NullIntermediateEdges", "IntermediateEdges is null", nullptr,
     [](auto& d) { d.IntermediateEdges = nullptr; }},
    {"AbsurdNodeCount", "OutputEdgeCount + IntermediateEdgeCount is 2", nullptr,
     [](auto& d) { d.NodeCount = 0xFFFFFFFF; }},
    {"AbsurdInputCount", "InputCount is 4294967295", nullptr,
     [](auto& d) { d.InputCount = 0xFFFFFFFF; }},
    {"AbsurdInputEdgeCount", "InputEdgeCount + IntermediateEdgeCount", nullptr,
     [](auto& d) { d.InputEdgeCount = 0xFFFFFFFF; }},
    {"AbsurdIntermediateEdgeCount", "InputEdgeCount + IntermediateEdgeCount", nullptr,
     [](auto& d) { d.IntermediateEdgeCount = 0xFFFFFFFF; }},
    {"AbsurdOutputEdgeCount", "OutputEdgeCount is 4294967295, must be 1", nullptr,
     [](auto& d) { d.OutputEdgeCount = 0xFFFFFFFF; }},
    {"AbsurdOutputCount", "OutputCount is 4294967295, must be at most 1000000", nullptr,
     [](auto& d) { d.OutputCount = d.OutputEdgeCount = 0xFFFFFFFF; }},
    {"NodeType", "Nodes[0].Type is 9",
     [](auto&, auto& g) {
       const std::uint32_t nine = 9;
       std::memcpy(&g.nodes[0].Type, &nine, sizeof nine);
     }},
    {"NodeWithoutDesc", "Nodes[1].Desc is null", [](auto&, auto& g) { g.nodes[1].Desc = nullptr; }},
    {"NodeWithoutOperator", "Nodes[0].Operator is null",
     [](auto&, auto& g) { g.operator_nodes[0]->Operator = nullptr; }},
    {"ForeignOperator", "Nodes[2].Operator is of another device",
     [](auto& m, auto& g) {
       ComPtr<IDMLDevice1> other;
       ASSERT_OK(DMLCreateDevice(m.d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&other)));
       const ReluDesc desc(4);
       const DML_OPERATOR_DESC op_desc = desc.operator_desc();
       ComPtr<IDMLOperator> op;
       ASSERT_OK(other->CreateOperator(&op_desc, IID_PPV_ARGS(&op)));
       const UINT node = g.add(op);
       g.input(0, node, 0);
       g.output(node, 1);
     }},
    {"EmptyConstant", "Nodes[2].Data is empty",
     [](auto&, auto& g) {
       g.add_constant(nullptr, 16);
       g.output(2, 1);
     }},
    {"EdgeType", "InputEdges[0].Type is 2, must be INPUT (1)",
     [](auto&, auto& g) { set_type(g.input_edges[0], 2); }},
    {"EdgeWithoutDesc", "IntermediateEdges[0].Desc is null",
     [](auto&, auto& g) { g.intermediate_edges[0].Desc = nullptr; }},
    {"GraphInput", "InputEdges[1].GraphInputIndex is 1, must be less than 1",
     [](auto&, auto& g) { g.input_count = 1; }},
    {"ToNode", "InputEdges[0].ToNodeIndex is 7, must be less than 2",
     [](auto&, auto& g) { g.inputs[0]->ToNodeIndex = 7; }},
    {"ToInput", "InputEdges[0].ToNodeInputIndex is 3, must be less than 3",
     [](auto&, auto& g) { g.inputs[0]->ToNodeInputIndex = 3; }},
    {"ToAbsentInput", "has no such tensor",
     [](auto&, auto& g) { g.inputs[1]->ToNodeInputIndex = 2; }},
    {"ConnectedTwice", "InputEdges[1].ToNodeInputIndex is connected twice",
     [](auto&, auto& g) { g.inputs[1]->ToNodeInputIndex = 0; }},
    {"FromNode", "OutputEdges[0].FromNodeIndex is 2",
     [](auto&, auto& g) { g.outputs[0]->FromNodeIndex = 2; }},
    {"FromOutput", "OutputEdges[0].FromNodeOutputIndex is 1",
     [](auto&, auto& g) { g.outputs[0]->FromNodeOutputIndex = 1; }},
    {"GraphOutput", "OutputEdges[0].GraphOutputIndex is 1",
     [](auto&, auto& g) { g.outputs[0]->GraphOutputIndex = 1; }},
    {"OutputTwice", "OutputEdges[1].GraphOutputIndex is connected twice",
     [](auto&, auto& g) {
       g.output(0, 1);
       g.outputs[1]->GraphOutputIndex = 0;
     }},
    {"UnconnectedOutput", "Nodes[1] is unconnected",
     [](auto&, auto& g) { g.outputs[0]->FromNodeIndex = 0; }},
    {"UnconnectedInput", "node 0 CONVOLUTION.FilterTensor is unconnected",
     [](auto&, auto& g) { g.input_edges.pop_back(); }},
    {"ByteSizes", "IntermediateEdges[0] is from 16 to 32 bytes",
     [](auto& m, auto& g) {
       const UINT node = g.add(relu(m, 8));
       g.intermediates[0]->ToNodeIndex = node;
       g.outputs[0]->FromNodeIndex = node;
       g.input(2, 1, 0);
       g.output(1, 1);
     }},
    {"ConstantSize", "IntermediateEdges[1] is from a constant of 8 bytes",
     [](auto&, auto& g) {
       static const float data[2] = {};
       const UINT constant = g.add_constant(data, 8);
       g.edge(constant, 0, 1);
       g.input_edges.pop_back();
     }},
    {"ConstantShorterThanItsElements", "from a constant of 5 bytes, must be from one of 6 or 8",
     [](auto& m, auto& g) {
       static const std::uint16_t data[3] = {};
       const Tensor halves({3}, DML_TENSOR_FLAG_NONE, DML_TENSOR_DATA_TYPE_FLOAT16);
       const DML_ACTIVATION_RELU_OPERATOR_DESC desc = {&halves, &halves};
       const UINT node = g.add(create(m, {DML_OPERATOR_ACTIVATION_RELU, &desc}));
       g.edge(g.add_constant(data, 5), node, 0);
       g.output(node, 1);
     }},
    {"AbsurdConstant", "Nodes[2].DataSize is 18446744073709551615",
     [](auto&, auto& g) { g.output(g.add_constant(kFilter.data(), SIZE_MAX), 1); }},
    {"ConstantTooLargeToCopy", "OutputEdges[1] is from a constant of 4294967296 bytes",
     [](auto&, auto& g) { g.output(g.add_constant(kFilter.data(), 1ull << 32), 1); }},
    {"ToConstant", "InputEdges[2].ToNodeIndex is a constant node",
     [](auto&, auto& g) {
       const UINT constant = g.add_constant(kFilter.data(), 16);
       g.output(constant, 1);
       g.input(0, constant, 0);
     }},
    {"Cycle", "IntermediateEdges is a cycle",
     [](auto& m, auto& g) {
       const UINT a = g.add(relu(m));
       const UINT b = g.add(relu(m));
       g.edge(a, b, 0);
       g.edge(b, a, 0);
     }},
    {"OwnedIntermediate", "IntermediateEdges[1] is to a tensor that is OWNED_BY_DML",
     [](auto& m, auto& g) {
       const UINT node =
           g.add(create(m, ReluDesc(4, DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc()));
       g.edge(0, node, 0);
       g.output(node, 1);
     }},
    {"OwnersDisagree", "must be as the other readers of graph input 0", [](auto& m, auto& g) {
       const UINT node =
           g.add(create(m, ReluDesc(4, DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc()));
       g.input(0, node, 0);
       g.output(node, 1);
     }}};

INSTANTIATE_TEST_SUITE_P(CompileGraph, BadGraphs, ::testing::ValuesIn(kBadGraphs),
                         [](const auto& info) { return info.param.name; });

TEST_F(Graphs, NoDescFlagsAndInterface) {
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_EQ(machine().dml->CompileGraph(nullptr, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)),
            E_INVALIDARG);
  EXPECT_STREQ(weft_last_error(),
               "IDMLDevice1::CompileGraph: desc is null, must be a DML_GRAPH_DESC");
  const GraphDesc graph = small_graph(machine());
  const DML_GRAPH_DESC desc = graph.desc();
  void* found = nullptr;
  EXPECT_EQ(
      machine().dml->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE, __uuidof(IDMLOperator), &found),
      E_NOINTERFACE);
  EXPECT_EQ(machine().dml->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE,
                                        __uuidof(IDMLCompiledOperator), nullptr),
            S_FALSE);
}

}  // namespace
}  // namespace weft::testing
