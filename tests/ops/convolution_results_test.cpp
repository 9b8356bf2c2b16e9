#include <gtest/gtest.h>

#include <cmath>

#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::Floats;
using ops::Halves;

class OnePositionTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  // Channels in and out of so many groups, one position each.
  static ConvolutionParams params_of(std::uint32_t groups, std::uint32_t in, std::uint32_t out) {
    ConvolutionParams p;
    p.mode = ConvolutionMode::cross_correlation;
    p.group_count = groups;
    p.input.sizes = {2, groups * in, 1, 1};
    p.filter.sizes = {groups * out, in, 1, 1};
    p.bias = TensorDesc{.sizes = {1, groups * out, 1, 1}};
    p.output.sizes = {2, groups * out, 1, 1};
    return p;
  }
};

// A row of channels is read, and one is written, however many panels they take.
TEST_P(OnePositionTest, SumsAreChains) {
  for (const std::uint32_t groups : {1u, 3u}) {
    for (const std::uint32_t in : {1u, 5u, 64u, 128u}) {
      for (const std::uint32_t out : {4u, 16u, 47u, 300u}) {
        const ConvolutionParams params = params_of(groups, in, out);
        const Halves x = ops::halves(numbers(2 * groups * in));
        const Halves w = ops::halves(numbers(groups * out * in));
        const Halves b = ops::halves(numbers(groups * out));
        const Floats wide[] = {ops::widened(x), ops::widened(w), ops::widened(b)};
        const Floats sums = reference::chains(params, wide[0], wide[1], wide[2]);
        for (const unsigned threads : {1u, 3u}) {
          const PlanOptions options{.threads = threads, .max_isa = GetParam()};
          EXPECT_EQ(ops::run(plan(params, options), wide[0], wide[1], wide[2]), sums)
              << groups << " groups of " << in << " to " << out << " channels";
          EXPECT_EQ(ops::run(plan(ops::as_halves(params), options), x, w, b), ops::halves(sums))
              << groups << " groups of " << in << " to " << out << " channels, float16";
        }
      }
    }
  }
}

// RELU, LEAKY_RELU and CLIP are applied to sums in registers, whichever way these are formed.
class RampedResultsTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  static std::vector<ConvolutionParams> layers() {
    using ops::Layer;
    const Layer forward[] = {
        {1, 1, 3, 16, {20, 20}, 3, 2, 1, 1},    // a first layer
        {1, 1, 24, 32, {14, 14}},               // 1x1, joined rows
        {1, 1, 160, 32, {14, 14}},              // in several chains
        {2, 1, 200, 24, {9, 20}, 1, 2},         // strided
        {1, 1, 48, 48, {12, 20}, 3, 1, 1, 1},   // 3x3
        {1, 1, 64, 64, {28, 28}, 3, 1, 1, 1},   // Winograd's algorithm
        {1, 1, 64, 64, {12, 12}, 3, 1, 2, 2},   // dilated
        {1, 1, 40, 3, {20, 50}, 3, 1, 1, 1},    // few outputs
        {1, 8, 4, 4, {14, 20}, 3, 1, 1, 1},     // small groups
        {1, 6, 1, 1, {14, 14}, 3, 1, 1, 1},     // depthwise: two channels together
        {1, 6, 1, 1, {7, 7}, 3, 1, 1, 1},       // four together
        {1, 7, 1, 1, {14, 14}, 5, 2, 1, 2},     // and one alone
        {1, 3, 1, 1, {13, 40}, 3, 1, 1, 1},     // one after the other
        {1, 3, 1, 1, {28, 28}, 5, 1, 1, 2},     // by 14 rows
        {1, 3, 1, 1, {14, 56}, 7, 1, 1, 3},     // widened first
        {1, 3, 1, 1, {30, 30}, 3, 2, 1, 1},     // strided
        {1, 3, 1, 1, {20, 20}, 9, 1, 1, 4},     // in bands
        {1, 3, 1, 1, {20, 20}, 3, 1, 2, 2},     // dilated
        {1, 5, 1, 2, {20, 20}, 3, 1, 1, 1},     // two outputs each
        {1, 4, 1, 1, {300}, 31, 1, 1, 15},      // runs
        {1, 4, 1, 1, {300}, 5, 2, 1, 2},        // one row
        {1, 3, 1, 1, {6, 10, 10}, 3, 1, 1, 1},  // whole planes
        {1, 1, 8, 16, {8, 14, 14}, 3, 1, 1, 1},
    };
    std::vector<ConvolutionParams> result;
    for (const Layer& layer : forward) result.push_back(ops::layer(layer));
    constexpr auto kBackward = ConvolutionDirection::backward;
    for (const ops::Shape& shape : {
             ops::Shape{1, 64, 32, 1, 8, 8, 4, 2, 1, kBackward},
             ops::Shape{1, 64, 32, 1, 9, 16, 2, 2, 1, kBackward},
             ops::Shape{1, 6, 6, 6, 20, 20, 4, 2, 1, kBackward},  // rows and columns doubled
             ops::Shape{1, 56, 1, 1, 12, 16, 9, 3, 1, kBackward},
             ops::Shape{1, 32, 32, 1, 12, 12, 3, 1, 1, kBackward},
         }) {
      result.push_back(ops::params_of(shape));
    }
    ConvolutionParams pairs = ops::params_of({1, 64, 32, 1, 10, 16, 2, 2, 1, kBackward});
    pairs.start_padding = {0, 0};
    pairs.output.sizes = output_sizes(pairs);
    result.push_back(pairs);
    return result;
  }
};

