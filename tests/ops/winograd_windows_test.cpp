// Winograd's algorithm for other windows than of 3 x 3 taps.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "ops/winograd_case.h"

namespace weft::ops {
namespace {

using kernels::WinogradTile;

class WinogradWindowsTest : public WinogradConvolutionTest {
 protected:
  std::vector<WinogradTile> tiles() const override {
    return {{1, 2},       {1, 4},       {2, 1},       {4, 1},       {2, 4},
            {2, 2, 2, 2}, {2, 4, 2, 2}, {4, 4, 2, 2}, {1, 2, 1, 2}, {1, 4, 1, 2}};
  }

  // Taps of the tile's window, or as many as are asked for where it has more than one.
  std::uint32_t height(std::uint32_t taps) const { return tile().row_taps == 1 ? 1 : taps; }
  std::uint32_t width(std::uint32_t taps) const { return tile().column_taps == 1 ? 1 : taps; }
};

TEST_P(WinogradWindowsTest, OfATile) {
  for_each_tile([&] {
    const auto h = static_cast<std::uint32_t>(tile().row_taps);
    const auto w = static_cast<std::uint32_t>(tile().column_taps);
    expect_right(params_of({{1, 32, 8, 8}, {32, 32, h, w}, {h / 2, w / 2}, {h / 2, w / 2}}));
    expect_right(params_of({{2, 40, 9, 28}, {33, 40, h, w}, {h - 1, 0}, {0, w - 1}}));
    expect_right(params_of({{1, 5, 3, 3}, {3, 5, h, w}, {0, 0}, {0, 0}}));
    expect_right(params_of({{1, 17, 1, 70}, {65, 17, h, w}, {h, w}, {h, w}}));
    expect_right(params_of({{1, 5, 3, 600}, {4, 5, h, w}, {0, 0}, {1, 1}}));
    expect_right(params_of({{1, 5, 300, 3}, {4, 5, h, w}, {2, 0}, {0, 3}}));
    expect_right(params_of({{1, 200, 5, 7}, {40, 200, h, w}, {h / 2, w / 2}, {0, 0}}));
    expect_right(params_of({{2, 24, 15, 18}, {20, 12, h, w}, {1, 1}, {0, 2}, {1, 1}, 2}));
    expect_right(params_of({{2, 9, 14, 22}, {20, 9, h, w}, {3, 2}, {0, 1}, {2, 3}}));
  });
}

// Cut into several, of which the last may have fewer taps.
TEST_P(WinogradWindowsTest, OfMoreTaps) {
  for_each_tile([&] {
    for (const std::uint32_t taps : {2u, 4u, 5u, 7u}) {
      const std::uint32_t h = height(taps), w = width(taps);
      expect_right(params_of({{1, 20, 7, 9}, {33, 20, h, w}, {h / 2, w / 2}, {h / 2, w / 2}}));
      expect_right(params_of({{2, 34, 4, 70}, {5, 34, h, w}, {h - 1, 0}, {0, w - 1}}));
      expect_right(params_of({{2, 6, 7, 9}, {8, 3, h, w}, {4, 4}, {3, 3}, {1, 2}, 2}));
    }
    expect_right(params_of({{1, 9, 4, 5}, {7, 9, height(11), width(4)}, {9, 9}, {9, 9}}));
  });
}

// Each remainder of the taps by the stride has rows and columns of the input to itself.
TEST_P(WinogradWindowsTest, Strides) {
  for_each_tile([&] {
    const auto strided = [](Dims input, Dims filter, Dims strides, std::uint32_t start,
                            std::uint32_t end, std::uint32_t groups = 1) {
      return params_of({std::move(input),
                        std::move(filter),
                        {start, start},
                        {end, end},
                        {1, 1},
                        groups,
                        ConvolutionDirection::forward,
                        std::move(strides)});
    };
    for (const std::uint32_t taps : {2u, 3u, 4u, 5u, 7u}) {
      const std::uint32_t h = height(taps), w = width(taps);
      expect_right(strided({1, 20, 16, 21}, {33, 20, h, w}, {2, 2}, 1, 1));
      expect_right(strided({2, 9, 9, 70}, {5, 9, h, w}, {1, 3}, 4, 2));
      expect_right(strided({2, 6, 17, 11}, {8, 3, h, w}, {4, 2}, 0, 5, 2));
    }
    ConvolutionParams flipped = strided({2, 9, 12, 30}, {5, 9, height(5), width(4)}, {3, 2}, 2, 1);
    flipped.mode = ConvolutionMode::convolution;
    expect_right(flipped);
    expect_right(strided({1, 9, 2, 3}, {5, 9, height(4), width(4)}, {5, 6}, 3, 2));
  });
}

// Each stride phase has a filter of its own.
TEST_P(WinogradWindowsTest, Phases) {
  for_each_tile([&] {
    const auto backward = [](Dims input, Dims filter, Dims strides, Dims padding,
                             std::uint32_t groups = 1) {
      return params_of({std::move(input),
                        std::move(filter),
                        padding,
                        padding,
                        {1, 1},
                        groups,
                        ConvolutionDirection::backward,
                        std::move(strides)});
    };
    for (const std::uint32_t taps : {2u, 3u, 4u, 5u, 7u}) {
      const std::uint32_t h = height(taps), w = width(taps), y = h > 1 ? 2 : 1, x = w > 1 ? 2 : 1;
      expect_right(backward({1, 20, 8, 9}, {20, 33, h, w}, {y, x}, {h / 2, w / 2}));
      expect_right(backward({2, 9, 3, 40}, {9, 5, h, w}, {1, x}, {0, 1}));
      expect_right(backward({2, 6, 7, 5}, {6, 4, h, w}, {2 * y - 1, x}, {1, 0}, 2));
    }
    ConvolutionParams flipped = backward({2, 9, 6, 8}, {9, 5, height(5), width(4)},
                                         {height(3), width(2)}, {height(3) - 1, 0});
    flipped.mode = ConvolutionMode::convolution;
    flipped.fused_activation = Activation{.type = OperatorType::activation_relu};
    expect_right(flipped);
    ConvolutionParams longer = backward({2, 9, 6, 8}, {9, 5, height(3), width(3)}, {1, 1}, {0, 0});
    longer.output_padding = {height(4) - 1, width(20) - 1};
    longer.output.sizes = output_sizes(longer);
    expect_right(longer);

    EXPECT_TRUE(WinogradImages::suits(ConvolutionGeometry(flipped), tile()));
    flipped.output_padding = {height(2) - 1, width(2) - 1};
    flipped.output.sizes = output_sizes(flipped);
    EXPECT_FALSE(WinogradImages::suits(ConvolutionGeometry(flipped), tile()));
  });
}

TEST_P(WinogradWindowsTest, BothModesAndDirections) {
  for_each_tile([&] {
    for (const auto mode : {ConvolutionMode::cross_correlation, ConvolutionMode::convolution}) {
      for (const std::uint32_t taps : {2u, 3u, 5u}) {
        const std::uint32_t h = height(taps), w = width(taps);
        ConvolutionParams p = params_of({{1, 24, 12, 19}, {9, 24, h, w}, {1, 0}, {0, 1}, {1, 2}});
        p.mode = mode;
        expect_right(p);
        p = params_of({{2, 10, 12, 19},
                       {10, 24, h, w},
                       {h - 1, 0},
                       {0, w - 1},
                       {2, 1},
                       1,
                       ConvolutionDirection::backward});
        p.mode = mode;
        expect_right(p);
      }
    }
  });
}

// Images that share blocks of tiles, and an unsafe number in one of them.
TEST_P(WinogradWindowsTest, SmallImages) {
  for_each_tile([&] {
    constexpr std::uint32_t kBatch = 19;
    const std::uint32_t h = height(3), w = width(3);
    ConvolutionParams p = params_of({{kBatch, 33, h, 5}, {40, 33, h, w}, {h / 2, 1}, {h / 2, 1}});
    if (tile().rows == 1 && vectors() == WinogradVectors::of_tiles) {
      EXPECT_NE(winograd(p).explain().find(" stacked images "), std::string::npos)
          << winograd(p).explain();
    }
    expect_right(p);
    p.fused_activation = Activation{.type = OperatorType::activation_leaky_relu, .alpha = 0.25f};
    expect_right(p);
    const Floats b(40, 0.5f);
    const Floats weights = numbers(count_of(p.filter));
    Floats x = numbers(count_of(p.input));
    const Floats expected = run(winograd(p), x, weights, b);
    x[5 * (x.size() / kBatch)] = std::numeric_limits<float>::infinity();
    const Floats odd = run(winograd(p), x, weights, b);
    const std::size_t image = expected.size() / kBatch;
    for (std::size_t i = 0; i < kBatch; ++i) {
      const auto first = static_cast<std::ptrdiff_t>(i * image);
      const auto end = first + static_cast<std::ptrdiff_t>(image);
      EXPECT_EQ(std::equal(odd.begin() + first, odd.begin() + end, expected.begin() + first),
                i != 5)
          << i;
    }
  });
}

TEST_P(WinogradWindowsTest, Float16IsRoundedAtTheEnd) {
  for_each_tile([&] {
    for (const std::uint32_t taps : {2u, 3u, 7u}) {
      expect_rounded_at_the_end(params_of(
          {{2, 40, 8, 41}, {33, 40, height(taps), width(taps)}, {height(taps) - 1, 1}, {0, 1}}));
    }
  });
}

TEST_P(WinogradWindowsTest, RandomShapes) {
  for_each_tile([&] {
    const auto any = [&](std::uint32_t first, std::uint32_t last) {
      return std::uniform_int_distribution<std::uint32_t>(first, last)(random_);
    };
    for (int left = 12; left > 0;) {
      const bool backward = any(0, 1) == 1;
      const std::uint32_t groups = any(1, 2), in = any(1, 9), out = any(1, 40);
      const std::uint32_t h = height(any(2, 6)), w = width(any(2, 9));
      Window window{.input = {any(1, 3), groups * in, any(1, 12), any(1, 40)},
                    .filter = {backward ? groups * in : groups * out, backward ? out : in, h, w}};
      window.groups = groups;
      window.direction = backward ? ConvolutionDirection::backward : ConvolutionDirection::forward;
      for (const std::size_t axis : {0u, 1u}) {
        const bool has_stride = any(0, 1) == 1;
        window.strides[axis] = has_stride ? any(1, 4) : 1;
        window.dilations[axis] = has_stride ? 1 : any(1, 4);
      }
      window.start_padding = {any(0, h), any(0, w)};
      window.end_padding = {any(0, h), any(0, w)};
      // Of at least one output.
      const auto fits = [&](std::size_t axis) {
        const std::uint32_t reach = (window.filter[axis + 2] - 1) * window.dilations[axis] + 1;
        const std::uint32_t padding = window.start_padding[axis] + window.end_padding[axis];
        const std::uint32_t size = window.input[axis + 2];
        return backward ? (size - 1) * window.strides[axis] + reach > padding
                        : size + padding >= reach;
      };
      if (!fits(0) || !fits(1)) continue;
      ConvolutionParams params = params_of(window);
      if (any(0, 1) == 1) params.mode = ConvolutionMode::convolution;
      if (!WinogradImages::suits(ConvolutionGeometry(params), tile())) continue;
      SCOPED_TRACE(::testing::PrintToString(params.strides) +
                   ::testing::PrintToString(params.dilations) +
                   ::testing::PrintToString(params.start_padding) +
                   ::testing::PrintToString(params.end_padding));
      expect_right(params);
      --left;
    }
  });
}

WEFT_FOR_WINOGRAD_WAYS(WinogradWindowsTest);

class WinogradWindowsErrorTest : public WinogradErrors, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }
};

