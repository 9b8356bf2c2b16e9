// The naive reference against the vectors that the documentation prints or that are easily worked
// out by hand: a judge has to be judged as well.

#include "reference/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/activation.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft {
namespace {

using Floats = std::vector<float>;

TensorDesc desc(Dims sizes) { return {.data_type = DataType::float32, .sizes = std::move(sizes)}; }

const std::byte* bytes(const Floats& x) {
  return x.empty() ? nullptr : reinterpret_cast<const std::byte*>(x.data());
}

void expect_accepted(const reference::ExpectedTensor& expected, const Floats& right) {
  ASSERT_EQ(expected.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::byte* at = bytes(right) + i * sizeof(float);
    EXPECT_TRUE(reference::accepts(expected[i], DataType::float32, at))
        << i << ": " << reference::text(expected[i], DataType::float32) << ", not " << right[i];
    // And little else: the range is narrow.
    const float wrong = right[i] + 1e-3f * (1 + std::fabs(right[i]));
    EXPECT_FALSE(reference::accepts(expected[i], DataType::float32,
                                    reinterpret_cast<const std::byte*>(&wrong)));
  }
}

void expect(const OperatorParams& params, const std::vector<Floats>& inputs, const Floats& right) {
  std::vector<const std::byte*> pointers;
  pointers.reserve(inputs.size());
  for (const Floats& input : inputs) pointers.push_back(bytes(input));
  expect_accepted(reference::evaluate(params, pointers), right);
}

Floats counting(int from, int to) {
  Floats result;
  for (int i = from; i <= to; ++i) result.push_back(static_cast<float>(i));
  return result;
}

ConvolutionParams line(ConvolutionMode mode, ConvolutionDirection direction, std::uint32_t in,
                       std::uint32_t out, std::uint32_t stride) {
  return {.input = desc({1, 1, in}),
          .filter = desc({1, 1, 3}),
          .output = desc({1, 1, out}),
          .mode = mode,
          .direction = direction,
          .strides = {stride}};
}

constexpr auto kCross = ConvolutionMode::cross_correlation;
constexpr auto kFlip = ConvolutionMode::convolution;
constexpr auto kForward = ConvolutionDirection::forward;
constexpr auto kBackward = ConvolutionDirection::backward;

TEST(Reference, ConvolutionForward) {
  const Floats filter{1, 10, 100};
  expect(line(kCross, kForward, 4, 2, 1), {{1, 2, 3, 4}, filter, {}}, {321, 432});
  expect(line(kFlip, kForward, 4, 2, 1), {{1, 2, 3, 4}, filter, {}}, {123, 234});
  const ConvolutionParams square{
      .input = desc({1, 1, 3, 3}), .filter = desc({1, 1, 2, 2}), .output = desc({1, 1, 2, 2})};
  expect(square, {counting(1, 9), Floats(4, 0.5f), {}}, {6, 8, 12, 14});
}

TEST(Reference, ConvolutionBackward) {
  const Floats filter{1, 10, 100};
  expect(line(kCross, kBackward, 2, 5, 2), {{1, 2}, filter, {}}, {1, 10, 102, 20, 200});
  expect(line(kFlip, kBackward, 2, 5, 2), {{1, 2}, filter, {}}, {100, 10, 201, 20, 2});
  expect(line(kCross, kBackward, 2, 6, 2), {{1, 2}, filter, {}}, {1, 10, 102, 20, 200, 0});
  ConvolutionParams cropped = line(kCross, kBackward, 2, 5, 2);
  cropped.end_padding = {1};
  expect(cropped, {{1, 2}, {1, 1, 1}, {}}, {1, 1, 3, 2, 2});
  cropped.output_padding = {1};
  expect(cropped, {{1, 2}, {1, 1, 1}, {}}, {1, 1, 3, 2, 0});
  cropped.bias = desc({1, 1, 1});
  cropped.fused_activation = {.type = OperatorType::activation_linear, .alpha = 2, .beta = 1};
  expect(cropped, {{1, 2}, {1, 1, 1}, {10}}, {23, 23, 27, 25, 21});
}

TEST(Reference, ConvolutionGroups) {
  ConvolutionParams params{.input = desc({1, 4, 1}),
                           .filter = desc({2, 2, 1}),
                           .output = desc({1, 2, 1}),
                           .group_count = 2};
  expect(params, {{1, 2, 3, 4}, {1, 10, 100, 1000}, {}}, {21, 4300});
  params.direction = kBackward;
  params.input = desc({1, 2, 1});
  params.output = desc({1, 4, 1});
  expect(params, {{1, 2}, {1, 10, 100, 1000}, {}}, {1, 10, 200, 2000});
}

// The examples of DML_UNFOLD_OPERATOR_DESC and DML_FOLD_OPERATOR_DESC, the shorter ones.
TEST(Reference, UnfoldPadded) {
  const UnfoldParams params{.input = desc({1, 1, 5, 5}),
                            .output = desc({1, 9, 15}),
                            .window_sizes = {3, 3},
                            .start_padding = {1, 0},
                            .end_padding = {1, 0}};
  const Floats image = counting(0, 24);
  const auto expected = reference::evaluate(params, std::vector{bytes(image)});
  const Floats first_line{0, 0, 0, 0, 1, 2, 5, 6, 7, 10, 11, 12, 15, 16, 17};
  for (std::size_t b = 0; b < 15; ++b) {
    EXPECT_TRUE(reference::accepts(expected[b], DataType::float32, bytes(first_line) + 4 * b)) << b;
  }
  const Floats third_column{0, 0, 0, 2, 3, 4, 7, 8, 9};
  for (std::size_t w = 0; w < 9; ++w) {
    EXPECT_TRUE(
        reference::accepts(expected[w * 15 + 2], DataType::float32, bytes(third_column) + 4 * w));
  }
}

TEST(Reference, FoldSumsOverlapsAndWraps) {
  FoldParams params{.input = desc({1, 4, 4}), .output = desc({1, 1, 3, 3}), .window_sizes = {2, 2}};
  expect(params, {Floats(16, 1)}, {1, 2, 1, 2, 4, 2, 1, 2, 1});
  params.input.data_type = params.output.data_type = DataType::uint8;
  const std::vector<std::byte> columns(16, std::byte{100});
  const auto expected = reference::evaluate(params, std::vector{columns.data()});
  EXPECT_EQ(expected[4].bits, 400 % 256);
}

TEST(Reference, ResampleNearestTable) {
  // Output positions as source indices: directml's RESAMPLE1, and RESAMPLE2 with the input offset
  // lowered by a half, which is the same.
  const auto check = [](std::uint32_t in, const Floats& right) {
    const auto out = static_cast<std::uint32_t>(right.size());
    ResampleParams params{.type = OperatorType::resample1,
                          .input = desc({in}),
                          .output = desc({out}),
                          .scales = {static_cast<float>(out) / static_cast<float>(in)}};
    expect(params, {counting(0, static_cast<int>(in) - 1)}, right);
    params.type = OperatorType::resample2;
    params.rounding_direction = AxisDirection::decreasing;
    params.input_pixel_offsets = {0};
    expect(params, {counting(0, static_cast<int>(in) - 1)}, right);
  };
  check(2, {0, 0, 0, 1, 1, 1});
  check(3, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  check(5, {0, 2, 4});
  check(6, {0, 2, 3, 5});
  check(4, {1, 3});
  check(4, {0, 0, 1, 1, 2, 2, 3, 3});
}

TEST(Reference, ResampleLinear) {
  ResampleParams params{.type = OperatorType::resample3,
                        .input = desc({2}),
                        .output = desc({4}),
                        .interpolation_mode = InterpolationMode::linear,
                        .scales = {2}};
  expect(params, {{0, 1}}, {0, 0.25f, 0.75f, 1});
  // Output 0 lies at 0.5; the triangle, 2 wide to each side, gives 3/4, 3/4 and 1/4.
  params.antialiased = true;
  params.input = desc({4});
  params.output = desc({2});
  params.scales = {0.5f};
  expect(params, {{1, 2, 3, 4}}, {12.0f / 7, 23.0f / 7});
}

TEST(Reference, ResampleIntegersTruncate) {
  ResampleParams params{.type = OperatorType::resample2,
                        .input = {.data_type = DataType::int8, .sizes = {2}},
                        .output = {.data_type = DataType::int8, .sizes = {4}},
                        .interpolation_mode = InterpolationMode::linear,
                        .scales = {2}};
  const std::int8_t input[] = {0, -3};
  const auto expected =
      reference::evaluate(params, std::vector{reinterpret_cast<const std::byte*>(input)});
  const std::int8_t right[] = {0, 0, -2, -3};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(reference::accepts(expected[i], DataType::int8,
                                   reinterpret_cast<const std::byte*>(right + i)));
  }
}

TEST(Reference, Activations) {
  const auto check = [](OperatorType type, float x, double right, float alpha = 0, float beta = 0) {
    const auto expected = reference::apply({.type = type, .alpha = alpha, .beta = beta},
                                           reference::Range::exactly(double{x}));
    EXPECT_LE(expected.range.low, right) << name(type);
    EXPECT_GE(expected.range.high, right) << name(type);
    EXPECT_LE(expected.range.high - expected.range.low, 1e-5) << name(type);
  };
  using enum OperatorType;
  check(element_wise_clip, 3, 2, -1, 2);
  check(element_wise_clip, 0, -1, 2, -1);  // Min > Max gives Max
  check(activation_elu, -1, 2 * (std::exp(-1.0) - 1), 2);
  check(activation_celu, -1, 2 * (std::exp(-0.5) - 1), 2);
  check(activation_hard_sigmoid, 1, 0.75, 0.5f, 0.25f);
  check(activation_leaky_relu, -2, -0.5, 0.25f);
  check(activation_linear, 3, 7, 2, 1);
  check(activation_parametric_softplus, 1, 2 * std::log(1 + std::exp(3.0)), 2, 3);
  check(activation_relu, -1, 0);
  check(activation_scaled_elu, -1, 3 * 2 * (std::exp(-1.0) - 1), 2, 3);
  check(activation_scaled_elu, 1, 3, 2, 3);
  check(activation_scaled_tanh, 1, 2 * std::tanh(0.5), 2, 0.5f);
  check(activation_sigmoid, 1, 1 / (1 + std::exp(-1.0)));
  check(activation_softplus, 1, std::log(1 + std::exp(2.0)) / 2, 2);
  check(activation_softsign, -3, -0.75);
  check(activation_tanh, 0.5f, std::tanh(0.5));
  check(activation_thresholded_relu, 1, 0, 1);
  check(activation_thresholded_relu, 2, 2, 1);
  check(activation_shrink, 2, 1.75, 0.25f, 0.5f);
  check(activation_shrink, -2, -1.75, 0.25f, 0.5f);
  check(activation_shrink, 0.5f, 0, 0.25f, 0.5f);
  check(activation_gelu, 1, (1 + std::erf(1 / std::sqrt(2.0))) / 2);
}

TEST(Reference, SpecialValues) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto relu_of_nan = reference::apply({.type = OperatorType::activation_relu},
                                            reference::Range::exactly(std::nan("")));
  EXPECT_TRUE(relu_of_nan.range.is_nan());
  const auto tanh_of_infinity = reference::apply({.type = OperatorType::activation_tanh},
                                                 reference::Range::exactly(infinity));
  EXPECT_NEAR(tanh_of_infinity.range.low, 1, 1e-6);
  // Padding is skipped: the infinite tap never meets it.
  ConvolutionParams params = line(kCross, kForward, 2, 2, 1);
  params.start_padding = {2};
  expect(params, {{1, 2}, {std::numeric_limits<float>::infinity(), 10, 100}, {}}, {100, 210});
}

TEST(Reference, HalfFloats) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double x = testing::half_to_double(half);
    if (std::isnan(x)) continue;
    EXPECT_EQ(testing::double_to_half(x), half);
  }
  EXPECT_EQ(testing::double_to_half(1 + 0x1p-11), 0x3c00);            // a tie, to even
  EXPECT_EQ(testing::double_to_half(1 + 0x1p-11 + 0x1p-40), 0x3c01);  // just above
  EXPECT_EQ(testing::double_to_half(65519.99), 0x7bff);
  EXPECT_EQ(testing::double_to_half(65520), 0x7c00);
  EXPECT_EQ(testing::double_to_half(0x1p-25), 0);
  EXPECT_EQ(testing::double_to_half(0x1.8p-25), 1);
}

}  // namespace
}  // namespace weft
