#include "ops/convolution_depth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ops/checked_case.h"
#include "ops/winograd_case.h"

namespace weft::ops {
namespace {

using kernels::WinogradTile;

// Of an instruction set, by tiles of so many layers.
using DepthWay = std::tuple<Isa, std::int64_t>;

class DepthConvolutionTest : public WinogradErrors, public ::testing::WithParamInterface<DepthWay> {
 protected:
  void SetUp() override { skip_without(isa()); }

  static Isa isa() { return std::get<Isa>(GetParam()); }
  static WinogradTile tile() { return {std::get<std::int64_t>(GetParam()), 1}; }

  static Plan by_depth(const ConvolutionParams& params, unsigned threads = 1) {
    const PlanOptions options{.threads = threads, .max_isa = isa()};
    EXPECT_TRUE(DepthConvolution::suits(params, options, tile()));
    return Plan(std::make_shared<DepthConvolution>(params, options, tile()));
  }

  // Against exact sums, ten times the root mean square of the error that was measured.
  void expect_right(const ConvolutionParams& params) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    SCOPED_TRACE(::testing::PrintToString(params.filter.sizes));
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(params.output.sizes[1]);
    const reference::ExpectedTensor expected = exact_sums(params, x, w, b);
    const Floats result = run(by_depth(params), x, w, b);
    const Dims& window = params.filter.sizes;
    const double sums = 3 * std::sqrt(static_cast<double>(window[1]) * window[3] * window[4]);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double exact = (expected[i].range.low + expected[i].range.high) / 2;
      ASSERT_NEAR(result[i], exact, (tile().rows == 2 ? 4e-6 : 8e-6) * sums) << i;
    }
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(same_bits(run(by_depth(params, threads), x, w, b), result)) << threads;
    }
  }
};

Window of_volume(Dims input, Dims filter, Dims padding = {1, 1, 1}, Dims strides = {1, 1, 1}) {
  return {.input = std::move(input),
          .filter = std::move(filter),
          .start_padding = padding,
          .end_padding = padding,
          .strides = std::move(strides)};
}

TEST_P(DepthConvolutionTest, IsRight) {
  expect_right(params_of(of_volume({1, 3, 8, 20, 22}, {16, 3, 3, 7, 7}, {1, 3, 3}, {1, 2, 2})));
  expect_right(params_of(of_volume({2, 4, 7, 9, 33}, {33, 4, 3, 3, 3})));
  expect_right(params_of(of_volume({1, 2, 1, 6, 5}, {3, 2, 3, 5, 3})));
  expect_right(params_of(of_volume({1, 9, 10, 2, 40}, {8, 9, 3, 2, 3}, {0, 0, 0})));
  expect_right(params_of(of_volume({1, 5, 5, 17, 2}, {70, 5, 3, 4, 2}, {2, 0, 0})));
  expect_right(params_of(of_volume({1, 1, 6, 8, 8}, {2, 1, 3, 1, 1}, {3, 2, 20})));
  expect_right(params_of(of_volume({3, 2, 4, 30, 12}, {5, 2, 3, 3, 2}, {1, 9, 0}, {1, 3, 1})));
}

// Blocks of rows, of which the last one begins in the one before.
TEST_P(DepthConvolutionTest, ManyRows) {
  const ConvolutionParams params = params_of(of_volume({1, 3, 5, 103, 130}, {8, 3, 3, 5, 5}));
  const std::string one_a_tile = std::to_string(tile().rows == 2 ? 3 : 2) + " blocks of ";
  const std::string text = by_depth(params).explain();
  EXPECT_EQ(text.find(", " + one_a_tile), std::string::npos) << text;
  expect_right(params);
}

TEST_P(DepthConvolutionTest, GroupsAndDilations) {
  Window window = of_volume({2, 6, 6, 14, 22}, {9, 2, 3, 3, 5}, {2, 1, 4}, {1, 2, 1});
  window.groups = 3;
  window.dilations = {1, 2, 3};
  window.end_padding = {0, 3, 1};
  for (const auto mode : {ConvolutionMode::cross_correlation, ConvolutionMode::convolution}) {
    ConvolutionParams params = params_of(window);
    params.mode = mode;
    expect_right(params);
  }
}

