#include "ops/winograd_images.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "ops/winograd_case.h"

namespace weft::ops {
namespace {

class WinogradImagesTest : public WinogradConvolutionTest {};

// Of which each slice of the output is an image with the channels of several slices.
TEST_P(WinogradImagesTest, Volumes) {
  for_each_tile([&] {
    constexpr auto kForward = ConvolutionDirection::forward;
    const Window volumes[] = {
        {{1, 20, 5, 9, 13}, {33, 20, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}},
        {{2, 33, 4, 8, 8}, {5, 33, 1, 3, 3}, {0, 1, 0}, {0, 0, 1}},
        {{2, 6, 9, 6, 7},
         {36, 3, 4, 3, 3},
         {4, 1, 1},
         {7, 1, 1},
         {2, 1, 1},
         2,
         kForward,
         {2, 1, 1}},
        {{1, 3, 3, 5, 20}, {7, 3, 2, 3, 3}, {5, 1, 2}, {4, 1, 2}, {3, 1, 1}},
        {{3, 12, 4, 6, 9},
         {12, 10, 3, 3, 3},
         {2, 1, 1},
         {1, 1, 1},
         {2, 1, 1},
         1,
         ConvolutionDirection::backward},
        // Parts of few channels, some of which vanish at some points.
        {{1, 9, 5, 9, 13}, {33, 9, 3, 5, 7}, {1, 2, 3}, {1, 2, 3}},
        {{1, 3, 4, 15, 17},
         {7, 3, 3, 7, 5},
         {1, 3, 2},
         {1, 3, 2},
         {1, 1, 1},
         1,
         kForward,
         {1, 2, 3}},
        // Rows, columns and slices whose taps lie apart.
        {{2, 7, 3, 11, 15}, {9, 7, 2, 3, 3}, {1, 2, 3}, {0, 1, 4}, {1, 2, 3}}};
    for (const Window& volume : volumes) {
      ConvolutionParams params = params_of(volume);
      for (const auto mode : {ConvolutionMode::cross_correlation, ConvolutionMode::convolution}) {
        params.mode = mode;
        params.output.sizes = output_sizes(params);
        expect_right(params);
      }
    }
  });
}

// Each remainder of a row and a column by the dilation is an image of its own.
TEST_P(WinogradImagesTest, TapsApart) {
  for_each_tile([&] {
    const auto apart = [](Shape shape, Dims dilations, std::uint32_t start, std::uint32_t end,
                          bool relu = false) {
      ConvolutionParams p = params_of(shape);
      p.dilations = std::move(dilations);
      p.start_padding = {start, start};
      p.end_padding = {end, end};
      if (relu) p.fused_activation = Activation{.type = OperatorType::activation_relu};
      p.output.sizes = output_sizes(p);
      return p;
    };
    const ConvolutionParams all[] = {
        apart({1, 32, 32, 1, 16, 16, 3, 1, 1}, {2, 2}, 2, 2),
        apart({2, 33, 20, 1, 13, 22, 3, 1, 1}, {2, 3}, 3, 2, true),
        apart({1, 9, 5, 1, 33, 33, 3, 1, 1}, {12, 12}, 12, 12),
        apart({1, 9, 34, 1, 9, 50, 3, 1, 1}, {1, 7}, 1, 9),
        apart({2, 12, 10, 2, 9, 11, 3, 1, 1}, {4, 2}, 0, 7),
        apart({1, 9, 5, 1, 4, 5, 3, 1, 1}, {3, 4}, 3, 5),  // fewer outputs than the taps are apart
        apart({1, 20, 6, 1, 12, 14, 3, 1, 1, ConvolutionDirection::backward}, {2, 3}, 1, 3)};
    for (const ConvolutionParams& params : all) expect_right(params);
  });
}

TEST_P(WinogradImagesTest, Float16IsRoundedAtTheEnd) {
  for_each_tile([&] {
    ConvolutionParams p;
    p.input.sizes = {2, 9, 3, 9, 14};
    p.filter.sizes = {6, 9, 2, 3, 3};
    for (const std::uint32_t dilation : {1u, 2u}) {
      p.dilations = {1, dilation, dilation};
      p.start_padding = p.end_padding = {1, 1, 2};
      p.output.sizes = output_sizes(p);
      SCOPED_TRACE(dilation);
      expect_rounded_at_the_end(p);
    }
  });
}

// A volume that the way cannot take is computed by another, and no other volume is.
TEST_P(WinogradImagesTest, OneUnsafeNumberIsOfItsVolumeAlone) {
  for_each_tile([&] {
    ConvolutionParams p;
    p.input.sizes = {3, 8, 4, 6, 7};
    p.filter.sizes = {5, 8, 3, 3, 3};
    p.dilations = {1, 2, 1};
    p.start_padding = p.end_padding = {1, 2, 1};
    p.output.sizes = output_sizes(p);
    const Floats w = numbers(count_of(p.filter));
    Floats x = numbers(count_of(p.input));
    const Floats expected = run(winograd(p), x, w, {});
    const std::size_t volume = x.size() / 3, result_volume = expected.size() / 3;
    x[volume + 100] = std::numeric_limits<float>::infinity();
    const Floats odd = run(winograd(p, 2), x, w, {});
    for (std::size_t i = 0; i < 3; ++i) {
      const auto first = static_cast<std::ptrdiff_t>(i * result_volume);
      const auto end = first + static_cast<std::ptrdiff_t>(result_volume);
      const bool same =
          std::equal(odd.begin() + first, odd.begin() + end, expected.begin() + first);
      EXPECT_EQ(same, i != 1) << i;
    }
  });
}

WEFT_FOR_WINOGRAD_WAYS(WinogradImagesTest);

// Where no tap of a part has a factor at a point, and nowhere else; a single tap of three at two.
TEST(WinogradImagesPartsTest, VanishWhereNoTapCounts) {
  static constexpr kernels::WinogradTile kTiles[] = {
      {2, 2}, {2, 4}, {4, 4}, {2, 4, 2, 2}, {4, 4, 2, 2}};
  const auto expect = [](std::uint32_t taps, std::uint32_t stride, ConvolutionDirection direction) {
    const ConvolutionGeometry geometry(params_of({{1, 2, 20, 20},
                                                  {2, 2, taps, taps},
                                                  {1, 1},
                                                  {1, 1},
                                                  {1, 1},
                                                  1,
                                                  direction,
                                                  {stride, stride}}));
    for (const kernels::WinogradTile& tile : kTiles) {
      SCOPED_TRACE(text(tile) + ", " + std::to_string(taps) + " taps at " + std::to_string(stride));
      const WinogradImages images(geometry, tile);
      std::int64_t counting = 0;
      for (std::int64_t i = 0; i < images.filters() * images.channels() * tile.points(); ++i) {
        const std::int64_t point = i % tile.points();
        const std::int64_t channel = i / tile.points() % images.channels();
        const std::int64_t filter = i / tile.points() / images.channels();
        const auto down =
            kernels::winograd_filter_row(tile.rows, tile.row_taps, point / tile.column_points());
        const auto along = kernels::winograd_filter_row(tile.columns, tile.column_taps,
                                                        point % tile.column_points());
        bool counts = false;
        for (std::int64_t tap = 0; tap < tile.row_taps * tile.column_taps; ++tap) {
          const std::int64_t row = tap / tile.column_taps, column = tap % tile.column_taps;
          counts |=
              images.tap(filter, channel, row, column) && down.g[row] != 0 && along.g[column] != 0;
        }
        ASSERT_EQ(images.vanishes(filter, channel, point), !counts) << i;
        counting += counts ? 1 : 0;
      }
      const auto all = static_cast<double>(images.filters() * images.channels() * tile.points());
      ASSERT_DOUBLE_EQ(images.share_of_products(), static_cast<double>(counting) / all);
    }
  };
  for (const std::uint32_t taps : {2u, 3u, 4u, 5u, 6u, 7u}) {
    for (const std::uint32_t stride : {1u, 2u, 3u}) {
      expect(taps, stride, ConvolutionDirection::forward);
      expect(taps, stride, ConvolutionDirection::backward);
    }
  }
  // 7 taps at 2: three and a single one, and three. Along one side, of 3 x 4 points 10 are left.
  const ConvolutionGeometry stem(
      params_of({{1, 3, 20, 20}, {8, 3, 7, 7}, {3, 3}, {3, 3}, {1, 1}, 1, {}, {2, 2}}));
  const WinogradImages images(stem, {2, 2});
  EXPECT_EQ(images.channels(), 27);
  EXPECT_DOUBLE_EQ(images.share_of_products(), 100.0 / 144);
}

class WinogradImagesErrorTest : public WinogradErrors, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }

