#pragma once

// Winograd's minimal filtering for windows of r x s taps at stride 1:
//
//   Y = A^T [ (G g G^T) * (B^T d B) ] A
//
// A tile Y of m x n outputs takes the products of (m + r - 1) (n + s - 1) points instead of r s m
// n: for 3 x 3 taps, 16 instead of 36 for 2 x 2, 24 instead of 72 for 2 x 4, 36 instead of 144 for
// 4 x 4; for 1 x 3 taps, 6 instead of 12 for 1 x 4. d are as many inputs of the tile, g the window.
// At each point, the sum over input channels is a matrix product: of split numbers on a matrix unit
// for bfloat16 (product.h), else of float32 (gemm.h).
//
// A side of one output and one tap is left as it is. Along one of 3 taps and 2 outputs the points
// are 0, +-1 and infinity, for which B is but additions; with 4 outputs, they are 0,
// +-kWinogradNear, +-kWinogradFar and infinity. Along one of 2 taps they are +-1 and infinity, or
// +-kWinogradFar2, +-kWinogradNear2 and infinity.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/split/split.h"
#include "weft/isa.h"

namespace weft::kernels {

inline constexpr std::int64_t kWinogradTaps = 3;  // of a side, at most

// A tile's outputs, each side 1, 2 or 4, and its window's taps, 1 where there is one output.
struct WinogradTile {
  std::int64_t rows, columns;
  std::int64_t row_taps = rows == 1 ? 1 : 3;
  std::int64_t column_taps = columns == 1 ? 1 : 3;

  constexpr std::int64_t row_points() const noexcept { return rows + row_taps - 1; }
  constexpr std::int64_t column_points() const noexcept { return columns + column_taps - 1; }
  constexpr std::int64_t points() const noexcept { return row_points() * column_points(); }
  constexpr bool operator==(const WinogradTile&) const noexcept = default;
};

// d B of the input rows of one channel: for every tile of n columns, n inputs after the one before,
// a number a point. Row i goes to i % m * remainder_stride + i / m * tiles.
struct WinogradRows {
  const void* from;         // row 0
  bool half;                // float16, otherwise float32
  std::int64_t row_stride;  // elements
  std::int64_t next;        // elements to the rows that are wanted next, fetched meanwhile
  std::int64_t rows;
  std::int64_t begin, end;  // the rows inside the input; the others are 0
  std::int64_t size;        // of a row
  std::int64_t first;       // the first tile's first input; what lies outside the row is 0
  std::int64_t tiles;       // a row
  float* to;                // of point 0
  std::int64_t point_stride;
  std::int64_t remainder_stride;
};

// B^T of what WinogradRows make, for tiles numbered along a line, row of tiles by row of tiles, and
// for two input channels, split and paired as patches of product.h: a step of 32 channels, 16
// pairs, for every point and every block of 32 tiles.
struct WinogradColumns {
  const float* even;         // rows of two channels, row i at i % m * remainder_stride +
  const float* odd;          //   i / m * tiles_a_row; null: zeros
  std::int64_t from_stride;  // floats from point to point
  std::int64_t remainder_stride;
  std::int64_t tiles_a_row;
  std::int64_t tiles;         // in all; those up to the next multiple of 32 become 0
  std::uint16_t* to;          // of the pair, in the first block of the first point
  std::int64_t block_stride;  // elements
  std::int64_t point_stride;
};

// The same for one channel in float32: a row for every point and every block of tiles, of which the
// last is filled up with zeros.
struct WinogradChannel {
  const float* from;  // as even and odd of WinogradColumns
  std::int64_t from_stride;
  std::int64_t remainder_stride;
  std::int64_t tiles_a_row;
  std::int64_t tiles;
  float* to;           // aligned to 64 bytes
  std::int64_t block;  // tiles: 16 or 32
  std::int64_t block_stride;
  std::int64_t point_stride;
};

// acc = filter x patches at one point: 32 outputs of 32 tiles, summed over steps of 32 input
// channels.
struct WinogradProduct {
  const std::uint16_t* filter;   // [step][part][32 outputs][32 channels]
  const std::uint16_t* patches;  // [step], see product.h
  std::int64_t steps;
  float* acc;                  // rows of 32 tiles
  std::int64_t output_stride;  // floats
  SplitAhead ahead;
};

// Tiles side by side in one row of a tensor.
struct WinogradRun {
  std::int64_t first;    // of the 32 tiles of a block; a run does not pass the middle of the block
  std::int64_t columns;  // outputs, at most n a tile
  std::int64_t rows;     // of outputs, at most m
  void* to;              // the first tile's first output
};

// A^T acc A, times a power of two, bias and activation of one block.
struct WinogradResult {
  const float* acc;                // [32 outputs][point][32 tiles]
  std::int64_t acc_output_stride;  // floats
  float scale;
  const float* bias;  // one an output
  const Ramp* ramp;   // or null
  bool half;          // float16, otherwise float32
  std::int64_t outputs;
  std::int64_t output_offset;  // elements from where the runs lie to the first output's
  std::int64_t output_stride;  // elements
  std::int64_t row_stride;     // elements
  const WinogradRun* runs;
  std::int64_t run_count;
};

// The same for sums whose output channels lie along vectors, and tiles side by side in one row.
struct WinogradChannels {
  const float* acc;              // [tile][point][32 outputs]
  std::int64_t acc_tile_stride;  // floats
  const float* bias;             // one an output, aligned as acc and to are to 64 bytes
  const Ramp* ramp;              // or null
  std::int64_t channels;         // that are wanted; those that share a vector with one are written
  std::int64_t rows;             // of outputs, at most m
  std::int64_t columns;          // of outputs, of as many tiles as that takes
  float* to;                     // [row][column][32 outputs]
  std::int64_t row_stride;       // floats
};

// A^T of sums whose points lie apart, with bias and activation, along rows alone: of one output
// channel, tiles side by side along a line, their m outputs in as many lines.
struct WinogradLines {
  const float* acc;           // of the first point
  std::int64_t point_stride;  // floats
  float bias;
  const Ramp* ramp;  // or null
  bool half;         // float16, otherwise float32
  std::int64_t tiles;
  std::int64_t lines;        // that are wanted, at most m
  void* to;                  // of the first line
  std::int64_t line_stride;  // elements
};

// G g G^T of the windows of 32 outputs, for one input channel: in double, rounded once.
struct WinogradWindow {
  const float (*window)[kWinogradTaps][kSplitBlock];  // [row][column][output], zeros past its taps
  double scale;                                       // what the numbers are multiplied by
  float* to;                                          // of point 0: 32 outputs
  std::int64_t point_stride;
};

// The kernels of one instruction set.
struct WinogradKernels {
  WinogradTile tile;
  const char* name;

