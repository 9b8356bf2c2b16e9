#include "ops/axis_taps.h"

#include <gtest/gtest.h>

namespace weft::ops {
namespace {

// Every tap of every phase leads to the same input position by planes as by offsets.
void check_phases(const ConvolutionAxis& axis) {
  for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
    const Phase phase = axis.phase(p);
    const AxisTaps taps(phase);
    ASSERT_EQ(taps.count, phase.taps);
    for (int j = 0; j < taps.count; ++j) {
      ASSERT_LT(taps.plane[j], taps.planes);
      const std::int64_t remainder = taps.remainder[taps.plane[j]];
      EXPECT_GE(remainder, 0);
      EXPECT_LT(remainder, phase.in_step);
      EXPECT_EQ(taps.shift[j] * phase.in_step + remainder, phase.offset(j)) << p << ", tap " << j;
      EXPECT_GE(taps.shift[j], taps.lowest);
      EXPECT_LE(taps.shift[j], taps.lowest + taps.spread);
    }
  }
}

TEST(AxisTaps, LeadWhereOffsetsLead) {
  for (const auto direction : {ConvolutionDirection::forward, ConvolutionDirection::backward}) {
    for (const std::int64_t stride : {1, 2, 3, 5}) {
      for (const std::int64_t dilation : {1, 2, 3}) {
        for (const std::int64_t padding : {0, 1, 4}) {
          check_phases(ConvolutionAxis(direction, 20, 12, 7, stride, dilation, padding, 0));
        }
      }
    }
  }
}

TEST(AxisTaps, HaveAPlaneForEachRemainderThatIsRead) {
  const auto planes = [](std::int64_t stride, std::int64_t window, std::int64_t dilation) {
    return AxisTaps(
               ConvolutionAxis(ConvolutionDirection::forward, 40, 9, window, stride, dilation, 1, 0)
                   .phase(0))
        .planes;
  };
  EXPECT_EQ(planes(1, 5, 1), 1);
  EXPECT_EQ(planes(2, 3, 1), 2);
  EXPECT_EQ(planes(2, 3, 2), 1);  // every other position only
  EXPECT_EQ(planes(4, 3, 1), 3);
  EXPECT_EQ(planes(3, 1, 1), 1);
}

TEST(AxisTaps, LieApartByTheirOffsets) {
  const Phase phase = ConvolutionAxis(ConvolutionDirection::forward, 40, 9, 4, 3, 2, 5, 0).phase(0);
  const AxisTaps taps = AxisTaps::apart(phase);
  ASSERT_EQ(taps.count, 4);
  EXPECT_EQ(taps.planes, 4);
  EXPECT_EQ(taps.lowest, 0);
  EXPECT_EQ(taps.spread, 0);
  for (int j = 0; j < taps.count; ++j) {
    EXPECT_EQ(taps.shift[j], 0);
    EXPECT_EQ(taps.remainder[taps.plane[j]], phase.offset(j));
  }
}

}  // namespace
}  // namespace weft::ops