TEST_P(RampedResultsTest, AreThoseOfTheSumsWithARamp) {
  const Activation functions[] = {
      {.type = OperatorType::activation_relu},
      {.type = OperatorType::activation_leaky_relu, .alpha = 2},  // exact for rounded sums
      {.type = OperatorType::element_wise_clip, .alpha = -0.5f, .beta = 0.75f},
      {.type = OperatorType::element_wise_clip, .alpha = 1, .beta = -1},
      {.type = OperatorType::activation_identity}};
  const auto ramped = [](float x, const Activation& f) {
    if (f.type == OperatorType::activation_identity) return x;
    if (f.type == OperatorType::activation_relu) return x < 0 ? 0 : x;
    if (f.type == OperatorType::activation_leaky_relu) return x < 0 ? x * f.alpha : x;
    const float raised = x < f.alpha ? f.alpha : x;
    return raised > f.beta ? f.beta : raised;
  };
  const PlanOptions options{.threads = 2, .max_isa = GetParam()};
  const auto check = [&](const ConvolutionParams& params, const Floats& x) {
    const Halves w = ops::halves(numbers(ops::count_of(params.filter)));
    const Halves b = ops::halves(numbers(params.output.sizes[1]));
    const Plan of_sums = plan(params, options), of_halves = plan(ops::as_halves(params), options);
    const Floats sums = ops::run(of_sums, x, ops::widened(w), ops::widened(b));
    const Halves narrow = ops::run(of_halves, ops::halves(x), w, b);
    for (const Activation& function : functions) {
      SCOPED_TRACE(name(function.type));
      Floats expected = sums;
      for (float& value : expected) value = ramped(value, function);
      Halves expected_halves = narrow;
      for (std::uint16_t& value : expected_halves) {
        const auto wide = static_cast<float>(testing::half_to_double(value));
        if (!std::isnan(wide)) value = testing::double_to_half(double{ramped(wide, function)});
      }
      ConvolutionParams with = params;
      with.fused_activation = function;
      const Plan plan_with = plan(with, options);
      EXPECT_EQ(plan_with.explain(), of_sums.explain());
      EXPECT_TRUE(
          ops::same_bits(ops::run(plan_with, x, ops::widened(w), ops::widened(b)), expected));
      const Plan halves_with = plan(ops::as_halves(with), options);
      EXPECT_EQ(halves_with.explain(), of_halves.explain());
      EXPECT_EQ(ops::run(halves_with, ops::halves(x), w, b), expected_halves);
    }
  };
  for (const ConvolutionParams& params : layers()) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes) + ", filter " +
                 ::testing::PrintToString(params.filter.sizes));
    Floats x = numbers(ops::count_of(params.input));
    check(params, x);
    x[x.size() / 2] = NAN;
    x.back() = INFINITY;
    check(params, x);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, RampedResultsTest,
                         ::testing::Values(Isa::base, Isa::sse4, Isa::avx2, Isa::avx512, Isa::amx),
                         [](const auto& info) { return std::string(name(info.param)); });

INSTANTIATE_TEST_SUITE_P(Levels, OnePositionTest, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace weft
