#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::count_of;
using ops::Floats;

struct StrictShape {
  ConvolutionDirection direction;
  std::uint32_t groups, in, out;  // channels a group
  std::uint32_t height, width, window, stride, dilation;
  std::uint32_t padding = 1;  // before, 0 after
};

constexpr StrictShape kStrictShapes[] = {
    {ConvolutionDirection::forward, 1, 70, 33, 9, 11, 3, 1, 1},
    {ConvolutionDirection::forward, 1, 3, 64, 20, 20, 7, 2, 1},
    {ConvolutionDirection::forward, 1, 300, 40, 14, 14, 1, 1, 1},
    {ConvolutionDirection::forward, 12, 1, 1, 14, 14, 3, 1, 1},
    {ConvolutionDirection::forward, 3, 4, 4, 12, 19, 3, 1, 2},
    {ConvolutionDirection::forward, 1, 64, 64, 15, 15, 5, 3, 1},
    {ConvolutionDirection::forward, 1, 70, 40, 15, 15, 3, 1, 1},
    {ConvolutionDirection::forward, 1, 70, 24, 23, 3, 2, 1, 1},
    {ConvolutionDirection::forward, 1, 70, 40, 30, 8, 3, 2, 1},
    {ConvolutionDirection::forward, 1, 30, 40, 17, 14, 5, 1, 1, 0},
    {ConvolutionDirection::backward, 1, 48, 40, 5, 6, 4, 2, 1},
    {ConvolutionDirection::backward, 1, 48, 40, 17, 8, 4, 2, 1},
    {ConvolutionDirection::backward, 2, 6, 1, 7, 7, 9, 3, 1},
};

ConvolutionParams strict_params(const StrictShape& s) {
  const bool backward = s.direction == ConvolutionDirection::backward;
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = s.direction;
  p.group_count = s.groups;
  p.input.sizes = {1, s.groups * s.in, s.height, s.width};
  p.filter.sizes = {s.groups * (backward ? s.in : s.out), backward ? s.out : s.in, s.window,
                    s.window};
  p.bias = TensorDesc{.sizes = {1, s.groups * s.out, 1, 1}};
  p.strides = {s.stride, s.stride};
  p.dilations = {s.dilation, s.dilation};
  p.start_padding = {s.padding, s.padding};
  p.output.sizes = output_sizes(p);
  return p;
}

class StrictTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }
};

TEST_P(StrictTest, EachSumIsOneChain) {
  for (const StrictShape& shape : kStrictShapes) {
    const ConvolutionParams params = strict_params(shape);
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    const Floats expected = reference::chains(params, x, w, b);
    for (const unsigned threads : {1u, 3u}) {
      const Floats y = ops::run(
          plan(params, {.threads = threads, .max_isa = GetParam(), .strict = true}), x, w, b);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], expected[i])
            << i << ", input " << ::testing::PrintToString(params.input.sizes);
      }
    }
  }
}

// Products that vanish leave their sign, which products with padding would take away.
TEST_P(StrictTest, SumsOfVanishingProductsAreZero) {
  for (const StrictShape& shape : kStrictShapes) {
    ConvolutionParams params = strict_params(shape);
    params.fused_activation.reset();
    const Floats x(count_of(params.input), 1e-30f), w(count_of(params.filter), -1e-30f);
    const Floats b(count_of(*params.bias), -0.0f);
    for (const bool has_bias : {true, false}) {
      if (!has_bias) params.bias.reset();
      const Floats y = ops::run(plan(params, {.max_isa = GetParam(), .strict = true}), x, w,
                                has_bias ? b : Floats());
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(y[i]), 0u)
            << i << ", input " << ::testing::PrintToString(params.input.sizes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, StrictTest,
                         ::testing::Values(Isa::base, Isa::sse4, Isa::avx2, Isa::avx512, Isa::amx),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(StrictSwitch, IsReadFromTheEnvironment) {
  const char* before = std::getenv("WEFT_DETERMINISM");
  const std::string old = before == nullptr ? "" : before;
  const auto algorithm = [] {
    return plan(strict_params(kStrictShapes[3])).algorithm().substr(0, 6);
  };
  setenv("WEFT_DETERMINISM", "strict", 1);
  EXPECT_NE(algorithm(), "direct");
  setenv("WEFT_DETERMINISM", "machine", 1);
  EXPECT_EQ(algorithm(), "direct");
  setenv("WEFT_DETERMINISM", "very", 1);
  try {
    algorithm();
    ADD_FAILURE() << "\"very\" was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "WEFT_DETERMINISM is \"very\", must be one of machine, strict");
  }
  setenv("WEFT_DETERMINISM", old.c_str(), 1);
}

}  // namespace
}  // namespace weft