  // Windows of 3 x 3 in a tensor with padding that keeps its sizes.
  void expect_below_chain(Dims input, std::uint32_t depth, std::uint32_t dilation,
                          const kernels::WinogradTile& tile) {
    ConvolutionParams p;
    p.filter.sizes = {4, input[1], depth, 3, 3};
    p.dilations = {1, dilation, dilation};
    p.start_padding = {depth / 2, dilation, dilation};
    p.end_padding = {(depth - 1) / 2, dilation, dilation};
    p.input.sizes = std::move(input);
    p.bias = TensorDesc{.sizes = {1, 4, 1, 1, 1}};
    p.output.sizes = output_sizes(p);
    SCOPED_TRACE(::testing::PrintToString(p.input.sizes));
    WinogradErrors::expect_below_chain(p, GetParam(), tile);
  }
};

// From as many channels on as are the default, counted where the padding leaves the fewest; on the
// unit half as many.
TEST_P(WinogradImagesErrorTest, IsBelowThatOfOneChainWhereItIsTheDefault) {
  const auto channels = [&](std::uint32_t of_vectors) {
    return GetParam() < Isa::amx ? of_vectors : of_vectors / 2;
  };
  expect_below_chain({1, channels(16), 4, 14, 14}, 3, 1, {2, 2});
  expect_below_chain({1, channels(32), 4, 14, 14}, 3, 1, {2, 4});
  expect_below_chain({1, channels(64), 3, 14, 14}, 2, 1, {2, 4});
  expect_below_chain({1, channels(64), 3, 14, 14}, 1, 1, {2, 4});
  expect_below_chain({1, channels(32), 1, 60, 60}, 1, 2, {2, 2});
  expect_below_chain({1, channels(64), 1, 60, 60}, 1, 2, {2, 4});
  expect_below_chain({1, channels(80), 1, 40, 40}, 1, 6, {2, 4});
  if (GetParam() == Isa::amx) return;
  expect_below_chain({1, 112, 4, 14, 14}, 3, 1, {4, 4});
  expect_below_chain({1, 240, 1, 28, 28}, 1, 2, {4, 4});
}