// Padded such that there is an output for every position, or for every so many.
ConvolutionParams windows_of(std::uint32_t channels, std::uint32_t height, std::uint32_t width,
                             std::uint32_t stride = 1) {
  Window window{{1, channels, height == 1 ? 4u : 30u, 60},
                {4, channels, height, width},
                {height / 2, width / 2},
                {height / 2, width / 2}};
  window.strides = {height == 1 ? 1 : stride, stride};
  return params_of(window);
}

// The least channels, and more, of vectors and of the unit, where 4 x 4 of 3 x 3 is no default.
TEST_P(WinogradWindowsErrorTest, IsBelowThatOfOneChainWhereItIsTheDefault) {
  struct Case {
    WinogradTile tile;
    std::uint32_t height, width;
    std::vector<std::uint32_t> of_vectors, of_unit;
    std::uint32_t stride = 1;
  };
  const Case cases[] = {{{1, 2}, 1, 3, {40, 64, 96}, {16, 64}},
                        {{2, 1}, 3, 1, {40}, {16, 64}},
                        {{1, 4}, 1, 3, {104, 168, 250}, {160, 256}},
                        {{4, 1}, 3, 1, {104}, {160}},
                        {{1, 4}, 1, 5, {72, 116, 174}, {96}},
                        {{1, 4}, 1, 11, {33}, {44}},
                        {{2, 4}, 5, 5, {24, 58}, {16}},
                        {{2, 4}, 7, 7, {14}, {9}},
                        {{4, 4}, 3, 3, {224}, {}},
                        {{4, 4}, 5, 5, {90}, {}},
                        {{4, 4}, 7, 7, {50}, {}},
                        {{2, 2, 2, 2}, 2, 2, {48, 77}, {16}},
                        {{2, 4, 2, 2}, 2, 2, {80}, {48}},
                        {{4, 4, 2, 2}, 2, 2, {160, 256}, {160, 256}},
                        {{4, 4, 2, 2}, 4, 4, {44}, {56}},
                        {{4, 4, 2, 2}, 4, 4, {44, 72, 108}, {57}, 2},
                        {{1, 2, 1, 2}, 1, 2, {48}, {16}},
                        {{1, 4, 1, 2}, 1, 2, {104, 168, 250}, {160}},
                        {{1, 4, 1, 2}, 1, 4, {60}, {80}}};
  for (const Case& of : cases) {
    for (const std::uint32_t channels : GetParam() < Isa::amx ? of.of_vectors : of.of_unit) {
      SCOPED_TRACE(std::to_string(channels) + " channels, " + std::to_string(of.height) + " x " +
                   std::to_string(of.width) + " at " + std::to_string(of.stride));
      expect_below_chain(windows_of(channels, of.height, of.width, of.stride), GetParam(), of.tile);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, WinogradWindowsErrorTest,
                         ::testing::Values(Isa::avx2, Isa::avx512, Isa::amx),
                         [](const auto& info) { return std::string(name(info.param)); });

class WinogradRemaindersErrorTest : public WinogradErrors,
                                    public ::testing::WithParamInterface<Isa> {};

TEST_P(WinogradRemaindersErrorTest, IsBelowThatOfOneChainWhereOneHasASingleTap) {
  skip_without_known(GetParam());
  if (IsSkipped()) return;
  struct Case {
    WinogradTile tile;
    std::uint32_t height;
    std::vector<std::uint32_t> channels;
  };
  const Case cases[] = {{{1, 4, 1, 2}, 1, {84, 134, 200}},
                        {{2, 2, 2, 2}, 3, {24, 38, 56}},
                        {{2, 4, 2, 2}, 3, {38, 60, 90}},
                        {{4, 4, 2, 2}, 3, {76, 120, 180}}};
  for (const Case& of : cases) {
    for (const std::uint32_t channels : of.channels) {
      SCOPED_TRACE(std::to_string(channels) + " channels, " + std::to_string(of.height) + " x 3");
      expect_below_chain(windows_of(channels, of.height, 3, 2), GetParam(), of.tile);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, WinogradRemaindersErrorTest,
                         ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

// Taps that are made up cost what the algorithm gains, or nearly.
TEST(WinogradWindowsImagesTest, AreFilledByThreeQuartersAndMore) {
  constexpr WinogradTile kTwo{1, 4, 1, 2}, kThree{1, 4};
  struct Case {
    std::uint32_t taps;
    WinogradTile tile;
    bool is_whole, is_filled, is_just_filled;
    std::uint32_t stride = 1;
    ConvolutionDirection direction = ConvolutionDirection::forward;
  };
  const Case cases[] = {{2, kTwo, true, true, true},
                        {3, kTwo, false, false, false},
                        {7, kTwo, false, true, true},
                        {2, kThree, false, false, false},
                        {4, kThree, false, false, false},
                        {5, kThree, false, true, true},
                        {2, kTwo, false, false, false, 2},
                        {3, kTwo, false, false, true, 2},
                        {4, kTwo, true, true, true, 2},
                        {5, kThree, false, true, true, 2},
                        {3, kTwo, false, false, false, 2, ConvolutionDirection::backward},
                        {4, kTwo, true, true, true, 2, ConvolutionDirection::backward}};
  for (const Case& of : cases) {
    SCOPED_TRACE(std::to_string(of.taps) + " taps at " + std::to_string(of.stride));
    const ConvolutionGeometry geometry(params_of({{1, 4, 1, 40},
                                                  {4, 4, 1, of.taps},
                                                  {0, 0},
                                                  {0, 0},
                                                  {1, 1},
                                                  1,
                                                  of.direction,
                                                  {1, of.stride}}));
    const WinogradImages images(geometry, of.tile);
    EXPECT_EQ(images.is_whole(), of.is_whole);
    EXPECT_EQ(images.is_filled(), of.is_filled);
    EXPECT_EQ(images.is_just_filled(), of.is_just_filled);
  }
}

using WinogradWindowsMemoryTest = NumbersTest;

TEST_F(WinogradWindowsMemoryTest, OfAThreadIsBounded) {
  skip_without(Isa::avx2);
  if (IsSkipped()) return;
  const auto strided = [](Window window, std::uint32_t stride, ConvolutionDirection direction) {
    window.strides = {window.filter[2] == 1 ? 1 : stride, stride};
    window.direction = direction;
    return window;
  };
  constexpr auto kForward = ConvolutionDirection::forward;
  constexpr auto kBackward = ConvolutionDirection::backward;
  std::size_t seen = 0;
  for (const std::uint32_t c : {64u, 256u, 1280u, 5000u}) {
    for (const Window& window : {
             strided({{1, c, 1, 5000}, {c, c, 1, 3}, {0, 1}, {0, 1}}, 1, kForward),
             strided({{1, c, 300, 400}, {64, c, 3, 1}, {1, 0}, {1, 0}}, 1, kForward),
             strided({{1, c, 20, 300}, {256, c, 5, 5}, {2, 2}, {2, 2}}, 1, kForward),
             strided({{1, c, 20, 5000}, {256, c, 3, 3}, {1, 1}, {1, 1}}, 2, kForward),
             strided({{1, c, 20, 5000}, {256, c, 4, 4}, {1, 1}, {1, 1}}, 2, kForward),
             strided({{1, c, 1, 5000}, {256, c, 1, 11}, {0, 5}, {0, 5}}, 3, kForward),
             strided({{1, c, 40, 60}, {c, 128, 4, 4}, {1, 1}, {1, 1}}, 2, kBackward),
         }) {
      const ConvolutionParams params = params_of(window);
      for (const kernels::WinogradKernels& of : kernels::winograd_kernels(base::choose_isa())) {
        const PlanOptions of_all{.winograd = Winograd::allowed};
        if (std::isinf(WinogradConvolution::seconds(params, of_all, of.tile))) continue;
        for (const auto vectors : {WinogradVectors::of_tiles, WinogradVectors::of_channels}) {
          const auto workspace = [&](unsigned threads) {
            const PlanOptions options{.threads = threads, .prepare_filter = true};
            return Plan(WinogradConvolution::make(params, options, of.tile, vectors))
                .workspace_size_in_bytes();
          };
          EXPECT_LE(workspace(1), 12u << 20) << c << ", " << of.name;
          EXPECT_LE(workspace(4), (4 * 12u + 2u) << 20) << c << ", " << of.name;
          ++seen;
        }
      }
    }
  }
  EXPECT_GT(seen, 0u);
}

using WinogradWindowsChoiceTest = NumbersTest;

// By default where they pay, never with the options that forbid them, and for every number of
// threads alike.
TEST_F(WinogradWindowsChoiceTest, AreTakenWhereTheyPay) {
  skip_without(Isa::avx512);
  if (IsSkipped()) return;
  const auto takes = [](const Window& window, const PlanOptions& options = {}) {
    PlanOptions of = options;
    of.max_isa = Isa::avx512;
    return std::string(plan(params_of(window), of).algorithm());
  };
  const Window row{{1, 256, 1, 800}, {256, 256, 1, 3}, {0, 1}, {0, 1}};
  EXPECT_EQ(takes(row), "winograd_1x4_avx512");
  EXPECT_EQ(takes(row, {.threads = 7}), "winograd_1x4_avx512");
  EXPECT_EQ(takes(row, {.winograd = Winograd::never}), "gemm_f32_avx512");
  EXPECT_EQ(takes(row, {.strict = true}).find("winograd"), std::string::npos);
  EXPECT_EQ(takes({{1, 288, 8, 784}, {128, 288, 3, 1}, {1, 0}, {1, 0}}), "winograd_4x1_avx512");
  EXPECT_EQ(takes({{1, 256, 1, 300}, {1024, 256, 1, 9}, {0, 4}, {0, 4}}), "winograd_1x4_avx512");
  EXPECT_EQ(takes({{1, 80, 27, 27}, {256, 80, 5, 5}, {2, 2}, {2, 2}}), "winograd_2x4_avx512");
  EXPECT_EQ(takes({{1, 128, 28, 28}, {256, 128, 5, 5}, {2, 2}, {2, 2}}), "winograd_4x4_avx512");
  EXPECT_EQ(takes({{1, 256, 32, 32}, {256, 256, 2, 2}, {0, 0}, {1, 1}}), "winograd_4x4_2x2_avx512");
  EXPECT_EQ(takes({{1, 256, 32, 32}, {512, 256, 4, 4}, {1, 1}, {1, 1}}), "winograd_4x4_2x2_avx512");
  EXPECT_EQ(takes({{1, 32, 1, 25600}, {32, 32, 1, 3}, {0, 1}, {0, 1}}), "gemm_f32_avx512");
}

// Where a part of two taps has but one, less is gained than is lost.
TEST_F(WinogradWindowsChoiceTest, PartsOfTwoTapsByVectorsOfAvx2) {
  skip_without(Isa::avx2);
  if (IsSkipped()) return;
  const auto takes = [](const Window& window) {
    return std::string(plan(params_of(window), {.max_isa = Isa::avx2}).algorithm());
  };
  EXPECT_EQ(takes({{1, 8, 64, 64}, {32, 8, 5, 5}, {2, 2}, {2, 2}}), "gemm_f32_avx2");
  EXPECT_EQ(takes({{1, 16, 64, 64}, {64, 16, 4, 4}, {1, 1}, {1, 1}}), "winograd_2x2_2x2_avx2");
}

class WinogradRemaindersChoiceTest : public NumbersTest,
                                     public ::testing::WithParamInterface<Isa> {};

TEST_P(WinogradRemaindersChoiceTest, AreTakenWithAStrideOfTwoWhereZerosAreLeftOut) {
  const Isa isa = GetParam();
  skip_without_known(isa);
  if (IsSkipped()) return;
  const std::string level(name(isa));
  const auto takes = [isa](std::uint32_t channels, std::uint32_t height, std::uint32_t width,
                           std::uint32_t rows) {
    Window window{
        {1, channels, height, width}, {channels, channels, rows, 3}, {rows / 2, 1}, {rows / 2, 1}};
    window.strides = {rows == 1 ? 1u : 2u, 2};
    return std::string(plan(params_of(window), {.max_isa = isa}).algorithm());
  };
  EXPECT_EQ(takes(512, 1, 3000, 1), "winograd_1x4_1x2_" + level);
  EXPECT_EQ(takes(320, 64, 64, 3), "winograd_4x4_2x2_" + level);
  const bool by_tiles = isa == Isa::avx512;
  EXPECT_EQ(takes(96, 160, 160, 3), (by_tiles ? "winograd_4x4_2x2_" : "gemm_f32_") + level);
  EXPECT_EQ(takes(512, 14, 14, 3), "gemm_f32_" + level);
  EXPECT_EQ(takes(32, 160, 160, 3), "gemm_f32_" + level);
}

INSTANTIATE_TEST_SUITE_P(Levels, WinogradRemaindersChoiceTest,
                         ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_F(WinogradWindowsChoiceTest, AreTakenOnAMatrixUnitWhereTheyPay) {
  skip_without(Isa::amx);
  if (IsSkipped()) return;
  const auto takes = [](const Window& window, const PlanOptions& options = {}) {
    return std::string(plan(params_of(window), options).algorithm());
  };
  const Window row{{1, 256, 1, 800}, {256, 256, 1, 3}, {0, 1}, {0, 1}};
  EXPECT_EQ(takes(row), "winograd_1x4_amx");
  EXPECT_EQ(takes(row, {.winograd = Winograd::never}), "product_f32_amx");
  EXPECT_EQ(takes({{1, 288, 8, 28, 28}, {128, 288, 3, 1, 1}, {1, 0, 0}, {1, 0, 0}}),
            "winograd_4x1_amx");
  // By vectors where the unit would err too much, unless direct sums by it are faster.
  const Window few{{1, 144, 16, 56, 56}, {64, 144, 3, 1, 1}, {1, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(takes(few), "winograd_4x1_avx512");
  EXPECT_EQ(takes({{1, 128, 1, 6400}, {128, 128, 1, 3}, {0, 1}, {0, 1}}), "product_f32_amx");
  EXPECT_EQ(takes({{1, 256, 32, 32}, {256, 256, 2, 2}, {0, 0}, {0, 0}}), "winograd_4x4_2x2_amx");
  EXPECT_EQ(takes({{1, 256, 32, 32}, {256, 256, 3, 3}, {2, 2}, {2, 2}, {2, 2}}),
            "winograd_2x4_amx");
  const Window volume{{1, 64, 8, 28, 28}, {128, 64, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(takes(volume), "winograd_2x4_amx");
  const Window large{{1, 32, 8, 28, 28}, {64, 32, 5, 5, 5}, {2, 2, 2}, {2, 2, 2}};
  EXPECT_EQ(takes(large).find("winograd"), std::string::npos);
  const Window phases{{1, 256, 64, 64},
                      {256, 64, 4, 4},
                      {1, 1},
                      {1, 1},
                      {1, 1},
                      1,
                      ConvolutionDirection::backward,
                      {2, 2}};
  EXPECT_EQ(takes(phases), "winograd_4x4_2x2_amx");
}

}  // namespace
}  // namespace weft::ops
