#pragma once

// What the tests of WinogradConvolution share: its ways, each compared with exact sums.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "ops/convolution_winograd.h"
#include "ops/split_case.h"
#include "reference/reference.h"

namespace weft::ops {

inline std::string text(const kernels::WinogradTile& tile) {
  return std::to_string(tile.rows) + "x" + std::to_string(tile.columns) +
         (tile == kernels::WinogradTile{tile.rows, tile.columns}
              ? ""
              : "_of_" + std::to_string(tile.row_taps) + "x" + std::to_string(tile.column_taps));
}

inline std::string text(Isa isa, const kernels::WinogradTile& tile) {
  return std::string(name(isa)) + "_" + text(tile);
}

// The instruction set, whether that of the matrix unit or not, and what lies along vectors.
using Way = std::tuple<Isa, WinogradVectors>;

inline std::string text(WinogradVectors vectors) {
  return vectors == WinogradVectors::of_tiles ? "tiles" : "channels";
}

inline void PrintTo(WinogradVectors vectors, std::ostream* out) { *out << text(vectors); }

// Plans of one way and of each tile, compared with exact sums.
class WinogradConvolutionTest : public NumbersTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override { skip_without(std::get<Isa>(GetParam())); }

  virtual std::vector<kernels::WinogradTile> tiles() const { return {{2, 2}, {2, 4}, {4, 4}}; }

  template <class Test>
  void for_each_tile(const Test& test) {
    for (const kernels::WinogradTile& tile : tiles()) {
      SCOPED_TRACE(text(tile));
      tile_ = tile;
      test();
      if (HasFatalFailure()) return;
    }
  }

  const kernels::WinogradTile& tile() const { return tile_; }

  WinogradVectors vectors() const { return std::get<WinogradVectors>(GetParam()); }

  Plan winograd(const ConvolutionParams& params, unsigned threads = 1) {
    const PlanOptions options{.threads = threads, .max_isa = std::get<Isa>(GetParam())};
    Plan plan(WinogradConvolution::make(params, options, tile(), vectors()));
    EXPECT_NE(plan.explain().find("vectors of " + text(vectors())), std::string::npos)
        << plan.explain();
    return plan;
  }

  void expect_right(const ConvolutionParams& params) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    SCOPED_TRACE(::testing::PrintToString(params.filter.sizes));
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(params.output.sizes[1]);
    // Sums first: the middle of a range across an activation's kink is not the exact result.
    ConvolutionParams sums_only = params;
    sums_only.fused_activation.reset();
    const reference::ExpectedTensor expected = exact_sums(sums_only, x, w, b);
    const bool is_relu =
        params.fused_activation && params.fused_activation->type == OperatorType::activation_relu;
    const double slope = is_relu                   ? 0
                         : params.fused_activation ? double{params.fused_activation->alpha}
                                                   : 1;
    const Floats result = run(winograd(params), x, w, b);
    // The error goes with the largest terms of a tile, not with those of the sum: ten times what
    // its root mean square was measured to be, where the sums' is 3 * sqrt(channels).
    double channels = static_cast<double>(params.input.sizes[1]) / params.group_count;
    const Dims& window = params.filter.sizes;
    if (window.size() == 5) channels *= window[2];
    // Parts of the window, of each remainder by the stride.
    const auto parts = [&](std::size_t axis, std::int64_t tile_taps) {
      const std::uint32_t stride = params.strides.empty() ? 1 : params.strides[axis - 2];
      double count = 0;
      for (std::uint32_t r = 0; r < std::min(stride, window[axis]); ++r) {
        const std::uint32_t taps = (window[axis] - r + stride - 1) / stride;
        count += std::ceil(taps / static_cast<double>(tile_taps));
      }
      return count;
    };
    channels *= parts(window.size() - 2, tile().row_taps);
    channels *= parts(window.size() - 1, tile().column_taps);
    const double sums = 3 * std::sqrt(channels);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double sum = (expected[i].range.low + expected[i].range.high) / 2;
      const double exact = sum < 0 ? slope * sum : sum;
      ASSERT_NEAR(result[i], exact, (tile().rows == 2 ? 4e-6 : 8e-6) * sums) << i;
    }
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(same_bits(run(winograd(params, threads), x, w, b), result)) << threads;
    }
  }

  // In float16, the sums of the same numbers, rounded once. For a matrix unit they are rounded to
  // two parts after their transformation, too.
  void expect_rounded_at_the_end(const ConvolutionParams& params) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    SCOPED_TRACE(::testing::PrintToString(params.filter.sizes));
    const Halves x = halves(numbers(count_of(params.input)));
    const Halves w = halves(numbers(count_of(params.filter)));
    const Halves b = params.bias ? halves(numbers(params.output.sizes[1])) : Halves{};
    const Floats sums = run(winograd(params), widened(x), widened(w), widened(b));
    const ConvolutionParams half = as_halves(params);
    const Halves y = run(winograd(half), x, w, b);
    if (std::get<Isa>(GetParam()) < Isa::amx) {
      EXPECT_EQ(y, halves(sums));
      return;
    }
    const Floats wide_y = widened(y);
    const auto terms =
        static_cast<float>(count_of(params.filter)) / static_cast<float>(params.output.sizes[1]);
    const float error = std::sqrt(terms) * (tile().rows == 2 ? 0x1p-13f : 0x1p-12f);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(wide_y[i], sums[i], std::fabs(sums[i]) * 0x1p-11f + error) << i;
    }
    for (const unsigned threads : {2u, 5u}) {
      EXPECT_EQ(run(winograd(half, threads), x, w, b), y) << threads;
    }
  }

 private:
  kernels::WinogradTile tile_;
};

