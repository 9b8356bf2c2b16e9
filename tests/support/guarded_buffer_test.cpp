#include "support/guarded_buffer.h"

#include <gtest/gtest.h>

namespace weft::testing {
namespace {

TEST(GuardedBuffer, TellsWhereItWasWritten) {
  GuardedBuffer buffer(10, 3, 1);
  EXPECT_EQ(buffer.first_change(), "");
  buffer.data()[10] ^= std::byte{1};
  EXPECT_EQ(buffer.first_change(std::vector<bool>(10, true)), "byte 10 of 10");
  buffer.data()[-1] ^= std::byte{1};
  EXPECT_EQ(buffer.first_change(std::vector<bool>(10, true)), "byte -1 of 10");
}

#ifdef __SANITIZE_ADDRESS__
std::byte read(const std::byte* at) { return *static_cast<const volatile std::byte*>(at); }

TEST(FenceDeathTest, StopsReadsOnBothSides) {
  const GuardedBuffer buffer(10, 0, 1);
  const std::byte* data = buffer.data();
  const std::byte after = read(data + 10);
  {
    const Fence fence({&buffer});
    read(data);
    read(data + 9);
    EXPECT_DEATH(read(data + 10), "use-after-poison");
    EXPECT_DEATH(read(data - 1), "use-after-poison");
  }
  EXPECT_EQ(read(data + 10), after);
}
#endif

}  // namespace
}  // namespace weft::testing
