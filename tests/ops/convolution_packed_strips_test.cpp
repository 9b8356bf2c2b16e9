#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "base/fetch.h"
#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::Floats;
using ops::Halves;

// One tap: strips read where they lie, and such whose channels share sets of the cache, which are
// copied before; rows that end with one vector, panels that are not full, few channels and few
// outputs, several boxes, images and groups. Several taps: strips with all of them and strips that
// lack some; of few channels, read where they lie.
const ops::Layer packed_layers[] = {
    {1, 1, 48, 48, {10, 10}},
    {2, 1, 50, 53, {15, 17}},
    {1, 2, 64, 61, {7, 30}},
    {1, 1, 200, 100, {14, 14}},
    {1, 1, 129, 48, {20, 20}},
    {2, 1, 256, 52, {13, 13}},
    {1, 2, 260, 64, {19, 16}},
    {1, 1, 300, 71, {25, 25}, 1, 2},
    {1, 1, 640, 49, {1100}},
    {1, 1, 1024, 50, {3, 8, 8}},
    {1, 1, 60, 48, {41, 43}},
    {1, 1, 96, 50, {64, 64}},
    {1, 1, 128, 52, {4, 16, 16}},
    {1, 1, 70, 70, {2000}},
    {1, 1, 52, 49, {31, 33}, 1, 2},
    {2, 1, 48, 60, {12, 9, 10}, 1, 2},
    {1, 1, 20, 24, {31, 30}},
    {2, 1, 96, 26, {27, 28}},
    {1, 2, 24, 31, {2, 5, 77}},
    {1, 1, 384, 32, {14, 14}},
    {3, 1, 272, 25, {9, 41}},
    {1, 1, 129, 29, {1500}},
    {1, 1, 9, 30, {12, 40}, 3, 1, 1, 1},
    {2, 1, 8, 26, {11, 70}, 3, 2, 1, 1},
    {1, 2, 12, 33, {9, 35}, 3, 1, 2, 2},
    {1, 1, 40, 70, {333}, 3, 1, 1, 1},
    {1, 1, 10, 40, {5, 6, 50}, 3, 1, 1, 1},
    {1, 1, 3, 30, {20, 75}, 7, 2, 1, 3},
    {2, 1, 2, 27, {9, 50}, 5, 1, 1, 2},
};

// Of float32 and one tap: of as many equal parts as have up to 128.
std::int64_t channels_a_chain(const ops::Layer& layer) {
  const std::int64_t chains = (layer.in + 127) / 128;
  return (layer.in + chains - 1) / chains;
}

class PackedStripsTest : public ops::NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx2); }

  // With 1, 2 and 5 threads, and activations.
  void expect_chains(const ops::Layer& layer, Isa isa) {
    ConvolutionParams params = ops::layer(layer);
    const Floats x = numbers(ops::count_of(params.input)),
                 w = numbers(ops::count_of(params.filter));
    const Floats b = numbers(ops::count_of(*params.bias));
    const Floats sums = reference::chains(params, x, w, b, channels_a_chain(layer));
    for (const float slope : {1.0f, 0.25f, 0.0f}) {
      if (slope != 1) {
        params.fused_activation =
            slope == 0 ? Activation{.type = OperatorType::activation_relu}
                       : Activation{.type = OperatorType::activation_leaky_relu, .alpha = slope};
      }
      Floats expected = sums;
      for (float& y : expected) y = y < 0 ? slope * y : y;
      for (const unsigned threads : {1u, 2u, 5u}) {
        PlanOptions options{.threads = threads, .max_isa = isa};
        options.winograd = Winograd::never;
        const Floats y = ops::run(plan(params, options), x, w, b);
        ASSERT_EQ(y.size(), expected.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_EQ(y[i], expected[i])
              << "at " << i << ", " << ops::text(layer) << ", " << threads << " threads";
        }
      }
    }
  }
};

TEST_F(PackedStripsTest, SumsAreChains) {
  for (const ops::Layer& layer : packed_layers) {
    expect_chains(layer, Isa::avx2);
    if (HasFatalFailure()) return;
  }
}

TEST_F(PackedStripsTest, SumsOfAvx512AreChains) {
  skip_without_known(Isa::avx512);
  if (IsSkipped()) return;
  for (const ops::Layer& layer : packed_layers) {
    if (layer.window > 1 || (layer.out > layer.in && layer.in > 128)) continue;
    expect_chains(layer, Isa::avx512);
    if (HasFatalFailure()) return;
  }
}

// Where output channels lie along vectors instead, a block is of one chain or of two.
TEST_F(PackedStripsTest, AreOfAllChannelsOnZen5) {
  skip_without(Isa::avx512);
  if (IsSkipped()) return;
  if (!base::is_zen5()) GTEST_SKIP() << "not a Zen 5";
  const auto explain = [](const ops::Layer& layer) {
    return plan(ops::layer(layer), {.threads = 1, .max_isa = Isa::avx512}).explain();
  };
  const auto at_once = ::testing::HasSubstr(" 512 input channels at a time");
  EXPECT_THAT(explain({1, 1, 512, 64, {14, 14}}), at_once);
  EXPECT_THAT(explain({1, 1, 512, 64, {7, 7}}), ::testing::Not(at_once));
}

TEST_F(PackedStripsTest, StrictSumsAreOneChain) {
  for (const ops::Layer& layer : packed_layers) {
    if (channels_a_chain(layer) == layer.in) continue;
    const ConvolutionParams params = ops::layer(layer);
    const Floats x = numbers(ops::count_of(params.input)),
                 w = numbers(ops::count_of(params.filter));
    const Floats b = numbers(ops::count_of(*params.bias));
    const PlanOptions options{.threads = 3, .max_isa = Isa::avx2, .strict = true};
    EXPECT_EQ(ops::run(plan(params, options), x, w, b), reference::chains(params, x, w, b))
        << ops::text(layer);
  }
}

