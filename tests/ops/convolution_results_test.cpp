#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Levels, OnePositionTest, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace weft
