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
