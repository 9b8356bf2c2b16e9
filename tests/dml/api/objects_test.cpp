// References, interfaces, private data and names; what the device tells about itself.

#include <vector>

#include "operators.h"

namespace weft::testing {
namespace {

using Objects = MachineTest;

ULONG references(IUnknown* object) {
  object->AddRef();
  return object->Release();
}

bool has(IUnknown* object, REFIID riid) {
  void* found = nullptr;
  if (FAILED(object->QueryInterface(riid, &found))) return false;
  static_cast<IUnknown*>(found)->Release();
  return true;
}

TEST_F(Objects, AnswerTheirInterfaces) {
  const auto op = create(machine(), ReluDesc(4).operator_desc());
  const auto compiled = compile(machine(), ReluDesc(4).operator_desc());
  ComPtr<IDMLOperatorInitializer> initializer;
  ASSERT_OK(machine().dml->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)));
  const auto table = table_for(machine(), compiled.Get());
  IUnknown* children[] = {op.Get(), compiled.Get(), initializer.Get(), table.Get(),
                          machine().recorder.Get()};
  const GUID own[] = {__uuidof(IDMLOperator), __uuidof(IDMLCompiledOperator),
                      __uuidof(IDMLOperatorInitializer), __uuidof(IDMLBindingTable),
                      __uuidof(IDMLCommandRecorder)};
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(has(children[i], __uuidof(IUnknown)));
    EXPECT_TRUE(has(children[i], __uuidof(IDMLObject)));
    EXPECT_TRUE(has(children[i], __uuidof(IDMLDeviceChild)));
    for (int j = 0; j < 5; ++j) EXPECT_EQ(has(children[i], own[j]), i == j) << i << " " << j;
    const bool is_dispatchable = i == 1 || i == 2;
    EXPECT_EQ(has(children[i], __uuidof(IDMLPageable)), is_dispatchable);
    EXPECT_EQ(has(children[i], __uuidof(IDMLDispatchable)), is_dispatchable);
    EXPECT_FALSE(has(children[i], __uuidof(IDMLDevice)));
  }
  for (const GUID& id :
       {__uuidof(IUnknown), __uuidof(IDMLObject), __uuidof(IDMLDevice), __uuidof(IDMLDevice1)}) {
    EXPECT_TRUE(has(machine().dml.Get(), id));
  }
  EXPECT_FALSE(has(machine().dml.Get(), __uuidof(IDMLDeviceChild)));
  EXPECT_FALSE(has(machine().dml.Get(), __uuidof(IDMLDebugDevice)));
}

TEST_F(Objects, HoldWhatThePagesSay) {
  IUnknown* device = machine().dml.Get();
  const ULONG before = references(device);
  const auto op = create(machine(), ReluDesc(4).operator_desc());
  EXPECT_EQ(references(device), before + 1) << "a child holds its device";
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_OK(
      machine().dml->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
  EXPECT_EQ(references(op.Get()), 2u) << "a compiled operator holds its operator";
  const auto table = table_for(machine(), compiled.Get());
  EXPECT_EQ(references(compiled.Get()), 2u) << "a table holds its dispatchable";
  initialize(machine(), compiled.Get());
  const auto buffer = machine().buffer(16);
  bind_inputs(table.Get(), {Binding(buffer)});
  bind_outputs(table.Get(), {Binding(buffer)});
  EXPECT_EQ(references(buffer.Get()), 1u) << "a table holds no resource";
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), table.Get());
  EXPECT_EQ(references(buffer.Get()), 1u) << "recording holds nothing";
  EXPECT_EQ(references(compiled.Get()), 2u);
  EXPECT_EQ(references(table.Get()), 1u);
  machine().execute();
  ASSERT_OK(table->Reset(nullptr));
  EXPECT_EQ(references(compiled.Get()), 1u);
}

TEST_F(Objects, DeviceHoldsTheD3D12Device) {
  const ULONG before = references(machine().d3d12.Get());
  ComPtr<IDMLDevice> device;
  ASSERT_OK(
      DMLCreateDevice(machine().d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&device)));
  EXPECT_GT(references(machine().d3d12.Get()), before);
  EXPECT_NE(device.Get(), machine().dml.Get()) << "not a singleton";
  ComPtr<ID3D12Device> parent;
  ASSERT_OK(device->GetParentDevice(IID_PPV_ARGS(&parent)));
  EXPECT_EQ(parent.Get(), machine().d3d12.Get());
  parent.Reset();
  device.Reset();
  EXPECT_EQ(references(machine().d3d12.Get()), before);
}

TEST_F(Objects, ChildrenGiveTheirDevice) {
  ComPtr<IDMLDevice> device;
  ASSERT_OK(machine().recorder->GetDevice(IID_PPV_ARGS(&device)));
  EXPECT_EQ(device.Get(), machine().dml.Get());
}

