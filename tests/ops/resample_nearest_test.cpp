#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/checked_case.h"
#include "ops/resample_case.h"

namespace weft {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::kInfinity;
using testing::kMax;
using testing::Line;
using testing::resample_line;
using Indices = std::vector<std::uint8_t>;

ResampleParams mode(OperatorType type, AxisDirection direction = AxisDirection::increasing) {
  ResampleParams params;
  params.type = type;
  params.rounding_direction = direction;
  return params;
}

const ResampleParams kHalfUp = mode(OperatorType::resample1);
const ResampleParams kDown = mode(OperatorType::resample2, AxisDirection::decreasing);
const ResampleParams kUp = mode(OperatorType::resample2, AxisDirection::increasing);

// Which input elements the outputs are.
Indices indices(const ResampleParams& params, const Line& line, std::uint32_t in,
                std::uint32_t out) {
  Indices input;
  for (std::uint32_t i = 0; i < in; ++i) input.push_back(static_cast<std::uint8_t>(i));
  return resample_line(params, line, input, out);
}

float ratio(std::uint32_t in, std::uint32_t out) {
  return static_cast<float>(out) / static_cast<float>(in);
}

TEST(ResampleNearest, HalvesGoUpInTheFirstTwoOperators) {
  const auto expect = [](std::uint32_t in, std::uint32_t out, const Indices& right) {
    EXPECT_EQ(indices(kHalfUp, {ratio(in, out)}, in, out), right);
    // The same by floor, the input offsets lowered by 0.5.
    EXPECT_EQ(indices(kDown, {ratio(in, out), 0}, in, out), right);
    ResampleParams plain = mode(OperatorType::resample);
    EXPECT_EQ(indices(plain, {ratio(in, out)}, in, out), right);
  };
  expect(2, 6, {0, 0, 0, 1, 1, 1});
  expect(3, 9, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  expect(5, 3, {0, 2, 4});
  expect(6, 4, {0, 2, 3, 5});
  expect(4, 2, {1, 3});
  expect(4, 8, {0, 0, 1, 1, 2, 2, 3, 3});
}

TEST(ResampleNearest, FloorOrCeilInTheOthers) {
  EXPECT_THAT(indices(kDown, {2}, 3, 6), ElementsAre(0, 0, 0, 1, 1, 2));
  EXPECT_THAT(indices(kUp, {2}, 3, 6), ElementsAre(0, 1, 1, 2, 2, 2));
  EXPECT_THAT(indices(kUp, {3, 0, 0}, 3, 9), ElementsAre(0, 1, 1, 1, 2, 2, 2, 2, 2));
  EXPECT_THAT(indices(kUp, {1, -1e-30f, 0}, 3, 3), ElementsAre(1, 1, 2)) << "just above 0";
}

TEST(ResampleNearest, ExtremeScales) {
  for (const ResampleParams& params : {kHalfUp, kDown, kUp}) {
    EXPECT_THAT(indices(params, {kInfinity, 0, 0}, 5, 4), Each(0));
    EXPECT_THAT(indices(params, {0, 0, 0}, 5, 4), Each(0));
    EXPECT_THAT(indices(params, {0, -3, 0}, 5, 4), Each(3));
    EXPECT_THAT(indices(params, {kInfinity, -3, 9}, 5, 4), Each(3));
    EXPECT_THAT(indices(params, {kMax, -2, 0}, 5, 4).front(), 2);
    EXPECT_THAT(indices(params, {1e-30f, 0, 0}, 5, 4), ElementsAre(0, 4, 4, 4));
    EXPECT_THAT(indices(params, {1e-45f, 0, 0}, 5, 4), ElementsAre(0, 4, 4, 4));
    EXPECT_THAT(indices(params, {1, kMax, 0}, 5, 4), Each(0));
    EXPECT_THAT(indices(params, {1, -kMax, 0}, 5, 4), Each(4));
    EXPECT_THAT(indices(params, {1e-30f, kMax, kMax}, 5, 4), Each(0));
    EXPECT_THAT(indices(params, {1e-30f, -kMax, -kMax}, 5, 4), Each(4));
  }
  EXPECT_THAT(indices(kUp, {kMax, 0, 0}, 5, 4), ElementsAre(0, 1, 1, 1)) << "just above 0";
  EXPECT_THAT(indices(kDown, {kMax, 0, 0}, 5, 4), Each(0));
}

TEST(ResampleNearest, CroppedAndClampedBySizes) {
  EXPECT_THAT(indices(kHalfUp, {2}, 3, 2), ElementsAre(0, 0));
  EXPECT_THAT(indices(kHalfUp, {2}, 3, 8), ElementsAre(0, 0, 1, 1, 2, 2, 2, 2));
}

TEST(ResampleNearest, CoordinatesAreFloat32) {
  // Above 2^24 a float cannot tell an odd position from its even neighbour.
  constexpr std::uint32_t size = (1u << 24) + 3;
  Indices input(size);
  for (std::uint32_t i = size - 4; i < size; ++i)
    input[i] = static_cast<std::uint8_t>(i - size + 5);
  const Indices output = resample_line(kDown, {1, 0, 0}, input, size);
  EXPECT_THAT(Indices(output.end() - 4, output.end()), ElementsAre(1, 2, 2, 4));
}

TEST(ResampleNearest, AntialiasedChangesNothing) {
  for (const AxisDirection direction : {AxisDirection::decreasing, AxisDirection::increasing}) {
    ResampleParams params = mode(OperatorType::resample3, direction);
    const Indices plain = indices(params, {0.4f}, 20, 8);
    params.antialiased = true;
    EXPECT_EQ(indices(params, {0.4f}, 20, 8), plain);
  }
}

TEST(ResampleNearest, LongRows) {
  random_cases::Dice dice(21);
  for (std::uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) {
    ResampleParams params = testing::draw_long_resample(dice);
    params.rounding_direction = dice.pick({AxisDirection::increasing, AxisDirection::decreasing});
    params.antialiased = dice.chance(0.2);  // means nothing here
    testing::expect_right(params, seed, random_cases::Values::special);
  }
}

}  // namespace
}  // namespace weft
