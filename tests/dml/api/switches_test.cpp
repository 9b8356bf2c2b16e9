// What the environment asks for: WEFT_FAULT, WEFT_TRACE, WEFT_LOG. They are read once a process, so
// that each test here runs in one of its own.

#include <cstdlib>

#include "operators.h"

namespace weft::testing {
namespace {

// Ends the process with 0 where `act` found what it expected.
template <class Act>
void with(const char* name, const char* value, const Act& act) {
  setenv(name, value, 1);
  bool good = false;
  {
    Machine machine;
    good = act(machine);
  }
  std::_Exit(good && weft_dml_live_objects() == 0 ? 0 : 1);
}

// Expects `act` to be true in a process with that variable, and stderr to match.
#define EXPECT_WITH(name, value, act, output) \
  EXPECT_EXIT(with(name, value, act), ::testing::ExitedWithCode(0), output)

class Switches : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

HRESULT create_relu(Machine& machine, UINT rank) {
  const std::vector<UINT> sizes(rank, 1);
  const Tensor tensor(sizes);
  const DML_ACTIVATION_RELU_OPERATOR_DESC desc = {&tensor.desc, &tensor.desc};
  const DML_OPERATOR_DESC op_desc = {DML_OPERATOR_ACTIVATION_RELU, &desc};
  ComPtr<IDMLOperator> op;
  return machine.dml->CreateOperator(&op_desc, IID_PPV_ARGS(&op));
}

TEST_F(Switches, FeatureLevelOfAnOlderDevice) {
  const auto run = [](Machine& m) {
    const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0,
                                        DML_FEATURE_LEVEL_5_0};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {3, levels};
    DML_FEATURE_DATA_FEATURE_LEVELS data = {};
    m.dml->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof data,
                               &data);
    ComPtr<IDMLDevice> device;
    const HRESULT newer = DMLCreateDevice1(m.d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE,
                                           DML_FEATURE_LEVEL_3_0, IID_PPV_ARGS(&device));
    return data.MaxSupportedFeatureLevel == DML_FEATURE_LEVEL_2_0 &&
           newer == DXGI_ERROR_UNSUPPORTED && create_relu(m, 4) == S_OK &&
           create_relu(m, 1) == E_INVALIDARG &&
           std::string(weft_last_error()).find("feature level 2_0") != std::string::npos;
  };
  EXPECT_WITH("WEFT_FAULT", "feature_level=2_0", run, "");
}

TEST_F(Switches, ConstantNodesNeedTheirLevel) {
  const auto run = [](Machine& m) {
    const float data[1] = {};
    const DML_CONSTANT_DATA_GRAPH_NODE_DESC constant = {data, 4, nullptr};
    const DML_GRAPH_NODE_DESC node = {DML_GRAPH_NODE_TYPE_CONSTANT, &constant};
    const DML_OUTPUT_GRAPH_EDGE_DESC output = {};
    const DML_GRAPH_EDGE_DESC edge = {DML_GRAPH_EDGE_TYPE_OUTPUT, &output};
    const DML_GRAPH_DESC desc = {0, 1, 1, &node, 0, nullptr, 1, &edge, 0, nullptr};
    ComPtr<IDMLCompiledOperator> compiled;
    return m.dml->CompileGraph(&desc, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)) ==
               E_INVALIDARG &&
           std::string(weft_last_error()).find("6_2") != std::string::npos;
  };
  EXPECT_WITH("WEFT_FAULT", "feature_level=6_1", run, "");
}

TEST_F(Switches, RemovalAtTheNthDispatch) {
  const auto run = [](Machine& m) {
    const auto compiled = compile(m, ReluDesc(4).operator_desc());
    initialize(m, compiled.Get());
    const auto buffer = m.buffer(16);
    const auto bound = bind_all(m, compiled.Get(), {Binding(buffer)}, {Binding(buffer)});
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    m.execute();
    if (m.dml->GetDeviceRemovedReason() != S_OK) return false;
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    if (FAILED(m.list->Close())) return false;
    m.submit();
    m.queue->Signal(m.fence.Get(), 1000);
    m.fence->SetEventOnCompletion(1000, nullptr);
    return m.d3d12->GetDeviceRemovedReason() != S_OK &&
           m.dml->GetDeviceRemovedReason() == m.d3d12->GetDeviceRemovedReason() &&
           std::string(weft_device_removed_message(m.dml.Get())).find("D3D12") != std::string::npos;
  };
  EXPECT_WITH("WEFT_FAULT", "device_removed@3", run, "");
}

HRESULT make_buffer(Machine& machine, void** buffer) {
  D3D12_HEAP_PROPERTIES heap = {};
  heap.Type = D3D12_HEAP_TYPE_DEFAULT;
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Width = 64;
  desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
  return machine.d3d12->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc,
                                                D3D12_RESOURCE_STATE_COMMON, nullptr,
                                                __uuidof(ID3D12Resource), buffer);
}

