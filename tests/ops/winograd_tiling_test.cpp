#include "ops/winograd_tiling.h"

#include <gtest/gtest.h>

#include "weft/convolution.h"

namespace weft::ops {
namespace {

ConvolutionGeometry geometry(std::uint32_t channels, std::uint32_t height, std::uint32_t width,
                             std::uint32_t batch = 1, std::uint32_t groups = 1) {
  ConvolutionParams p;
  p.input.sizes = {batch, groups * channels, height, width};
  p.filter.sizes = {groups * channels, channels, 3, 3};
  p.start_padding = p.end_padding = {1, 1};
  p.output.sizes = p.input.sizes;
  p.group_count = groups;
  return ConvolutionGeometry(p);
}

TEST(WinogradTiling, BlocksCoverTheOutputAndFitTheCache) {
  for (const std::uint32_t channels : {16u, 64u, 512u}) {
    for (const std::uint32_t height : {1u, 7u, 56u, 1000u}) {
      for (const std::uint32_t width : {1u, 13u, 28u, 224u, 3001u}) {
        const kernels::WinogradTile tile{2, 4};
        const WinogradTiling tiling(geometry(channels, height, width), tile, {Isa::amx}, 1);
        EXPECT_GE(tiling.rows * tile.rows, height);
        EXPECT_GE(tiling.columns * tile.columns, width);
        EXPECT_GE(tiling.row_blocks() * tiling.block_rows, tiling.rows);
        EXPECT_GE(tiling.column_blocks() * tiling.block_columns, tiling.columns);
        const std::int64_t lanes = (tiling.block_rows * tiling.block_columns + 31) / 32 * 32;
        EXPECT_LE(lanes * channels * tile.points() * 6, 6 << 20) << height << ", " << width;
        EXPECT_GT(tiling.seconds, 0);
        EXPECT_EQ(tiling.shares.shares(), 1);
      }
    }
  }
}

// Wide images are cut into blocks without many empty places.
TEST(WinogradTiling, BlocksAreNearlyFull) {
  const WinogradTiling tiling(geometry(64, 224, 224), {2, 4}, {Isa::amx}, 1);
  const std::int64_t tiles = tiling.block_rows * tiling.block_columns;
  const std::int64_t lanes = (tiles + 31) / 32 * 32;
  EXPECT_GE(tiles * 8, lanes * 7);
}

// Stacked, small images fill blocks, and a block has rows of a few of them.
TEST(WinogradTiling, SmallImagesShareABlock) {
  const WinogradTiling few(geometry(128, 7, 7, 3), {2, 4}, {Isa::amx}, 1);
  EXPECT_TRUE(few.stacked);
  EXPECT_EQ(few.cut_rows(), 3 * few.rows + 2);
  EXPECT_EQ(few.row_blocks(), 1);
  const WinogradTiling many(geometry(64, 7, 7, 100), {2, 4}, {Isa::amx}, 1);
  EXPECT_TRUE(many.stacked);
  EXPECT_LE(many.block_rows * many.block_columns, 256);
  const WinogradTiling tiny(geometry(64, 1, 2, 100), {4, 4}, {Isa::avx512}, 1);
  EXPECT_TRUE(tiny.stacked);
  EXPECT_LE((tiny.block_rows - 2) / tiny.image_rows() + 2, WinogradTiling::kMostImages);
  // 14 rows of 7 tiles: 9 of them fill two blocks of 32 tiles.
  const WinogradTiling parts(geometry(128, 28, 28, 8), {2, 4}, {Isa::amx}, 1);
  EXPECT_TRUE(parts.stacked);
  EXPECT_EQ(parts.block_rows * parts.block_columns, 63);
  EXPECT_FALSE(WinogradTiling(geometry(64, 112, 112, 8), {2, 4}, {Isa::amx}, 1).stacked);
}

TEST(WinogradTiling, LeavesNoThreadWithoutWork) {
  for (const std::uint32_t channels : {128u, 256u, 1280u}) {
    for (const std::uint32_t size : {7u, 14u, 28u, 56u}) {
      for (const unsigned threads : {2u, 3u, 8u}) {
        const WinogradTiling tiling(geometry(channels, size, size), {2, 4}, {Isa::amx}, threads);
        EXPECT_GE(tiling.shares.tiles(), std::min(channels / 32, threads))
            << channels << ", " << size << ", " << threads;
      }
    }
  }
  EXPECT_GE(WinogradTiling(geometry(128, 28, 28), {2, 4}, {Isa::amx}, 2).shares.tiles(), 8);
}

// Of what needs so many patches that a few blocks of outputs use them together.
TEST(WinogradTiling, SharesAreNotTooSmall) {
  EXPECT_EQ(WinogradTiling(geometry(512, 14, 14), {2, 4}, {Isa::amx}, 2).shares.tiles(), 4);
}

// Up to 128 channels have patches, filter and sums in the second-level cache.
TEST(WinogradTiling, BlocksOfOutputChannelsPassByOneByOneWhereTheyFit) {
  for (const std::uint32_t channels : {32u, 64u, 96u, 128u}) {
    for (const std::uint32_t size : {28u, 40u, 56u, 112u}) {
      const WinogradTiling tiling(geometry(channels, size, size), {2, 4}, {Isa::amx}, 1);
      EXPECT_EQ(tiling.few, 1) << channels << ", " << size;
      const std::int64_t lanes = (tiling.block_rows * tiling.block_columns + 31) / 32 * 32;
      EXPECT_LE(tiling.tile.points() * (channels * (lanes + 32) * 6 + 128 * lanes), 2 << 20);
    }
  }
  EXPECT_GT(WinogradTiling(geometry(512, 28, 28), {2, 4}, {Isa::amx}, 1).few, 1);
}

// Blocks side by side write to whole lines of 16 numbers each.
TEST(WinogradTiling, BlocksEndWithLines) {
  for (const std::uint32_t width : {56u, 112u, 160u, 224u}) {
    for (const unsigned threads : {1u, 2u}) {
      const WinogradTiling tiling(geometry(64, 112, width), {2, 4}, {Isa::amx}, threads);
      EXPECT_TRUE(tiling.block_columns == tiling.columns || tiling.block_columns % 4 == 0)
          << width << ": " << tiling.block_columns;
    }
  }
}

// Channels, where the filter is much to read or tiles would leave lanes idle; tiles, where there
// are many and few channels, or on the unit.
TEST(WinogradTiling, VectorsAreOfWhatFillsThem) {
  const auto along = [](const ConvolutionGeometry& g, Isa isa) {
    return WinogradTiling(g, {2, 4}, {isa}, 1).vectors;
  };
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    EXPECT_EQ(along(geometry(512, 7, 7), isa), WinogradVectors::of_channels);
    EXPECT_EQ(along(geometry(256, 14, 14), isa), WinogradVectors::of_channels);
    EXPECT_EQ(along(geometry(32, 224, 224), isa), WinogradVectors::of_tiles);
  }
  EXPECT_EQ(along(geometry(512, 7, 7), Isa::amx), WinogradVectors::of_tiles);
}

// Only the unit multiplies blocks of 32 channels whole: 40 by 40 are 0.39 of 64 by 64.
TEST(WinogradTiling, ChannelsThatFillNoBlock) {
  const auto share = [](Isa isa) {
    return WinogradTiling(geometry(40, 56, 56), {2, 4}, {isa}, 1).seconds /
           WinogradTiling(geometry(64, 56, 56), {2, 4}, {isa}, 1).seconds;
  };
  EXPECT_LT(share(Isa::avx2), 0.6);
  EXPECT_LT(share(Isa::avx512), 0.6);
  EXPECT_GT(share(Isa::amx), 0.7);
}

// 6 MiB a group: two fit what stays in the third-level cache, sixteen do not.
TEST(WinogradTiling, FiltersOfAllGroupsShareACache) {
  const auto seconds_a_group = [](std::uint32_t groups) {
    const ConvolutionGeometry g = geometry(256, 7, 7, 1, groups);
    return WinogradTiling(g, {2, 4}, {Isa::avx2}, 1, WinogradVectors::of_channels).seconds / groups;
  };
  EXPECT_DOUBLE_EQ(seconds_a_group(2), seconds_a_group(1));
  EXPECT_GT(seconds_a_group(16), 1.02 * seconds_a_group(1));
}

}  // namespace
}  // namespace weft::ops
