#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ops/checked_case.h"
#include "ops/split_case.h"

namespace weft {
namespace {

using ops::count_of;
using ops::Floats;
using ::testing::HasSubstr;
using ::testing::Not;

// Rows step by row_stride, columns by column_step; channels are those of a group.
struct WindowsShape {
  std::uint32_t batch, groups, in, out;
  Dims spatial;
  Dims window;  // all but its three columns
  std::uint32_t row_stride, row_dilation;
  Dims start, end;  // padding
  std::uint32_t column_step = 2;
};

// Outputs that fill vectors and such that do not, all numbers of vectors; columns that begin
// inside, at odd and at even ones, and up to a vector before; one panel and up to four; so few
// terms that the last ones are added to the bias; no row at all of some channels' layers inside.
const WindowsShape windows_shapes[] = {
    {1, 1, 3, 16, {23, 224}, {3}, 2, 1, {1, 1}, {1, 1}},
    {2, 1, 3, 8, {9, 49}, {3}, 2, 1, {0, 0}, {0, 0}},
    {1, 1, 3, 8, {9, 64}, {3}, 2, 1, {0, 0}, {1, 1}},
    {1, 1, 1, 8, {12, 97}, {3}, 1, 1, {1, 2}, {1, 1}},
    {1, 1, 16, 24, {10, 150}, {3}, 2, 1, {1, 1}, {1, 1}},
    {1, 1, 8, 24, {11, 163}, {3}, 2, 1, {1, 1}, {0, 0}},
    {1, 3, 8, 8, {12, 56}, {3}, 2, 1, {1, 1}, {1, 1}},
    {1, 2, 5, 16, {14, 112}, {5}, 3, 2, {4, 3}, {4, 5}},
    {1, 1, 2, 8, {7, 320}, {1}, 1, 1, {0, 31}, {0, 40}},
    {1, 1, 2, 16, {5, 60}, {2}, 1, 3, {0, 40}, {2, 0}},
    {2, 1, 58, 8, {9, 96}, {3}, 2, 1, {1, 1}, {1, 1}},
    {1, 1, 3, 16, {5, 11, 128}, {1, 3}, 2, 1, {0, 1, 1}, {0, 1, 1}},
    {1, 1, 2, 8, {4, 7, 99}, {3, 3}, 2, 1, {2, 1, 0}, {2, 1, 1}},
    {3, 1, 4, 8, {257}, {}, 1, 1, {1}, {1}},
    {1, 1, 40, 16, {1000}, {}, 1, 1, {0}, {1}},
    {1, 5, 8, 8, {28, 28}, {3}, 2, 1, {1, 1}, {1, 1}},
    {2, 3, 16, 24, {31, 25}, {3}, 2, 1, {1, 1}, {1, 1}},
    {1, 4, 9, 24, {19, 29}, {3}, 1, 1, {0, 0}, {2, 1}},
    {1, 1, 16, 8, {9, 56}, {3}, 1, 1, {1, 1}, {1, 1}, 1},
    {1, 2, 8, 8, {9, 70}, {3}, 2, 1, {1, 2}, {1, 0}, 1},
    {2, 3, 8, 8, {14, 14}, {3}, 1, 1, {1, 1}, {1, 1}, 1},
    {1, 2, 10, 24, {11, 28}, {3}, 1, 2, {2, 1}, {2, 1}, 1},
    {1, 3, 8, 24, {10, 15}, {3}, 1, 1, {1, 0}, {1, 0}, 1},
    {1, 2, 8, 8, {3, 7, 16}, {1, 3}, 1, 1, {0, 1, 1}, {0, 1, 1}, 1},
    {1, 2, 8, 24, {3, 13}, {3}, 1, 1, {0, 1}, {0, 1}, 1},
    {1, 2, 8, 8, {4, 16}, {3}, 1, 1, {0, 1}, {0, 1}, 1},
    // Vectors that end with a row.
    {1, 1, 16, 8, {7, 65}, {3}, 2, 1, {0, 0}, {0, 0}},
    {1, 1, 3, 8, {7, 97}, {3}, 2, 1, {0, 0}, {0, 0}},
    {1, 1, 3, 16, {9, 129}, {3}, 2, 1, {0, 0}, {0, 0}},
    {1, 1, 3, 16, {7, 128}, {3}, 2, 1, {0, 1}, {0, 0}},
    {1, 1, 16, 8, {5, 66}, {3}, 1, 1, {0, 0}, {0, 0}, 1},
    // Several tiles a row, and panels.
    {1, 1, 16, 32, {12, 1500}, {3}, 2, 1, {1, 1}, {1, 1}},
};

ConvolutionParams windows_params(const WindowsShape& s) {
  ConvolutionParams p = ops::pointwise(s.batch, s.groups, s.in, s.out, s.spatial);
  const std::size_t rank = s.spatial.size();
  std::copy(s.window.begin(), s.window.end(), p.filter.sizes.begin() + 2);
  p.filter.sizes.back() = 3;
  p.strides = Dims(rank, 1);
  p.dilations = Dims(rank, 1);
  p.strides.back() = s.column_step;
  if (rank > 1) {
    p.strides[rank - 2] = s.row_stride;
    p.dilations[rank - 2] = s.row_dilation;
  }
  p.start_padding = s.start;
  p.end_padding = s.end;
  p.output.sizes = output_sizes(p);
  return p;
}

// One chain of fused multiply-adds; of so few terms that rounding the sum with the bias would be a
// good part of the error, the last four are a chain from the bias on.
Floats chains_of_windows(const ConvolutionParams& p, const Floats& x, const Floats& w,
                         const Floats& b) {
  const auto three = [](const Dims& dims, std::size_t skipped, std::uint32_t missing) {
    std::array<std::int64_t, 3> result = {missing, missing, missing};
    std::copy_backward(dims.begin() + static_cast<std::ptrdiff_t>(skipped), dims.end(),
                       result.end());
    return result;
  };
  const auto in = three(p.input.sizes, 2, 1), out = three(p.output.sizes, 2, 1);
  const auto window = three(p.filter.sizes, 2, 1), stride = three(p.strides, 0, 1);
  const auto dilation = three(p.dilations, 0, 1), start = three(p.start_padding, 0, 0);
  const std::int64_t channels = p.filter.sizes[1], outputs = p.filter.sizes[0];
  const std::int64_t outputs_a_group = outputs / p.group_count;
  const std::int64_t terms = channels * window[0] * window[1] * window[2];
  const std::int64_t of_bias = p.bias && terms >= 8 && terms <= 32 ? 4 : 0;
  Floats result;
  for (std::int64_t n = 0; n < p.input.sizes[0]; ++n) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      const std::int64_t group = o / outputs_a_group;
      for (std::int64_t i = 0; i < out[0] * out[1] * out[2]; ++i) {
        const std::array at = {i / out[2] / out[1], i / out[2] % out[1], i % out[2]};
        float sum = 0, last = p.bias ? b[static_cast<std::size_t>(o)] : 0;
        for (std::int64_t t = 0; t < terms; ++t) {
          const std::array tap = {t / window[2] / window[1] % window[0], t / window[2] % window[1],
                                  t % window[2]};
          std::int64_t from =
              (n * p.group_count + group) * channels + t / (window[0] * window[1] * window[2]);
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            const std::int64_t position = at[d] * stride[d] + tap[d] * dilation[d] - start[d];
            inside = inside && position >= 0 && position < in[d];
            from = from * in[d] + position;
          }
          float& chain = t < terms - of_bias ? sum : last;
          const float number = inside ? x[static_cast<std::size_t>(from)] : 0;
          chain = std::fma(w[static_cast<std::size_t>(o * terms + t)], number, chain);
        }
        result.push_back(sum + last);
      }
    }
  }
  return result;
}

