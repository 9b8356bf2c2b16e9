#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ops/checked_case.h"
#include "ops/split_case.h"

namespace weft {
namespace {

using ops::count_of;
using ops::Floats;
using ::testing::HasSubstr;
using ::testing::Not;

// Channels are those of a group; the window is the stride.
struct PairsShape {
  std::uint32_t batch, groups, in, out;
  Dims spatial, window;
};

// Rows of positions that fill vectors or halves of them, and such that do not, which end within a
// half or go on in the next strip, as images do; panels that lack channels; one chain of terms,
// several, and so few terms that not all lines of results come nearer; windows of any height and
// depth.
const PairsShape pairs_shapes[] = {
    {1, 1, 64, 32, {8, 32}, {2, 2}},     {2, 1, 4, 4, {6, 24}, {2, 2}},
    {1, 3, 20, 8, {7, 40}, {2, 2}},      {1, 1, 130, 11, {3, 47}, {2, 2}},
    {1, 1, 300, 8, {3, 16}, {2, 2}},     {2, 1, 16, 16, {3, 5, 16}, {2, 2, 2}},
    {1, 2, 9, 4, {2, 4, 55}, {3, 1, 2}}, {1, 1, 33, 12, {1000}, {2}},
    {3, 1, 7, 8, {6, 8}, {1, 2}},        {1, 1, 5, 4, {6, 31}, {5, 2}},
    {9, 2, 18, 8, {7, 14}, {2, 2}},      {50, 1, 5, 4, {1, 9}, {2, 2}},
    {1, 1, 6, 4, {13, 11}, {2, 2}},      {11, 1, 8, 4, {13}, {2}},
};

// Of several tiles, and of a filter that asks for large ones.
const PairsShape large_shapes[] = {{1, 1, 64, 24, {70, 64}, {2, 2}},
                                   {1, 1, 512, 64, {16, 32}, {2, 2}}};

ConvolutionParams pairs_params(const PairsShape& s) {
  ConvolutionParams p = ops::pointwise(s.batch, s.groups, s.in, s.out, s.spatial);
  p.direction = ConvolutionDirection::backward;
  p.filter.sizes[0] = s.groups * s.in;
  p.filter.sizes[1] = s.out;
  std::copy(s.window.begin(), s.window.end(), p.filter.sizes.begin() + 2);
  p.strides = s.window;
  p.dilations = Dims(s.window.size(), 1);
  p.start_padding = p.end_padding = p.output_padding = Dims(s.window.size(), 0);
  p.output.sizes = output_sizes(p);
  return p;
}

// Up to 16 chains of fused multiply-adds, each but the last of as many terms, 16 at least.
Floats chains_of_pairs(const ConvolutionParams& p, const Floats& x, const Floats& w,
                       const Floats& b) {
  const std::size_t rank = p.strides.size();
  const std::size_t groups = p.group_count, outputs = p.filter.sizes[1];
  const std::size_t channels = p.input.sizes[1] / groups;
  const std::size_t a_chain = std::max<std::size_t>((channels + 15) / 16, 16);
  Floats result(count_of(p.output));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::size_t rest = i, position = 0, tap = 0, positions = 1, taps = 1;
    for (std::size_t d = rank; d-- > 0;) {
      const std::size_t at = rest % p.output.sizes[2 + d];
      rest /= p.output.sizes[2 + d];
      position += at / p.strides[d] * positions;
      tap += at % p.strides[d] * taps;
      positions *= p.input.sizes[2 + d];
      taps *= p.strides[d];
    }
    const std::size_t o = rest % outputs, group = rest / outputs % groups;
    const std::size_t first_channel = rest / outputs * channels;  // of all images
    float sum = 0, chain = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      chain = std::fma(w[((group * channels + c) * outputs + o) * taps + tap],
                       x[(first_channel + c) * positions + position], chain);
      if ((c + 1) % a_chain != 0 && c + 1 < channels) continue;
      sum = c < a_chain ? chain : sum + chain;
      chain = 0;
    }
    result[i] = b.empty() ? sum : sum + b[group * outputs + o];
  }
  return result;
}