INSTANTIATE_TEST_SUITE_P(Levels, WinogradImagesErrorTest,
                         ::testing::Values(Isa::avx2, Isa::avx512, Isa::amx),
                         [](const auto& info) { return std::string(name(info.param)); });

using WinogradImagesChoiceTest = NumbersTest;

// By default for volumes, and for taps that lie apart where images stay large; where most outputs
// of these lack taps, a chain errs less.
TEST_F(WinogradImagesChoiceTest, AreTakenWhereTheyPay) {
  skip_without(Isa::avx512);
  if (IsSkipped()) return;
  const auto takes = [](Dims input, Dims filter, std::uint32_t dilation, bool strict = false) {
    ConvolutionParams p;
    const std::size_t axes = input.size() - 2;
    p.input.sizes = std::move(input);
    p.filter.sizes = std::move(filter);
    p.dilations = p.start_padding = p.end_padding = Dims(axes, dilation);
    p.output.sizes = output_sizes(p);
    const PlanOptions options{.threads = 1, .max_isa = Isa::avx512, .strict = strict};
    return std::string(plan(p, options).algorithm()).starts_with("winograd");
  };
  EXPECT_TRUE(takes({1, 64, 8, 28, 28}, {128, 64, 3, 3, 3}, 1));
  EXPECT_FALSE(takes({1, 64, 8, 28, 28}, {128, 64, 3, 3, 3}, 1, true));
  EXPECT_FALSE(takes({1, 8, 8, 28, 28}, {128, 8, 3, 3, 3}, 1));
  EXPECT_TRUE(takes({1, 256, 32, 32}, {256, 256, 3, 3}, 2));
  EXPECT_FALSE(takes({1, 64, 33, 33}, {64, 64, 3, 3}, 12));
}

}  // namespace
}  // namespace weft::ops
