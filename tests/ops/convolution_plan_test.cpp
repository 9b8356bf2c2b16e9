// The chains of terms that the general plan's sums are made of.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/checked_case.h"
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
  for (const Shape& shape :
       {Shape{1, 2000, 20, 1, 3, 3, 1, 1, 1}, Shape{1, 400, 20, 1, 3, 3, 3, 1, 1},
        Shape{1, 900, 20, 1, 2, 2, 3, 2, 1, ConvolutionDirection::backward},
        // Few output channels: any taps, shared rows, bands of rows.
        Shape{1, 300, 2, 1, 9, 40, 3, 1, 1}, Shape{1, 300, 1, 1, 9, 40, 3, 1, 1},
        Shape{1, 60, 1, 1, 20, 30, 9, 1, 1}}) {
    const ConvolutionParams params = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b(shape.out, 0.0f);
    const reference::ExpectedTensor exact = exact_sums(params, x, w, b);
    const Floats one_chain = run(plan(params, {.max_isa = GetParam(), .strict = true}), x, w, b);
    EXPECT_LT(4 * squared_error(run(plan(params, options()), x, w, b), exact),
              squared_error(one_chain, exact));
  }
}

// The last terms are added to the bias first.
TEST_P(ChainsTest, ErrorOfFirstLayersIsBelowThatOfOneChain) {
  if (GetParam() < Isa::avx2) GTEST_SKIP() << "products are rounded, too";
  for (const Shape& shape :
       {Shape{1, 3, 32, 1, 70, 70, 3, 2, 1}, Shape{1, 3, 64, 1, 50, 50, 3, 1, 1}}) {
    const ConvolutionParams params = params_of(shape);
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(shape.out);
    const reference::ExpectedTensor exact = exact_sums(params, x, w, b);
    const Floats one_chain = run(plan(params, {.max_isa = GetParam(), .strict = true}), x, w, b);
    EXPECT_LT(1.1 * squared_error(run(plan(params, options()), x, w, b), exact),
              squared_error(one_chain, exact));
  }
}

// Where its tap lies in the padding, an infinite weight is as good as 0, whatever the tile.
TEST_P(ChainsTest, InfinitiesInThePaddingChangeNoBit) {
  for (const Shape& shape :
       {Shape{1, 300, 20, 1, 7, 9, 3, 1, 1}, Shape{1, 3, 20, 1, 7, 40, 3, 1, 1}}) {
    ConvolutionParams params = params_of(shape);
    params.end_padding = {1, 1};
    params.output.sizes = output_sizes(params);
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
}

// Of taps that lie far apart, positions read few: sums are those of an input with its padding.
// Rows that one tile takes whole are not multiplied by their padding.
TEST_P(ChainsTest, PaddingIsAsGoodAsZeros) {
  for (const std::uint32_t width : {1, 3, 4, 6, 7, 9, 12, 14, 15, 24}) {
    for (const std::uint32_t channels : {9u, 150u}) {
      ConvolutionParams params = params_of(Shape{1, channels, 70, 1, 6, width + 2, 3, 1, 1});
      params.input.sizes[3] = width;
      params.start_padding = params.end_padding = {1, 1};
      params.output.sizes = output_sizes(params);
      const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
      const Floats b = numbers(70);
      const Floats y = run(plan(params, options(2)), x, w, b);
      params.input.sizes[2] += 2;
      params.input.sizes[3] += 2;
      params.start_padding = params.end_padding = {0, 0};
      Floats zeros_around(count_of(params.input), 0.0f);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t row = i / width, channel = row / 6;
        zeros_around[(channel * 8 + row % 6 + 1) * (width + 2) + i % width + 1] = x[i];
      }
      const Floats expected = run(plan(params, options()), zeros_around, w, b);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], expected[i]) << i << ", " << width << " columns, " << channels;
      }
    }
  }
}

TEST_P(ChainsTest, TapsInThePaddingAreLeftOut) {
  struct Layer {
    Dims size, window, strides, dilations, start_padding, end_padding;
  };
  for (const Layer& s :
       {Layer{{20, 21}, {3, 3}, {1, 1}, {8, 8}, {8, 8}, {8, 8}},
        Layer{{9, 33}, {3, 3}, {1, 1}, {40, 17}, {40, 17}, {40, 17}},  // the middle row of taps
        Layer{{9, 30}, {2, 2}, {1, 1}, {3, 20}, {7, 29}, {5, 24}},  // positions that read nothing
        Layer{{21, 70}, {3, 2}, {3, 2}, {8, 40}, {6, 21}, {9, 38}},
        Layer{{500}, {3}, {1}, {200}, {200}, {200}},
        Layer{{5, 7, 26}, {3, 3, 3}, {1, 1, 1}, {2, 3, 8}, {2, 3, 8}, {2, 3, 8}}}) {
    SCOPED_TRACE(::testing::PrintToString(s.size));
    ConvolutionParams p;
    p.mode = ConvolutionMode::cross_correlation;
    // Not so few terms that they were summed across.
    const std::uint32_t channels = 600 / static_cast<std::uint32_t>(*element_count(s.window));
    p.input.sizes = {1, channels};
    p.filter.sizes = {40, channels};
    p.input.sizes.insert(p.input.sizes.end(), s.size.begin(), s.size.end());
    p.filter.sizes.insert(p.filter.sizes.end(), s.window.begin(), s.window.end());
    p.strides = s.strides;
    p.dilations = s.dilations;
    ConvolutionParams padded = p;
    p.start_padding = s.start_padding;
    p.end_padding = s.end_padding;
    for (std::size_t d = 0; d < s.size.size(); ++d) {
      padded.input.sizes[d + 2] += s.start_padding[d] + s.end_padding[d];
    }
    p.output.sizes = padded.output.sizes = output_sizes(p);
    const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter));
    Floats with_padding(count_of(padded.input));
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::size_t left = i, at = 0, distance = 1;
      for (std::size_t d = p.input.sizes.size(); d-- > 0;) {
        const std::size_t position = left % p.input.sizes[d];
        left /= p.input.sizes[d];
        at += (position + (d < 2 ? 0 : s.start_padding[d - 2])) * distance;
        distance *= padded.input.sizes[d];
      }
      with_padding[at] = x[i];
    }
    for (const bool strict : {false, true}) {
      PlanOptions given = options();
      given.strict = strict;
      const Floats expected = run(plan(padded, given), with_padding, w, {});
      for (const unsigned threads : {1u, 3u}) {
        given.threads = threads;
        EXPECT_EQ(run(plan(p, given), x, w, {}), expected) << threads << " threads";
      }
    }
  }
}

