#include "ops/split_plan.h"

#include <algorithm>
#include <limits>

#include "ops/convolution_product.h"
#include "ops/convolution_split.h"
#include "ops/split_case.h"
#include "support/number.h"

namespace weft::ops {
namespace {

// What every way on the matrix unit promises.
template <class Body>
class SplitPlanTest : public MatrixUnitTest {
 protected:
  Plan split(const ConvolutionParams& params, unsigned threads = 1) {
    return plan_of<Body>(params, threads);
  }
};

using Bodies = ::testing::Types<SplitConvolution, ProductConvolution>;
TYPED_TEST_SUITE(SplitPlanTest, Bodies);

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

TYPED_TEST(SplitPlanTest, AgreesWithTheGeneralPlan) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(::testing::PrintToString(params_of(shape).input.sizes));
    const ConvolutionParams params = params_of(shape);
    const Floats x = this->numbers(count_of(params.input));
    const Floats w = this->numbers(count_of(params.filter));
    const Floats b = this->numbers(shape.out);
    const auto absolute = [](Floats v) {
      for (float& f : v) f = std::fabs(f);
      return v;
    };
    const Floats expected = run(general(params), x, w, b);
    const Floats terms = run(general(params), absolute(x), absolute(w), absolute(b));
    const Floats result = run(this->split(params), x, w, b);
    for (std::size_t i = 0; i < result.size(); ++i) {
      // Both sum up to 4,500 numbers in float32, in different orders.
      ASSERT_NEAR(result[i], expected[i], 2e-6 * terms[i]) << i;
    }
  }
}

TYPED_TEST(SplitPlanTest, ErrorIsNoLargerThanThatOfOneFloatChain) {
  for (const Shape& shape : kShapes) {
    if (shape.in < 64) continue;
    ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = this->numbers(count_of(params.input));
    const Floats w = this->numbers(count_of(params.filter));
    const Floats b(shape.out, 0.0f);
    const Floats chain = run(plan(params, {.strict = true}), x, w, b);
    const Floats result = run(this->split(params), x, w, b);
    const reference::ExpectedTensor exact = exact_sums(params, x, w, b);
    EXPECT_LE(squared_error(result, exact), squared_error(chain, exact));
  }
}

using testing::double_to_half, testing::half_to_double;
using Halves = std::vector<std::uint16_t>;

Halves rounded(const Floats& v) {
  Halves result(v.size());
  std::transform(v.begin(), v.end(), result.begin(), double_to_half);
  return result;
}

ConvolutionParams of_halves(ConvolutionParams params) {
  for (TensorDesc* desc : {&params.input, &params.filter, &*params.bias, &params.output}) {
    desc->data_type = DataType::float16;
  }
  return params;
}

Halves run_halves(const Plan& plan, const Halves& x, const Halves& w, const Halves& b) {
  const auto bytes = [](const Halves& v) { return ConstBuffer(v.data(), v.size() * 2); };
  Halves y(count_of(*plan.outputs()[0]));
  const ConstBuffer inputs[] = {bytes(x), bytes(w), bytes(b)};
  const Buffer outputs[] = {{y.data(), y.size() * 2}};
  plan.run({inputs, outputs});
  return y;
}

// What is left out of products of float16 is little beside the rounding of their sums.
TYPED_TEST(SplitPlanTest, Float16IsRoundedAsIfSumsWereExact) {
  const auto widened = [](const Halves& v) {
    Floats result(v.size());
    std::transform(v.begin(), v.end(), result.begin(), half_to_double);
    return result;
  };
  for (const Shape& shape : kShapes) {
    ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Halves x = rounded(this->numbers(count_of(params.input)));
    const Halves w = rounded(this->numbers(count_of(params.filter)));
    const Halves b = rounded(this->numbers(shape.out));
    const Floats wide_x = widened(x), wide_w = widened(w), wide_b = widened(b);
    const reference::ExpectedTensor exact = exact_sums(params, wide_x, wide_w, wide_b);

    const Halves y = run_halves(this->split(of_halves(params)), x, w, b);

    const HalfErrors errors = half_errors(y, exact);
    EXPECT_LE(errors.squared, 1.001);
    EXPECT_LE(errors.others, 0.03 + 2 / static_cast<double>(y.size()));
  }
}