  void (*transform_rows)(const WinogradRows& rows, SplitRange& range) noexcept;
  void (*transform_channel)(const WinogradChannel& channel) noexcept;
  void (*store)(const WinogradResult& result) noexcept;
  void (*store_channels)(const WinogradChannels& result) noexcept;
  void (*transform_window)(const WinogradWindow& window) noexcept;
  void (*store_lines)(const WinogradLines& lines) noexcept;
};

// Those of a matrix unit.
struct WinogradUnit {
  WinogradTile tile;
  std::int64_t parts;  // of a number
  const char* name;

  void (*transform_columns)(const WinogradColumns& columns) noexcept;
  // Between SplitKernels::enter() and leave().
  void (*multiply)(const WinogradProduct& product) noexcept;
};

// Interpolation points of a side of 4 outputs and 3 taps, with 0 and infinity, and of 2 taps, with
// infinity.
inline constexpr double kWinogradNear = 0.625;
inline constexpr double kWinogradFar = 1.5;
inline constexpr double kWinogradNear2 = 0.375;
inline constexpr double kWinogradFar2 = 1.25;

// Row `point` of G for a side of m outputs and r taps: what the numbers of a window's row (or
// column) are multiplied by.
struct WinogradFilterRow {
  double g[kWinogradTaps];
};
constexpr WinogradFilterRow winograd_filter_row(std::int64_t m, std::int64_t r,
                                                std::int64_t point) noexcept {
  WinogradFilterRow row{};
  if (point == m + r - 2) {  // infinity
    row.g[r - 1] = 1;
    return row;
  }
  const bool two = r == 2;
  const double sign = point % 2 == (two ? 0 : 1) ? 1 : -1;  // of a pair, the positive one is first
  double root, scale;
  if (m == 2) {
    root = two || point > 0 ? sign : 0;
    scale = two ? sign / 2 : point > 0 ? 0.5 : 1;
  } else if (two) {
    const double one = point <= 1 ? kWinogradFar2 : kWinogradNear2;
    const double other = point <= 1 ? kWinogradNear2 : kWinogradFar2;
    root = sign * one;
    scale = sign / (2 * one * (one * one - other * other));
  } else {
    constexpr double a = kWinogradNear * kWinogradNear;
    constexpr double b = kWinogradFar * kWinogradFar;
    const bool near = point <= 2;
    const double square = near ? a : b;
    root = point > 0 ? sign * (near ? kWinogradNear : kWinogradFar) : 0;
    scale = point > 0 ? 1 / (2 * square * (square - (near ? b : a))) : 1 / (a * b);
  }
  row.g[0] = scale;
  row.g[1] = scale * root;
  if (!two) row.g[2] = scale * (root * root);
  return row;
}

// Null where there are none for the instruction set, or for another tile than those of
// winograd_levels.h.
const WinogradKernels* winograd_kernels(Isa isa, const WinogradTile& tile) noexcept;

// Those of all tiles; none likewise.
std::span<const WinogradKernels> winograd_kernels(Isa isa) noexcept;

// Null for another tile likewise, or where this build has none; whether the machine has one,
// split_kernels() tells.
const WinogradUnit* winograd_unit(const WinogradTile& tile, std::int64_t parts) noexcept;

}  // namespace weft::kernels
