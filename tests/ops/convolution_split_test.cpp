#include "ops/convolution_split.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/cpu.h"
#include "reference/reference.h"
#include "weft/convolution.h"

namespace weft::ops {
namespace {

using Floats = std::vector<float>;

// All tests here need the unit; without it they show as skipped.
class SplitConvolutionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (base::choose_isa() < Isa::amx) {
      GTEST_SKIP() << "no matrix unit for bfloat16, or WEFT_MAX_ISA forbids it";
    }
  }

  std::mt19937 random_{20261121};

  Floats numbers(std::size_t count) {
    std::normal_distribution<float> distribution;
    Floats result(count);
    for (float& x : result) x = distribution(random_);
    return result;
  }
};

struct Shape {
  std::uint32_t batch, in, out, groups, height, width, window, stride, dilation;
  ConvolutionDirection direction = ConvolutionDirection::forward;
};

std::uint32_t size_after(std::uint32_t size, const Shape& s) {
  const std::uint32_t reach = (s.window - 1) * s.dilation + 1;
  if (s.direction == ConvolutionDirection::backward) return (size - 1) * s.stride + reach - 1;
  return (size + 1 - reach) / s.stride + 1;
}

// Padding 1 at the start of each dimension.
ConvolutionParams params_of(const Shape& s) {
  const bool backward = s.direction == ConvolutionDirection::backward;
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = s.direction;
  p.input.sizes = {s.batch, s.in, s.height, s.width};
  p.filter.sizes = {backward ? s.in : s.out, (backward ? s.out : s.in) / s.groups, s.window,
                    s.window};
  p.output.sizes = {s.batch, s.out, size_after(s.height, s), size_after(s.width, s)};
  p.bias = TensorDesc{.sizes = {1, s.out, 1, 1}};
  p.strides = {s.stride, s.stride};
  p.dilations = {s.dilation, s.dilation};
  p.start_padding = {1, 1};
  p.end_padding = {0, 0};
  p.group_count = s.groups;
  return p;
}

std::size_t count_of(const TensorDesc& desc) { return *element_count(desc.sizes); }

Floats run(const Plan& plan, const Floats& x, const Floats& filter, const Floats& bias) {
  const auto bytes = [](const Floats& v) { return ConstBuffer(v.data(), v.size() * 4); };
  Floats y(count_of(*plan.outputs()[0]), -77.0f);
  const ConstBuffer inputs[] = {bytes(x), bytes(filter), bytes(bias)};
  const Buffer outputs[] = {{y.data(), y.size() * 4}};
  plan.run({inputs, outputs});
  return y;
}

Plan split(const ConvolutionParams& params, unsigned threads = 1) {
  return Plan(std::make_shared<SplitConvolution>(params, PlanOptions{.threads = threads}));
}

Plan general(const ConvolutionParams& params) { return plan(params, {.max_isa = Isa::avx512}); }

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 4) == 0;
}

constexpr Shape kShapes[] = {
    {1, 64, 64, 1, 14, 14, 3, 1, 1},
    {2, 32, 96, 1, 9, 11, 3, 1, 2},   // dilated
    {1, 40, 33, 1, 8, 50, 3, 1, 1},   // blocks that are not full
    {1, 64, 64, 1, 15, 15, 3, 2, 1},  // strided: four planes
    {1, 33, 64, 1, 20, 9, 5, 3, 1},   // nine planes, not all of one size
    {1, 64, 128, 1, 7, 7, 1, 1, 1},   // windows of one, padded all the same
    {3, 96, 96, 2, 12, 12, 3, 1, 1},  // groups
    {1, 500, 32, 1, 6, 40, 3, 1, 1},  // more channel blocks than are split at a time
    {1, 64, 64, 1, 9, 8, 4, 2, 1, ConvolutionDirection::backward},
    {1, 48, 40, 1, 5, 6, 2, 3, 1, ConvolutionDirection::backward},  // phases without taps
    {2, 32, 32, 1, 7, 7, 3, 1, 2, ConvolutionDirection::backward},
};

TEST_F(SplitConvolutionTest, AgreesWithTheGeneralPlan) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(testing::PrintToString(params_of(shape).input.sizes));
    const ConvolutionParams params = params_of(shape);
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(shape.out);
    const auto absolute = [](Floats v) {
      for (float& f : v) f = std::fabs(f);
      return v;
    };
    const Floats expected = run(general(params), x, w, b);
    const Floats terms = run(general(params), absolute(x), absolute(w), absolute(b));
    const Floats result = run(split(params), x, w, b);
    for (std::size_t i = 0; i < result.size(); ++i) {
      // Both sum up to 4,500 numbers in float32, in different orders.
      ASSERT_NEAR(result[i], expected[i], 2e-6 * terms[i]) << i;
    }
  }
}

