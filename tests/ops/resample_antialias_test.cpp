#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ops/checked_case.h"
#include "ops/resample_case.h"

namespace weft {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using testing::Line;
using testing::resample_line;

ResampleParams antialiased() {
  ResampleParams params;
  params.type = OperatorType::resample3;
  params.interpolation_mode = InterpolationMode::linear;
  params.antialiased = true;
  return params;
}

std::vector<float> smoothed(const Line& line, const std::vector<float>& input,
                            std::uint32_t output_size) {
  return resample_line(antialiased(), line, input, output_size);
}

TEST(ResampleAntialias, TrianglesAreCutOffAtTheEdges) {
  // Centers 0.5 and 2.5, two elements wide on each side: weights 3 3 1 and 1 3 3 inside.
  EXPECT_THAT(
      smoothed({0.5f}, {7, 14, 28, 70}, 2),
      ElementsAre(FloatEq((3 * 7 + 3 * 14 + 28) / 7.0f), FloatEq((14 + 3 * 28 + 3 * 70) / 7.0f)));
}

TEST(ResampleAntialias, DenormalScalesAverageAllThatTheyCover) {
  for (const float scale : {1e-38f, 1e-39f, 1e-40f, 1.4e-45f}) {
    EXPECT_THAT(smoothed({scale}, {0, 1, 2, 3}, 1), ElementsAre(FloatEq(1.5f))) << scale;
  }
}

TEST(ResampleAntialias, EnlargedDimensionsAreOrdinary) {
  ResampleParams params = antialiased();
  params.scales = {0.5f, 2};
  const std::vector<float> input = {0, 1, 0, 1, 0, 1, 0, 1};
  std::vector<float> output(8);
  resample<float>({input, {4, 2}}, {output, {2, 4}}, params);
  EXPECT_THAT(output, ElementsAre(0, 0.25f, 0.75f, 1, 0, 0.25f, 0.75f, 1));
}

TEST(ResampleAntialias, EnlargedDimensionsKeepTinyWeights) {
  // 2^-126 of 2^126, too little for 1 - |distance| to see.
  for (const bool inner_first : {true, false}) {
    ResampleParams params = antialiased();
    params.scales = {0.5f, 0x1p126f};
    params.input_pixel_offsets = params.output_pixel_offsets = {0, 0};
    params.input.sizes = {1, 2};
    params.output.sizes = {1, 2};
    params.input.sizes[0] = 3;
    if (!inner_first) {
      params.input.strides = {1, 3};
      params.output.strides = {1, 1};
    }
    const std::vector<float> input =
        inner_first ? std::vector<float>{3, 0x1p126f, 3, 0x1p126f, 3, 0x1p126f}
                    : std::vector<float>{3, 3, 3, 0x1p126f, 0x1p126f, 0x1p126f};
    std::vector<float> output(2);
    weft::resample(params, {input.data(), 24}, {output.data(), 8});
    EXPECT_THAT(output, ElementsAre(3, 4));
  }
}

TEST(ResampleAntialias, FarTooWideTrianglesGiveTheMean) {
  std::vector<float> input(3000);
  std::iota(input.begin(), input.end(), 0.0f);
  EXPECT_THAT(smoothed({1e-20f}, input, 1), ElementsAre(1499.5f));
}

TEST(ResampleAntialias, PastTheEdgesIsTheEdge) {
  EXPECT_THAT(smoothed({0.5f, 90, 0}, {1, 2, 3}, 2), Each(1));
  EXPECT_THAT(smoothed({0.5f, -90, 0}, {1, 2, 3}, 2), Each(3));
  EXPECT_THAT(smoothed({1e-45f, 0, 0}, {1, 2, 3}, 2).back(), 3) << "the coordinate is infinite";
}

TEST(ResampleAntialias, AScaleOfZeroIsNoWidth) {
  ResampleParams params = antialiased();
  params.scales = {0, 0.5f};
  params.input_pixel_offsets = {-1, 0.5f};
  const std::vector<float> input = {1, 1, 2, 2, 3, 3};
  std::vector<float> output(2);
  resample<float>({input, {3, 2}}, {output, {2, 1}}, params);
  EXPECT_THAT(output, Each(2));
}

TEST(ResampleAntialias, EqualIntegersStayThemselves) {
  for (int value = 0; value < 256; value += 3) {
    ResampleParams params = antialiased();
    params.scales = {0.37f, 0.11f, 1.3f, 0.77f};
    const std::vector<std::uint8_t> input(5 * 40 * 3 * 9, static_cast<std::uint8_t>(value));
    std::vector<std::uint8_t> output(2 * 5 * 4 * 7);
    resample<std::uint8_t>({input, {5, 40, 3, 9}}, {output, {2, 5, 4, 7}}, params);
    EXPECT_THAT(output, Each(value));
  }
}

TEST(ResampleAntialias, OffIsResample2) {
  random_cases::Dice dice(5);
  for (int i = 0; i < 20; ++i) {
    ResampleParams params = testing::draw_long_resample(dice);
    params.interpolation_mode = InterpolationMode::linear;
    params.input.data_type = params.output.data_type = DataType::uint8;
    params.input.strides = params.output.strides = {};
    std::vector<std::uint8_t> input(*element_count(params.input.sizes));
    for (auto& value : input) value = static_cast<std::uint8_t>(dice.bits());
    const auto run = [&](OperatorType type) {
      params.type = type;
      std::vector<std::uint8_t> output(*element_count(params.output.sizes));
      resample(params, {input.data(), input.size()}, {output.data(), output.size()});
      return output;
    };
    EXPECT_EQ(run(OperatorType::resample3), run(OperatorType::resample2));
  }
}

TEST(ResampleAntialias, LongRows) {
  random_cases::Dice dice(23);
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    ResampleParams params = testing::draw_long_resample(dice);
    params.interpolation_mode = InterpolationMode::linear;
    params.antialiased = true;
    testing::expect_right(params, seed);
  }
}

}  // namespace
}  // namespace weft
