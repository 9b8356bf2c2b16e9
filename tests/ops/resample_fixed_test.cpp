#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/checked_case.h"
#include "ops/resample_case.h"

namespace weft {
namespace {

ResampleParams linear(DataType type, const Dims& in, const Dims& out) {
  ResampleParams params;
  params.interpolation_mode = InterpolationMode::linear;
  params.input = {.data_type = type, .sizes = in};
  params.output = {.data_type = type, .sizes = out};
  for (std::size_t d = 0; d < in.size(); ++d) {
    params.scales.push_back(static_cast<float>(out[d]) / static_cast<float>(in[d]));
  }
  return params;
}

bool is_fixed(const ResampleParams& params) {
  return plan(params).explain().find("fixed point") != std::string::npos;
}

// Row a is a 0 a 1 a 2 ... a 255, made four times as long: all pairs, t an odd number of eighths.
template <class T>
void expect_every_pair(DataType type) {
  const ResampleParams params = linear(type, {256, 512}, {256, 2048});
  ASSERT_TRUE(is_fixed(params));
  std::vector<T> input(256 * 512);
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<T>(i % 2 == 0 ? i / 512 : i % 512 / 2);
  }
  std::vector<T> output(256 * 2048);
  resample<T>({input, params.input.sizes}, {output, params.output.sizes}, params);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto eighths = std::clamp(2 * static_cast<int>(i % 2048) - 3, 0, 8 * 511);
    const T* row = input.data() + i / 2048 * 512;
    const int k = eighths / 8;
    const double a = row[k];
    const double b = eighths % 8 > 0 ? row[k + 1] : a;
    ASSERT_EQ(output[i], std::trunc(a + (b - a) * (eighths % 8) / 8)) << i;
  }
}

TEST(ResampleFixed, EveryPairOfBytes) {
  expect_every_pair<std::int8_t>(DataType::int8);
  expect_every_pair<std::uint8_t>(DataType::uint8);
}

TEST(ResampleFixed, TakenWhereItIsExact) {
  EXPECT_TRUE(is_fixed(linear(DataType::uint8, {3, 108, 192}, {3, 64, 64})));
  EXPECT_TRUE(is_fixed(linear(DataType::int8, {7}, {20})));
  EXPECT_FALSE(is_fixed(linear(DataType::uint8, {3, 10, 20, 30}, {3, 20, 40, 60})))
      << "three dimensions";
  EXPECT_FALSE(is_fixed(linear(DataType::uint8, {3, 10, 300}, {3, 20, 30}))) << "far apart";
  ResampleParams leap = linear(DataType::uint8, {18984}, {7400});
  leap.scales = {0.001f};
  EXPECT_FALSE(is_fixed(leap)) << "the first chunk reads from end to end";
  testing::expect_right(leap, 1);
  ResampleParams fine = linear(DataType::uint8, {10, 30}, {20, 50});
  fine.input_pixel_offsets = fine.output_pixel_offsets = {0, 0};
  fine.scales = {3, 3};
  EXPECT_FALSE(is_fixed(fine)) << "a third has more than 24 bits";
  ResampleParams gaps = linear(DataType::uint8, {10, 30}, {20, 50});
  gaps.input.strides = {60, 2};
  EXPECT_FALSE(is_fixed(gaps));
}

// Eight times as long takes sixteenths, sixteen times as long a digit more.
TEST(ResampleFixed, RowsOf16BitsWhereAllDigitsFit) {
  for (const DataType type : {DataType::uint8, DataType::int8}) {
    for (const std::uint32_t factor : {8u, 16u}) {
      const ResampleParams params = linear(type, {3, 9, 21}, {3, 9 * factor, 21 * 8});
      const std::string_view rows = factor == 8 ? "rows of 16 bits" : "rows of 32 bits";
      EXPECT_NE(plan(params).explain().find(rows), std::string::npos) << plan(params).explain();
      testing::expect_right(params, 1);
    }
  }
}

// Channels last, with and without a gap between pixels.
ResampleParams pixels(DataType type, const Dims& in, const Dims& out, std::uint32_t gap) {
  ResampleParams params = linear(type, in, out);
  for (TensorDesc* tensor : {&params.input, &params.output}) {
    const Dims& n = tensor->sizes;
    const std::uint32_t pixel = n[1] + gap;
    tensor->strides = {n[2] * n[3] * pixel, 1, n[3] * pixel, pixel};
  }
  return params;
}

TEST(ResampleFixed, PixelsOfSeveralChannels) {
  EXPECT_TRUE(is_fixed(pixels(DataType::uint8, {1, 3, 54, 96}, {1, 3, 32, 32}, 0)));
  EXPECT_FALSE(is_fixed(pixels(DataType::uint8, {1, 3, 54, 96}, {1, 3, 32, 32}, 1)));
  random_cases::Dice dice(32);
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    const auto size = [&](std::uint32_t most) { return dice.mostly(1, most, 4 * most); };
    const DataType type = dice.chance(0.5) ? DataType::int8 : DataType::uint8;
    const std::uint32_t channels = dice.chance(0.6) ? dice.between(2, 4) : dice.between(2, 15);
    ResampleParams params = pixels(type, {2, channels, size(12), size(40)},
                                   {2, channels, size(12), size(60)}, dice.chance(0.1) ? 1 : 0);
    for (float& scale : params.scales) {
      if (scale != 1 && dice.chance(0.5)) {
        scale = dice.pick({0.5f, 0.625f, 2.0f, 3.0f, 4.0f, 0.59259259f});
      }
    }
    testing::expect_right(params, seed);
  }
  // Rows of several chunks.
  testing::expect_right(pixels(DataType::uint8, {1, 3, 3, 2100}, {1, 3, 5, 4200}, 0), 1);
}

TEST(ResampleFixed, RandomSizes) {
  random_cases::Dice dice(31);
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    const auto size = [&](std::uint32_t most) { return dice.mostly(1, most, 4 * most); };
    const DataType type = dice.chance(0.5) ? DataType::int8 : DataType::uint8;
    ResampleParams params = linear(type, {2, size(12), size(40)}, {2, size(12), size(60)});
    if (dice.chance(0.5)) {
      for (float& scale : params.scales) {
        if (scale != 1) scale = dice.pick({0.5f, 0.625f, 2.0f, 3.0f, 4.0f, 0.59259259f});
      }
    }
    if (dice.chance(0.2))
      params.output.strides = {params.output.sizes[2] * 100, params.output.sizes[2] + 3, 1};
    testing::expect_right(params, seed);
  }
}

}  // namespace
}  // namespace weft