// Of any window and number of dimensions.
struct Window {
  Dims input, filter;
  Dims start_padding = {}, end_padding = {};
  Dims dilations = Dims(input.size() - 2, 1);
  std::uint32_t groups = 1;
  ConvolutionDirection direction = ConvolutionDirection::forward;
  Dims strides = Dims(input.size() - 2, 1);
};

inline ConvolutionParams params_of(const Window& window) {
  ConvolutionParams p;
  p.input.sizes = window.input;
  p.filter.sizes = window.filter;
  p.dilations = window.dilations;
  p.strides = window.strides;
  p.start_padding = window.start_padding;
  p.end_padding = window.end_padding;
  p.group_count = window.groups;
  p.direction = window.direction;
  const bool backward = window.direction == ConvolutionDirection::backward;
  p.bias = TensorDesc{.sizes = Dims(window.input.size(), 1)};
  p.bias->sizes[1] = backward ? window.filter[1] * window.groups : window.filter[0];
  p.output.sizes = output_sizes(p);
  return p;
}

inline ConvolutionParams padded(Shape shape, std::uint32_t start, std::uint32_t end) {
  ConvolutionParams p = params_of(shape);
  p.start_padding = {start, start};
  p.end_padding = {end, end};
  p.output.sizes = output_sizes(p);
  return p;
}

class WinogradErrors : public NumbersTest {
 protected:
  void expect_below_chain(const ConvolutionParams& params, Isa isa,
                          const kernels::WinogradTile& tile) {
    ASSERT_FALSE(std::isinf(WinogradConvolution::seconds(params, {.max_isa = isa}, tile)));
    expect_below_chain(params, Plan(WinogradConvolution::make(params, {.max_isa = isa}, tile)));
  }

  // The root mean square error, where the way may be the default, with the numbers of real layers:
  // around zero, positive, and both after ReLU.
  void expect_below_chain(const ConvolutionParams& params, const Plan& winograd) {
    const Plan one_chain = plan(params, {.strict = true});
    const auto expect_less = [&](const auto& of_input, const auto& of_weight) {
      Floats x = numbers(count_of(params.input));
      Floats w = numbers(count_of(params.filter));
      for (float& v : x) v = of_input(v);
      for (float& v : w) v = of_weight(v);
      const Floats b(params.output.sizes[1], 0.0f);
      const Floats chain = run(one_chain, x, w, b);
      const Floats result = run(winograd, x, w, b);
      const reference::ExpectedTensor exact = exact_sums(params, x, w, b);
      EXPECT_LT(squared_error(result, exact), squared_error(chain, exact));
    };
    const auto as_it_is = [](float v) { return v; };
    const auto relu = [](float v) { return std::max(v, 0.0f); };
    const auto positive = [](float v) { return std::fabs(v); };
    expect_less(as_it_is, as_it_is);
    expect_less(relu, as_it_is);
    expect_less(positive, as_it_is);
    expect_less(positive, positive);
  }
};

inline std::string way_text(const ::testing::TestParamInfo<Way>& info) {
  return std::string(name(std::get<Isa>(info.param))) + "_" +
         text(std::get<WinogradVectors>(info.param));
}

#define WEFT_FOR_WINOGRAD_WAYS(test)                                                            \
  INSTANTIATE_TEST_SUITE_P(Vectors, test,                                                       \
                           ::testing::Combine(::testing::Values(Isa::avx2, Isa::avx512),        \
                                              ::testing::Values(WinogradVectors::of_tiles,      \
                                                                WinogradVectors::of_channels)), \
                           way_text);                                                           \
  INSTANTIATE_TEST_SUITE_P(Unit, test,                                                          \
                           ::testing::Values(Way{Isa::amx, WinogradVectors::of_tiles}), way_text)

}  // namespace weft::ops