// The second allocation fails, once, and only that call: both devices live on.
TEST_F(Switches, OutOfMemoryAtTheNthAllocation) {
  const auto run = [](Machine& m) {
    const auto compiled = compile(m, ReluDesc(4).operator_desc());
    initialize(m, compiled.Get());
    const auto first = m.buffer(64);
    void* second = &m;
    if (make_buffer(m, &second) != E_OUTOFMEMORY || second != nullptr) return false;
    ComPtr<ID3D12Resource> third;
    if (make_buffer(m, reinterpret_cast<void**>(third.GetAddressOf())) != S_OK) return false;
    const auto bound = bind_all(m, compiled.Get(), {Binding(first)}, {Binding(third)});
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    m.execute();
    return m.d3d12->GetDeviceRemovedReason() == S_OK && m.dml->GetDeviceRemovedReason() == S_OK;
  };
  EXPECT_WITH("WEFT_FAULT", "out_of_memory@2", run, "");
  setenv("WEFT_LOG", "error", 1);
  EXPECT_WITH("WEFT_FAULT", "out_of_memory@2", run,
              "weft: error: ID3D12Device::CreateCommittedResource: .*out_of_memory");
  unsetenv("WEFT_LOG");
}

// Descs readable, results and times; the execution too.
TEST_F(Switches, TraceTellsEveryCall) {
  const auto run = [](Machine& m) {
    const auto compiled = compile(m, ConvolutionDesc().operator_desc());
    initialize(m, compiled.Get());
    const auto input = m.buffer(36);
    const auto filter = m.buffer(16);
    const auto output = m.buffer(16);
    const auto bound =
        bind_all(m, compiled.Get(), {Binding(input), Binding(filter), {}}, {Binding(output)});
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    m.execute();
    return m.dml->GetDeviceRemovedReason() == S_OK;
  };
  EXPECT_WITH("WEFT_TRACE", "1", run,
              "weft: trace: IDMLDevice::CreateOperator\\(CONVOLUTION \\{InputTensor FLOAT32 "
              "\\{1, 1, 3, 3\\}, FilterTensor FLOAT32 \\{1, 1, 2, 2\\}, BiasTensor none, .*"
              "GroupCount 1\\}\\) = S_OK \\(0x00000000\\), [0-9.]+ us");
  EXPECT_WITH("WEFT_TRACE", "1", run,
              "weft: trace: IDMLDispatchable::GetBindingProperties\\(CONVOLUTION: 4 descriptors, "
              "temporary [0-9]+ bytes, persistent 0 bytes\\), ");
  EXPECT_WITH("WEFT_TRACE", "1", run, "weft: trace: execution\\(CONVOLUTION: .*_f32_.*\\), ");
  EXPECT_WITH("WEFT_TRACE", "1", run,
              "weft: trace: IDMLCommandRecorder::RecordDispatch\\(CONVOLUTION\\), ");
}

TEST_F(Switches, TraceTellsHowAGraphIsConnected) {
  const auto run = [](Machine& m) {
    const auto relu = create(m, ReluDesc(4).operator_desc());
    const DML_OPERATOR_GRAPH_NODE_DESC op = {relu.Get(), nullptr};
    const DML_GRAPH_NODE_DESC node = {DML_GRAPH_NODE_TYPE_OPERATOR, &op};
    const DML_INPUT_GRAPH_EDGE_DESC input = {};
    const DML_GRAPH_EDGE_DESC in = {DML_GRAPH_EDGE_TYPE_INPUT, &input};
    const DML_OUTPUT_GRAPH_EDGE_DESC output = {};
    const DML_GRAPH_EDGE_DESC out = {DML_GRAPH_EDGE_TYPE_OUTPUT, &output};
    const DML_GRAPH_DESC desc = {1, 1, 1, &node, 1, &in, 1, &out, 0, nullptr};
    ComPtr<IDMLCompiledOperator> compiled;
    return m.dml->CompileGraph(&desc, DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE,
                               IID_PPV_ARGS(&compiled)) == S_OK;
  };
  EXPECT_WITH("WEFT_TRACE", "1", run,
              "weft: trace: IDMLDevice1::CompileGraph\\(flags 4; node 0 ACTIVATION_RELU \\(input "
              "0\\); output 0 = node 0 ACTIVATION_RELU; ACTIVATION_RELU: .*descriptors");
}

TEST_F(Switches, LogPrintsErrors) {
  EXPECT_WITH(
      "WEFT_LOG", "error", [](Machine& m) { return create_relu(m, 9) == E_INVALIDARG; },
      "weft: error: IDMLDevice::CreateOperator: ACTIVATION_RELU.InputTensor.DimensionCount is 9");
}

}  // namespace
}  // namespace weft::testing
