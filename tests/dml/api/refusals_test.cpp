// Every HRESULT that a call can be refused with, one call each: what is wrong, the code, a part of
// the message. Nothing here removes the device.

#include <functional>

#include "operators.h"

namespace weft::testing {
namespace {

// A number that an enumeration does not have, as a careless program would pass it.
template <class Enum>
Enum odd(std::uint32_t number) {
  Enum value;
  std::memcpy(&value, &number, sizeof value);
  return value;
}

struct BadCall {
  const char* name;
  HRESULT code;
  const char* message;
  std::function<HRESULT(Machine&)> call;
};

void PrintTo(const BadCall& bad, std::ostream* out) { *out << bad.name; }

class Refusals : public MachineTest, public ::testing::WithParamInterface<BadCall> {};

TEST_P(Refusals, LeavesACodeAndAMessage) {
  EXPECT_EQ(GetParam().call(machine()), GetParam().code);
  EXPECT_NE(std::string(weft_last_error()).find(GetParam().message), std::string::npos)
      << weft_last_error();
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
  EXPECT_STREQ(weft_device_removed_message(machine().dml.Get()), "");
}

HRESULT create_operator(Machine& m, const DML_OPERATOR_DESC* desc) {
  void* op = &m;
  const HRESULT result = m.dml->CreateOperator(desc, __uuidof(IDMLOperator), &op);
  EXPECT_EQ(op, nullptr) << "out pointers are cleared";
  return result;
}

// CreateOperator of a convolution with one change.
BadCall convolution(const char* name, const char* message,
                    std::function<void(ConvolutionDesc&)> change) {
  return {name, E_INVALIDARG, message, [change](Machine& m) {
            ConvolutionDesc desc;
            change(desc);
            const DML_OPERATOR_DESC op = desc.operator_desc();
            return create_operator(m, &op);
          }};
}

BadCall fused(const char* name, const char* message, std::uint32_t type,
              DML_ACTIVATION_LINEAR_OPERATOR_DESC desc) {
  return convolution(name, message, [type, desc](ConvolutionDesc& c) {
    static thread_local DML_ACTIVATION_LINEAR_OPERATOR_DESC numbers;
    static thread_local DML_OPERATOR_DESC activation;
    numbers = desc;
    activation.Desc = &numbers;
    std::memcpy(&activation.Type, &type, sizeof type);
    c.desc.FusedActivation = &activation;
  });
}

const DML_TENSOR_DESC* tensor() {
  static Tensor tensor({1, 1, 2, 2});
  return &tensor;
}

const BadCall kOperatorCalls[] = {
    {"NoDesc", E_INVALIDARG, "desc is null",
     [](Machine& m) { return create_operator(m, nullptr); }},
    {"UnknownType", E_INVALIDARG, "Type is 5000",
     [](Machine& m) {
       const DML_OPERATOR_DESC op = {odd<DML_OPERATOR_TYPE>(5000), &m};
       return create_operator(m, &op);
     }},
    {"InvalidType", E_INVALIDARG, "Type is 0",
     [](Machine& m) {
       const DML_OPERATOR_DESC op = {};
       return create_operator(m, &op);
     }},
    {"OperatorThatWeftLacks", DXGI_ERROR_UNSUPPORTED, "GEMM",
     [](Machine& m) {
       const DML_GEMM_OPERATOR_DESC gemm = {};
       const DML_OPERATOR_DESC op = {DML_OPERATOR_GEMM, &gemm};
       return create_operator(m, &op);
     }},
    {"NoInnerDesc", E_INVALIDARG, "Desc is null, must be a DML_UNFOLD_OPERATOR_DESC",
     [](Machine& m) {
       const DML_OPERATOR_DESC op = {DML_OPERATOR_UNFOLD, nullptr};
       return create_operator(m, &op);
     }},
    {"UnknownInterface", E_NOINTERFACE, "riid",
     [](Machine& m) {
       const ConvolutionDesc desc;
       const DML_OPERATOR_DESC op = desc.operator_desc();
       void* found = nullptr;
       return m.dml->CreateOperator(&op, __uuidof(IDMLBindingTable), &found);
     }},
    convolution("NoInput", "CONVOLUTION.InputTensor is null",
                [](auto& c) { c.desc.InputTensor = nullptr; }),
    convolution("NoFilter", "CONVOLUTION.FilterTensor is null",
                [](auto& c) { c.desc.FilterTensor = nullptr; }),
    convolution("NoOutput", "CONVOLUTION.OutputTensor is null",
                [](auto& c) { c.desc.OutputTensor = nullptr; }),
    convolution("TensorType", "CONVOLUTION.InputTensor.Type is 7",
                [](auto& c) { c.input.desc.Type = odd<DML_TENSOR_TYPE>(7); }),
    convolution("NoBuffer", "CONVOLUTION.InputTensor.Desc is null",
                [](auto& c) { c.input.desc.Desc = nullptr; }),
    convolution("NoSizes", "CONVOLUTION.InputTensor.Sizes is null",
                [](auto& c) { c.input.buffer.Sizes = nullptr; }),
    convolution("NoDimensions", "CONVOLUTION.InputTensor.DimensionCount is 0",
                [](auto& c) { c.input.buffer.DimensionCount = 0; }),
    convolution("AbsurdDimensions", "CONVOLUTION.InputTensor.DimensionCount is 4294967295",
                [](auto& c) { c.input.buffer.DimensionCount = 0xFFFFFFFF; }),
    convolution("DataType", "CONVOLUTION.InputTensor.DataType is 99",
                [](auto& c) { c.input.buffer.DataType = odd<DML_TENSOR_DATA_TYPE>(99); }),
    convolution("DataTypeOfOtherOperators", "CONVOLUTION.InputTensor.DataType is INT8",
                [](auto& c) { c.input.buffer.DataType = DML_TENSOR_DATA_TYPE_INT8; }),
    convolution("Flags", "CONVOLUTION.FilterTensor.Flags is 4",
                [](auto& c) { c.filter.buffer.Flags = odd<DML_TENSOR_FLAGS>(4); }),
    convolution("OwnedOutput", "CONVOLUTION.OutputTensor.Flags is OWNED_BY_DML",
                [](auto& c) { c.output.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML; }),
    convolution("NoTotalSize",
                "CONVOLUTION.InputTensor.TotalTensorSizeInBytes is 0, must be at "
                "least 36",
                [](auto& c) { c.input.buffer.TotalTensorSizeInBytes = 0; }),
    convolution("SmallTotalSize", "CONVOLUTION.InputTensor.TotalTensorSizeInBytes is 35",
                [](auto& c) { c.input.buffer.TotalTensorSizeInBytes = 35; }),
    convolution("Alignment", "CONVOLUTION.InputTensor.GuaranteedBaseOffsetAlignment is 3",
                [](auto& c) { c.input.buffer.GuaranteedBaseOffsetAlignment = 3; }),
    convolution("DimensionCount0", "CONVOLUTION.DimensionCount is 0, must be 1 to 3",
                [](auto& c) { c.desc.DimensionCount = 0; }),
    convolution("AbsurdDimensionCount", "CONVOLUTION.DimensionCount is 4000000000",
                [](auto& c) { c.desc.DimensionCount = 4000000000u; }),
    convolution("NoStrides", "CONVOLUTION.Strides is null, must be an array of 2 entries",
                [](auto& c) { c.desc.Strides = nullptr; }),
    convolution("NoOutputPadding", "CONVOLUTION.OutputPadding is null",
                [](auto& c) { c.desc.OutputPadding = nullptr; }),
    convolution("ZeroStride", "CONVOLUTION.Strides[0] is 0",
                [](auto& c) { c.desc.Strides = c.zeros; }),
    convolution("Mode", "CONVOLUTION.Mode is 2",
                [](auto& c) { c.desc.Mode = odd<DML_CONVOLUTION_MODE>(2); }),
    convolution("Direction", "CONVOLUTION.Direction is 77",
                [](auto& c) { c.desc.Direction = odd<DML_CONVOLUTION_DIRECTION>(77); }),
    convolution("NoGroups", "CONVOLUTION.GroupCount is 0", [](auto& c) { c.desc.GroupCount = 0; }),
    convolution("OutputSize", "CONVOLUTION.OutputTensor.Sizes[2] is 3, must be 2",
                [](auto& c) { c.output.sizes[2] = 3; }),
    fused("FusedUnknown", "CONVOLUTION.FusedActivation.Type is 999", 999, {}),
    fused("FusedSoftmax", "CONVOLUTION.FusedActivation.Type is ACTIVATION_SOFTMAX",
          DML_OPERATOR_ACTIVATION_SOFTMAX, {}),
    fused("FusedTensor", "CONVOLUTION.FusedActivation.InputTensor is a tensor, must be null",
          DML_OPERATOR_ACTIVATION_LINEAR, {tensor(), nullptr, 1, 0}),
    fused("FusedSteepness", "CONVOLUTION.FusedActivation.Steepness is 0",
          DML_OPERATOR_ACTIVATION_SOFTPLUS, {nullptr, nullptr, 0, 0}),
    convolution("FusedNothing", "CONVOLUTION.FusedActivation.Desc is null", [](auto& c) {
      static const DML_OPERATOR_DESC relu = {DML_OPERATOR_ACTIVATION_RELU, nullptr};
      c.desc.FusedActivation = &relu;
    })};

INSTANTIATE_TEST_SUITE_P(CreateOperator, Refusals, ::testing::ValuesIn(kOperatorCalls),
                         [](const auto& info) { return info.param.name; });

// ---- The other methods of the device ----

template <class Query, class Data>
HRESULT check_feature(Machine& m, std::uint32_t feature, const Query& query, Data& data) {
  return m.dml->CheckFeatureSupport(odd<DML_FEATURE>(feature), sizeof query, &query, sizeof data,
                                    &data);
}

HRESULT check_levels(Machine& m, std::vector<DML_FEATURE_LEVEL> levels) {
  const DML_FEATURE_QUERY_FEATURE_LEVELS query = {static_cast<UINT>(levels.size()),
                                                  levels.empty() ? nullptr : levels.data()};
  DML_FEATURE_DATA_FEATURE_LEVELS data = {};
  return check_feature(m, DML_FEATURE_FEATURE_LEVELS, query, data);
}

ComPtr<IDMLOperator> foreign_operator(Machine& m) {
  ComPtr<IDMLDevice> other;
  EXPECT_OK(DMLCreateDevice(m.d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&other)));
  const ReluDesc desc(4);
  const DML_OPERATOR_DESC op_desc = desc.operator_desc();
  ComPtr<IDMLOperator> op;
  EXPECT_OK(other->CreateOperator(&op_desc, IID_PPV_ARGS(&op)));
  return op;
}

ComPtr<IDMLCompiledOperator> foreign_compiled(Machine& m) {
  const auto op = foreign_operator(m);
  ComPtr<IDMLDevice> other;
  EXPECT_OK(op->GetDevice(IID_PPV_ARGS(&other)));
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_OK(other->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
  return compiled;
}

// An object of the application's own that claims to be an operator.
struct Stranger final : IDMLOperator {
  HRESULT QueryInterface(REFIID, void** object) override {
    *object = nullptr;
    return E_NOINTERFACE;
  }
  ULONG AddRef() override { return 2; }
  ULONG Release() override { return 1; }
  HRESULT GetPrivateData(REFGUID, UINT*, void*) override { return E_NOTIMPL; }
  HRESULT SetPrivateData(REFGUID, UINT, const void*) override { return E_NOTIMPL; }
  HRESULT SetPrivateDataInterface(REFGUID, IUnknown*) override { return E_NOTIMPL; }
  HRESULT SetName(PCWSTR) override { return E_NOTIMPL; }
  HRESULT GetDevice(REFIID, void**) override { return E_NOTIMPL; }
};

HRESULT compile_operator(Machine& m, IDMLOperator* op, std::uint32_t flags) {
  ComPtr<IDMLCompiledOperator> compiled;
  return m.dml->CompileOperator(op, odd<DML_EXECUTION_FLAGS>(flags), IID_PPV_ARGS(&compiled));
}

HRESULT create_initializer(Machine& m, UINT count, IDMLCompiledOperator* const* targets) {
  ComPtr<IDMLOperatorInitializer> initializer;
  return m.dml->CreateOperatorInitializer(count, targets, IID_PPV_ARGS(&initializer));
}

// CreateBindingTable for a good operator, with one change to the desc.
BadCall table(const char* name, const char* message,
              std::function<void(Machine&, DML_BINDING_TABLE_DESC&)> change) {
  return {name, E_INVALIDARG, message, [change](Machine& m) {
            const auto compiled = compile(m, ReluDesc(4).operator_desc());
            const UINT count = compiled->GetBindingProperties().RequiredDescriptorCount;
            const auto handles = m.descriptors(count);
            DML_BINDING_TABLE_DESC desc = {compiled.Get(), handles.cpu, handles.gpu, count};
            change(m, desc);
            ComPtr<IDMLBindingTable> made;
            return m.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&made));
          }};
}