class WindowsTest : public ops::NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx512); }
};

TEST_F(WindowsTest, SumsAreChains) {
  for (const WindowsShape& shape : windows_shapes) {
    ConvolutionParams params = windows_params(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    for (const bool has_bias : {true, false}) {
      if (!has_bias) params.bias.reset();
      const Floats sums = chains_of_windows(params, x, w, b);
      for (const OperatorType function :
           {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
        params.fused_activation = {.type = function, .alpha = 0.25f};
        const float below = function == OperatorType::activation_relu ? 0 : 0.25f;
        for (const unsigned threads : {1u, 3u}) {
          const Plan strided = plan(params, {.threads = threads, .max_isa = Isa::avx512});
          EXPECT_THAT(strided.explain(), HasSubstr(" slots, in place"));
          const Floats y = ops::run(strided, x, w, has_bias ? b : Floats{});
          ASSERT_EQ(y.size(), sums.size());
          for (std::size_t i = 0; i < y.size(); ++i) {
            ASSERT_EQ(y[i], sums[i] < 0 ? below * sums[i] : sums[i])
                << "at " << i << ", " << threads << " threads, bias " << has_bias;
          }
        }
      }
    }
  }
}

// No other bits by tiles and threads.
TEST_F(WindowsTest, EachThreadMakesTheSame) {
  ConvolutionParams params = windows_params({2, 1, 16, 32, {70, 700}, {3}, 2, 1, {1, 1}, {1, 1}});
  const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
  const Floats b = numbers(count_of(*params.bias));
  const auto run = [&](unsigned threads) {
    const Plan several = plan(params, {.threads = threads, .max_isa = Isa::avx512});
    EXPECT_THAT(several.explain(), HasSubstr(std::to_string(threads) + " slots, in place"));
    return ops::run(several, x, w, b);
  };
  const Floats y = run(1);
  for (const unsigned threads : {2u, 7u}) EXPECT_TRUE(ops::same_bits(run(threads), y));
}

// Numbers of all kinds, each type, all thread counts, and no access past any tensor.
TEST_F(WindowsTest, IsRight) {
  std::uint64_t seed = 1;  // and each fifth one: AVX-512, of expect_right()
  for (const WindowsShape& shape : windows_shapes) {
    const ConvolutionParams params = windows_params(shape);
    testing::expect_right(params, seed);
    testing::expect_right(params, seed, random_cases::Values::special);
    testing::expect_right(ops::as_halves(params), seed);
    testing::expect_right(ops::as_halves(params), seed, random_cases::Values::special);
    seed += 5;
  }
}

// Rows and channels that do not follow each other, and a mirrored window.
TEST_F(WindowsTest, TakesRowsApart) {
  ConvolutionParams params = windows_params(windows_shapes[0]);
  params.input.strides = {1, 23 * 240, 240, 1};
  const PlanOptions options{.max_isa = Isa::avx512};
  EXPECT_THAT(plan(params, options).explain(), HasSubstr(" slots, in place"));
  testing::expect_right(params, 1);
  params.mode = ConvolutionMode::convolution;
  testing::expect_right(params, 1);
  params.input.strides = {240, 240, 0, 1};
  testing::expect_right(params, 1);
  params = windows_params({1, 1, 1, 8, {11, 224}, {3}, 2, 1, {0, 1}, {0, 0}});
  params.input.strides = {224, 224, 0, 1};
  testing::expect_right(params, 1);
}

TEST_F(WindowsTest, IsLeftToOthers) {
  const auto explain = [](const WindowsShape& shape) {
    return plan(windows_params(shape), {.max_isa = Isa::avx512}).explain();
  };
  const WindowsShape others[] = {
      {1, 1, 3, 12, {23, 224}, {3}, 2, 1, {1, 1}, {1, 1}},  // no whole panels
      {1, 1, 3, 32, {23, 224}, {3}, 2, 1, {1, 1}, {1, 1}},  // many for so few channels
      {1, 1, 16, 40, {23, 224}, {3}, 2, 1, {1, 1}, {1, 1}},
      {1, 1, 59, 16, {23, 224}, {3}, 2, 1, {1, 1}, {1, 1}},  // long sums
      {1, 1, 16, 16, {28, 28}, {3}, 2, 1, {1, 1}, {1, 1}},   // short rows
      {1, 9, 16, 16, {20, 20}, {3}, 2, 1, {1, 1}, {1, 1}},
      {1, 1, 3, 8, {60, 60}, {3}, 1, 1, {1, 1}, {1, 1}, 1},
      {1, 9, 16, 16, {28, 28}, {3}, 1, 1, {1, 1}, {1, 1}, 1},  // channels that fill vectors
      {1, 1, 16, 24, {28, 28}, {3}, 1, 1, {1, 1}, {1, 1}, 1},
  };
  for (const WindowsShape& shape : others) {
    EXPECT_THAT(explain(shape), Not(HasSubstr(" slots, in place")));
  }
  // Sums that wait for an activation before they are rounded, and steps past any row.
  ConvolutionParams params = ops::as_halves(windows_params(windows_shapes[1]));
  EXPECT_THAT(plan(params, {.max_isa = Isa::avx512}).explain(), HasSubstr(" slots, in place"));
  params.fused_activation = {.type = OperatorType::activation_sigmoid};
  EXPECT_THAT(plan(params, {.max_isa = Isa::avx512}).explain(), HasSubstr("direct_f16"));
  params = windows_params({1, 1, 3, 8, {1, 100}, {3}, 2, 1, {1, 1}, {1, 1}});
  params.strides[0] = UINT32_MAX;
  params.output.sizes = output_sizes(params);
  testing::expect_right(params, 1);
}

}  // namespace
}  // namespace weft
