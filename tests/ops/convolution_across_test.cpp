#include <gtest/gtest.h>

#include <cstdlib>

#include "ops/checked_case.h"
#include "ops/split_case.h"
#include "reference/chains.h"

namespace weft {
namespace {

using ops::count_of;
using ops::Floats;
using ops::Halves;

// Sizes in one, two or three dimensions; the same window and padding along all, and the same stride
// but where there are strides.
struct AcrossShape {
  std::uint32_t batch, groups, in, out;  // channels a group
  Dims spatial;
  std::uint32_t window, stride, dilation, padding;
  Dims strides = {};
};

// Rows that fill vectors of 16, or nearly so, and of 8; those that are one where they have one tap;
// channels that are a power of two apart, between cache lines, and too many for one tile.
const AcrossShape shapes[] = {
    {1, 1, 64, 40, {32, 32}, 1, 1, 1, 0},
    {2, 1, 20, 33, {14, 14}, 1, 1, 1, 0},
    {1, 1, 200, 24, {30, 31}, 1, 2, 1, 0},
    {2, 2, 17, 9, {11, 13}, 1, 2, 1, 0},
    {1, 1, 33, 16, {9, 10, 12}, 1, 2, 1, 0},
    {1, 1, 520, 30, {61, 7}, 1, 1, 1, 0},
    {1, 1, 1000, 20, {65, 33}, 1, 2, 1, 0},
    {1, 1, 40, 20, {31, 40}, 1, 1, 1, 1},
    {1, 1, 40, 20, {31, 63}, 1, 2, 1, 1},
    {1, 1, 3, 20, {21, 65}, 3, 2, 1, 1},
    {1, 1, 3, 33, {21, 129}, 7, 2, 1, 3},
    {1, 1, 5, 20, {15, 190}, 5, 3, 1, 2},
    {1, 1, 5, 20, {21, 97}, 3, 3, 3, 0},
    {1, 1, 5, 20, {33, 67}, 3, 2, 2, 2},
    {2, 1, 3, 16, {20, 224}, 3, 2, 1, 1},
    {1, 2, 3, 24, {13, 111}, 3, 1, 1, 1},
    {1, 1, 2, 16, {10, 150}, 3, 1, 60, 60},
    {1, 1, 3, 16, {4, 9, 130}, 3, 2, 1, 1},
    {1, 1, 80, 40, {500}, 3, 1, 1, 1},
    {1, 1, 30, 16, {1001}, 5, 2, 1, 2},
    {1, 1, 2, 16, {5, 9, 64}, 3, 1, 1, 1},
    {1, 1, 2, 16, {5, 9, 67}, 3, 2, 1, 1},
    {1, 1, 1024, 17, {64}, 1, 1, 1, 0},
    {1, 1, 40, 30, {40, 40}, 1, 1, 1, 0},
    {1, 1, 50, 120, {19, 19}, 1, 1, 1, 0},
    {2, 1, 60, 250, {14, 14}, 1, 1, 1, 0},
    {1, 1, 48, 70, {40, 40}, 1, 1, 1, 0},
    {2, 1, 256, 330, {14, 14}, 1, 1, 1, 0},
    {1, 1, 300, 310, {25, 25}, 1, 2, 1, 0},
    {2, 1, 300, 30, {14, 14}, 1, 1, 1, 0},
    {1, 1, 130, 20, {64, 64}, 1, 1, 1, 0},
    {1, 1, 16, 16, {7, 900}, 1, 2, 1, 0},
    {1, 1, 9, 53, {3, 299}, 1, 2, 1, 0},
    {1, 1, 16, 17, {40, 150}, 1, 1, 1, 0, {2, 1}},
    {1, 1, 37, 16, {5, 20, 49}, 1, 1, 1, 0, {1, 2, 1}},
    {1, 1, 16, 64, {1024, 1}, 1, 1, 1, 0, {1, 2}},
    {1, 1, 16, 20, {6, 900, 1}, 1, 1, 1, 0, {2, 1, 3}},
    {1, 1, 3, 24, {40, 132}, 4, 4, 1, 0},
    {1, 1, 3, 40, {37, 150}, 5, 5, 1, 2},
    {1, 2, 2, 18, {30, 200}, 11, 4, 1, 3},
    {2, 1, 1, 70, {1613}, 10, 5, 1, 1},
    {1, 1, 1, 45, {6000}, 16, 8, 1, 4},
    {1, 1, 3, 30, {60, 230}, 3, 2, 1, 1},
    {1, 1, 6, 40, {30, 200}, 3, 1, 40, 40},
};

ConvolutionParams across_params(const AcrossShape& s) {
  const std::size_t rank = s.spatial.size();
  ConvolutionParams p = ops::pointwise(s.batch, s.groups, s.in, s.out, s.spatial);
  std::fill(p.filter.sizes.begin() + 2, p.filter.sizes.end(), s.window);
  p.strides = s.strides.empty() ? Dims(rank, s.stride) : s.strides;
  p.dilations = Dims(rank, s.dilation);
  p.start_padding = p.end_padding = Dims(rank, s.padding);
  p.fused_activation = Activation{.type = OperatorType::activation_relu};
  p.output.sizes = output_sizes(p);
  return p;
}

class AcrossTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }
};

