// The chains of terms that the general plan's sums are made of.

#include <gtest/gtest.h>

#include <limits>

#include "ops/split_case.h"

namespace weft::ops {
namespace {

class ChainsTest : public NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  PlanOptions options(unsigned threads = 1) const {
    return {.threads = threads, .max_isa = GetParam(), .winograd = Winograd::never};
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, ChainsTest,
                         ::testing::Values(Isa::base, Isa::sse4, Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(ChainsTest, ErrorOfLongSumsIsFarBelowThatOfOneChain) {
  constexpr std::uint32_t kOut = 20;
  for (const Shape& shape :
       {Shape{1, 2000, kOut, 1, 3, 3, 1, 1, 1}, Shape{1, 400, kOut, 1, 3, 3, 3, 1, 1},
        Shape{1, 900, kOut, 1, 2, 2, 3, 2, 1, ConvolutionDirection::backward}}) {
    const ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b(kOut, 0.0f);
    const reference::ExpectedTensor exact = exact_sums(params, x, w, b);
    const Floats one_chain = run(plan(params, {.max_isa = GetParam(), .strict = true}), x, w, b);
    EXPECT_LT(4 * squared_error(run(plan(params, options()), x, w, b), exact),
              squared_error(one_chain, exact));
  }
}

// Where its tap lies in the padding, an infinite weight is as good as 0, whatever the tile.
TEST_P(ChainsTest, InfinitiesInThePaddingChangeNoBit) {
  const ConvolutionParams params = params_of({1, 300, 20, 1, 7, 9, 3, 1, 1});
  const Floats x = numbers(count_of(params.input)), b = numbers(20);
  Floats w = numbers(count_of(params.filter));
  for (std::size_t i = 0; i < w.size(); i += 9) w[i] = 0;
  const Floats expected = run(plan(params, options()), x, w, b);
  for (std::size_t i = 0; i < w.size(); i += 9) w[i] = std::numeric_limits<float>::infinity();
  const std::size_t rows = params.output.sizes[2], columns = params.output.sizes[3];
  for (const unsigned threads : {1u, 2u, 7u}) {
    const Floats y = run(plan(params, options(threads)), x, w, b);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i / columns % rows > 0 && i % columns > 0) continue;
      ASSERT_EQ(y[i], expected[i]) << i << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace weft::ops
