#pragma once

// What the tests of the ways of a convolution share: shapes, and running a plan on floats.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "reference/reference.h"
#include "support/number.h"
#include "weft/convolution.h"

namespace weft {

inline void PrintTo(Isa isa, std::ostream* out) { *out << name(isa); }

}  // namespace weft

namespace weft::ops {

using Floats = std::vector<float>;
using Halves = std::vector<std::uint16_t>;

inline Halves halves(const Floats& numbers) {
  Halves result;
  for (const float x : numbers) result.push_back(testing::double_to_half(double{x}));
  return result;
}

inline Floats widened(const Halves& numbers) {
  Floats result;
  for (const std::uint16_t x : numbers) {
    result.push_back(static_cast<float>(testing::half_to_double(x)));
  }
  return result;
}

class NumbersTest : public ::testing::Test {
 protected:
  std::mt19937 random_{20261121};

  // What this machine lacks shows as skipped.
  static void skip_without(Isa isa) {
    if (base::choose_isa(isa) != isa) {
      GTEST_SKIP() << "no " << name(isa) << ", or WEFT_MAX_ISA forbids it";
    }
  }

  static void skip_without_halved() {
    skip_without(Isa::avx512);
    if (IsSkipped()) return;
    if (!base::halves_vectors()) GTEST_SKIP() << "vectors of AVX-512 are whole here";
  }

  // Of AVX-512 such as AMD's, or of AVX2 of any machine.
  static void skip_without_known(Isa isa) {
    skip_without(isa);
    if (IsSkipped()) return;
    if (isa == Isa::avx512 && !base::is_amd()) GTEST_SKIP() << "AVX-512, but not AMD's";
  }