const BadCall kDeviceCalls[] = {
    {"UnknownFeature", DXGI_ERROR_UNSUPPORTED, "feature is 7",
     [](Machine& m) {
       int data = 0;
       return check_feature(m, 7, data, data);
     }},
    {"NoLevels", E_INVALIDARG, "RequestedFeatureLevels",
     [](Machine& m) { return check_levels(m, {}); }},
    {"OnlyHigherLevels", DXGI_ERROR_UNSUPPORTED, "6_4",
     [](Machine& m) { return check_levels(m, {odd<DML_FEATURE_LEVEL>(0x7000)}); }},
    {"QuerySize", E_INVALIDARG, "featureQueryDataSize is 1, must be 4",
     [](Machine& m) {
       char query = 1;
       DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT data = {};
       return check_feature(m, DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, query, data);
     }},
    {"DataSize", E_INVALIDARG, "featureSupportDataSize is 8, must be 4",
     [](Machine& m) {
       const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {DML_TENSOR_DATA_TYPE_INT8};
       double data = 0;
       return check_feature(m, DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, query, data);
     }},
    {"NoQuery", E_INVALIDARG, "featureQueryData is null",
     [](Machine& m) {
       BOOL data = FALSE;
       return m.dml->CheckFeatureSupport(DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, 4, nullptr, 4,
                                         &data);
     }},
    {"UnknownDataType", E_INVALIDARG, "DataType is 0",
     [](Machine& m) {
       const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {DML_TENSOR_DATA_TYPE_UNKNOWN};
       DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT data = {};
       return check_feature(m, DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, query, data);
     }},
    {"CompileNothing", E_INVALIDARG, "op is null",
     [](Machine& m) { return compile_operator(m, nullptr, 0); }},
    {"CompileForeign", E_INVALIDARG, "op is of another device",
     [](Machine& m) { return compile_operator(m, foreign_operator(m).Get(), 0); }},
    {"CompileStranger", E_INVALIDARG, "op is not an object of Weft's",
     [](Machine& m) {
       Stranger stranger;
       return compile_operator(m, &stranger, 0);
     }},
    {"CompileFlags", E_INVALIDARG, "flags is 8",
     [](Machine& m) {
       return compile_operator(m, create(m, ReluDesc(4).operator_desc()).Get(), 8);
     }},
    {"InitializerWithoutOperators", E_INVALIDARG, "operators is null",
     [](Machine& m) { return create_initializer(m, 1, nullptr); }},
    {"InitializerAbsurdCount", E_INVALIDARG, "operatorCount is 4294967295",
     [](Machine& m) {
       IDMLCompiledOperator* none = nullptr;
       return create_initializer(m, 0xFFFFFFFF, &none);
     }},
    {"InitializerOfNothing", E_INVALIDARG, "operators[0] is null",
     [](Machine& m) {
       IDMLCompiledOperator* none = nullptr;
       return create_initializer(m, 1, &none);
     }},
    {"InitializerOfForeign", E_INVALIDARG, "operators[0] is of another device",
     [](Machine& m) {
       const auto compiled = foreign_compiled(m);
       return create_initializer(m, 1, compiled.GetAddressOf());
     }},
    {"InitializerOfOneTwice", E_INVALIDARG, "operators[1] is given twice",
     [](Machine& m) {
       const auto compiled = compile(m, ReluDesc(4).operator_desc());
       IDMLCompiledOperator* targets[] = {compiled.Get(), compiled.Get()};
       return create_initializer(m, 2, targets);
     }},
    {"InitializerOfInitialized", E_INVALIDARG, "initialized exactly once",
     [](Machine& m) {
       const auto compiled = compile(m, ReluDesc(4).operator_desc());
       initialize(m, compiled.Get());
       return create_initializer(m, 1, compiled.GetAddressOf());
     }},
    {"ResetInitializer", E_INVALIDARG, "IDMLOperatorInitializer::Reset: operators is null",
     [](Machine& m) {
       ComPtr<IDMLOperatorInitializer> initializer;
       EXPECT_OK(m.dml->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)));
       return initializer->Reset(3, nullptr);
     }},
    {"InitializerWithoutOut", E_INVALIDARG, "ppv is null",
     [](Machine& m) {
       return m.dml->CreateOperatorInitializer(0, nullptr, __uuidof(IDMLOperatorInitializer),
                                               nullptr);
     }},
    {"RecorderWithoutOut", E_INVALIDARG, "ppv is null",
     [](Machine& m) {
       return m.dml->CreateCommandRecorder(__uuidof(IDMLCommandRecorder), nullptr);
     }},
    {"RecorderInterface", E_NOINTERFACE, "riid",
     [](Machine& m) {
       void* found = nullptr;
       return m.dml->CreateCommandRecorder(__uuidof(IDMLOperator), &found);
     }},
    {"ParentWithoutOut", E_INVALIDARG, "ppv is null",
     [](Machine& m) { return m.dml->GetParentDevice(__uuidof(ID3D12Device), nullptr); }},
    {"DeviceWithoutOut", E_INVALIDARG, "ppv is null",
     [](Machine& m) { return m.recorder->GetDevice(__uuidof(IDMLDevice), nullptr); }},
    {"EvictNothing", E_INVALIDARG, "ppObjects[0] is null",
     [](Machine& m) {
       IDMLPageable* none = nullptr;
       return m.dml->Evict(1, &none);
     }},
    {"EvictNoArray", E_INVALIDARG, "ppObjects is null",
     [](Machine& m) { return m.dml->Evict(1, nullptr); }},
    {"MakeForeignResident", E_INVALIDARG, "ppObjects[0] is of another device",
     [](Machine& m) {
       const auto compiled = foreign_compiled(m);
       IDMLPageable* object = compiled.Get();
       return m.dml->MakeResident(1, &object);
     }},
    {"PrivateDataWithoutSize", E_INVALIDARG, "dataSize is null",
     [](Machine& m) {
       return m.recorder->GetPrivateData(__uuidof(IDMLOperator), nullptr, nullptr);
     }},
    {"NoPrivateData", DXGI_ERROR_NOT_FOUND, "nothing is stored",
     [](Machine& m) {
       UINT size = 4;
       return m.recorder->GetPrivateData(__uuidof(IDMLOperator), &size, nullptr);
     }},
    table("TableOfNothing", "Dispatchable is null",
          [](Machine&, auto& desc) { desc.Dispatchable = nullptr; }),
    table("TableTooSmall", "SizeInDescriptors is 1, must be at least 2",
          [](Machine&, auto& desc) { desc.SizeInDescriptors = 1; }),
    table("TableAbsurdSize", "CPUDescriptorHandle",
          [](Machine&, auto& desc) { desc.SizeInDescriptors = 0xFFFFFFFF; }),
    table("TableWithoutCpuHandle", "CPUDescriptorHandle",
          [](Machine&, auto& desc) { desc.CPUDescriptorHandle.ptr = 0; }),
    table("TableWithoutGpuHandle", "GPUDescriptorHandle",
          [](Machine&, auto& desc) { desc.GPUDescriptorHandle.ptr = 12345; }),
    {"TableOfForeign", E_INVALIDARG, "Dispatchable is of another device", [](Machine& m) {
       const auto foreign = foreign_compiled(m);
       const auto handles = m.descriptors(2);
       const DML_BINDING_TABLE_DESC desc = {foreign.Get(), handles.cpu, handles.gpu, 2};
       ComPtr<IDMLBindingTable> made;
       return m.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&made));
     }}};

