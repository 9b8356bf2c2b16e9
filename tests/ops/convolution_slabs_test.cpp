#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <regex>
#include <string>

#include "base/cpu.h"
#include "base/fetch.h"
#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::count_of;
using ops::Floats;

struct SlabShape {
  std::uint32_t batch, groups, in, out;  // channels a group
  Dims spatial;
  bool slabs = true;
};

// Strips that end with the image and such that go over some positions twice, channels that share
// cache sets and that lie between lines, one panel and many, runs that are more than the products
// of a slab; and layers that are summed otherwise.
const SlabShape slab_shapes[] = {
    {1, 1, 48, 32, {40, 40}},        {2, 1, 64, 64, {31, 16}},   {1, 2, 80, 80, {8, 40}},
    {1, 1, 96, 16, {112, 112}},      {3, 1, 113, 8, {14, 14}},   {1, 1, 240, 40, {28, 28}},
    {2, 1, 65, 33, {1536}},          {1, 1, 300, 4, {6, 9, 10}}, {1, 3, 49, 14, {37, 7}},
    {2, 2, 150, 9, {3, 33}},         {1, 1, 520, 30, {8, 8, 8}}, {1, 1, 40, 32, {40, 40}, false},
    {1, 1, 64, 65, {32, 32}, false}, {1, 1, 200, 160, {24, 24}}, {1, 1, 160, 155, {32, 32}, false},
    {2, 1, 65, 33, {1024}, false},
};

ConvolutionParams slab_params(const SlabShape& s) {
  return ops::pointwise(s.batch, s.groups, s.in, s.out, s.spatial);
}

class SlabsTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }
};

class SlabsPlanTest : public ops::NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx512); }
};

TEST_P(SlabsTest, SumsAreChains) {
  for (const SlabShape& shape : slab_shapes) {
    if (ops::has_chains_across(GetParam(), shape.in, shape.out)) continue;
    ConvolutionParams params = slab_params(shape);
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    const Floats sums = reference::chains(params, x, w, b);
    for (const OperatorType function :
         {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
      params.fused_activation = {.type = function, .alpha = 0.25f};
      const float below = function == OperatorType::activation_relu ? 0 : 0.25f;
      for (const unsigned threads : {1u, 2u, 5u}) {
        const Floats y =
            ops::run(plan(params, {.threads = threads, .max_isa = GetParam()}), x, w, b);
        ASSERT_EQ(y.size(), sums.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_EQ(y[i], sums[i] < 0 ? below * sums[i] : sums[i])
              << "at " << i << ", " << shape.in << " to " << shape.out << " channels, "
              << shape.spatial.back() << " columns, " << threads << " threads";
        }
      }
    }
  }
}

// Of AVX-512; vectors half as long have other panels, and so sometimes no slabs. On AMD more output
// channels have packed strips, and on Zen 5 channels at lines another order; on machines with a
// matrix unit some of these.
TEST_F(SlabsPlanTest, AreChosen) {
  constexpr std::uint32_t kFewestPacked = 24;
  for (const SlabShape& shape : slab_shapes) {
    if (base::is_amd() && shape.out >= kFewestPacked) continue;
    const auto positions =
        std::accumulate(shape.spatial.begin(), shape.spatial.end(), 1u, std::multiplies<>());
    const bool at_lines = positions % base::kLineFloats == 0;
    if (base::machine_has(Isa::amx) && at_lines) continue;
    const bool slabs = shape.slabs && !(base::is_zen5() && at_lines);
    const std::string text = plan(slab_params(shape), {.max_isa = Isa::avx512}).explain();
    std::smatch match;
    ASSERT_TRUE(std::regex_search(text, match, std::regex("(\\d+) input channels"))) << text;
    EXPECT_EQ(std::stoul(match[1]) < shape.in, slabs) << text;
  }
}

// Of many channels, however they are summed: no position otherwise by other threads, and all with
// no larger an error than by one chain.
const SlabShape deep_shapes[] = {{1, 1, 512, 64, {14, 14}},   {3, 1, 576, 96, {14, 14}},
                                 {2, 1, 200, 33, {13, 13}},   {1, 2, 256, 48, {15, 11}},
                                 {1, 1, 1030, 32, {7, 5, 5}}, {1, 1, 384, 192, {19, 19}}};

TEST_P(SlabsTest, DeepOnesAreTheSameForAllThreads) {
  for (const SlabShape& shape : deep_shapes) {
    ConvolutionParams params = slab_params(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    const auto run = [&](unsigned threads) {
      return ops::run(plan(params, {.threads = threads, .max_isa = GetParam()}), x, w, b);
    };
    const Floats y = run(1);
    const reference::ExpectedTensor exact = ops::exact_sums(params, x, w, b);
    EXPECT_LE(ops::squared_error(y, exact),
              ops::squared_error(reference::chains(params, x, w, b), exact));
    for (const unsigned threads : {2u, 3u, 7u}) EXPECT_TRUE(ops::same_bits(run(threads), y));
    params.fused_activation = {.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    const Floats leaky = run(2);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(leaky[i], y[i] < 0 ? 0.25f * y[i] : y[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, SlabsTest, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace weft
