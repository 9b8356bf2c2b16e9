#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/cache.h"
#include "ops/checked_case.h"
#include "ops/resample_case.h"
#include "weft/info.h"

namespace weft {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::kInfinity;
using testing::kMax;
using testing::Line;
using testing::resample_line;

ResampleParams linear() {
  ResampleParams params;
  params.interpolation_mode = InterpolationMode::linear;
  return params;
}

using Floats = std::vector<float>;

Floats floats(const Line& line, const Floats& input, std::uint32_t output_size) {
  return resample_line(linear(), line, input, output_size);
}

TEST(ResampleLinear, BetweenTwoElements) {
  EXPECT_THAT(floats({2}, {0, 1}, 4), ElementsAre(0, 0.25f, 0.75f, 1));
  EXPECT_THAT(floats({0.5f}, {0, 2, 4, 8}, 2), ElementsAre(1, 6));
  EXPECT_THAT(floats({2, 0, 0}, {1, 3}, 4), ElementsAre(1, 2, 3, 3));
}

TEST(ResampleLinear, EveryDimensionAtOnce) {
  // f = 1000 n + 100 c + 10 y + x is linear, so every output is f of its coordinates.
  ResampleParams params = linear();
  params.scales = {2, 2, 2, 2};
  params.input_pixel_offsets = params.output_pixel_offsets = {0, 0, 0, 0};
  Floats input;
  for (int i = 0; i < 16; ++i) {
    const int digits = 1000 * (i / 8) + 100 * (i / 4 % 2) + 10 * (i / 2 % 2) + i % 2;
    input.push_back(static_cast<float>(digits));
  }
  Floats output(81);
  resample<float>({input, {2, 2, 2, 2}}, {output, {3, 3, 3, 3}}, params);
  for (int i = 0; i < 81; ++i) {
    const int twice = 1000 * (i / 27) + 100 * (i / 9 % 3) + 10 * (i / 3 % 3) + i % 3;
    EXPECT_EQ(2 * output[static_cast<std::size_t>(i)], static_cast<float>(twice)) << i;
  }
}

TEST(ResampleLinear, IntegersAreTruncatedTowardZero) {
  // {1 ... 8} as 2x4, both dimensions by 0.6: 2.667 and 4.333.
  ResampleParams params = linear();
  params.scales = {0.6f, 0.6f};
  const std::vector<std::uint8_t> input = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint8_t> output(2);
  resample<std::uint8_t>({input, {2, 4}}, {output, {1, 2}}, params);
  EXPECT_THAT(output, ElementsAre(2, 4));

  EXPECT_THAT(resample_line<std::int8_t>(linear(), {4, 0, 0}, {0, -1, -7}, 9),
              ElementsAre(0, 0, 0, 0, -1, -2, -4, -5, -7));
}

TEST(ResampleLinear, EqualIntegersStayThemselves) {
  for (int value = -128; value < 128; value += 5) {
    ResampleParams params = linear();
    params.scales = {2.7182817f, 0.3183099f, 7.1f, 1.4142135f};
    const std::vector<std::int8_t> input(3 * 9 * 4 * 5, static_cast<std::int8_t>(value));
    std::vector<std::int8_t> output(8 * 3 * 28 * 7);
    resample<std::int8_t>({input, {3, 9, 4, 5}}, {output, {8, 3, 28, 7}}, params);
    EXPECT_THAT(output, Each(value));
  }
}

TEST(ResampleLinear, NeighboursOfWeightZeroAreNotRead) {
  // Outputs 0, 2 and 4 are inputs themselves; those beside them must not spoil them.
  const Floats output = floats({2, 0, 0}, {1, kInfinity, 3}, 5);
  EXPECT_EQ(output[0], 1);
  EXPECT_EQ(output[1], kInfinity);
  EXPECT_EQ(output[2], kInfinity);
  EXPECT_EQ(output[4], 3);

  ResampleParams params = linear();
  params.scales = {2, 2};
  params.input_pixel_offsets = params.output_pixel_offsets = {0, 0};
  const Floats input = {1, 2, NAN, NAN};  // the row below
  Floats upper(3);
  resample<float>({input, {2, 2}}, {upper, {1, 3}}, params);
  EXPECT_THAT(upper, ElementsAre(1, 1.5f, 2));
}

TEST(ResampleLinear, InfinitiesOfOneSignAreNoNan) {
  EXPECT_THAT(floats({4, 0, 0}, {kInfinity, kInfinity}, 5), Each(kInfinity));
  EXPECT_THAT(floats({4, 0, 0}, {kInfinity, 1}, 4),
              ElementsAre(kInfinity, kInfinity, kInfinity, kInfinity));
}

TEST(ResampleLinear, ExtremeScales) {
  const Floats input = {10, 20, 30};
  EXPECT_THAT(floats({kInfinity, 0, 0}, input, 4), Each(10));
  EXPECT_THAT(floats({kMax, 0, 0}, input, 4), Each(10));
  EXPECT_THAT(floats({0, 0, 0}, input, 4), Each(10));
  EXPECT_THAT(floats({0, -0.5f, 0}, input, 4), Each(15));
  EXPECT_THAT(floats({1e-30f, 0, 0}, input, 3), ElementsAre(10, 30, 30));
  EXPECT_THAT(floats({1, kMax, 0}, input, 4), Each(10));
  EXPECT_THAT(floats({1, -kMax, 0}, input, 4), Each(30));
  EXPECT_THAT(floats({1e-30f, kMax, -kMax}, input, 4), Each(30)) << "infinity less kMax";
}

TEST(ResampleLinear, LongRows) {
  random_cases::Dice dice(22);
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    ResampleParams params = testing::draw_long_resample(dice);
    params.interpolation_mode = InterpolationMode::linear;
    testing::expect_right(
        params, seed,
        dice.chance(0.2) ? random_cases::Values::special : random_cases::Values::plain);
  }
}

