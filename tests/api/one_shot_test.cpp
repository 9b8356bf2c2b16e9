// The functions that plan and run at once, on examples that can be checked by hand.

#include <gtest/gtest.h>

#include "weft/weft.h"

namespace weft {
namespace {

TEST(OneShot, Unfold) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> y(16);
  unfold<float>({x, {1, 1, 3, 3}}, {y, {1, 4, 4}}, {.window_sizes = {2, 2}});
  EXPECT_EQ(y, (std::vector<float>{1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9}));
}

TEST(OneShot, FoldCountsTheWindowsThatMeet) {
  const std::vector<std::int32_t> x(16, 1);
  std::vector<std::int32_t> y(9);
  fold<std::int32_t>({x, {1, 4, 4}}, {y, {1, 1, 3, 3}}, {.window_sizes = {2, 2}});
  EXPECT_EQ(y, (std::vector<std::int32_t>{1, 2, 1, 2, 4, 2, 1, 2, 1}));
}

TEST(OneShot, ResampleLinear) {
  const std::vector<float> x = {0, 1};
  std::vector<float> y(4);
  resample<float>({x, {2}}, {y, {4}},
                  {.interpolation_mode = InterpolationMode::linear, .scales = {2}});
  EXPECT_EQ(y, (std::vector<float>{0, 0.25f, 0.75f, 1}));
}

TEST(OneShot, Convolution) {
  const float x[] = {1, 2, 3, 4};
  const float filter[] = {1, 10, 100};
  float y[2] = {};
  ConvolutionParams params{.input = {.sizes = {1, 1, 4}},
                           .filter = {.sizes = {1, 1, 3}},
                           .output = {.sizes = {1, 1, 2}}};
  convolution(params, {x, sizeof x}, {filter, sizeof filter}, {}, {y, sizeof y});
  EXPECT_EQ(y[0], 321);
  EXPECT_EQ(y[1], 432);
  params.mode = ConvolutionMode::convolution;
  convolution(params, {x, sizeof x}, {filter, sizeof filter}, {}, {y, sizeof y});
  EXPECT_EQ(y[0], 123);
  EXPECT_EQ(y[1], 234);
}

TEST(OneShot, ElementWise) {
  const float x[] = {-2, -0.5f, 0.5f, 2};
  float y[4] = {};
  element_wise({.input = {.sizes = {4}},
                .output = {.sizes = {4}},
                .function = {.type = OperatorType::activation_relu}},
               {x, sizeof x}, {y, sizeof y});
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0.5f);
  EXPECT_EQ(y[3], 2);
}

// Without a total size, a tensor takes its elements and no more.
TEST(OneShot, FiveBytesAreATensor) {
  const std::vector<std::uint8_t> x = {1, 2, 3, 4, 5};
  std::vector<std::uint8_t> y(5);
  resample<std::uint8_t>({x, {5}}, {y, {5}}, {.scales = {1}});
  EXPECT_EQ(y, x);
  ResampleParams params{.input = {.data_type = DataType::uint8, .sizes = {5}},
                        .output = {.data_type = DataType::uint8, .sizes = {5}},
                        .scales = {1}};
  params.input.total_size_in_bytes = *minimum_size_in_bytes(params.input);
  EXPECT_EQ(params.input.total_size_in_bytes, 8u);
  EXPECT_THROW(resample(params, {x.data(), 5}, {y.data(), 5}), Error);
}

TEST(OneShot, ThrowsWhatIsWrongWithParamsOrBuffers) {
  const std::vector<float> x(9);
  std::vector<float> y(16);
  const auto run = [&](const Dims& out, std::size_t size) {
    unfold<float>({x, {1, 1, 3, 3}}, {std::span(y).first(size), out}, {.window_sizes = {2, 2}});
  };
  EXPECT_NO_THROW(run({1, 4, 4}, 16));
  EXPECT_THROW(run({1, 4, 5}, 16), Error);
  EXPECT_THROW(run({1, 4, 4}, 15), Error);
}

}  // namespace
}  // namespace weft