// Strict mode has tests of its own; where multiply-adds are fused its chains are those of this way,
// but of few terms with a bias, of which another bit may not depend on the tiles, either.
TEST_P(AcrossTest, SumsAreTheChainsOfStrictMode) {
  for (const AcrossShape& shape : shapes) {
    if (ops::has_chains_across(GetParam(), shape.in, shape.out)) continue;
    ConvolutionParams params = across_params(shape);
    // After the sums, where it is not RELU.
    if (shape.out % 10 == 0) {
      params.fused_activation = {.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    }
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    const auto results = [&](unsigned threads, bool strict) {
      PlanOptions options{.threads = threads, .max_isa = GetParam(), .strict = strict};
      options.winograd = Winograd::never;
      return ops::run(plan(params, options), x, w, params.bias ? b : Floats{});
    };
    const double terms = shape.in * std::pow(shape.window, shape.spatial.size());
    for (const bool with_bias : {true, false}) {
      if (!with_bias) params.bias.reset();
      const Floats expected = results(1, !with_bias || shape.window == 1 || terms > 32);
      for (const unsigned threads : {1u, 3u}) {
        const Floats y = results(threads, false);
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_EQ(y[i], expected[i])
              << "at " << i << ", " << shape.in << " channels, " << shape.spatial.back()
              << " columns, window " << shape.window << ", stride " << shape.stride << ", "
              << threads << " threads";
        }
      }
    }
  }
}

// Lines in place and copied strip by strip, of one panel and of several, with as few outputs as
// one: the chains, said once more.
TEST_P(AcrossTest, LinesAreChains) {
  for (const std::uint32_t in : {15u, 16u, 64u, 300u}) {
    for (const std::uint32_t out : {1u, 3u, 8u, 13u, 30u, 120u}) {
      for (const std::uint32_t size : {1u, 17u, 33u, 49u, 1024u, 1031u, 2048u, 6000u}) {
        if (in * out * size > 3'000'000) continue;
        ConvolutionParams params;
        params.mode = ConvolutionMode::cross_correlation;
        params.input.sizes = {2, in, size, 1};
        params.filter.sizes = {out, in, 1, 1};
        params.bias = TensorDesc{.sizes = {1, out, 1, 1}};
        params.output.sizes = {2, out, size, 1};
        const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
        const Floats b = numbers(out);
        const Floats expected = reference::chains(params, x, w, b);
        for (const unsigned threads : {1u, 3u}) {
          // Without strict mode, that many terms are several chains where they are not across.
          const PlanOptions options{.threads = threads, .max_isa = GetParam(), .strict = in > 128};
          const Floats y = ops::run(plan(params, options), x, w, b);
          ASSERT_EQ(y.size(), expected.size());
          for (std::size_t i = 0; i < y.size(); ++i) {
            ASSERT_EQ(y[i], expected[i]) << "at " << i << ", " << in << " to " << out
                                         << " channels, " << size << " positions";
          }
        }
      }
    }
  }
}

// Rows of which a tile takes a part, at stride 2: its elements of odd number end anywhere.
TEST_P(AcrossTest, PartsOfRowsAreChains) {
  for (const std::uint32_t size : {400u, 769u, 9000u}) {
    for (const std::uint32_t window : {2u, 3u, 4u, 5u}) {
      for (const std::uint32_t padding : {0u, 1u, 2u, 3u}) {
        ConvolutionParams params = across_params({1, 1, 4, 16, {size}, window, 2, 1, padding});
        params.fused_activation.reset();
        params.bias.reset();
        const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
        const Floats expected = reference::chains(params, x, w, Floats(16));
        for (const unsigned threads : {1u, 3u}) {
          const Floats y =
              ops::run(plan(params, {.threads = threads, .max_isa = GetParam()}), x, w, {});
          EXPECT_EQ(y, expected) << size << " columns, window " << window << ", padding "
                                 << padding;
        }
      }
    }
  }
}

// The same chains, rounded once: as they are stored, or after a function.
TEST_P(AcrossTest, Float16IsRoundedAtTheEnd) {
  for (const AcrossShape& shape : shapes) {
    ConvolutionParams params = across_params(shape);
    if (shape.out % 2 != 0) {
      params.fused_activation =
          Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    }
    const Halves x = ops::halves(numbers(count_of(params.input)));
    const Halves w = ops::halves(numbers(count_of(params.filter)));
    const Halves b = ops::halves(numbers(count_of(*params.bias)));
    const PlanOptions strict{.threads = 1, .max_isa = GetParam(), .strict = true};
    const Halves expected = ops::halves(
        ops::run(plan(params, strict), ops::widened(x), ops::widened(w), ops::widened(b)));
    for (const unsigned threads : {1u, 3u}) {
      PlanOptions options{.threads = threads, .max_isa = GetParam()};
      options.winograd = Winograd::never;
      EXPECT_EQ(ops::run(plan(ops::as_halves(params), options), x, w, b), expected)
          << shape.in << " channels, " << shape.spatial.back() << " columns, window "
          << shape.window << ", stride " << shape.stride;
    }
  }
}

// BACKWARD that crops: rows that follow each other in input and output, of a larger image.
TEST(AcrossCropped, RowsThatFollowEachOther) {
  std::uint64_t seed = 0;
  for (const std::uint32_t width : {9u, 14u, 20u, 40u}) {
    for (const std::uint32_t out : {3u, 8u, 30u}) {
      ConvolutionParams params;
      params.mode = ConvolutionMode::cross_correlation;
      params.direction = ConvolutionDirection::backward;
      params.input.sizes = {2, 50, 16, width};
      params.filter.sizes = {50, out, 1, 1};
      params.start_padding = {1, 0};
      params.end_padding = {2, 0};
      params.output.sizes = output_sizes(params);
      for (int level = 0; level < 5; ++level) {
        testing::expect_right(params, ++seed);
        testing::expect_right(ops::as_halves(params), seed);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, AcrossTest, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace weft