TEST_F(SplitConvolutionTest, ErrorIsNoLargerThanThatOfOneFloatChain) {
  for (const Shape& shape : kShapes) {
    if (shape.in < 64) continue;
    ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b(shape.out, 0.0f);
    // The general plan adds one fused multiply-add after the other. The exact sums: in double.
    const Floats chain = run(general(params), x, w, b);
    const Floats result = run(split(params), x, w, b);
    const std::byte* inputs[] = {reinterpret_cast<const std::byte*>(x.data()),
                                 reinterpret_cast<const std::byte*>(w.data()),
                                 reinterpret_cast<const std::byte*>(b.data())};
    const reference::ExpectedTensor exact = reference::evaluate(params, inputs);
    double ours = 0, theirs = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      ours += std::pow(result[i] - (exact[i].range.low + exact[i].range.high) / 2, 2);
      theirs += std::pow(chain[i] - (exact[i].range.low + exact[i].range.high) / 2, 2);
    }
    EXPECT_LE(ours, theirs);
  }
}

TEST_F(SplitConvolutionTest, ThreadsChangeNoBit) {
  for (const Shape& shape : kShapes) {
    const ConvolutionParams params = params_of(shape);
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(shape.out);
    const Floats expected = run(split(params, 1), x, w, b);
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(same_bits(run(split(params, threads), x, w, b), expected)) << threads;
    }
  }
}

TEST_F(SplitConvolutionTest, NumbersThatTheUnitCannotHoldTakeTheGeneralWayForTheirImageAlone) {
  constexpr Shape kPair{2, 64, 64, 1, 10, 10, 3, 1, 1};
  const ConvolutionParams params = params_of(kPair);
  const Floats w = numbers(count_of(params.filter));
  const Floats b = numbers(kPair.out);
  const Floats plain = numbers(count_of(params.input));
  const Floats expected = run(split(params), plain, w, b);
  const std::size_t image = plain.size() / 2;
  const std::size_t result_image = expected.size() / 2;
  using Limits = std::numeric_limits<float>;
  for (const float odd : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                          Limits::denorm_min(), 1e-36f, Limits::max()}) {
    Floats x = plain;
    x[image + 1234] = odd;
    const Floats result = run(split(params), x, w, b);
    const Floats chain = run(general(params), x, w, b);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), result_image * 4), 0)
        << odd << ": the first image keeps its bits";
    EXPECT_EQ(std::memcmp(&result[result_image], &chain[result_image], result_image * 4), 0) << odd;
  }
}

TEST_F(SplitConvolutionTest, AFilterThatTheUnitCannotHoldTakesTheGeneralWay) {
  const ConvolutionParams params = params_of(kShapes[0]);
  const Floats x = numbers(count_of(params.input));
  const Floats b = numbers(kShapes[0].out);
  for (const float odd : {std::numeric_limits<float>::infinity(), 1e-44f, 1e-33f, 3e38f}) {
    Floats w = numbers(count_of(params.filter));
    w[777] = odd;
    EXPECT_TRUE(same_bits(run(split(params), x, w, b), run(general(params), x, w, b))) << odd;
  }
}

TEST_F(SplitConvolutionTest, ZerosAreNumbersLikeOthers) {
  const ConvolutionParams params = params_of(kShapes[0]);
  const Floats w = numbers(count_of(params.filter));
  const Floats b = numbers(kShapes[0].out);
  const Floats result = run(split(params), Floats(count_of(params.input), 0.0f), w, b);
  const std::size_t plane = result.size() / b.size();
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], b[i / plane]);
}

TEST_F(SplitConvolutionTest, MemoryOfAThreadIsBounded) {
  for (const std::uint32_t channels : {64u, 1280u}) {
    for (const std::uint32_t window : {1u, 3u, 7u}) {
      for (const std::uint32_t stride : {1u, 2u}) {
        for (const std::uint32_t size : {7u, 56u, 300u, 1024u, 5000u}) {
          const ConvolutionParams params =
              params_of({1, channels, 256, 1, 20, size + 7, window, stride, 1});
          const Plan one = plan(params, {.threads = 1, .prepare_filter = true});
          EXPECT_LE(one.workspace_size_in_bytes(), 4u << 20)
              << one.explain() << ", window " << window << ", stride " << stride << ", " << size;
        }
      }
    }
  }
}

TEST_F(SplitConvolutionTest, IsChosenWhereItIsFaster) {
  const ConvolutionParams wide = params_of(kShapes[0]);
  EXPECT_EQ(plan(wide).algorithm(), "split_f32_amx");
  EXPECT_EQ(plan(wide, {.max_isa = Isa::avx512}).algorithm(), "gemm_f32_avx512");
  EXPECT_EQ(plan(params_of({1, 4, 4, 1, 14, 14, 3, 1, 1})).algorithm(), "direct_f32_avx512");
  EXPECT_EQ(plan(params_of({1, 3, 12, 1, 14, 14, 3, 1, 1})).algorithm(), "gemm_f32_avx512");
}

}  // namespace
}  // namespace weft::ops
