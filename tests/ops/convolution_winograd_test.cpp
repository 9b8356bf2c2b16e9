#include "ops/convolution_winograd.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>

#include "ops/winograd_case.h"

namespace weft::ops {
namespace {

TEST_P(WinogradConvolutionTest, Shapes) {
  for_each_tile([&] {
    expect_right(padded({1, 32, 32, 1, 8, 8, 3, 1, 1}, 1, 1));
    expect_right(padded({2, 40, 33, 1, 8, 28, 3, 1, 1}, 1, 1));
    expect_right(padded({1, 33, 31, 1, 7, 7, 3, 1, 1}, 1, 1));
    expect_right(padded({1, 5, 3, 1, 3, 3, 3, 1, 1}, 0, 0));
    expect_right(padded({1, 17, 65, 1, 1, 1, 3, 1, 1}, 1, 1));
    expect_right(padded({1, 33, 7, 1, 3, 90, 3, 1, 1}, 1, 0));
    expect_right(padded({1, 20, 16, 1, 41, 5, 3, 1, 1}, 2, 3));
    expect_right(padded({1, 5, 4, 1, 13, 600, 3, 1, 1}, 0, 1));
    expect_right(padded({2, 24, 20, 2, 15, 18, 3, 1, 1}, 1, 1));
    expect_right(padded({1, 200, 70, 1, 7, 7, 3, 1, 1}, 1, 1));
  });
}

TEST_P(WinogradConvolutionTest, Float16IsRoundedAtTheEnd) {
  for_each_tile([&] {
    for (const Shape& shape :
         {Shape{2, 40, 33, 1, 8, 28, 3, 1, 1}, Shape{1, 33, 7, 1, 3, 90, 3, 1, 1},
          Shape{1, 5, 4, 1, 13, 600, 3, 1, 1}, Shape{1, 5, 3, 1, 3, 3, 3, 1, 1}}) {
      expect_rounded_at_the_end(padded(shape, 1, 0));
    }
  });
}

// Small images share blocks of tiles, without a trace of it.
TEST_P(WinogradConvolutionTest, SeveralImagesABlock) {
  for_each_tile([&] {
    constexpr std::uint32_t kBatch = 7;
    ConvolutionParams leaky = padded({kBatch, 40, 34, 2, 5, 4, 3, 1, 1}, 1, 1);
    leaky.fused_activation =
        Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    const ConvolutionParams all[] = {
        padded({kBatch, 33, 40, 1, 7, 4, 3, 1, 1}, 1, 1), leaky,
        padded({kBatch, 32, 20, 1, 3, 5, 3, 1, 1, ConvolutionDirection::backward}, 0, 1),
        // Blocks begin and end within images, and between two of them.
        padded({kBatch, 64, 20, 1, 13, 20, 3, 1, 1}, 1, 1)};
    for (const ConvolutionParams& params : all) {
      // Channels fill vectors as well with the tiles of one.
      if (vectors() == WinogradVectors::of_tiles) {
        EXPECT_NE(winograd(params).explain().find(" stacked images "), std::string::npos)
            << winograd(params).explain();
      }
      expect_right(params);
      const Floats w = numbers(count_of(params.filter));
      const Floats b = numbers(params.output.sizes[1]);
      Floats x = numbers(count_of(params.input));
      const Floats expected = run(winograd(params), x, w, b);
      const std::size_t image = x.size() / kBatch, result_image = expected.size() / kBatch;
      ConvolutionParams alone = params;
      alone.input.sizes[0] = alone.output.sizes[0] = 1;
      const Floats third(x.begin() + 2 * image, x.begin() + 3 * image);
      const Floats y = run(winograd(alone), third, w, b);
      EXPECT_EQ(std::memcmp(y.data(), &expected[2 * result_image], result_image * 4), 0);

      x[2 * image] = std::numeric_limits<float>::infinity();
      const Floats odd = run(winograd(params), x, w, b);
      for (std::size_t i = 0; i < kBatch; ++i) {
        const bool same =
            std::memcmp(&odd[i * result_image], &expected[i * result_image], result_image * 4) == 0;
        EXPECT_EQ(same, i != 2) << i;
      }
    }
  });
}

TEST_P(WinogradConvolutionTest, BothModesAndDirections) {
  for_each_tile([&] {
    ConvolutionParams p = padded({1, 24, 9, 1, 12, 19, 3, 1, 1}, 1, 1);
    p.mode = ConvolutionMode::convolution;
    expect_right(p);
    const Shape shape{1, 24, 9, 1, 12, 19, 3, 1, 1, ConvolutionDirection::backward};
    ConvolutionParams back = padded(shape, 1, 1);
    expect_right(back);
    back.mode = ConvolutionMode::convolution;
    expect_right(back);
  });
}

TEST_P(WinogradConvolutionTest, ReluAndNoBias) {
  for_each_tile([&] {
    ConvolutionParams p = padded({1, 32, 40, 1, 9, 14, 3, 1, 1}, 1, 1);
    p.fused_activation = Activation{.type = OperatorType::activation_relu};
    expect_right(p);
    const Floats x = numbers(count_of(p.input));
    const Floats w = numbers(count_of(p.filter));
    for (const float y : run(winograd(p), x, w, Floats(40))) ASSERT_GE(y, 0.0f);
    p.fused_activation.reset();
    p.bias.reset();
    const Floats expected = run(general(p), x, w, {});
    const Floats result = run(winograd(p), x, w, {});
    for (std::size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 2e-4);
  });
}

TEST_P(WinogradConvolutionTest, InputStridesAndGapsInTheOutput) {
  for_each_tile([&] {
    ConvolutionParams p = padded({2, 34, 33, 1, 10, 11, 3, 1, 1}, 1, 1);
    p.input.strides = Dims{10 * 11 * 34, 1, 11 * 34, 34};  // NHWC
    p.output.strides = Dims{33 * 10 * 13 + 5, 10 * 13, 13, 1};
    const Floats x = numbers(count_of(p.input));
    const Floats w = numbers(count_of(p.filter));
    const Floats b = numbers(33);
    const auto run_strided = [&](const Plan& plan) {
      constexpr std::size_t kImage = 33 * 10 * 13 + 5;
      Floats y(2 * kImage, -77.0f);
      const ConstBuffer inputs[] = {
          {x.data(), x.size() * 4}, {w.data(), w.size() * 4}, {b.data(), b.size() * 4}};
      const Buffer outputs[] = {{y.data(), y.size() * 4}};
      plan.run({inputs, outputs});
      return y;
    };
    const Floats expected = run_strided(general(p));
    const Floats result = run_strided(winograd(p));
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (expected[i] == -77.0f) {
        ASSERT_EQ(result[i], -77.0f) << i;
      } else {
        ASSERT_NEAR(result[i], expected[i], 2e-4) << i;
      }
    }
  });
}

TEST_P(WinogradConvolutionTest, OtherActivations) {
  for_each_tile([&] {
    ConvolutionParams p = padded({2, 34, 40, 1, 9, 14, 3, 1, 1}, 1, 1);
    p.fused_activation = Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    expect_right(p);
    // The same bits as the function on its own gives.
    const Floats x = numbers(count_of(p.input));
    const Floats w = numbers(count_of(p.filter));
    const Floats b = numbers(40);
    const Floats fused = run(winograd(p), x, w, b);
    p.fused_activation.reset();
    Floats plain = run(winograd(p), x, w, b);
    for (float& y : plain) y = y < 0 ? y * 0.25f : y;
    EXPECT_TRUE(same_bits(fused, plain));
  });
}

TEST_P(WinogradConvolutionTest, OutputStrides) {
  for_each_tile([&] {
    ConvolutionParams p = padded({1, 32, 33, 1, 10, 11, 3, 1, 1}, 1, 1);
    const Floats x = numbers(count_of(p.input));
    const Floats w = numbers(count_of(p.filter));
    const Floats b = numbers(33);
    const Floats packed = run(winograd(p), x, w, b);
    p.output.strides = Dims{10 * 11 * 33, 1, 11 * 33, 33};  // NHWC
    const Floats result = run(winograd(p), x, w, b);
    for (std::size_t c = 0; c < 33; ++c) {
      for (std::size_t i = 0; i < 110; ++i) ASSERT_EQ(result[i * 33 + c], packed[c * 110 + i]);
    }
  });
}

// An image with numbers that the products or their parts cannot hold is left to the general plan,
// and only that image.
TEST_P(WinogradConvolutionTest, InfinitiesAndTinyNumbers) {
  for_each_tile([&] {
    const ConvolutionParams p = padded({3, 32, 32, 1, 9, 9, 3, 1, 1}, 1, 1);
    Floats x = numbers(count_of(p.input));
    const Floats w = numbers(count_of(p.filter));
    const Floats b = numbers(32);
    const std::size_t image = x.size() / 3;
    const Floats plain = run(winograd(p), x, w, b);
    for (const float odd : {std::numeric_limits<float>::infinity(), 3e38f, 1e-38f, 1e-42f}) {
      if (odd < 1 && std::get<Isa>(GetParam()) < Isa::amx) continue;  // nothing is taken apart
      x[image + 1000] = odd;
      const Floats result = run(winograd(p), x, w, b);
      const Floats expected = run(general(p), x, w, b);
      const std::size_t out = result.size() / 3;
      EXPECT_EQ(std::memcmp(result.data() + out, expected.data() + out, out * 4), 0) << odd;
      EXPECT_EQ(std::memcmp(result.data(), plain.data(), out * 4), 0) << odd;
      EXPECT_EQ(std::memcmp(result.data() + 2 * out, plain.data() + 2 * out, out * 4), 0) << odd;
    }
  });
}

// What a smooth activation leaves of large negative numbers is no reason to compute an image twice.
TEST_P(WinogradConvolutionTest, SmallNumbersAreNotTinyOnes) {
  for_each_tile([&] {
    const ConvolutionParams p = padded({1, 32, 32, 1, 9, 9, 3, 1, 1}, 1, 1);
    Floats x = numbers(count_of(p.input));
    Floats w = numbers(count_of(p.filter));
    const Floats b(32, 0.0f);
    for (std::size_t i = 0; i < x.size(); i += 7) x[i] *= 1e-22f;
    w[5] = 1e-9f;
    const Floats expected = run(general(p), x, w, b);
    const Floats result = run(winograd(p), x, w, b);
    for (std::size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 2e-4) << i;
    EXPECT_FALSE(same_bits(result, expected));  // not the general way
  });
}

// The least channels, and more, of each tile that is a default.
struct ErrorCase {
  Isa isa;
  kernels::WinogradTile tile;
  std::uint32_t channels;
};

class WinogradErrorTest : public WinogradErrors, public ::testing::WithParamInterface<ErrorCase> {
 protected:
  void SetUp() override { skip_without(GetParam().isa); }
};

TEST_P(WinogradErrorTest, IsBelowThatOfOneChainWhereItIsTheDefault) {
  const auto& [isa, tile, channels] = GetParam();
  expect_below_chain(padded({1, channels, 4, 1, 14, 14, 3, 1, 1}, 1, 1), isa, tile);
}

INSTANTIATE_TEST_SUITE_P(
    Defaults, WinogradErrorTest,
    ::testing::Values(ErrorCase{Isa::amx, {2, 2}, 16}, ErrorCase{Isa::amx, {2, 2}, 64},
                      ErrorCase{Isa::amx, {2, 4}, 32}, ErrorCase{Isa::amx, {2, 4}, 256},
                      ErrorCase{Isa::avx512, {2, 2}, 32}, ErrorCase{Isa::avx512, {2, 2}, 96},
                      ErrorCase{Isa::avx512, {2, 4}, 64}, ErrorCase{Isa::avx512, {2, 4}, 96},
                      ErrorCase{Isa::avx512, {2, 4}, 154}, ErrorCase{Isa::avx512, {4, 4}, 224},
                      ErrorCase{Isa::avx512, {4, 4}, 360}, ErrorCase{Isa::avx2, {2, 2}, 32},
                      ErrorCase{Isa::avx2, {2, 4}, 64}, ErrorCase{Isa::avx2, {2, 4}, 154},
                      ErrorCase{Isa::avx2, {4, 4}, 224}, ErrorCase{Isa::avx2, {4, 4}, 360}),
    [](const auto& info) {
      return text(info.param.isa, info.param.tile) + "_" + std::to_string(info.param.channels);
    });

using WinogradHalvesTest = MatrixUnitTest;

// As by direct sums of the unit; larger tiles only where they are allowed.
TEST_F(WinogradHalvesTest, AreRoundedAsIfSumsWereExactWhereItIsTheDefault) {
  struct Case {
    kernels::WinogradTile tile;
    std::uint32_t channels, height, width;
  };
  const Case cases[] = {{{2, 2}, 16, 3, 3},       {{2, 2}, 256, 3, 3},     {{2, 2}, 16, 5, 5},
                        {{1, 2}, 64, 1, 3},       {{2, 1}, 64, 3, 1},      {{2, 2, 2, 2}, 64, 2, 2},
                        {{2, 2, 2, 2}, 32, 4, 4}, {{1, 2, 1, 2}, 64, 1, 2}};
  const PlanOptions options{.threads = 1};
  for (const Case& of : cases) {
    const ConvolutionParams params =
        params_of(Window{{1, of.channels, 28, 28}, {16, of.channels, of.height, of.width}});
    const ConvolutionParams half = as_halves(params);
    ASSERT_FALSE(std::isinf(WinogradConvolution::seconds(half, options, of.tile)));
    const Plan winograd(WinogradConvolution::make(half, options, of.tile));
    for (const float least : {-1.0f, 0.0f}) {  // 0: after ReLU
      SCOPED_TRACE(text(of.tile) + ", " + std::to_string(of.channels) + " channels, from " +
                   std::to_string(least));
      Floats x = numbers(count_of(params.input));
      for (float& v : x) v = std::max(v, least);
      const Halves half_x = halves(x), w = halves(numbers(count_of(params.filter)));
      const Halves b = halves(numbers(params.output.sizes[1]));
      const reference::ExpectedTensor exact =
          exact_sums(params, widened(half_x), widened(w), widened(b));
      const HalfErrors errors = half_errors(run(winograd, half_x, w, b), exact);
      EXPECT_LE(errors.squared, 1.001);
      EXPECT_LE(errors.others, 0.03);
    }
  }
}

TEST_F(WinogradHalvesTest, LargerTilesAreTakenWhereTheyAreAllowed) {
  const auto half = [](std::uint32_t channels, std::uint32_t size) {
    return as_halves(padded({1, channels, channels, 1, size, size, 3, 1, 1}, 1, 1));
  };
  for (const kernels::WinogradTile& tile : {kernels::WinogradTile{2, 4}, {4, 4}}) {
    const auto seconds = [&](Winograd winograd) {
      return WinogradConvolution::seconds(half(320, 64), {.winograd = winograd}, tile);
    };
    EXPECT_TRUE(std::isinf(seconds(Winograd::accurate)));
    EXPECT_FALSE(std::isinf(seconds(Winograd::allowed)));
  }
  const auto takes = [](const ConvolutionParams& params, Winograd winograd) {
    return std::string(plan(params, {.winograd = winograd}).algorithm());
  };
  EXPECT_EQ(takes(half(1280, 16), Winograd::accurate), "winograd_2x2_amx");
  EXPECT_EQ(takes(half(1280, 16), Winograd::never), "split_f16_amx");
  EXPECT_EQ(takes(half(512, 7), Winograd::accurate), "split_f16_amx");
  EXPECT_EQ(takes(half(64, 112), Winograd::allowed), "winograd_2x4_amx");
}

class WinogradChoiceTest : public NumbersTest {
 protected:
  const ConvolutionParams params_ = padded({1, 128, 128, 1, 56, 56, 3, 1, 1}, 1, 1);

