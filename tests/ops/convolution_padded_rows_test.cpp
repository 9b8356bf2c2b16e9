#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/checked_case.h"
#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::Floats;
using ops::Layer;
using ops::text;
using ::testing::HasSubstr;
using ::testing::Not;
using Values = random_cases::Values;

constexpr const char* kInPlace = ", rows in place";

// One strip a row and several, of one position and of many; by one and by two, whose last windows
// reach into the padding and whose do not; no padding at all; panels that are not full; several
// blocks of channels, images and boxes; layers that lie outside of some windows.
const Layer padded_layers[] = {
    {1, 4, 16, 16, {24, 24}, 3, 1, 1, 1},
    {1, 2, 16, 16, {24, 24}, 3, 2, 1, 1},
    {2, 1, 24, 48, {12, 12}, 3, 1, 1, 1},
    {2, 3, 16, 16, {9, 28}, 3, 1, 1, 1},
    {1, 2, 16, 16, {28, 28}, 3, 2, 1, 1},
    {2, 2, 16, 32, {15, 27}, 3, 2, 1, 1},
    {1, 1, 20, 40, {14, 14}, 3, 1, 1, 1},
    {1, 3, 9, 16, {5, 1}, 3, 1, 1, 1},
    {1, 3, 9, 16, {5, 2}, 3, 2, 1, 1},
    {1, 2, 16, 16, {17, 29}, 3, 2},
    {1, 2, 16, 16, {17, 18}, 3},
    {2, 1, 70, 48, {7, 7}, 3, 1, 1, 1},
    {1, 2, 16, 16, {6, 9, 14}, 3, 1, 1, 1},
    {1, 2, 16, 32, {5, 8, 14}, 3, 2, 1, 1},
    {1, 4, 16, 16, {300}, 3, 1, 1, 1},
};

Plan without_winograd(const Layer& layer, PlanOptions options) {
  options.winograd = Winograd::never;
  return plan(ops::layer(layer), options);
}

class PaddedRowsTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  static Plan plan_of(const Layer& layer, unsigned threads = 1, bool strict = false) {
    return without_winograd(layer, {.threads = threads, .max_isa = GetParam(), .strict = strict});
  }
};

INSTANTIATE_TEST_SUITE_P(, PaddedRowsTest, ::testing::Values(Isa::avx512, Isa::avx2),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(PaddedRowsTest, AreReadInPlace) {
  for (const Layer& layer :
       {Layer{1, 4, 16, 16, {24, 24}, 3, 1, 1, 1}, Layer{1, 4, 16, 48, {24, 24}, 3, 2, 1, 1}}) {
    EXPECT_THAT(plan_of(layer).explain(), HasSubstr(kInPlace)) << text(layer);
  }
  // Padding of two, windows that are dilated, or all channels at one set of the cache.
  for (const Layer& layer :
       {Layer{1, 4, 16, 16, {24, 24}, 3, 1, 1, 2}, Layer{1, 4, 16, 16, {24, 24}, 3, 1, 2, 2},
        Layer{1, 4, 16, 16, {32, 32}, 3, 1, 1, 1}}) {
    EXPECT_THAT(plan_of(layer).explain(), Not(HasSubstr(kInPlace))) << text(layer);
  }
}

TEST_P(PaddedRowsTest, SumsAreChains) {
  int in_place = 0;
  for (const Layer& layer : padded_layers) {
    const ConvolutionParams params = ops::layer(layer);
    const Floats x = numbers(ops::count_of(params.input)),
                 w = numbers(ops::count_of(params.filter));
    const Floats b = numbers(ops::count_of(*params.bias));
    const Floats expected = reference::chains(params, x, w, b);
    for (const unsigned threads : {1u, 2u, 5u}) {
      const Plan strict = plan_of(layer, threads, true);
      in_place += strict.explain().find(kInPlace) != std::string::npos ? 1 : 0;
      EXPECT_EQ(ops::run(strict, x, w, b), expected) << text(layer) << ", " << threads;
    }
  }
  EXPECT_GE(in_place, 12);
}

// Padding is no zero that a weight is multiplied by.
TEST_P(PaddedRowsTest, AnyNumberIsRight) {
  std::uint64_t seed = 1;
  for (const Layer& layer : padded_layers) {
    testing::expect_right(ops::layer(layer), ++seed, Values::special);
    testing::expect_right(ops::layer(layer), ++seed);
  }
}

class HalvedPaddedRowsTest : public ops::NumbersTest {
 protected:
  void SetUp() override { skip_without_halved(); }
};

// A Zen 4 takes vectors of channels there where those of positions would not be full.
TEST_F(HalvedPaddedRowsTest, AreBest) {
  const auto explain = [](const Layer& layer) {
    return without_winograd(layer, {.threads = 1, .max_isa = Isa::avx512}).explain();
  };
  for (const Layer& layer :
       {Layer{1, 4, 16, 16, {56, 56}, 3, 1, 1, 1}, Layer{1, 4, 16, 16, {56, 56}, 3, 2, 1, 1},
        Layer{1, 1, 16, 32, {112, 112}, 3, 2, 1, 1}}) {
    EXPECT_THAT(explain(layer), HasSubstr(kInPlace)) << text(layer);
  }
  EXPECT_THAT(explain({1, 4, 16, 16, {48, 48}, 3, 1, 1, 1}), Not(HasSubstr(kInPlace)));
}

}  // namespace
}  // namespace weft
