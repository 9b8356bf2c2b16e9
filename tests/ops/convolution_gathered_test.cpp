#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::Floats;
using ops::Halves;
using ::testing::HasSubstr;

// Strips that go on in the next row and the one after it, that lack taps and that do not; windows
// far apart, whose taps are copied four at a time; one tap, cut from rows; several blocks of
// channels, panels that are not full, boxes, images and groups.
const ops::Layer gathered_layers[] = {
    {1, 1, 3, 200, {64, 64}, 16, 16},
    {2, 1, 2, 130, {36, 45}, 9, 9},
    {1, 1, 3, 150, {48, 40}, 7, 4, 1, 3},
    {1, 1, 70, 300, {14, 14}, 3, 2, 1, 1},
    {2, 1, 40, 257, {7, 7}, 5, 1, 1, 2},
    {1, 2, 60, 160, {13, 3}, 3, 2, 1, 1},
    {1, 1, 180, 520, {401}, 3, 2},
    {1, 1, 33, 512, {150}, 10, 5, 1, 4},
    {1, 1, 300, 310, {14, 14}, 1, 2},
    {2, 1, 1100, 60, {3, 9, 10}, 1, 2},
    {1, 1, 30, 520, {3, 14, 14}, 3, 2, 1, 1},
    {1, 1, 1200, 60, {31, 31}, 1, 2, 1, 1},
    {1, 1, 24, 430, {11, 12}, 5, 2, 1, 2},
};

class GatheredTest : public ops::NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx2); }

  static PlanOptions options(unsigned threads, bool strict) {
    PlanOptions result{.threads = threads, .max_isa = Isa::avx2, .strict = strict};
    result.winograd = Winograd::never;
    return result;
  }
};

TEST_F(GatheredTest, IsChosen) {
  const ops::Layer layers[] = {{1, 1, 3, 768, {224, 224}, 16, 16},
                               {1, 1, 512, 512, {14, 14}, 3, 2, 1, 1},
                               {1, 1, 2048, 512, {7, 7}}};
  for (const ops::Layer& layer : layers) {
    EXPECT_THAT(plan(ops::layer(layer), options(1, false)).explain(), HasSubstr("gathered"))
        << ops::text(layer);
  }
  const ops::Layer few = {1, 1, 64, 32, {28, 28}, 3, 2, 1, 1};
  EXPECT_THAT(plan(ops::layer(few), options(1, false)).explain(),
              ::testing::Not(HasSubstr("gathered")));
}

TEST_F(GatheredTest, SumsAreChains) {
  for (const ops::Layer& layer : gathered_layers) {
    const ConvolutionParams params = ops::layer(layer);
    const Floats x = numbers(ops::count_of(params.input)),
                 w = numbers(ops::count_of(params.filter));
    const Floats b = numbers(ops::count_of(*params.bias));
    const Floats expected = reference::chains(params, x, w, b);
    for (const unsigned threads : {1u, 2u, 5u}) {
      const Floats y = ops::run(plan(params, options(threads, true)), x, w, b);
      ASSERT_EQ(y.size(), expected.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], expected[i])
            << "at " << i << ", " << ops::text(layer) << ", " << threads << " threads";
      }
    }
  }
}

// BACKWARD, phases of a row are computed together, and some have a position less than others.
TEST_F(GatheredTest, PhasesAreChains) {
  for (const std::uint32_t window : {3u, 5u, 6u}) {
    for (const std::uint32_t width : {5u, 9u}) {
      ConvolutionParams params;
      params.mode = ConvolutionMode::cross_correlation;
      params.direction = ConvolutionDirection::backward;
      params.input.sizes = {1, 90, 7, width};
      params.filter.sizes = {90, 420, window, window};
      params.bias = TensorDesc{.sizes = {1, 420, 1, 1}};
      params.strides = {2, 2};
      params.start_padding = params.end_padding = {1, 1};
      params.output.sizes = output_sizes(params);
      const Floats x = numbers(ops::count_of(params.input)),
                   w = numbers(ops::count_of(params.filter));
      const Floats b = numbers(420);
      const Floats expected = reference::chains(params, x, w, b);
      for (const unsigned threads : {1u, 3u}) {
        EXPECT_EQ(ops::run(plan(params, options(threads, true)), x, w, b), expected)
            << window << ", " << width << " columns, " << threads << " threads";
      }
    }
  }
}

// Not strict, a sum is some of fewer terms, each a chain, that are added one after the other.
TEST_F(GatheredTest, LongSumsAreSomeChains) {
  constexpr std::uint32_t kIn = 70, kOut = 300, kChain = 14;  // of 126 terms
  const ConvolutionParams params = ops::layer({1, 1, kIn, kOut, {14, 13}, 3, 2, 1, 1});
  const ConvolutionParams part = ops::layer({1, 1, kChain, kOut, {14, 13}, 3, 2, 1, 1});
  const Floats x = numbers(ops::count_of(params.input)), w = numbers(ops::count_of(params.filter));
  const Floats b = numbers(kOut);
  const std::size_t plane = 14 * 13, taps = 9;
  Floats expected(ops::count_of(params.output));
  for (std::size_t c = 0; c < kIn; c += kChain) {
    const Floats part_x(x.begin() + c * plane, x.begin() + (c + kChain) * plane);
    Floats part_w;
    for (std::size_t o = 0; o < kOut; ++o) {
      const auto first = w.begin() + (o * kIn + c) * taps;
      part_w.insert(part_w.end(), first, first + kChain * taps);
    }
    const Floats sums = reference::chains(part, part_x, part_w, Floats(kOut));
    for (std::size_t i = 0; i < sums.size(); ++i)
      expected[i] = c == 0 ? sums[i] : expected[i] + sums[i];
  }
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += b[i / (expected.size() / kOut)];
  for (const unsigned threads : {1u, 3u}) {
    EXPECT_EQ(ops::run(plan(params, options(threads, false)), x, w, b), expected) << threads;
  }
}

TEST_F(GatheredTest, Float16IsRoundedAtTheEnd) {
  for (const ops::Layer& layer : gathered_layers) {
    ConvolutionParams params = ops::layer(layer);
    params.fused_activation = Activation{.type = OperatorType::activation_relu};
    const Halves x = ops::halves(numbers(ops::count_of(params.input)));
    const Halves w = ops::halves(numbers(ops::count_of(params.filter)));
    const Halves b = ops::halves(numbers(ops::count_of(*params.bias)));
    Floats sums =
        reference::chains(ops::layer(layer), ops::widened(x), ops::widened(w), ops::widened(b));
    for (float& y : sums) y = std::max(y, 0.0f);
    EXPECT_EQ(ops::run(plan(ops::as_halves(params), options(2, true)), x, w, b), ops::halves(sums))
        << ops::text(layer);
  }
}

}  // namespace
}  // namespace weft