// Numbers that all leave out as much as they can, in the same direction: within what one chain of
// float32 additions may lose.
TYPED_TEST(SplitPlanTest, Float16AtItsWorst) {
  for (const Shape& shape : kShapes) {
    const ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    constexpr std::uint16_t kWorst = 0x3c03;  // 1 + 3 * 2^-10: 1 and a remainder
    const Halves x(count_of(params.input), kWorst), w(count_of(params.filter), kWorst);
    // Some of so many biases take a sum to the middle between two results.
    Halves b(shape.out);
    Floats wide_b(shape.out);
    for (std::uint32_t o = 0; o < shape.out; ++o) {
      wide_b[o] = static_cast<float>(o) / 2048;
      b[o] = double_to_half(wide_b[o]);
    }
    const Halves y = run_halves(this->split(of_halves(params)), x, w, b);
    const Floats wide_x(x.size(), static_cast<float>(half_to_double(kWorst)));
    const Floats wide_w(w.size(), static_cast<float>(half_to_double(kWorst)));
    const reference::ExpectedTensor chain = exact_sums(params, wide_x, wide_w, wide_b);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_GE(half_to_double(y[i]), half_to_double(double_to_half(chain[i].range.low))) << i;
      ASSERT_LE(half_to_double(y[i]), half_to_double(double_to_half(chain[i].range.high))) << i;
    }
  }
}

TYPED_TEST(SplitPlanTest, ThreadsChangeNoBit) {
  for (const Shape& shape : kShapes) {
    const ConvolutionParams params = params_of(shape);
    const Floats x = this->numbers(count_of(params.input));
    const Floats w = this->numbers(count_of(params.filter));
    const Floats b = this->numbers(shape.out);
    const Floats expected = run(this->split(params, 1), x, w, b);
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(same_bits(run(this->split(params, threads), x, w, b), expected)) << threads;
    }
  }
}

TYPED_TEST(SplitPlanTest, NumbersThatTheUnitCannotHoldTakeTheGeneralWayForTheirImageAlone) {
  constexpr Shape kPair{2, 64, 64, 1, 10, 10, 3, 1, 1};
  const ConvolutionParams params = params_of(kPair);
  const Floats w = this->numbers(count_of(params.filter));
  const Floats b = this->numbers(kPair.out);
  const Floats plain = this->numbers(count_of(params.input));
  const Floats expected = run(this->split(params), plain, w, b);
  const std::size_t image = plain.size() / 2;
  const std::size_t result_image = expected.size() / 2;
  using Limits = std::numeric_limits<float>;
  for (const float odd : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                          Limits::denorm_min(), 1e-36f, Limits::max()}) {
    Floats x = plain;
    x[image + 1234] = odd;
    const Floats result = run(this->split(params), x, w, b);
    const Floats chain = run(general(params), x, w, b);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), result_image * 4), 0)
        << odd << ": the first image keeps its bits";
    EXPECT_EQ(std::memcmp(&result[result_image], &chain[result_image], result_image * 4), 0) << odd;
  }
}

TYPED_TEST(SplitPlanTest, Float16ThatIsNotFiniteTakesTheGeneralWayForItsImageAlone) {
  ConvolutionParams one = params_of({2, 64, 33, 1, 7, 9, 1, 1, 1});
  one.start_padding = {0, 0};
  one.output.sizes = output_sizes(one);
  for (const ConvolutionParams& sums : {params_of({2, 64, 64, 1, 10, 10, 3, 1, 1}), one}) {
    const ConvolutionParams params = of_halves(sums);
    const Halves w = rounded(this->numbers(count_of(params.filter)));
    const Halves b = rounded(this->numbers(params.output.sizes[1]));
    Halves x = rounded(this->numbers(count_of(params.input)));
    const Halves expected = run_halves(this->split(params), x, w, b);
    const auto half = static_cast<std::ptrdiff_t>(expected.size() / 2);
    for (const auto odd : {std::uint16_t{0x7c00}, std::uint16_t{0xfc00}, std::uint16_t{0x7e01}}) {
      x[x.size() / 2 + 1234] = odd;
      const Halves result = run_halves(this->split(params), x, w, b);
      const Halves chain = run_halves(general(params), x, w, b);
      EXPECT_TRUE(std::equal(result.begin(), result.begin() + half, expected.begin())) << odd;
      EXPECT_TRUE(std::equal(result.begin() + half, result.end(), chain.begin() + half)) << odd;
    }
  }
}

TYPED_TEST(SplitPlanTest, AFilterThatTheUnitCannotHoldTakesTheGeneralWay) {
  const ConvolutionParams params = params_of(kShapes[0]);
  const Floats x = this->numbers(count_of(params.input));
  const Floats b = this->numbers(kShapes[0].out);
  for (const float odd : {std::numeric_limits<float>::infinity(), 1e-44f, 1e-33f, 3e38f}) {
    Floats w = this->numbers(count_of(params.filter));
    w[777] = odd;
    EXPECT_TRUE(same_bits(run(this->split(params), x, w, b), run(general(params), x, w, b))) << odd;
  }
}

TYPED_TEST(SplitPlanTest, ZerosAreNumbersLikeOthers) {
  const ConvolutionParams params = params_of(kShapes[0]);
  const Floats w = this->numbers(count_of(params.filter));
  const Floats b = this->numbers(kShapes[0].out);
  const Floats result = run(this->split(params), Floats(count_of(params.input), 0.0f), w, b);
  const std::size_t plane = result.size() / b.size();
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], b[i / plane]);
}

}  // namespace
}  // namespace weft::ops
