#include "removal.h"

namespace weft::testing {

TEST_P(Removals, HaveAReasonAndAMessage) {
  Scene scene(machine());
  ASSERT_OK(machine().dml->GetDeviceRemovedReason());
  GetParam().act(scene);
  EXPECT_EQ(machine().dml->GetDeviceRemovedReason(), E_INVALIDARG);
  const std::string message = weft_device_removed_message(machine().dml.Get());
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_OK(machine().d3d12->GetDeviceRemovedReason()) << "the D3D12 device lives on";
}

}  // namespace weft::testing