TEST_P(DepthConvolutionTest, ActivationsAndRowsApart) {
  const Window window = of_volume({2, 3, 6, 14, 21}, {10, 3, 3, 3, 3});
  const ConvolutionParams plain = params_of(window);
  const Floats x = numbers(count_of(plain.input));
  const Floats w = numbers(count_of(plain.filter));
  const Floats b = numbers(10);
  const Floats sums = run(by_depth(plain), x, w, b);
  for (const auto type : {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
    ConvolutionParams params = plain;
    params.fused_activation = Activation{.type = type, .alpha = 0.25f};
    const float slope = type == OperatorType::activation_relu ? 0 : 0.25f;
    Floats expected = sums;
    for (float& y : expected) y = y < 0 ? y * slope + 0.0f : y;
    EXPECT_EQ(run(by_depth(params), x, w, b), expected);

    // Rows of outputs with a gap, which stays as it is.
    const std::uint32_t columns = params.output.sizes[4], pitch = columns + 3;
    const std::uint32_t plane = params.output.sizes[3] * pitch, layers = params.output.sizes[2];
    params.output.strides = {10 * layers * plane, layers * plane, plane, pitch, 1};
    Floats y(*extent_in_elements(params.output), -77.0f);
    const auto bytes = [](const Floats& v) { return ConstBuffer(v.data(), v.size() * 4); };
    const ConstBuffer inputs[] = {bytes(x), bytes(w), bytes(b)};
    const Buffer outputs[] = {{y.data(), y.size() * 4}};
    by_depth(params).run({inputs, outputs});
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t column = i % pitch;
      ASSERT_EQ(y[i], column < columns ? expected[i / pitch * columns + column] : -77.0f) << i;
    }
  }
}

TEST_P(DepthConvolutionTest, Float16IsRoundedAtTheEnd) {
  for (const auto activation : {OperatorType::activation_relu, OperatorType::activation_tanh}) {
    ConvolutionParams params =
        params_of(of_volume({2, 3, 7, 12, 19}, {20, 3, 3, 5, 5}, {1, 2, 2}, {1, 1, 2}));
    params.fused_activation = Activation{.type = activation};
    const Halves x = halves(numbers(count_of(params.input)));
    const Halves w = halves(numbers(count_of(params.filter)));
    const Halves b = halves(numbers(params.output.sizes[1]));
    const Halves expected = halves(run(by_depth(params), widened(x), widened(w), widened(b)));
    EXPECT_EQ(run(by_depth(as_halves(params)), x, w, b), expected);
  }
}

// What the transformations would spread is left to the general plan, for that image alone.
TEST_P(DepthConvolutionTest, UnsafeNumbersAreLeftToTheGeneralPlan) {
  const ConvolutionParams params = params_of(of_volume({3, 3, 6, 9, 14}, {8, 3, 3, 3, 3}));
  Floats x = numbers(count_of(params.input));
  Floats w = numbers(count_of(params.filter));
  const Floats b = numbers(8);
  const Floats expected = run(by_depth(params), x, w, b);
  const Plan other = plan(params, {.max_isa = isa(), .winograd = Winograd::never});
  const std::size_t in = x.size() / 3, out = expected.size() / 3;
  x[in + 17] = std::numeric_limits<float>::infinity();
  const Floats odd = run(by_depth(params), x, w, b), general = run(other, x, w, b);
  const auto part = [&](const Floats& y, std::size_t image) {
    return Floats(y.begin() + static_cast<std::ptrdiff_t>(image * out),
                  y.begin() + static_cast<std::ptrdiff_t>((image + 1) * out));
  };
  for (const std::size_t image : {0u, 1u, 2u}) {
    EXPECT_TRUE(same_bits(part(odd, image), part(image == 1 ? general : expected, image))) << image;
  }
  w[5] = 0x1p70f;
  EXPECT_TRUE(same_bits(run(by_depth(params), x, w, b), run(other, x, w, b)));
}

TEST_P(DepthConvolutionTest, RandomShapes) {
  const auto any = [&](std::uint32_t first, std::uint32_t last) {
    return std::uniform_int_distribution<std::uint32_t>(first, last)(random_);
  };
  for (int left = 25; left > 0;) {
    const std::uint32_t groups = any(1, 2), in = any(1, 6);
    Window window{.input = {any(1, 2), groups * in, any(1, 11), any(2, 20), any(2, 40)},
                  .filter = {groups * any(1, 36), in, 3, any(2, 6), any(2, 7)},
                  .start_padding = {any(0, 3), any(0, 4), any(0, 18)},
                  .end_padding = {any(0, 3), any(0, 4), any(0, 18)},
                  .dilations = {1, any(1, 2), any(1, 3)},
                  .groups = groups,
                  .strides = {1, any(1, 3), any(1, 3)}};
    bool fits = true;
    for (std::size_t d = 0; d < 3; ++d) {
      fits &= (window.filter[d + 2] - 1) * window.dilations[d] <
              window.input[d + 2] + window.start_padding[d] + window.end_padding[d];
    }
    if (!fits) continue;
    expect_right(params_of(window));
    --left;
  }
}

