#pragma once

#include <cstdint>

#include "kernels/winograd/winograd.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// How WinogradConvolution cuts its work, chosen by what it would cost on one core: the shape of the
// blocks of tiles, and how many blocks of output channels are multiplied point by point before
// their results are formed.
struct WinogradTiling {
  // Cuts the one phase of a 3 x 3 convolution at stride 1, for a matrix unit or without one.
  WinogradTiling(const ConvolutionGeometry& geometry, const kernels::WinogradTile& tile, bool unit);

  kernels::WinogradTile tile;
  std::int64_t rows, columns;  // tiles of an image
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;  // tiles
  std::int64_t few = 1;            // blocks of 32 output channels
  double input_seconds = 0;        // of all blocks
  double seconds = 0;              // in all

  std::int64_t row_blocks() const noexcept { return (rows + block_rows - 1) / block_rows; }
  std::int64_t column_blocks() const noexcept {
    return (columns + block_columns - 1) / block_columns;
  }
};

}  // namespace weft::ops
