#include "support/guarded_buffer.h"

#include <gtest/gtest.h>

namespace weft::testing {
namespace {

using enum GuardedBuffer::Place::Side;

std::byte read(const std::byte* at) { return *static_cast<const volatile std::byte*>(at); }

TEST(GuardedBuffer, TellsWhereItWasWritten) {
  GuardedBuffer buffer(10, {.next_to_guard = neither, .misalignment = 3}, 1);
  EXPECT_EQ(buffer.first_change(), "");
  buffer.data()[10] ^= std::byte{1};
  EXPECT_EQ(buffer.first_change(ByteMarks(10, 1)), "byte 10 of 10");
  buffer.data()[-1] ^= std::byte{1};
  EXPECT_EQ(buffer.first_change(ByteMarks(10, 1)), "byte -1 of 10");
}

TEST(GuardedBufferDeathTest, StopsReadsNextToItsGuard) {
  const GuardedBuffer first(10, {.next_to_guard = start}, 1);
  EXPECT_DEATH(read(first.data() - 1), "");
  const GuardedBuffer last(10, {.next_to_guard = end, .alignment = 2}, 1);
  read(last.data());
  EXPECT_DEATH(read(last.data() + 10), "");
  // Kept pages are guarded as new ones.
  const GuardedBuffer kept = GuardedBuffer(5000, {.next_to_guard = end}, 1);
  EXPECT_DEATH(read(kept.data() + 5000), "");
}

#ifdef __SANITIZE_ADDRESS__
TEST(FenceDeathTest, StopsReadsOnBothSides) {
  const GuardedBuffer buffer(10, {.next_to_guard = neither}, 1);
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
