#include "base/checked.h"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

constexpr std::uint64_t kMax = UINT64_MAX;

TEST(Checked, MultiplyGivesNothingInsteadOfAWrappedNumber) {
  EXPECT_EQ(multiply(0, kMax), 0u);
  EXPECT_EQ(multiply(1, kMax), kMax);
  EXPECT_EQ(multiply(0xFFFFFFFF, 0x100000001), kMax);
  EXPECT_EQ(multiply(0x100000000, 0x100000000), std::nullopt);
  EXPECT_EQ(multiply(2, kMax), std::nullopt);
  EXPECT_EQ(multiply(kMax, kMax), std::nullopt);
}

TEST(Checked, AddGivesNothingInsteadOfAWrappedNumber) {
  EXPECT_EQ(add(kMax - 1, 1), kMax);
  EXPECT_EQ(add(kMax, 0), kMax);
  EXPECT_EQ(add(kMax, 1), std::nullopt);
  EXPECT_EQ(add(kMax, kMax), std::nullopt);
}

TEST(Checked, DivideUpRoundsTowardPlusInfinity) {
  EXPECT_EQ(divide_up(0, 7), 0);
  EXPECT_EQ(divide_up(1, 7), 1);
  EXPECT_EQ(divide_up(7, 7), 1);
  EXPECT_EQ(divide_up(8, 7), 2);
}

TEST(Checked, PortionsFollowEachOther) {
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const Portion portion = portion_of(74, 8, i);
    EXPECT_EQ(portion.first, end);
    EXPECT_TRUE(portion.count == 9 || portion.count == 10) << i << ": " << portion.count;
    end += portion.count;
  }
  EXPECT_EQ(end, 74);
}

TEST(Checked, DigitsOfAnIndexInOrder) {
  std::int64_t index = 5 + 7 * (2 + 3 * 41);
  EXPECT_EQ(take_digit(index, 7), 5);
  EXPECT_EQ(take_digit(index, 3), 2);
  EXPECT_EQ(index, 41);
}

TEST(Checked, RoundUpGivesTheNextMultiple) {
  EXPECT_EQ(round_up(0, 256), 0u);
  EXPECT_EQ(round_up(1, 256), 256u);
  EXPECT_EQ(round_up(256, 256), 256u);
  EXPECT_EQ(round_up(257, 256), 512u);
}

TEST(Checked, FloorDivideRoundsTowardMinusInfinity) {
  for (std::int64_t b = 1; b <= 9; ++b) {
    for (std::int64_t a = -40; a <= 40; ++a) {
      const std::int64_t quotient = floor_divide(a, b);
      EXPECT_LE(quotient * b, a) << a << " / " << b;
      EXPECT_GT((quotient + 1) * b, a) << a << " / " << b;
    }
  }
}

}  // namespace
}  // namespace weft::base
