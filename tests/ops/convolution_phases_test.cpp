#include "ops/convolution_phases.h"

#include <gtest/gtest.h>

#include "ops/checked_case.h"
#include "ops/split_case.h"

namespace weft::ops {
namespace {

class ConvolutionPhasesTest : public NumbersTest {};

// BACKWARD, with outputs of the smallest size.
ConvolutionParams backward_of(const Dims& input, const Dims& filter, const Dims& strides,
                              const Dims& start_padding, std::uint32_t groups = 1) {
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = ConvolutionDirection::backward;
  p.input.sizes = input;
  p.filter.sizes = filter;
  p.bias = TensorDesc{.sizes = Dims(input.size(), 1)};
  p.bias->sizes[1] = filter[1] * groups;
  p.strides = strides;
  p.start_padding = start_padding;
  p.group_count = groups;
  p.output.sizes = output_sizes(p);
  return p;
}

bool has_phases(const ConvolutionParams& params, const PlanOptions& options = {}) {
  return plan(params, options).explain().find("phases as output channels") != std::string::npos;
}

void expect_right_phases(const ConvolutionParams& params) {
  SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
  ASSERT_TRUE(has_phases(params));
  static std::uint64_t seed = 0;
  for (const random_cases::Values values :
       {random_cases::Values::plain, random_cases::Values::special}) {
    testing::expect_right(params, ++seed, values);
    testing::expect_right(as_halves(params), ++seed, values);
  }
}

TEST(ConvolutionPhases, Shapes) {
  for (const ConvolutionParams& params : {
           backward_of({1, 30, 11}, {30, 1, 64}, {16}, {0}),   // inverse STFT
           backward_of({2, 30, 11}, {30, 2, 64}, {16}, {32}),  // cropped
           backward_of({1, 9, 40}, {9, 3, 20}, {10}, {3}),     // phases that are late
           backward_of({1, 33, 3}, {33, 5, 9}, {9}, {4}),      // one tap
           backward_of({1, 4, 600}, {4, 1, 24}, {12}, {5}),    // several runs
           backward_of({2, 20, 3, 3}, {20, 2, 18, 20}, {9, 10}, {2, 7}),
           backward_of({1, 20, 3, 4}, {20, 4, 4, 20}, {2, 10}, {1, 0}, 2),  // groups
           backward_of({1, 34, 4, 5}, {34, 2, 3, 22}, {1, 11}, {2, 1}),
           backward_of({1, 40, 2, 3, 4}, {40, 2, 2, 6, 18}, {1, 3, 9}, {1, 2, 4}),
           backward_of({1, 36, 7, 1}, {36, 2, 20, 1}, {10, 1}, {4, 0}),  // one column
       }) {
    expect_right_phases(params);
  }
}

// Windows that do not overlap: blocks of rows or layers, the last of which starts early.
TEST(ConvolutionPhases, Blocks) {
  constexpr Isa kIsa = Isa::avx512;
  if (base::choose_isa() < Isa::avx2) GTEST_SKIP() << "no AVX2";
  for (const ConvolutionParams& params : {
           backward_of({1, 5, 360, 130}, {5, 3, 2, 2}, {2, 2}, {0, 0}),
           backward_of({2, 3, 67, 300}, {3, 2, 3, 5}, {3, 5}, {1, 2}),  // late phases
           backward_of({1, 4, 9, 61, 40}, {4, 3, 3, 2, 2}, {3, 2, 2}, {1, 0, 1}),
       }) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    EXPECT_NE(plan(params, {.max_isa = kIsa}).explain().find(" blocks, "), std::string::npos);
    EXPECT_FALSE(has_phases(params, {.max_isa = Isa::sse4}));
    testing::expect_right(params, 1);  // at avx512
    testing::expect_right(params, 3);  // at avx2
    testing::expect_right(as_halves(params), 1, random_cases::Values::special);
  }
}

// More channels fill a matrix unit.
TEST_F(ConvolutionPhasesTest, BlocksOfFewChannelsBesideAMatrixUnit) {
  skip_without(Isa::amx);
  if (IsSkipped()) return;
  for (const std::uint32_t channels : {1u, 3u}) {
    const ConvolutionParams params =
        backward_of({1, 64, 40, 50}, {64, channels, 2, 2}, {2, 2}, {0, 0});
    EXPECT_TRUE(has_phases(params, {.max_isa = Isa::amx})) << channels;
    EXPECT_TRUE(has_phases(as_halves(params), {.max_isa = Isa::amx})) << channels;
    testing::expect_right(params, 5);  // at amx
    testing::expect_right(as_halves(params), 5, random_cases::Values::special);
  }
  EXPECT_FALSE(has_phases(backward_of({1, 64, 40, 50}, {64, 32, 2, 2}, {2, 2}, {0, 0}),
                          {.max_isa = Isa::amx}));
}

// Windows that do not overlap: of more than a chain of terms only where these are several chains.
TEST_F(ConvolutionPhasesTest, OfManyTermsAreSumsOfChains) {
  skip_without(Isa::avx2);
  if (IsSkipped()) return;
  constexpr PlanOptions kAvx2{.max_isa = Isa::avx2};
  const auto apart = [](std::uint32_t in, std::uint32_t out) {
    return backward_of({1, in, 6, 7}, {in, out, 4, 4}, {4, 4}, {0, 0});
  };
  const ConvolutionParams params = apart(512, 8);
  EXPECT_TRUE(has_phases(params, kAvx2));
  EXPECT_TRUE(has_phases(apart(256, 2), kAvx2));
  EXPECT_FALSE(has_phases(apart(512, 1), kAvx2));
  EXPECT_FALSE(has_phases(apart(1040, 8), kAvx2));
  EXPECT_FALSE(has_phases(as_halves(params), kAvx2));
  const Floats x = numbers(count_of(params.input)), w = numbers(count_of(params.filter));
  const Floats b(params.output.sizes[1], 0.0f);
  const auto error = [&](const PlanOptions& options) {
    return squared_error(run(plan(params, options), x, w, b), exact_sums(params, x, w, b));
  };
  EXPECT_LT(error(kAvx2), error({.max_isa = Isa::avx2, .strict = true}) / 2);
}

// Few phases too, where their convolution takes fewer products by Winograd's algorithm.
TEST_F(ConvolutionPhasesTest, ByWinogradsAlgorithm) {
  constexpr Isa kIsa = Isa::avx512;
  skip_without(kIsa);
  if (IsSkipped()) return;
  for (ConvolutionParams params : {
           backward_of({1, 160, 15, 15}, {160, 32, 4, 4}, {2, 2}, {1, 1}),
           backward_of({1, 256, 127}, {256, 64, 16}, {8}, {4}),
           backward_of({1, 64, 9, 15}, {64, 32, 6, 6}, {2, 2}, {2, 2}),
       }) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    params.fused_activation = Activation{.type = OperatorType::activation_relu};
    const Plan by_winograd = plan(params, {.max_isa = kIsa});
    EXPECT_TRUE(by_winograd.algorithm().starts_with("winograd_")) << by_winograd.explain();
    EXPECT_TRUE(has_phases(params, {.max_isa = kIsa}));
    EXPECT_FALSE(has_phases(params, {.max_isa = kIsa, .winograd = Winograd::never}));
    testing::expect_right(params, 1);
    testing::expect_right(as_halves(params), 1, random_cases::Values::special);
  }
}