  Floats numbers(std::size_t count) {
    std::normal_distribution<float> distribution;
    Floats result(count);
    for (float& x : result) x = distribution(random_);
    return result;
  }
};

struct Shape {
  std::uint32_t batch, in, out, groups, height, width, window, stride, dilation;
  ConvolutionDirection direction = ConvolutionDirection::forward;
};

inline std::uint32_t size_after(std::uint32_t size, const Shape& s) {
  const std::uint32_t reach = (s.window - 1) * s.dilation + 1;
  if (s.direction == ConvolutionDirection::backward) return (size - 1) * s.stride + reach - 1;
  return (size + 1 - reach) / s.stride + 1;
}

// Padding 1 at the start of each dimension.
inline ConvolutionParams params_of(const Shape& s) {
  const bool backward = s.direction == ConvolutionDirection::backward;
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = s.direction;
  p.input.sizes = {s.batch, s.in, s.height, s.width};
  p.filter.sizes = {backward ? s.in : s.out, (backward ? s.out : s.in) / s.groups, s.window,
                    s.window};
  p.output.sizes = {s.batch, s.out, size_after(s.height, s), size_after(s.width, s)};
  p.bias = TensorDesc{.sizes = {1, s.out, 1, 1}};
  p.strides = {s.stride, s.stride};
  p.dilations = {s.dilation, s.dilation};
  p.start_padding = {1, 1};
  p.end_padding = {0, 0};
  p.group_count = s.groups;
  return p;
}

// Of any number of dimensions and of groups of so many channels, one tap each, with a bias.
inline ConvolutionParams pointwise(std::uint32_t batch, std::uint32_t groups, std::uint32_t in,
                                   std::uint32_t out, const Dims& spatial) {
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.group_count = groups;
  p.input.sizes = {batch, groups * in};
  p.input.sizes.insert(p.input.sizes.end(), spatial.begin(), spatial.end());
  p.filter.sizes = Dims(spatial.size() + 2, 1);
  p.filter.sizes[0] = groups * out;
  p.filter.sizes[1] = in;
  p.bias = TensorDesc{.sizes = Dims(spatial.size() + 2, 1)};
  p.bias->sizes[1] = groups * out;
  p.output.sizes = output_sizes(p);
  return p;
}

// Whether a 1x1 layer of float32 is summed across in several chains, as PackedStripsTest has
// them, where otherwise all terms are one.
inline bool has_chains_across(Isa isa, std::uint32_t in, std::uint32_t out) {
  const bool packs = isa == Isa::avx512 && base::is_amd() && out <= in;
  return (isa == Isa::avx2 || packs) && in > 128 && out >= 24;
}

struct Layer {
  std::uint32_t batch, groups, in, out;  // channels a group
  Dims spatial;
  std::uint32_t window = 1, stride = 1, dilation = 1, padding = 0;
};

inline ConvolutionParams layer(const Layer& s) {
  ConvolutionParams p = pointwise(s.batch, s.groups, s.in, s.out, s.spatial);
  const std::size_t rank = s.spatial.size();
  std::fill(p.filter.sizes.begin() + 2, p.filter.sizes.end(), s.window);
  p.strides = Dims(rank, s.stride);
  p.dilations = Dims(rank, s.dilation);
  p.start_padding = p.end_padding = Dims(rank, s.padding);
  p.output.sizes = output_sizes(p);
  return p;
}

inline std::string text(const Layer& s) {
  return std::to_string(s.in) + " to " + std::to_string(s.out) + " channels, " +
         std::to_string(s.spatial.back()) + " columns, window " + std::to_string(s.window);
}

// Of three dimensions, padded alike on both sides.
inline ConvolutionParams volumes_of(ConvolutionDirection direction, const Dims& input,
                                    const Dims& filter, const Dims& strides, const Dims& padding) {
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = direction;
  p.input.sizes = input;
  p.filter.sizes = filter;
  const bool backward = direction == ConvolutionDirection::backward;
  p.bias = TensorDesc{.sizes = {1, filter[backward ? 1 : 0], 1, 1, 1}};
  p.strides = strides;
  p.dilations = {1, 1, 1};
  p.start_padding = p.end_padding = padding;
  p.output.sizes = output_sizes(p);
  return p;
}

inline std::size_t count_of(const TensorDesc& desc) { return *element_count(desc.sizes); }

template <class Number>
std::vector<Number> run(const Plan& plan, const std::vector<Number>& x,
                        const std::vector<Number>& filter, const std::vector<Number>& bias) {
  const auto bytes = [](const auto& v) { return ConstBuffer(v.data(), v.size() * sizeof v[0]); };
  std::vector<Number> y(count_of(*plan.outputs()[0]), static_cast<Number>(-77));
  const ConstBuffer inputs[] = {bytes(x), bytes(filter), bytes(bias)};
  const Buffer outputs[] = {{y.data(), y.size() * sizeof y[0]}};
  plan.run({inputs, outputs});
  return y;
}

inline ConvolutionParams as_halves(ConvolutionParams params) {
  for (TensorDesc* desc : {&params.input, &params.filter, &params.output}) {
    desc->data_type = DataType::float16;
  }
  if (params.bias) params.bias->data_type = DataType::float16;
  return params;
}

template <class Body>
Plan plan_of(const ConvolutionParams& params, unsigned threads = 1) {
  return Plan(std::make_shared<Body>(params, PlanOptions{.threads = threads}));
}

inline Plan general(const ConvolutionParams& params) {
  return plan(params, {.max_isa = Isa::avx512, .winograd = Winograd::never});
}

// The sums in double.
inline reference::ExpectedTensor exact_sums(const ConvolutionParams& params, const Floats& x,
                                            const Floats& filter, const Floats& bias) {
  const auto bytes = [](const Floats& v) { return reinterpret_cast<const std::byte*>(v.data()); };
  const std::byte* inputs[] = {bytes(x), bytes(filter), bytes(bias)};
  return reference::evaluate(params, inputs);
}

inline double squared_error(const Floats& y, const reference::ExpectedTensor& exact) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sum += std::pow(y[i] - (exact[i].range.low + exact[i].range.high) / 2, 2);
  }
  return sum;
}

// How halves differ from exact sums that are rounded once.
struct HalfErrors {
  double others = 0;   // the share of those that are other halves
  double squared = 0;  // the sum of squares, over that of the rounding
};

inline HalfErrors half_errors(const Halves& y, const reference::ExpectedTensor& exact) {
  double others = 0, ours = 0, least = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double sum = (exact[i].range.low + exact[i].range.high) / 2;
    const std::uint16_t rounded = testing::double_to_half(sum);
    if (y[i] != rounded) ++others;
    ours += std::pow(testing::half_to_double(y[i]) - sum, 2);
    least += std::pow(testing::half_to_double(rounded) - sum, 2);
  }
  return {others / static_cast<double>(y.size()), ours / least};
}