// Rows that are doubled with the dimension before them are made as a whole, up to 32768 elements.
TEST(ResampleLinear, LongRowsThatAreDoubled) {
  for (const DataType type : {DataType::float16, DataType::float32}) {
    for (const std::uint32_t width : {2500u, 4097u, 16384u, 16385u}) {
      ResampleParams params = linear();
      params.scales = {1, 2, 2};
      params.input = {.data_type = type, .sizes = {1, 3, width}};
      params.output = {.data_type = type, .sizes = {1, 6, 2 * width}};
      const std::string of_whole_rows = "x" + std::to_string(2 * width) + " elements";
      const bool is_whole = plan(params).explain().find(of_whole_rows) != std::string::npos;
      EXPECT_EQ(is_whole, width <= 16384) << plan(params).explain();
      testing::expect_right(params, width, random_cases::Values::special);
      params.scales[1] = 1.5f;
      params.output.sizes[1] = 4;
      EXPECT_EQ(plan(params).explain().find(of_whole_rows), std::string::npos);
      testing::expect_right(params, width, random_cases::Values::special);
    }
  }
}

// Larger than what a core has of the outer cache, on many machines.
TEST(ResampleLinear, LargeOutputs) {
  for (const Dims& in : {Dims{84, 64, 128}, Dims{330, 64, 32}}) {
    ResampleParams params = linear();
    params.scales = {1, 2, 2};
    params.input.sizes = in;
    params.output.sizes = {in[0], 2 * in[1], 2 * in[2]};
    const bool streams = 16 * in[0] * in[1] * in[2] > base::past_caches_bytes();
    const std::string text = plan(params).explain();
    if (best_isa() >= Isa::avx512) {
      EXPECT_EQ(text.find("past the caches") != text.npos, streams) << text;
    }
    testing::expect_right(params, in[2], random_cases::Values::plain);
  }
}

TEST(ResampleLinear, RowsWhoseVectorsArePickedAlike) {
  for (const DataType type : {DataType::float16, DataType::float32}) {
    for (const std::uint32_t scale : {2u, 4u, 8u}) {
      for (const Dims& in : {Dims{2, 75, 8}, Dims{1, 3, 35}, Dims{2, 2, 128}, Dims{1, 2, 700}}) {
        for (const std::uint32_t depth : {1u, 2u}) {
          ResampleParams params = linear();
          const Dims out = {depth * in[0], scale * in[1], scale * in[2]};
          const auto factor = static_cast<float>(scale);
          params.scales = {static_cast<float>(depth), factor, factor};
          params.input = {.data_type = type, .sizes = in};
          params.output = {.data_type = type, .sizes = out};
          testing::expect_right(params, in[2], random_cases::Values::special);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft
