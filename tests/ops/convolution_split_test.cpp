#include "ops/convolution_split.h"

#include "ops/split_case.h"

namespace weft::ops {
namespace {

class SplitConvolutionTest : public MatrixUnitTest {};

TEST_F(SplitConvolutionTest, MemoryOfAThreadIsBounded) {
  for (const std::uint32_t channels : {64u, 1280u}) {
    for (const std::uint32_t window : {1u, 3u, 7u}) {
      for (const std::uint32_t stride : {1u, 2u}) {
        for (const std::uint32_t size : {7u, 56u, 300u, 1024u, 5000u}) {
          const ConvolutionParams params =
              params_of({1, channels, 256, 1, 20, size + 7, window, stride, 1});
          const Plan one =
              plan(params, {.threads = 1, .winograd = Winograd::never, .prepare_filter = true});
          EXPECT_LE(one.workspace_size_in_bytes(), 4u << 20)
              << one.explain() << ", window " << window << ", stride " << stride << ", " << size;
        }
      }
    }
  }
}

// Small images, with a plane for each tap of a row, and phases that share their pixels.
TEST_F(SplitConvolutionTest, AgreesWithTheGeneralPlan) {
  constexpr auto kBackward = ConvolutionDirection::backward;
  const Shape shapes[] = {
      {1, 70, 40, 1, 8, 8, 4, 2, 1, kBackward},
      {2, 64, 64, 1, 28, 28, 3, 2, 1, kBackward},
      {1, 33, 64, 1, 5, 9, 5, 3, 2, kBackward},
      {1, 600, 40, 1, 20, 40, 5, 2, 1, kBackward},  // not all channels fit
      {1, 500, 70, 1, 8, 8, 4, 2, 1, kBackward},    // but the next filter would not
      {1, 64, 32, 2, 9, 16, 7, 4, 1, kBackward},
      {2, 70, 40, 1, 8, 8, 3, 1, 1},
      {1, 40, 64, 1, 17, 17, 4, 2, 1},
      {1, 40, 64, 1, 13, 8, 3, 1, 2}};
  for (const Shape& shape : shapes) expect_right_plan<SplitConvolution>(params_of(shape));
}

TEST_F(SplitConvolutionTest, EveryHalf) {
  expect_every_half<SplitConvolution>({1, 64, 40, 1, 27, 43, 3, 1, 1});
  expect_every_half<SplitConvolution>({1, 40, 40, 1, 41, 43, 3, 2, 1});
}

// Windows so far apart that bands of rows have taps in nothing but padding, which are left out
// whatever the bands.
TEST_F(SplitConvolutionTest, TapsInThePaddingChangeNoBit) {
  for (const std::uint32_t dilation : {3u, 12u, 40u}) {
    ConvolutionParams params = params_of({2, 40, 33, 1, 33, 19, 3, 1, dilation});
    params.start_padding = params.end_padding = {dilation, dilation};
    params.output.sizes = output_sizes(params);
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(33);
    const Floats one = run(plan_of<SplitConvolution>(params), x, w, b);
    const Floats expected = run(general(params), x, w, b);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], expected[i], 1e-4) << i;
    for (const unsigned threads : {2u, 5u, 16u}) {
      EXPECT_TRUE(same_bits(run(plan_of<SplitConvolution>(params, threads), x, w, b), one));
    }
  }
}

TEST_F(SplitConvolutionTest, IsChosenWhereItIsFaster) {
  const ConvolutionParams wide = params_of({1, 64, 64, 1, 14, 14, 3, 1, 1});
  EXPECT_EQ(plan(wide, {.winograd = Winograd::never}).algorithm(), "split_f32_amx");
  EXPECT_EQ(general(wide).algorithm(), "gemm_f32_avx512");
  EXPECT_EQ(plan(params_of({1, 4, 4, 1, 14, 14, 3, 1, 1})).algorithm(), "direct_f32_avx512");
  EXPECT_EQ(plan(params_of({1, 3, 12, 1, 14, 14, 3, 1, 1})).algorithm(), "gemm_f32_avx512");
}

// Rows and columns that no window mixes are one dimension, which leaves two.
TEST_F(SplitConvolutionTest, WindowsAlongTimeAlone) {
  for (const std::uint32_t stride : {1u, 2u}) {
    expect_right_plan<SplitConvolution>(volumes_of(ConvolutionDirection::forward, {2, 40, 7, 9, 11},
                                                   {36, 40, 3, 1, 1}, {stride, 1, 1}, {1, 0, 0}));
  }
}

}  // namespace
}  // namespace weft::ops