class PairsTest : public ops::NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  static std::uint64_t seed() { return GetParam() == Isa::avx512 ? 1 : 3; }  // of expect_right()

  std::string explain(const ConvolutionParams& params) const {
    return plan(params, {.max_isa = GetParam()}).explain();
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, PairsTest, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(PairsTest, SumsAreChains) {
  std::vector<PairsShape> shapes(std::begin(pairs_shapes), std::end(pairs_shapes));
  shapes.insert(shapes.end(), std::begin(large_shapes), std::end(large_shapes));
  for (const PairsShape& shape : shapes) {
    ConvolutionParams params = pairs_params(shape);
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
    const Floats b = numbers(count_of(*params.bias));
    for (const bool has_bias : {true, false}) {
      if (!has_bias) params.bias.reset();
      params.fused_activation.reset();
      const Floats sums = chains_of_pairs(params, x, w, has_bias ? b : Floats());
      for (const bool relu : {false, true}) {
        if (relu) params.fused_activation = {.type = OperatorType::activation_relu};
        for (const unsigned threads : {1u, 3u}) {
          const Plan pairs = plan(params, {.threads = threads, .max_isa = GetParam()});
          EXPECT_THAT(pairs.explain(), HasSubstr(" pairs of columns interleaved"));
          const Floats y = ops::run(pairs, x, w, has_bias ? b : Floats());
          for (std::size_t i = 0; i < y.size(); ++i) {
            ASSERT_EQ(y[i], relu && sums[i] < 0 ? 0 : sums[i])
                << "at " << i << ", " << threads << " threads, bias " << has_bias;
          }
        }
      }
    }
  }
}

TEST_P(PairsTest, SumsOfVanishingProductsAreZero) {
  ConvolutionParams params = pairs_params(pairs_shapes[0]);
  const Floats x(count_of(params.input), 1e-30f), w(count_of(params.filter), -1e-30f);
  const Floats b(count_of(*params.bias), -0.0f);
  for (const bool has_bias : {true, false}) {
    if (!has_bias) params.bias.reset();
    const Floats y = ops::run(plan(params, {.max_isa = GetParam()}), x, w, has_bias ? b : Floats());
    EXPECT_TRUE(ops::same_bits(y, Floats(y.size(), 0.0f)));
  }
}

// Numbers of all kinds, each type, all thread counts, and no access past any tensor.
TEST_P(PairsTest, IsRight) {
  std::uint64_t seed = PairsTest::seed();  // each fifth one means the same level
  for (const PairsShape& shape : pairs_shapes) {
    ConvolutionParams params = pairs_params(shape);
    using enum random_cases::Values;
    for (const auto values : {plain, special, tiny}) {
      testing::expect_right(params, seed, values);
      testing::expect_right(ops::as_halves(params), seed, values);
    }
    params.fused_activation = {.type = OperatorType::activation_relu};
    testing::expect_right(params, seed, special);
    testing::expect_right(ops::as_halves(params), seed, special);
    seed += 5;
  }
}

// Gaps after rows, depths and channels of both tensors, and a mirrored window.
TEST_P(PairsTest, TakesRowsApart) {
  ConvolutionParams params = pairs_params({2, 1, 6, 8, {3, 4, 16}, {2, 2, 2}});
  params.mode = ConvolutionMode::convolution;
  params.input.strides = {6 * 500, 500, 80, 17, 1};
  params.output.strides = {8 * 2500, 2500, 400, 33, 1};
  EXPECT_THAT(explain(params), HasSubstr(" pairs of columns interleaved"));
  testing::expect_right(params, seed());
  testing::expect_right(ops::as_halves(params), seed());
  params.input.strides = {0, 16, 16, 0, 1};
  params.filter.strides = {0, 9, 4, 2, 1};
  testing::expect_right(params, seed());
}

TEST_P(PairsTest, IsLeftToOthers) {
  const ConvolutionParams pairs = pairs_params(pairs_shapes[0]);
  EXPECT_THAT(explain(pairs), HasSubstr(" pairs of columns interleaved"));
  const auto expect_other = [&](const auto& change) {
    ConvolutionParams params = pairs;
    change(params);
    params.output.sizes = output_sizes(params);
    EXPECT_THAT(explain(params), Not(HasSubstr(" pairs of columns interleaved")));
    testing::expect_right(params, seed());
  };
  expect_other([](ConvolutionParams& p) { p.start_padding[1] = 1; });
  expect_other([](ConvolutionParams& p) { p.end_padding[0] = 1; });
  expect_other([](ConvolutionParams& p) { p.output_padding[0] = 1; });
  expect_other([](ConvolutionParams& p) { p.dilations[1] = 2; });
  expect_other([](ConvolutionParams& p) { p.strides[0] = 3; });       // gaps between windows
  expect_other([](ConvolutionParams& p) { p.filter.sizes[2] = 3; });  // which overlap
  expect_other([](ConvolutionParams& p) { p.strides[1] = p.filter.sizes[3] = 4; });
  expect_other([](ConvolutionParams& p) { p.input.sizes[3] = 3; });  // less than half a vector
  expect_other([](ConvolutionParams& p) { p.input.sizes[2] = 4, p.input.sizes[3] = 8; });
  expect_other(
      [](ConvolutionParams& p) { p.fused_activation = {.type = OperatorType::activation_tanh}; });
  expect_other([](ConvolutionParams& p) { p.input.sizes[1] = p.filter.sizes[0] = 3; });
  expect_other([](ConvolutionParams& p) { p.input.sizes[1] = p.filter.sizes[0] = 520; });
  EXPECT_THAT(plan(pairs, {.max_isa = Isa::sse4}).explain(),
              Not(HasSubstr(" pairs of columns interleaved")));
  EXPECT_THAT(plan(pairs, {.max_isa = GetParam(), .strict = true}).explain(),
              Not(HasSubstr(" pairs of columns interleaved")));
}

using PairsChoiceTest = ops::NumbersTest;

// A matrix unit sums many terms faster.
TEST_F(PairsChoiceTest, AreOfFewChannelsBesideAMatrixUnit) {
  skip_without(Isa::amx);
  if (IsSkipped()) return;
  const auto explained = [](std::uint32_t channels, DataType type, std::uint32_t outputs = 32) {
    ConvolutionParams params = pairs_params({1, 1, channels, outputs, {64, 64}, {2, 2}});
    params.bias.reset();
    params.input.data_type = params.filter.data_type = params.output.data_type = type;
    return plan(params, {.max_isa = Isa::amx}).explain();
  };
  const auto are_pairs = HasSubstr("_avx512, pairs of columns interleaved");
  EXPECT_THAT(explained(64, DataType::float32), are_pairs);
  EXPECT_THAT(explained(80, DataType::float32), Not(are_pairs));
  EXPECT_THAT(explained(64, DataType::float32, 80), Not(are_pairs));
  EXPECT_THAT(explained(32, DataType::float16), are_pairs);
  EXPECT_THAT(explained(40, DataType::float16), Not(are_pairs));
}

}  // namespace
}  // namespace weft