TEST_F(PackedStripsTest, AreThoseOfAvx2WhereHalvedVectorsAreLessFull) {
  skip_without_halved();
  if (IsSkipped()) return;
  struct Case {
    ops::Layer layer;
    bool shorter;
  };
  const Case cases[] = {{{1, 1, 96, 576, {14, 14}}, true},   {{1, 2, 128, 50, {14, 14}}, true},
                        {{2, 1, 192, 64, {14, 14}}, true},   {{1, 1, 64, 64, {14, 14}}, false},
                        {{1, 1, 256, 260, {14, 14}}, false}, {{1, 1, 320, 64, {14, 14}}, false},
                        {{1, 1, 128, 512, {28, 28}}, false}, {{1, 1, 256, 64, {20, 20}}, false}};
  for (const Case& of : cases) {
    SCOPED_TRACE(ops::text(of.layer));
    const ConvolutionParams params = ops::layer(of.layer);
    PlanOptions options{.max_isa = Isa::avx512};
    const Plan longer = plan(params, options);
    EXPECT_EQ(longer.algorithm(), of.shorter ? "gemm_f32_avx2" : "gemm_f32_avx512");
    EXPECT_EQ(plan(ops::as_halves(params), options).algorithm(), "gemm_f16_avx512");
    options.strict = true;
    EXPECT_EQ(plan(params, options).algorithm(), "gemm_f32_avx512");
    if (!of.shorter) continue;
    const Floats x = numbers(ops::count_of(params.input)),
                 w = numbers(ops::count_of(params.filter));
    const Floats b = numbers(ops::count_of(*params.bias));
    EXPECT_EQ(ops::run(longer, x, w, b), ops::run(plan(params, {.max_isa = Isa::avx2}), x, w, b));
  }
}

// Channels of the same weights have the same sums, those of a panel that is not full too; phases of
// 48 and of 24 terms.
TEST_F(PackedStripsTest, ChannelsAreSummedAlike) {
  for (const std::uint32_t columns : {40u, 100u}) {
    ConvolutionParams params;
    params.mode = ConvolutionMode::cross_correlation;
    params.direction = ConvolutionDirection::backward;
    params.input.sizes = {1, 8, 12, columns};
    params.filter.sizes = {8, 26, 3, 3};
    params.bias = TensorDesc{.sizes = {1, 26, 1, 1}};
    params.strides = {2, 1};
    params.output.sizes = output_sizes(params);
    const Floats x = numbers(ops::count_of(params.input)), taps = numbers(9 * 8);
    Floats w;
    for (std::size_t i = 0; i < 8; ++i) {
      for (int o = 0; o < 26; ++o) w.insert(w.end(), &taps[9 * i], &taps[9 * i] + 9);
    }
    const Floats y =
        ops::run(plan(params, {.threads = 1, .max_isa = Isa::avx2}), x, w, Floats(26, 0.7f));
    const std::size_t plane = y.size() / 26;
    for (std::size_t i = plane; i < y.size(); ++i) {
      ASSERT_EQ(y[i], y[i % plane]) << columns << ", channel " << i / plane;
    }
  }
}

// As few vectors would be seven tiles of four rows.
TEST_F(PackedStripsTest, ThreadsThatShareTilesEndTogether) {
  const ConvolutionParams params = ops::layer({1, 1, 64, 40, {28, 28}});
  EXPECT_THAT(plan(params, {.threads = 2, .max_isa = Isa::avx2}).explain(),
              ::testing::HasSubstr(", 4 tiles, 2 slots"));
}

TEST_F(PackedStripsTest, TilesBeginWithLinesWhereChannelsDo) {
  const ConvolutionParams params = ops::layer({1, 1, 96, 24, {56, 56}});
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (base::choose_isa(isa) != isa) continue;
    const std::string text = plan(params, {.threads = 2, .max_isa = isa}).explain();
    std::smatch match;
    ASSERT_TRUE(std::regex_search(text, match, std::regex("x (\\d+) positions"))) << text;
    EXPECT_LT(std::stoul(match[1]), 3136u) << text;
    EXPECT_EQ(std::stoul(match[1]) % base::kLineFloats, 0u) << text;
  }
}

TEST_F(PackedStripsTest, Float16IsRoundedAtTheEnd) {
  for (const ops::Layer& layer : packed_layers) {
    ConvolutionParams params = ops::layer(layer);
    const Halves x = ops::halves(numbers(ops::count_of(params.input)));
    const Halves w = ops::halves(numbers(ops::count_of(params.filter)));
    const Halves b = ops::halves(numbers(ops::count_of(*params.bias)));
    Floats sums = reference::chains(params, ops::widened(x), ops::widened(w), ops::widened(b));
    for (const bool relu : {false, true}) {
      if (relu) {
        params.fused_activation = Activation{.type = OperatorType::activation_relu};
        for (float& y : sums) y = std::max(y, 0.0f);
      }
      for (const unsigned threads : {1u, 3u}) {
        // Not strict, sums of many terms are several chains where they are not across.
        PlanOptions options{.threads = threads, .max_isa = Isa::avx2, .strict = layer.in > 128};
        options.winograd = Winograd::never;
        EXPECT_EQ(ops::run(plan(ops::as_halves(params), options), x, w, b), ops::halves(sums))
            << ops::text(layer);
      }
    }
  }
}

}  // namespace
}  // namespace weft
