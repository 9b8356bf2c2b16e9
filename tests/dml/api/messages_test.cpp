// Where messages go: the info queue of D3D12's debug layer, stderr of a debug device.

#include <algorithm>

#include "operators.h"

namespace weft::testing {
namespace {

void make_a_mistake(Machine& machine) {
  EXPECT_EQ(machine.dml->CreateOperator(nullptr, __uuidof(IDMLOperator), nullptr), E_INVALIDARG);
}

std::vector<std::string> stored(Machine& machine) {
  ComPtr<ID3D12InfoQueue> queue;
  EXPECT_OK(machine.d3d12.As(&queue));
  std::vector<std::string> texts;
  for (UINT64 i = 0; i < queue->GetNumStoredMessages(); ++i) {
    SIZE_T size = 0;
    queue->GetMessage(i, nullptr, &size);
    std::vector<std::byte> bytes(size);
    auto* message = reinterpret_cast<D3D12_MESSAGE*>(bytes.data());
    EXPECT_OK(queue->GetMessage(i, message, &size));
    if (message->Severity == D3D12_MESSAGE_SEVERITY_ERROR) texts.push_back(message->pDescription);
  }
  return texts;
}

constexpr const char* kMistake =
    "IDMLDevice::CreateOperator: desc is null, must be a DML_OPERATOR_DESC";

HRESULT make_too_new_a_device(Machine& machine, DML_CREATE_DEVICE_FLAGS flags) {
  ComPtr<IDMLDevice> device;
  return DMLCreateDevice1(machine.d3d12.Get(), flags, static_cast<DML_FEATURE_LEVEL>(0x7000),
                          IID_PPV_ARGS(&device));
}

const std::string kTooNew = "DMLCreateDevice1: minimumFeatureLevel is 7_0, the device has 6_4";

class DebugDevice : public MachineTest {
  MachineOptions options() const override { return {.flags = DML_CREATE_DEVICE_FLAG_DEBUG}; }
};

TEST_F(DebugDevice, PrintsAndCanBeMuted) {
  ::testing::internal::CaptureStderr();
  make_a_mistake(machine());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            std::string("[DIRECTML ERROR] ") + kMistake + "\n");
  ComPtr<IDMLDebugDevice> debug;
  ASSERT_OK(machine().dml.As(&debug));
  debug->SetMuteDebugOutput(TRUE);
  ::testing::internal::CaptureStderr();
  make_a_mistake(machine());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_STREQ(weft_last_error(), kMistake) << "the last error is always kept";
  debug->SetMuteDebugOutput(FALSE);
  ::testing::internal::CaptureStderr();
  make_a_mistake(machine());
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
  ComPtr<IUnknown> same;
  ASSERT_OK(debug.As(&same));
  EXPECT_EQ(same.Get(), static_cast<IUnknown*>(machine().dml.Get())) << "one object";
}

// Works here, not everywhere: hardware may have put addresses into it.
TEST_F(DebugDevice, WarnsOnceOfAMovedPersistentResource) {
  Machine& m = machine();
  const auto compiled = compile(m, ConvolutionDesc(DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc());
  const auto persistent = persistent_for(m, compiled.Get());
  const auto filter = m.buffer_of(std::vector<float>(4, 0.5f));
  initialize(m, compiled.Get(), {{}, Binding(filter), {}}, persistent.Get());
  const auto moved = persistent_for(m, compiled.Get());
  m.list->CopyResource(moved.Get(), persistent.Get());
  m.execute();
  const auto input = m.buffer_of(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto output = m.buffer(16);
  const auto bound =
      bind_all(m, compiled.Get(), {Binding(input), {}, {}}, {Binding(output)}, moved.Get());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    m.execute();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[DIRECTML WARNING] execution: CONVOLUTION.PersistentResource is bound elsewhere than "
            "at initialization: a persistent resource must not be moved\n");
  EXPECT_EQ(m.read(output.Get(), 4), (std::vector<float>{6, 8, 12, 14}));
  EXPECT_OK(m.dml->GetDeviceRemovedReason());
}

// The same: the list needs it on hardware.
TEST_F(DebugDevice, WarnsOnceOfAnOperatorReleasedBeforeItsExecution) {
  Machine& m = machine();
  const auto buffer = m.buffer_of(std::vector<float>{-1, 2});
  {
    const auto compiled = compile(m, ReluDesc(2).operator_desc());
    initialize(m, compiled.Get());
    const auto bound = bind_all(m, compiled.Get(), {Binding(buffer)}, {Binding(buffer)});
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
    m.recorder->RecordDispatch(m.list.Get(), compiled.Get(), bound.table.Get());
  }
  ::testing::internal::CaptureStderr();
  m.execute();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[DIRECTML WARNING] ID3D12CommandQueue::ExecuteCommandLists: ACTIVATION_RELU is "
            "released or reset, must be kept until its work has been executed\n");
  EXPECT_EQ(m.read(buffer.Get(), 2), (std::vector<float>{0, 2}));
}

TEST_F(DebugDevice, PrintsWhyItWasNotMade) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(make_too_new_a_device(machine(), DML_CREATE_DEVICE_FLAG_DEBUG), DXGI_ERROR_UNSUPPORTED);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[DIRECTML ERROR] " + kTooNew + "\n");
}