INSTANTIATE_TEST_SUITE_P(Device, Refusals, ::testing::ValuesIn(kDeviceCalls),
                         [](const auto& info) { return info.param.name; });

// ---- DMLCreateDevice ----

HRESULT create_device(ID3D12Device* d3d12, std::uint32_t flags, std::uint32_t level,
                      REFIID riid = __uuidof(IDMLDevice)) {
  void* device = &d3d12;
  const HRESULT result = DMLCreateDevice1(d3d12, odd<DML_CREATE_DEVICE_FLAGS>(flags),
                                          odd<DML_FEATURE_LEVEL>(level), riid, &device);
  EXPECT_EQ(device, nullptr);
  return result;
}

const BadCall kCreations[] = {
    {"NoD3D12Device", E_INVALIDARG, "d3d12Device is null",
     [](Machine&) { return create_device(nullptr, 0, 0x1000); }},
    {"Flags", E_INVALIDARG, "flags is 2",
     [](Machine& m) { return create_device(m.d3d12.Get(), 2, 0x1000); }},
    {"FutureLevel", DXGI_ERROR_UNSUPPORTED, "minimumFeatureLevel is 7_0",
     [](Machine& m) { return create_device(m.d3d12.Get(), 0, 0x7000); }},
    {"NoLevel", E_INVALIDARG, "minimumFeatureLevel",
     [](Machine& m) { return create_device(m.d3d12.Get(), 0, 0x1234); }},
    {"Interface", E_NOINTERFACE, "riid",
     [](Machine& m) { return create_device(m.d3d12.Get(), 0, 0x1000, __uuidof(ID3D12Device)); }},
    {"DebugInterfaceWithoutFlag", E_NOINTERFACE, "riid", [](Machine& m) {
       return create_device(m.d3d12.Get(), 0, 0x1000, __uuidof(IDMLDebugDevice));
     }}};

INSTANTIATE_TEST_SUITE_P(DMLCreateDevice, Refusals, ::testing::ValuesIn(kCreations),
                         [](const auto& info) { return info.param.name; });

// Two mistakes, two lines.
TEST_F(MachineTest, EveryBrokenRuleIsNamed) {
  ConvolutionDesc desc;
  desc.desc.GroupCount = 0;
  desc.desc.Strides = desc.zeros;
  const DML_OPERATOR_DESC op = desc.operator_desc();
  EXPECT_EQ(create_operator(machine(), &op), E_INVALIDARG);
  const std::string message = weft_last_error();
  EXPECT_NE(message.find("IDMLDevice::CreateOperator: "), std::string::npos);
  EXPECT_NE(message.find("CONVOLUTION.Strides[1] is 0"), std::string::npos) << message;
  EXPECT_NE(message.find("CONVOLUTION.GroupCount is 0"), std::string::npos) << message;
}

}  // namespace
}  // namespace weft::testing