// The least terms that are taken, and more, with the numbers of real layers.
TEST_P(DepthConvolutionTest, ErrsLessThanOneChain) {
  const bool two = tile().rows == 2;
  for (const auto& [in, window] : {std::pair(two ? 8u : 14u, 3u), std::pair(two ? 3u : 6u, 5u),
                                   std::pair(3u, 7u), std::pair(16u, 3u)}) {
    const ConvolutionParams params = params_of(
        of_volume({1, in, 16, 24, 24}, {4, in, 3, window, window}, {1, window / 2, window / 2}));
    SCOPED_TRACE(::testing::PrintToString(params.filter.sizes));
    if (isa() == Isa::avx2) {
      EXPECT_FALSE(std::isinf(DepthConvolution::seconds(params, {.max_isa = isa()}, tile())));
    }
    expect_below_chain(params, by_depth(params));
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, DepthConvolutionTest,
                         ::testing::Combine(::testing::Values(Isa::avx2, Isa::avx512),
                                            ::testing::Values(2, 4)),
                         [](const auto& info) {
                           return std::string(name(std::get<Isa>(info.param))) + "_" +
                                  std::to_string(std::get<std::int64_t>(info.param));
                         });

class DepthChoiceTest : public NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx2); }

  static bool by_depth(const Window& window, PlanOptions options = {.max_isa = Isa::avx2}) {
    const std::string text = plan(params_of(window), options).explain();
    return text.find("along the depth") != std::string::npos;
  }
};

TEST_F(DepthChoiceTest, FewInputChannelsOfManyTaps) {
  const Window stem = of_volume({1, 3, 16, 112, 112}, {64, 3, 3, 7, 7}, {1, 3, 3}, {1, 2, 2});
  EXPECT_TRUE(by_depth(stem));
  EXPECT_FALSE(by_depth(stem, {.max_isa = Isa::avx2, .winograd = Winograd::never}));
  EXPECT_FALSE(by_depth(stem, {.max_isa = Isa::avx2, .strict = true}));
  EXPECT_FALSE(by_depth(stem, {.max_isa = Isa::sse4}));
  EXPECT_TRUE(by_depth(of_volume({1, 16, 32, 64, 64}, {16, 16, 3, 3, 3})));
  EXPECT_TRUE(by_depth(of_volume({1, 12, 32, 64, 64}, {24, 12, 3, 3, 3})));
  EXPECT_FALSE(by_depth(of_volume({1, 3, 16, 112, 112}, {64, 3, 3, 3, 3})));
  EXPECT_FALSE(by_depth(of_volume({1, 64, 8, 28, 28}, {64, 64, 3, 3, 3})));
  Window other = stem;
  other.strides[0] = 2;
  EXPECT_FALSE(by_depth(other));
  other = stem;
  other.dilations[0] = 2;
  EXPECT_FALSE(by_depth(other));
}

TEST_F(DepthChoiceTest, WithHalvedVectorsToo) {
  skip_without_halved();
  if (IsSkipped()) return;
  const Window stem = of_volume({1, 3, 16, 112, 112}, {64, 3, 3, 7, 7}, {1, 3, 3}, {1, 2, 2});
  EXPECT_TRUE(by_depth(stem, {.max_isa = Isa::avx512}));
  EXPECT_TRUE(
      by_depth(of_volume({1, 16, 32, 64, 64}, {16, 16, 3, 3, 3}), {.max_isa = Isa::avx512}));
  EXPECT_FALSE(
      by_depth(of_volume({1, 3, 16, 112, 112}, {64, 3, 3, 3, 3}), {.max_isa = Isa::avx512}));
}

// With canaries around all tensors, and numbers of every kind.
TEST_F(DepthChoiceTest, IsRightAsTheDefault) {
  Window groups = of_volume({1, 32, 8, 24, 31}, {32, 16, 3, 3, 3});
  groups.groups = 2;
  for (const Window& window : {of_volume({2, 3, 8, 50, 47}, {20, 3, 3, 7, 7}, {1, 3, 3}, {1, 2, 2}),
                               of_volume({1, 6, 8, 24, 25}, {16, 6, 3, 5, 5}), groups}) {
    EXPECT_TRUE(by_depth(window)) << plan(params_of(window), {.max_isa = Isa::avx2}).explain();
    using random_cases::Values;
    for (const auto values : {Values::plain, Values::special}) {
      constexpr std::uint64_t kOfAvx2 = 13;
      testing::expect_right(params_of(window), kOfAvx2, values);
    }
  }
}

// However large the image is.
TEST_F(DepthChoiceTest, MemoryIsBounded) {
  const auto memory = [](std::uint32_t size) {
    const ConvolutionParams params =
        params_of(of_volume({1, 3, 16, size, size}, {64, 3, 3, 7, 7}, {1, 3, 3}));
    const PlanOptions options{.threads = 1, .max_isa = Isa::avx2};
    const DepthConvolution body(params, options, {4, 1});
    return body.workspace_size_in_bytes;
  };
  for (const std::uint32_t size : {64u, 256u, 1024u}) EXPECT_LT(memory(size), 20u << 20) << size;
  const Window wide = of_volume({1, 3, 4, 8, 1 << 20}, {64, 3, 3, 7, 7});
  EXPECT_FALSE(DepthConvolution::suits(params_of(wide), {.max_isa = Isa::avx2}, {4, 1}));
}

}  // namespace
}  // namespace weft::ops
