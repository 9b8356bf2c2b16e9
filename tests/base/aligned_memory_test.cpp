#include "base/aligned_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::base {
namespace {

TEST(AlignedMemory, StartsAtAMultipleOfTheAlignment) {
  for (const std::uint64_t size : {1, 3, 255, 256, 257, 4096, 1000003}) {
    const AlignedMemory memory(size);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % kWorkspaceAlignment, 0u);
    EXPECT_EQ(memory.buffer().data, memory.data());
    EXPECT_EQ(memory.buffer().size_in_bytes, size);
    std::memset(memory.data(), 1, size);
  }
}

TEST(SlotBytes, LeavesAGapBehindWhatIsUsed) {
  EXPECT_EQ(slot_bytes(0), 0u);
  for (const std::uint64_t size : {1, 256, 1000}) {
    EXPECT_EQ(slot_bytes(size) % kWorkspaceAlignment, 0u);
    EXPECT_GE(slot_bytes(size), size + 2048);
  }
}

TEST(AlignedMemory, OfNoBytesIsNull) {
  EXPECT_EQ(AlignedMemory(0).data(), nullptr);
  EXPECT_EQ(AlignedMemory().buffer().data, nullptr);
}

TEST(AlignedMemory, SaysHowMuchItCouldNotAllocate) {
  for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX - kWorkspaceAlignment, UINT64_MAX / 2}) {
    try {
      AlignedMemory memory(size);
      ADD_FAILURE() << size << " bytes were allocated";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      EXPECT_EQ(std::string(error.what()), "cannot allocate " + std::to_string(size) + " bytes");
    }
  }
}

}  // namespace
}  // namespace weft::base
