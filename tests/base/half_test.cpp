#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/number.h"

namespace weft::base {
namespace {

using testing::half_to_double;

TEST(Half, WideningIsExactForEveryValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = half_to_double(half);
    const double wide = widen_half(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
    } else {
      ASSERT_EQ(wide, expected) << bits;
      ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0) << bits;
    }
  }
}

TEST(Half, EveryValueSurvivesTheRoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(half_to_double(half))) {
      EXPECT_TRUE(std::isnan(half_to_double(narrow_half(widen_half(half))))) << bits;
    } else {
      ASSERT_EQ(narrow_half(widen_half(half)), half);
    }
  }
}

// Between each two neighbours: the tie goes to the even one, the floats beside it to the nearer.
TEST(Half, NarrowingRoundsToNearestAndTiesToEven) {
  for (unsigned low = 0; low < 0x7C00; ++low) {
    const auto lower = static_cast<std::uint16_t>(low);
    const auto upper = static_cast<std::uint16_t>(low + 1);
    const double above =
        upper == 0x7C00 ? 65536.0 : half_to_double(upper);  // where 65504 goes on to
    const auto tie = static_cast<float>((half_to_double(lower) + above) / 2);
    const std::uint16_t even = low % 2 == 0 ? lower : upper;
    ASSERT_EQ(narrow_half(tie), even) << low;
    ASSERT_EQ(narrow_half(std::nextafter(tie, 0.0f)), lower) << low;
    ASSERT_EQ(narrow_half(std::nextafter(tie, 1e9f)), upper) << low;
    ASSERT_EQ(narrow_half(-tie), even | 0x8000) << low;
  }
}

TEST(Half, NarrowingHasInfinitiesDenormalsAndSignedZeros) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(narrow_half(infinity), 0x7C00);
  EXPECT_EQ(narrow_half(-infinity), 0xFC00);
  EXPECT_EQ(narrow_half(65504), 0x7BFF);
  EXPECT_EQ(narrow_half(65519.996f), 0x7BFF);
  EXPECT_EQ(narrow_half(65520), 0x7C00);
  EXPECT_EQ(narrow_half(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(narrow_half(0.0f), 0x0000);
  EXPECT_EQ(narrow_half(-0.0f), 0x8000);
  EXPECT_EQ(narrow_half(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(narrow_half(-std::numeric_limits<float>::denorm_min()), 0x8000);
  EXPECT_EQ(narrow_half(std::ldexp(1.0f, -24)), 0x0001);
  EXPECT_EQ(narrow_half(std::ldexp(1.0f, -25)), 0x0000);
  EXPECT_TRUE(std::isnan(half_to_double(narrow_half(std::nanf("")))));
}

}  // namespace
}  // namespace weft::base
