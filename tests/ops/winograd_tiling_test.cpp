#include "ops/winograd_tiling.h"

#include <gtest/gtest.h>

#include "weft/convolution.h"

namespace weft::ops {
namespace {

ConvolutionGeometry geometry(std::uint32_t channels, std::uint32_t height, std::uint32_t width,
                             std::uint32_t batch = 1) {
  ConvolutionParams p;
  p.input.sizes = {batch, channels, height, width};
  p.filter.sizes = {channels, channels, 3, 3};
  p.start_padding = p.end_padding = {1, 1};
  p.output.sizes = {batch, channels, height, width};
  return ConvolutionGeometry(p);
}

TEST(WinogradTiling, BlocksCoverTheOutputAndFitTheCache) {
  for (const std::uint32_t channels : {16u, 64u, 512u}) {
    for (const std::uint32_t height : {1u, 7u, 56u, 1000u}) {
      for (const std::uint32_t width : {1u, 13u, 28u, 224u, 3001u}) {
        const kernels::WinogradTile tile{2, 4};
        const WinogradTiling tiling(geometry(channels, height, width), tile, true, 1);
        EXPECT_GE(tiling.rows * tile.rows, height);
        EXPECT_GE(tiling.columns * tile.columns, width);
        EXPECT_GE(tiling.row_blocks() * tiling.block_rows, tiling.rows);
        EXPECT_GE(tiling.column_blocks() * tiling.block_columns, tiling.columns);
        const std::int64_t lanes = (tiling.block_rows * tiling.block_columns + 31) / 32 * 32;
        EXPECT_LE(lanes * channels * tile.points() * 6, 6 << 20) << height << ", " << width;
        EXPECT_GT(tiling.seconds, 0);
        EXPECT_EQ(tiling.out_shares, 1);
      }
    }
  }
}

// Wide images are cut into blocks without many empty places.
TEST(WinogradTiling, BlocksAreNearlyFull) {
  const WinogradTiling tiling(geometry(64, 224, 224), {2, 4}, true, 1);
  const std::int64_t tiles = tiling.block_rows * tiling.block_columns;
  const std::int64_t lanes = (tiles + 31) / 32 * 32;
  EXPECT_GE(tiles * 8, lanes * 7);
}

// As many images as have room, and no more than there are.
TEST(WinogradTiling, SmallImagesShareABlock) {
  const WinogradTiling few(geometry(128, 7, 7, 3), {2, 4}, true, 1);
  EXPECT_EQ(few.images, 3);
  EXPECT_GE(few.block_rows, 3 * few.rows + 2);
  const WinogradTiling many(geometry(64, 7, 7, 100), {2, 4}, true, 1);
  EXPECT_GE(many.images, 3);
  EXPECT_LE(many.images, WinogradTiling::kMostImages);
  EXPECT_LE(many.block_rows * many.block_columns, 256);
  EXPECT_EQ(WinogradTiling(geometry(64, 112, 112, 8), {2, 4}, true, 1).images, 1);
}

// Two threads get a block each, or a share of the output channels of a single one.
TEST(WinogradTiling, LeavesNoThreadWithoutWork) {
  const WinogradTiling half(geometry(128, 28, 28), {2, 4}, true, 2);
  EXPECT_GE(half.row_blocks() * half.column_blocks() * half.out_shares, 2);
  const WinogradTiling small(geometry(256, 7, 7), {2, 4}, true, 2);
  EXPECT_GE(small.row_blocks() * small.column_blocks() * small.out_shares, 2);
  // A third share would only transform the inputs once more.
  EXPECT_EQ(WinogradTiling(geometry(512, 14, 14), {2, 4}, true, 2).out_shares, 2);
}

}  // namespace
}  // namespace weft::ops