TEST_F(MachineTest, WithoutTheFlagNothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  make_a_mistake(machine());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// The debug layer stays on for the process once it is enabled: the last tests to run.
class ZDebugLayer : public MachineTest {
  MachineOptions options() const override { return {.d3d12_debug_layer = true}; }
};

TEST_F(ZDebugLayer, StoresMessages) {
  make_a_mistake(machine());
  const auto texts = stored(machine());
  EXPECT_NE(std::find(texts.begin(), texts.end(), kMistake), texts.end());
}

TEST_F(ZDebugLayer, StoresWhyNoDeviceWasMade) {
  EXPECT_EQ(make_too_new_a_device(machine(), DML_CREATE_DEVICE_FLAG_NONE), DXGI_ERROR_UNSUPPORTED);
  const auto texts = stored(machine());
  EXPECT_NE(std::find(texts.begin(), texts.end(), kTooNew), texts.end());
}

// A callback that hears of the removal finds the device removed.
TEST_F(ZDebugLayer, TellsOfRemovalWhenItHasHappened) {
  ComPtr<ID3D12InfoQueue1> queue;
  ASSERT_OK(machine().d3d12.As(&queue));
  struct Heard {
    IDMLDevice* device;
    std::vector<HRESULT> reasons;
  } heard = {machine().dml.Get(), {}};
  DWORD cookie = 0;
  ASSERT_OK(queue->RegisterMessageCallback(
      [](D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_SEVERITY, D3D12_MESSAGE_ID, LPCSTR, void* context) {
        auto* to = static_cast<Heard*>(context);
        to->reasons.push_back(to->device->GetDeviceRemovedReason());
      },
      D3D12_MESSAGE_CALLBACK_FLAG_NONE, &heard, &cookie));
  const auto compiled = compile(machine(), ReluDesc(4).operator_desc());
  table_for(machine(), compiled.Get())->BindInputs(0, nullptr);
  ASSERT_OK(queue->UnregisterMessageCallback(cookie));
  EXPECT_EQ(heard.reasons, std::vector<HRESULT>{E_INVALIDARG});
}

TEST_F(ZDebugLayer, StoresWhatTheQueueThreadFound) {
  const auto compiled = compile(machine(), ReluDesc(4).operator_desc());
  const auto buffer = machine().buffer(16);
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(buffer)}, {Binding(buffer)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  const auto texts = stored(machine());
  EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find("executed before it was initialized") != std::string::npos;
  }));
}

}  // namespace
}  // namespace weft::testing
