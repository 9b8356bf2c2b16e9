#include "ops/convolution_fold.h"

#include <limits>

#include "ops/checked_case.h"
#include "ops/split_case.h"

namespace weft::ops {
namespace {

constexpr auto kBackward = ConvolutionDirection::backward;

class FoldConvolutionTest : public MatrixUnitTest {
 protected:
  void expect_right(const ConvolutionParams& params) {
    ASSERT_LT(FoldConvolution::seconds(params, {}), std::numeric_limits<double>::infinity());
    expect_right_plan<FoldConvolution>(params);
    expect_right_plan_in_halves<FoldConvolution>(params);
  }
};

TEST_F(FoldConvolutionTest, Forward) {
  expect_right(params_of({1, 64, 3, 1, 37, 160, 3, 1, 1}));  // several bands
  expect_right(params_of({2, 33, 5, 1, 9, 21, 3, 1, 2}));
  expect_right(params_of({1, 8, 2, 1, 40, 33, 5, 1, 1}));
  expect_right(params_of({1, 40, 8, 1, 6, 7, 4, 1, 1}));
  expect_right(params_of({1, 20, 2, 1, 90, 18, 8, 1, 1}));   // as many rows as there can be
  expect_right(params_of({1, 320, 4, 1, 20, 19, 3, 1, 1}));  // several batches a band
  expect_right(params_of({1, 16, 14, 1, 5, 5, 3, 1, 1}));    // more padding than inputs
  for (const Dims& window : {Dims{5, 1}, Dims{1, 7}, Dims{2, 3}}) {
    ConvolutionParams p = params_of({1, 24, 3, 1, 19, 45, 1, 1, 1});
    p.filter.sizes = {3, 24, window[0], window[1]};
    p.end_padding = {3, 4};
    for (const ConvolutionMode mode :
         {ConvolutionMode::convolution, ConvolutionMode::cross_correlation}) {
      p.mode = mode;
      p.output.sizes = output_sizes(p);
      expect_right(p);
    }
  }
}

// One row of outputs, which no row of inputs reaches.
ConvolutionParams rows_without_taps() {
  ConvolutionParams p = params_of({1, 64, 3, 1, 3, 60, 3, 1, 1, kBackward});
  p.filter.sizes = {64, 3, 1, 3};
  p.strides = {4, 1};
  p.start_padding = {1, 1};
  p.end_padding = {7, 1};
  p.output.sizes = output_sizes(p);
  return p;
}

TEST_F(FoldConvolutionTest, Backward) {
  expect_right(params_of({1, 56, 1, 1, 30, 40, 9, 3, 1, kBackward}));
  expect_right(params_of({2, 64, 3, 1, 13, 20, 4, 2, 1, kBackward}));
  expect_right(params_of({1, 36, 2, 1, 40, 70, 5, 2, 1, kBackward}));
  expect_right(params_of({1, 33, 3, 1, 7, 60, 3, 1, 1, kBackward}));
  expect_right(params_of({1, 20, 2, 1, 5, 9, 8, 4, 1, kBackward}));
  expect_right(params_of({1, 20, 2, 1, 11, 9, 3, 2, 3, kBackward}));
  expect_right(params_of({1, 20, 2, 1, 11, 9, 2, 4, 1, kBackward}));  // phases without taps
  expect_right(rows_without_taps());
  ConvolutionParams p = params_of({1, 56, 1, 1, 12, 16, 9, 3, 1, kBackward});
  p.start_padding = p.end_padding = {4, 5};
  p.output_padding = {2, 1};
  p.output.sizes = output_sizes(p);
  expect_right(p);
  p.output.sizes[2] += 40;  // larger than what the windows reach
  p.output.sizes[3] += 7;
  expect_right(p);
}

TEST_F(FoldConvolutionTest, Activations) {
  ConvolutionParams p = params_of({1, 40, 3, 1, 10, 45, 3, 1, 1});
  for (const OperatorType type :
       {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
    p.fused_activation = Activation{.type = type, .alpha = 0.25f};
    expect_right(p);
  }
}

TEST_F(FoldConvolutionTest, EveryHalf) {
  expect_every_half<FoldConvolution>({1, 8, 8, 1, 90, 89, 3, 1, 1});
}

// Against the naive reference, with infinities, NaN and tiny numbers, gaps between outputs.
TEST_F(FoldConvolutionTest, ChosenAndRight) {
  std::uint64_t seed = 0;
  for (const Shape& shape :
       {Shape{1, 64, 5, 1, 20, 60, 3, 1, 1}, Shape{1, 128, 1, 1, 8, 12, 9, 3, 1, kBackward},
        Shape{1, 128, 3, 1, 9, 20, 4, 2, 1, kBackward}}) {
    SCOPED_TRACE(::testing::PrintToString(shape.window));
    for (const ConvolutionParams& params : {params_of(shape), as_halves(params_of(shape))}) {
      EXPECT_NE(plan(params, {}).explain().find("pairs of channel and tap"), std::string::npos);
      for (const random_cases::Values values :
           {random_cases::Values::plain, random_cases::Values::special}) {
        seed += 5;  // with the unit
        testing::expect_right(params, seed, values);
      }
    }
  }
}

TEST_F(FoldConvolutionTest, NoLargerErrorThanAChain) {
  const ConvolutionParams p = params_of({1, 256, 3, 1, 20, 30, 3, 1, 1});
  const Floats x = numbers(count_of(p.input)), w = numbers(count_of(p.filter)), b = numbers(3);
  const auto exact = exact_sums(p, x, w, b);
  const double error = squared_error(run(plan_of<FoldConvolution>(p), x, w, b), exact);
  EXPECT_LE(error, squared_error(run(general(p), x, w, b), exact));
}

TEST_F(FoldConvolutionTest, ManyPhasesAndLongRowsAreNotItsWay) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  ConvolutionParams p = params_of({1, 20, 1, 1, 3, 9, 3, 1, 1, kBackward});
  EXPECT_LT(FoldConvolution::seconds(p, {}), kNever);
  p.output_padding = {0, 1 << 20};
  p.output.sizes = output_sizes(p);
  EXPECT_EQ(FoldConvolution::seconds(p, {}), kNever);
  p.output_padding = {0, 0};
  p.strides = {1 << 20, 1};
  p.output.sizes = output_sizes(p);
  EXPECT_EQ(FoldConvolution::seconds(p, {}), kNever);
}

TEST_F(FoldConvolutionTest, WorkspaceIsBounded) {
  int checked = 0;
  for (const DataType type : {DataType::float32, DataType::float16}) {
    for (const std::uint32_t channels : {16u, 256u, 1024u}) {
      for (const std::uint32_t width : {16u, 500u, 2000u, 8000u}) {
        for (const std::uint32_t out : {1u, 3u, 14u}) {
          ConvolutionParams p = params_of({1, channels, out, 1, 2000, width, 3, 1, 1});
          if (type == DataType::float16) p = as_halves(p);
          if (FoldConvolution::seconds(p, {}) == std::numeric_limits<double>::infinity()) continue;
          const FoldConvolution one(p, {.threads = 1, .prepare_filter = true});
          EXPECT_LE(one.workspace_size_in_bytes, 4u << 20)
              << channels << ' ' << width << ' ' << out;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace weft::ops
