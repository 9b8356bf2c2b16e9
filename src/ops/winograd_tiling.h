#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/checked.h"
#include "kernels/winograd/winograd.h"
#include "ops/convolution_geometry.h"
#include "ops/tile_shares.h"

namespace weft::ops {

// What lies along vectors where points are multiplied in float32. Tiles have results that can be
// stored as they are; channels read the filter in the order of memory, and leave no lane of a
// vector idle where there are few tiles. A sum is the same chain either way.
enum class WinogradVectors { of_tiles, of_channels };

// What multiplies: vectors of a level or, where that is AMX, a matrix unit, whose vectors are of
// tiles.
struct WinogradProducts {
  Isa level;
  std::int64_t parts = 3;  // of a number on the unit

  bool by_unit() const noexcept { return level == Isa::amx; }
};

// How WinogradConvolution cuts its work, chosen by what it would cost: the shape of the blocks of
// tiles, of the images of a batch on top of each other where these are small, how many blocks of
// output channels are multiplied point by point before their results are formed, and into how many
// shares the output channels are cut where there are few blocks of tiles for the threads. A thread
// transforms the inputs of a block once for all shares of it that it takes.
struct WinogradTiling {
  // Cuts the images of a convolution that suits WinogradImages. Both kinds of vectors of a level
  // are weighed where none is asked for.
  WinogradTiling(const ConvolutionGeometry& geometry, const kernels::WinogradTile& tile,
                 const WinogradProducts& products, unsigned threads,
                 std::optional<WinogradVectors> asked = std::nullopt);
  // With the kernels of a unit, or null.
  static WinogradProducts products(Isa isa, const kernels::SplitKernels* unit) noexcept {
    if (unit != nullptr) return {Isa::amx, unit->parts};
    return {std::min(isa, Isa::avx512)};
  }

  kernels::WinogradTile tile;
  std::int64_t rows, columns;  // tiles of an image
  std::int64_t batch;          // images
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;  // tiles
  bool stacked = false;            // all images as one, with gap() rows of tiles between two of
                                   // them; not where sums differ
  std::int64_t few = 1;            // blocks of 32 output channels
  TileShares shares;               // all blocks of tiles
  WinogradVectors vectors = WinogradVectors::of_tiles;
  double seconds = 0;  // on one core

  static constexpr std::int64_t kMostImages = 16;  // that a block has rows of

  bool along_channels() const noexcept { return vectors == WinogradVectors::of_channels; }

  // Tiles that take half the products of a block.
  static constexpr std::int64_t kNarrow = kernels::kSplitBlock / 2;
  bool is_narrow() const noexcept { return block_rows * block_columns <= kNarrow; }

  // Rows of tiles that windows of more than a row would reach past the end of an image.
  std::int64_t gap() const noexcept { return tile.row_taps > 1 ? 1 : 0; }

  // Rows of tiles from a stacked image to the next, and of all images that are cut as one.
  std::int64_t image_rows() const noexcept { return rows + gap(); }
  std::int64_t cut_rows() const noexcept { return stacked ? batch * image_rows() - gap() : rows; }

  std::int64_t row_blocks() const noexcept { return base::divide_up(cut_rows(), block_rows); }
  std::int64_t column_blocks() const noexcept { return base::divide_up(columns, block_columns); }
};

}  // namespace weft::ops