TEST(ConvolutionPhases, Parameters) {
  const ConvolutionParams plain = backward_of({2, 40, 4, 6}, {40, 3, 2, 30}, {2, 10}, {0, 3});
  expect_right_phases(plain);
  ConvolutionParams p = plain;
  p.mode = ConvolutionMode::convolution;
  expect_right_phases(p);
  p = plain;
  p.end_padding = {1, 14};
  p.output.sizes = output_sizes(p);
  expect_right_phases(p);
  p.output.sizes[2] += 5;  // larger than what the windows reach
  p.output.sizes[3] += 23;
  expect_right_phases(p);
  p = plain;
  p.bias.reset();
  p.fused_activation = Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
  for (const std::uint64_t seed : {1u, 2u, 3u}) testing::expect_right(p, seed);
  p = plain;
  p.input.strides = {5000, 110, 25, 3};
  p.output.strides = {10000, 3000, 200, 1};
  for (const std::uint64_t seed : {1u, 2u, 3u}) testing::expect_right(p, seed);
}

TEST(ConvolutionPhases, OnlyWherePhasesReadTheSameInputs) {
  const ConvolutionParams p = backward_of({1, 40, 30}, {40, 2, 40}, {10}, {0});
  EXPECT_TRUE(has_phases(p));
  EXPECT_FALSE(has_phases(p, {.strict = true}));
  EXPECT_FALSE(has_phases(backward_of({1, 40, 30}, {40, 2, 39}, {10}, {0})));  // fewer taps of one
  EXPECT_FALSE(has_phases(backward_of({1, 40, 30}, {40, 2, 32}, {8}, {0})));   // few phases
  EXPECT_FALSE(has_phases(backward_of({1, 3, 30}, {3, 8, 40}, {10}, {0})));    // few terms
  EXPECT_FALSE(
      has_phases(backward_of({1, 40, 30}, {40, 2, 10}, {10}, {10})));  // an input is cropped
  constexpr std::uint32_t kMany = (1 << 20) + 1;                       // phases
  EXPECT_FALSE(has_phases(backward_of({1, 1, 1}, {1, 1, kMany}, {kMany}, {0})));
  EXPECT_TRUE(has_phases(backward_of({1, 1, 1}, {1, 1, kMany - 1}, {kMany - 1}, {0})));
  ConvolutionParams padded = p;
  padded.output_padding = {1};
  padded.output.sizes = output_sizes(padded);
  EXPECT_FALSE(has_phases(padded));
  padded.output_padding.clear();
  padded.output.sizes[2] = 9;  // not even one of each phase
  padded.start_padding = {0};
  padded.end_padding = {321};
  ASSERT_EQ(output_sizes(padded), padded.output.sizes);
  EXPECT_FALSE(has_phases(padded));
}