// All phases of windows that do not overlap read what one of them has packed; those of other boxes,
// groups and images do not.
TEST_P(ChainsTest, PhasesThatReadAlikeAreEachASumOfTheirOwn) {
  constexpr std::size_t kBatch = 2, kGroups = 2, kIn = 40, kOut = 24, kHeight = 23, kWidth = 37;
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = ConvolutionDirection::backward;
  p.group_count = kGroups;
  p.input.sizes = {kBatch, kGroups * kIn, kHeight, kWidth};
  p.filter.sizes = {kGroups * kIn, kOut, 3, 2};
  p.strides = {3, 2};
  p.output.sizes = output_sizes(p);
  const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter));
  Floats expected(count_of(p.output));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t column = i % (2 * kWidth), row = i / (2 * kWidth) % (3 * kHeight);
    const std::size_t channel = i / (2 * kWidth * 3 * kHeight);  // of all groups and images
    const std::size_t group = channel / kOut;
    for (std::size_t c = 0; c < kIn; ++c) {
      const std::size_t of_filter =
          ((group % kGroups * kIn + c) * kOut + channel % kOut) * 6 + row % 3 * 2 + column % 2;
      const std::size_t of_input = ((group * kIn + c) * kHeight + row / 3) * kWidth + column / 2;
      expected[i] = std::fma(w[of_filter], x[of_input], expected[i]);
    }
  }
  for (const unsigned threads : {1u, 3u}) {
    const PlanOptions strict{.threads = threads, .max_isa = GetParam(), .strict = true};
    const Floats y = run(plan(p, strict), x, w, {});
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], expected[i]) << i;
  }
}

// A window of three at a stride of two: phases of four taps, of two and of one.
TEST_P(ChainsTest, PhasesOfFewerTapsHaveChainsOfAsManyTerms) {
  constexpr std::int64_t kIn = 160, kOut = 24, kSize = 9, kTerms = 64;
  const std::int64_t longest = GetParam() < Isa::avx512 ? 64 : 32;
  const ConvolutionParams p =
      params_of({1, kIn, kOut, 1, kSize, kSize, 3, 2, 1, ConvolutionDirection::backward});
  const std::int64_t out_size = p.output.sizes[3], channel_size = out_size * out_size;
  const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter));
  const auto term = [&](std::int64_t of_filter, std::int64_t of_input, float sum) {
    if (GetParam() >= Isa::avx2) return std::fma(w[of_filter], x[of_input], sum);
    const float product = w[of_filter] * x[of_input];
    return product + sum;
  };
  Floats expected(count_of(p.output));
  for (std::int64_t at = 0; at < kOut * channel_size; ++at) {
    const std::int64_t row = at % channel_size / out_size, column = at % out_size;
    const std::int64_t taps = (1 + row % 2) * (1 + column % 2);
    const std::int64_t chain = std::min(kTerms / taps, longest);
    for (std::int64_t first = 0; first < kIn; first += chain) {
      float sum = 0;
      for (std::int64_t c = first; c < std::min(first + chain, kIn); ++c) {
        for (std::int64_t i = (row + 1) % 2; i < 3; i += 2) {
          for (std::int64_t j = (column + 1) % 2; j < 3; j += 2) {
            const std::int64_t from_row = (row + 1 - i) / 2, from_column = (column + 1 - j) / 2;
            if (std::max(from_row, from_column) >= kSize) continue;
            sum = term(((c * kOut + at / channel_size) * 3 + i) * 3 + j,
                       (c * kSize + from_row) * kSize + from_column, sum);
          }
        }
      }
      expected[at] += sum;
    }
  }
  for (const unsigned threads : {1u, 3u}) {
    EXPECT_EQ(run(plan(p, options(threads)), x, w, Floats(kOut)), expected)
        << threads << " threads";
  }
}

// Nothing is fetched ahead between them: there is no end of it.
// On a matrix unit, too: there it would be packed into gigabytes.
TEST(GeneralPlan, FiltersBroadcastFarAreNotWrittenOut) {
  ConvolutionParams params = params_of({1, 20'000, 20'000, 1, 4, 4, 3, 1, 1});
  params.filter.strides = {0, 0, 3, 1};
  const Plan p = plan(params, {.threads = 1});
  EXPECT_LT(p.workspace_size_in_bytes(), 64u << 20) << p.explain();
}

TEST(GeneralPlan, PositionsFarApart) {
  constexpr std::uint32_t kStride = 2'000'000'000;
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.input.sizes = {1, 53, 9, 15};
  p.filter.sizes = {72, 53, 1, 1};
  p.strides = {1, kStride};
  p.start_padding = p.end_padding = {0, kStride};
  p.output.sizes = output_sizes(p);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    testing::expect_right(p, seed);
    testing::expect_right(as_halves(p), seed);
  }
}

}  // namespace
}  // namespace weft::ops