inline bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 4) == 0;
}

// All tests of these plans need the unit; without it they show as skipped.
class MatrixUnitTest : public NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::amx); }

  // Against the general plan, and with other numbers of threads.
  template <class Body>
  void expect_right_plan(const ConvolutionParams& params) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(params.output.sizes[1]);
    const auto absolute = [](Floats v) {
      for (float& f : v) f = std::fabs(f);
      return v;
    };
    const Floats expected = run(general(params), x, w, b);
    ConvolutionParams sums = params;
    sums.fused_activation.reset();
    const Floats terms = run(general(sums), absolute(x), absolute(w), absolute(b));
    const Floats result = run(plan_of<Body>(params), x, w, b);
    for (std::size_t i = 0; i < result.size(); ++i) {
      ASSERT_NEAR(result[i], expected[i], 2e-6 * terms[i]) << i;
    }
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(same_bits(run(plan_of<Body>(params, threads), x, w, b), result)) << threads;
    }
  }

  // The same in float16: rounded once, and what is left out of products.
  template <class Body>
  void expect_right_plan_in_halves(const ConvolutionParams& params) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Halves x = halves(numbers(count_of(params.input)));
    const Halves w = halves(numbers(count_of(params.filter)));
    const Halves b = halves(numbers(params.output.sizes[1]));
    const Floats sums = run(general(params), widened(x), widened(w), widened(b));
    const ConvolutionParams half = as_halves(params);
    const Halves result = run(plan_of<Body>(half), x, w, b);
    const Floats y = widened(result);
    const auto terms = static_cast<float>(params.input.sizes[1]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(y[i], sums[i], std::fabs(sums[i]) * 0x1p-11f + terms * 0x1p-16f) << i;
    }
    for (const unsigned threads : {2u, 5u}) {
      EXPECT_EQ(run(plan_of<Body>(half, threads), x, w, b), result) << threads;
    }
  }

  // All finite numbers of float16, times 1 in one channel: each comes out as it is.
  template <class Body>
  void expect_every_half(const Shape& shape) {
    ConvolutionParams p = params_of(shape);
    SCOPED_TRACE(::testing::PrintToString(p.input.sizes));
    const std::uint32_t middle = shape.window / 2;
    p.start_padding = p.end_padding = {middle, middle};
    p.bias.reset();
    for (TensorDesc* desc : {&p.input, &p.filter, &p.output}) desc->data_type = DataType::float16;
    p.output.sizes = output_sizes(p);
    constexpr std::size_t kOfSign = 0x7c00;
    const std::size_t taps = std::size_t{shape.window} * shape.window;
    const std::size_t plane = std::size_t{shape.height} * shape.width;
    ASSERT_GE(shape.in * plane, 2 * kOfSign);
    std::vector<std::uint16_t> x(shape.in * plane), w(count_of(p.filter)), y(count_of(p.output));
    for (std::size_t c = 0; c < std::min(shape.in, shape.out); ++c) {
      w[(c * shape.in + c) * taps + taps / 2] = 0x3c00;
    }
    // Neighbours, among which subnormal ones are seldom, and others.
    for (const std::size_t factor : {1, 40503}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t number = i * factor % (2 * kOfSign);
        x[i] = static_cast<std::uint16_t>(number < kOfSign ? number : number - kOfSign + 0x8000);
      }
      const ConstBuffer inputs[] = {{x.data(), x.size() * 2}, {w.data(), w.size() * 2}, {}};
      const Buffer outputs[] = {{y.data(), y.size() * 2}};
      plan_of<Body>(p).run({inputs, outputs});
      const std::size_t height = p.output.sizes[2], width = p.output.sizes[3];
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t c = i / (height * width);
        const std::size_t from = i / width % height * shape.width + i % width;
        std::uint16_t expected = c < shape.in ? x[c * plane + from * shape.stride] : 0;
        if (expected == 0x8000) expected = 0;
        ASSERT_EQ(y[i], expected) << i;
      }
    }
  }
};

}  // namespace weft::ops