  std::string takes(const PlanOptions& options) {
    return std::string(plan(params_, options).algorithm());
  }
};

class WinogradChoiceByIsaTest : public WinogradChoiceTest,
                                public ::testing::WithParamInterface<Isa> {};

TEST_P(WinogradChoiceByIsaTest, OptionsAndStrictModeTurnItOff) {
  const Isa isa = GetParam();
  skip_without(isa);
  if (IsSkipped()) return;
  const std::string ending = "_" + std::string(name(isa));
  EXPECT_EQ(takes({.max_isa = isa}), "winograd_2x4" + ending);
  EXPECT_EQ(takes({.max_isa = isa, .winograd = Winograd::allowed}), "winograd_4x4" + ending);
  EXPECT_EQ(takes({.max_isa = isa, .winograd = Winograd::never}), "gemm_f32" + ending);
  EXPECT_EQ(takes({.strict = true, .winograd = Winograd::allowed}).find("winograd"),
            std::string::npos);
  // Of so many channels the way that errs most errs less than a chain.
  const ConvolutionParams wide = padded({1, 320, 320, 1, 64, 64, 3, 1, 1}, 1, 1);
  EXPECT_EQ(plan(wide, {.max_isa = isa}).algorithm(), "winograd_4x4" + ending);
}

INSTANTIATE_TEST_SUITE_P(Vectors, WinogradChoiceByIsaTest,
                         ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

// Their sums are the same chains, whatever the length of a vector and what lies along it.
TEST_F(WinogradChoiceTest, AllVectorsGiveTheSameBits) {
  skip_without(Isa::avx512);
  if (IsSkipped()) return;
  const ConvolutionParams small_images = padded({7, 320, 300, 1, 3, 2, 3, 1, 1}, 1, 1);
  ConvolutionParams leaky = small_images;
  leaky.fused_activation = Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
  for (const ConvolutionParams& params :
       {padded({1, 64, 40, 1, 14, 14, 3, 1, 1}, 1, 0),
        padded({2, 130, 33, 1, 9, 70, 3, 1, 1}, 1, 0),
        padded({1, 40, 70, 1, 61, 61, 3, 1, 1}, 0, 1), small_images, leaky}) {
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(params.output.sizes[1]);
    for (const kernels::WinogradTile& tile : {kernels::WinogradTile{2, 2}, {2, 4}, {4, 4}}) {
      const auto plan_of = [&](Isa isa, WinogradVectors vectors) {
        const PlanOptions options{.threads = 1, .max_isa = isa};
        return Plan(WinogradConvolution::make(params, options, tile, vectors));
      };
      const Floats expected = run(plan_of(Isa::avx2, WinogradVectors::of_tiles), x, w, b);
      for (const auto vectors : {WinogradVectors::of_tiles, WinogradVectors::of_channels}) {
        for (const Isa isa : {Isa::avx2, Isa::avx512}) {
          EXPECT_TRUE(same_bits(run(plan_of(isa, vectors), x, w, b), expected))
              << plan_of(isa, vectors).explain();
        }
        if (params.input.sizes[0] < 7) continue;
        const std::string text = plan_of(Isa::avx512, vectors).explain();
        EXPECT_NE(text.find(" stacked images "), std::string::npos) << text;
      }
    }
  }
}

TEST_F(WinogradChoiceTest, OptionsTurnItOffOnAMatrixUnit) {
  skip_without(Isa::amx);
  if (IsSkipped()) return;
  EXPECT_EQ(takes({}), "winograd_2x4_amx");
  EXPECT_EQ(takes({.winograd = Winograd::never}), "split_f32_amx");
  // The way that errs most only where it is clearly faster.
  EXPECT_EQ(takes({.winograd = Winograd::allowed}), "winograd_2x4_amx");
  const ConvolutionParams wide = padded({1, 320, 320, 1, 64, 64, 3, 1, 1}, 1, 1);
  EXPECT_EQ(plan(wide, {.winograd = Winograd::allowed}).algorithm(), "winograd_4x4_amx");
  EXPECT_EQ(plan(wide, {}).algorithm(), "winograd_2x4_amx");
}

// On the unit 4 x 4 pays for many channels or images; and the way, which bits depend on, is the
// same for all numbers of threads.
TEST_F(WinogradChoiceTest, LargeTilesOnAMatrixUnitForEveryThreadCount) {
  skip_without(Isa::amx);
  if (IsSkipped()) return;
  const auto takes = [](const Shape& shape, unsigned threads) {
    const PlanOptions options{.threads = threads, .winograd = Winograd::allowed};
    return std::string(plan(padded(shape, 1, 1), options).algorithm());
  };
  for (const unsigned threads : {1u, 2u, 4u, 7u}) {
    EXPECT_EQ(takes({8, 128, 128, 1, 28, 28, 3, 1, 1}, threads), "winograd_4x4_amx") << threads;
    EXPECT_EQ(takes({4, 160, 160, 1, 40, 40, 3, 1, 1}, threads), "winograd_4x4_amx") << threads;
    EXPECT_EQ(takes({1, 256, 256, 1, 28, 28, 3, 1, 1}, threads), "winograd_4x4_amx") << threads;
    EXPECT_EQ(takes({1, 64, 64, 1, 112, 112, 3, 1, 1}, threads), "winograd_2x4_amx") << threads;
    EXPECT_EQ(takes({1, 256, 256, 1, 20, 20, 3, 1, 1}, threads), "winograd_2x4_amx") << threads;
  }
}

// Their error would pass that of a chain.
TEST_F(WinogradChoiceTest, NeverForFewChannels) {
  const ConvolutionParams narrow = padded({1, 8, 128, 1, 56, 56, 3, 1, 1}, 1, 1);
  EXPECT_TRUE(std::isinf(WinogradConvolution::seconds(narrow, {}, {2, 2})));
}

TEST_F(WinogradChoiceTest, MemoryOfAThreadIsBounded) {
  for (const std::uint32_t channels : {16u, 64u, 320u, 1280u, 5000u}) {
    for (const std::uint32_t size : {1u, 14u, 56u, 300u, 5000u}) {
      ConvolutionParams params = padded({1, channels, 256, 1, 20, size, 3, 1, 1}, 1, 1);
      if (channels % 3 == 1) params.input.strides = {0, 40 * size, 2 * size, 2};  // gathered
      for (const kernels::WinogradTile& tile : {kernels::WinogradTile{2, 2}, {2, 4}, {4, 4}}) {
        const PlanOptions of_all{.winograd = Winograd::allowed};
        if (std::isinf(WinogradConvolution::seconds(params, of_all, tile))) continue;
        for (const auto vectors : {WinogradVectors::of_tiles, WinogradVectors::of_channels}) {
          const auto workspace = [&](unsigned threads) {
            const PlanOptions options{.threads = threads, .prepare_filter = true};
            return Plan(WinogradConvolution::make(params, options, tile, vectors))
                .workspace_size_in_bytes();
          };
          EXPECT_LE(workspace(1), 12u << 20) << channels << ", " << size;
          EXPECT_LE(workspace(4), (4 * 12u + 2u) << 20) << channels << ", " << size;
        }
      }
    }
  }
}

WEFT_FOR_WINOGRAD_WAYS(WinogradConvolutionTest);

}  // namespace
}  // namespace weft::ops