TEST(ConvolutionPhases, PaddingOfTheForwardOneFits32Bits) {
  ConvolutionParams p = backward_of({1, 20, 1, 64}, {20, 2, 3, 16}, {1, 16}, {0, 0});
  p.end_padding = {UINT32_MAX, 0};
  for (const std::uint32_t dilation : {UINT32_MAX / 2, UINT32_MAX / 2 + 1}) {
    p.dilations = {dilation, 1};
    p.output.sizes = output_sizes(p);
    EXPECT_EQ(has_phases(p), dilation == UINT32_MAX / 2);
    testing::expect_right(p, dilation);
  }
}

TEST(ConvolutionPhases, WorkspaceHoldsOneImage) {
  const auto workspace = [](std::uint32_t batch) {
    return plan(backward_of({batch, 64, 500}, {64, 1, 512}, {128}, {0}),
                {.threads = 2, .prepare_filter = true})
        .workspace_size_in_bytes();
  };
  constexpr std::uint64_t kResults = std::uint64_t{128} * 503 * sizeof(float);
  EXPECT_GE(workspace(1), kResults);
  EXPECT_LE(workspace(1), kResults + (8 << 20));
  EXPECT_EQ(workspace(1), workspace(7));
  // Of few phases, no more than 64 MiB.
  EXPECT_FALSE(has_phases(backward_of({1, 256, 600, 600}, {256, 64, 4, 4}, {2, 2}, {1, 1})));
}

TEST_F(ConvolutionPhasesTest, SameBitsForPreparedFilters) {
  const ConvolutionParams p = backward_of({2, 40, 50}, {40, 2, 64}, {16}, {20});
  const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter)), b = numbers(2);
  const Floats expected = run(plan(p, {.threads = 1}), x, w, b);
  for (const unsigned threads : {2u, 5u}) {
    const Plan prepared = plan(p, {.threads = threads, .prepare_filter = true});
    std::vector<std::byte> weights(prepared.prepared_size_in_bytes() + 256);
    void* memory = weights.data();
    std::size_t space = weights.size();
    ASSERT_NE(std::align(256, prepared.prepared_size_in_bytes(), memory, space), nullptr);
    const Buffer aligned{memory, prepared.prepared_size_in_bytes()};
    prepared.prepare(ConstBuffer(w.data(), w.size() * 4), aligned);
    Floats y(expected.size());
    const ConstBuffer inputs[] = {{x.data(), x.size() * 4}, {}, {b.data(), b.size() * 4}};
    const Buffer outputs[] = {{y.data(), y.size() * 4}};
    prepared.run({.inputs = inputs, .outputs = outputs, .prepared = aligned});
    EXPECT_TRUE(same_bits(y, expected)) << threads;
  }
}

TEST_F(ConvolutionPhasesTest, ReadsNoPreparedMemoryThatItDidNotAskFor) {
  const ConvolutionParams p = backward_of({1, 40, 50}, {40, 2, 64}, {16}, {20});
  const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter)), b = numbers(2);
  const Plan plan = weft::plan(p, {.threads = 1});
  Floats y(count_of(p.output));
  const ConstBuffer inputs[] = {
      {x.data(), x.size() * 4}, {w.data(), w.size() * 4}, {b.data(), b.size() * 4}};
  const Buffer outputs[] = {{y.data(), y.size() * 4}};
  std::byte none[1] = {};
  plan.run({.inputs = inputs, .outputs = outputs, .prepared = {none, 1}});
  EXPECT_TRUE(same_bits(y, run(plan, x, w, b)));
}

}  // namespace
}  // namespace weft::ops