TEST_F(Objects, WithoutOutNothingIsMade) {
  const std::int64_t before = weft_dml_live_objects();
  const ReluDesc desc(4);
  const DML_OPERATOR_DESC op_desc = desc.operator_desc();
  EXPECT_EQ(machine().dml->CreateOperator(&op_desc, __uuidof(IDMLOperator), nullptr), S_FALSE);
  const auto op = create(machine(), op_desc);
  EXPECT_EQ(machine().dml->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE,
                                           __uuidof(IDMLCompiledOperator), nullptr),
            S_FALSE);
  EXPECT_EQ(DMLCreateDevice(machine().d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE,
                            __uuidof(IDMLDevice), nullptr),
            S_FALSE);
  EXPECT_EQ(weft_dml_live_objects(), before + 1);
}

TEST_F(Objects, PrivateData) {
  const GUID id = {1, 2, 3, {4}};
  IDMLObject* object = machine().recorder.Get();
  const int value = 42;
  ASSERT_OK(object->SetPrivateData(id, sizeof value, &value));
  UINT size = 0;
  ASSERT_OK(object->GetPrivateData(id, &size, nullptr));
  EXPECT_EQ(size, sizeof value);
  int found = 0;
  size = 1;
  EXPECT_EQ(object->GetPrivateData(id, &size, &found), DXGI_ERROR_MORE_DATA);
  ASSERT_OK(object->GetPrivateData(id, &size, &found));
  EXPECT_EQ(found, 42);
  ASSERT_OK(object->SetPrivateData(id, 0, nullptr));
  EXPECT_EQ(object->GetPrivateData(id, &size, &found), DXGI_ERROR_NOT_FOUND);
  EXPECT_EQ(size, 0u);

  ASSERT_OK(machine().dml->SetPrivateDataInterface(id, machine().fence.Get()));
  EXPECT_EQ(references(machine().fence.Get()), 2u);
  ComPtr<IUnknown> held;
  size = sizeof(IUnknown*);
  ASSERT_OK(machine().dml->GetPrivateData(id, &size, held.GetAddressOf()));
  EXPECT_EQ(held.Get(), static_cast<IUnknown*>(machine().fence.Get()));
  EXPECT_EQ(references(machine().fence.Get()), 3u);
}

TEST_F(Objects, FeatureSupport) {
  const auto supports = [&](DML_TENSOR_DATA_TYPE type) {
    const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {type};
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT data = {2};
    EXPECT_OK(machine().dml->CheckFeatureSupport(DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, sizeof query,
                                                 &query, sizeof data, &data));
    return data.IsSupported;
  };
  for (int type = DML_TENSOR_DATA_TYPE_FLOAT32; type <= DML_TENSOR_DATA_TYPE_INT64; ++type) {
    EXPECT_EQ(supports(static_cast<DML_TENSOR_DATA_TYPE>(type)), TRUE) << type;
  }
  EXPECT_EQ(supports(DML_TENSOR_DATA_TYPE_UINT4), FALSE);
  EXPECT_EQ(supports(DML_TENSOR_DATA_TYPE_INT4), FALSE);

  const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_5_0, DML_FEATURE_LEVEL_6_4,
                                      DML_FEATURE_LEVEL_1_0};
  const DML_FEATURE_QUERY_FEATURE_LEVELS query = {3, levels};
  DML_FEATURE_DATA_FEATURE_LEVELS data = {};
  ASSERT_OK(machine().dml->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query,
                                               sizeof data, &data));
  EXPECT_EQ(data.MaxSupportedFeatureLevel, DML_FEATURE_LEVEL_6_4);
  const DML_FEATURE_QUERY_FEATURE_LEVELS low = {1, levels};
  ASSERT_OK(machine().dml->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof low, &low,
                                               sizeof data, &data));
  EXPECT_EQ(data.MaxSupportedFeatureLevel, DML_FEATURE_LEVEL_5_0) << "the highest of those asked";
}

TEST_F(Objects, BindingProperties) {
  const auto relu = compile(machine(), ReluDesc(4).operator_desc());
  const DML_BINDING_PROPERTIES small = relu->GetBindingProperties();
  EXPECT_EQ(small.RequiredDescriptorCount, 2u);
  EXPECT_EQ(small.TemporaryResourceSize, 0u);
  EXPECT_EQ(small.PersistentResourceSize, 0u);
  const auto convolution =
      compile(machine(), ConvolutionDesc(DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc());
  const DML_BINDING_PROPERTIES large = convolution->GetBindingProperties();
  EXPECT_EQ(large.RequiredDescriptorCount, 4u);
  EXPECT_EQ(large.TemporaryResourceSize % 256, 0u);
  EXPECT_NE(large.PersistentResourceSize, 0u);
}

}  // namespace
}  // namespace weft::testing
