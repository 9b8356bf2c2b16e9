#include "ops/winograd_tiling.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "kernels/winograd/winograd.h"
#include "ops/split_plan.h"

namespace weft::ops {

using base::divide_up;
using kernels::kSplitBlock;

namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kMostBlocks = 8;  // of 32 tiles
// What stays in the second-level cache (2 MiB on every machine that has the unit).
constexpr std::int64_t kPatchBytes = 1 << 20;
constexpr std::int64_t kAccBytes = 4 << 20;
constexpr std::int64_t kMostPatchBytes = 6 << 20;

// Measured on one core at 2.8 GHz.
struct TileCosts {
  double row;      // d B of 16 tiles
  double columns;  // B^T d of 16 tiles and two channels
  double results;  // of 16 tiles and one channel
};
struct Costs {
  TileCosts of_2x2, of_2x4, of_4x4;
  double step;                // products of 32 x 32 x 32
  double far_step;            // with patches past the second-level cache
  double sums;                // of 32 x 32, on their way from registers
  double filter_byte;         // read from the third-level cache, where it does not fit the second
  std::int64_t number_bytes;  // of what is multiplied

  const TileCosts& of(const kernels::WinogradTile& tile) const {
    return tile.rows == 4 ? of_4x4 : tile.columns == 4 ? of_2x4 : of_2x2;
  }
};
constexpr Costs kUnit{.of_2x2 = {11e-9, 110e-9, 40e-9},
                      .of_2x4 = {17e-9, 230e-9, 64e-9},
                      .of_4x4 = {21e-9, 520e-9, 160e-9},
                      .step = 245e-9,
                      .far_step = 290e-9,
                      .sums = 20e-9,
                      .filter_byte = 1.2e-11,
                      .number_bytes = 6};
constexpr Costs kVectors{.of_2x2 = {14e-9, 70e-9, 30e-9},
                         .of_2x4 = {25e-9, 90e-9, 50e-9},
                         .of_4x4 = {25e-9, 140e-9, 90e-9},
                         .step = 440e-9,
                         .far_step = 470e-9,
                         .sums = 20e-9,
                         .filter_byte = 5e-11,
                         .number_bytes = 4};

struct Cost {
  double input, rest;
};

// Of a block of tiles.
Cost cost_of(const ConvolutionGeometry& g, const kernels::WinogradTile& tile, const Costs& costs,
             std::int64_t rows, std::int64_t columns) {
  const TileCosts& of_tile = costs.of(tile);
  const auto number_bytes = static_cast<double>(costs.number_bytes);
  const auto lanes = static_cast<double>(divide_up(rows * columns, kLanes));
  const auto blocks = static_cast<double>(divide_up(rows * columns, kSplitBlock));
  const auto in = static_cast<double>(g.in_channels);
  const auto out = static_cast<double>(g.out_channels);
  const auto in_blocks = static_cast<double>(divide_up(g.in_channels, kSplitBlock));
  const auto out_blocks = static_cast<double>(divide_up(g.out_channels, kSplitBlock));
  const auto points = static_cast<double>(tile.points());
  const auto row_vectors = static_cast<double>((rows * tile.rows + 2) * divide_up(columns, kLanes));
  const auto patches =
      points * in_blocks * blocks * static_cast<double>(kSplitBlock * kSplitBlock) * number_bytes;
  const double step = patches > kPatchBytes ? costs.far_step : costs.step;
  const double products = out_blocks * points * blocks * (in_blocks * step + costs.sums);
  const double filter = in_blocks * out_blocks * points *
                        static_cast<double>(kSplitBlock * kSplitBlock) * number_bytes;
  const double reading = filter > kFilterKept ? filter * costs.filter_byte : 0;
  return {in * (row_vectors * of_tile.row + lanes / 2 * of_tile.columns),
          products + reading + out * lanes * of_tile.results};
}

// Time on some threads, at most: of all blocks of all images, the largest of which ends last, each
// cut into shares of its output channels.
double time_of(const Cost& all, const Cost& largest, std::int64_t blocks, std::int64_t shares,
               unsigned threads) {
  const auto cuts = static_cast<double>(shares);
  const double share = largest.input + largest.rest / cuts;
  if (blocks * shares <= threads) return share;
  const double rest = share * static_cast<double>(threads - 1);
  return (all.input * cuts + all.rest + rest) / static_cast<double>(threads);
}

}  // namespace

WinogradTiling::WinogradTiling(const ConvolutionGeometry& geometry,
                               const kernels::WinogradTile& outputs, bool unit, unsigned threads)
    : tile(outputs),
      rows(divide_up(geometry.axes[1].max_count(), outputs.rows)),
      columns(divide_up(geometry.axes[2].max_count(), outputs.columns)) {
  const Costs& costs = unit ? kUnit : kVectors;
  seconds = std::numeric_limits<double>::infinity();
  double least = seconds;
  const std::int64_t most_shares = std::min<std::int64_t>(
      divide_up(geometry.out_channels, kSplitBlock), threads > 1 ? std::int64_t{2} * threads : 1);
  const std::int64_t points = tile.points();
  const std::int64_t lane_bytes =
      points * base::round_up(geometry.in_channels, kSplitBlock) * costs.number_bytes;
  std::int64_t patch_bytes = 0;
  // Whole blocks of w x h tiles and what is left of the image, or blocks of k images.
  const auto weigh = [&](std::int64_t w, std::int64_t h, std::int64_t k) {
    const std::int64_t lanes = base::round_up(h * w, kSplitBlock);
    if (lanes > kMostBlocks * kSplitBlock || lanes * lane_bytes > kMostPatchBytes) return false;
    Cost sum{};
    std::int64_t blocks = 0;
    const auto add = [&](std::int64_t some_rows, std::int64_t some_columns, std::int64_t count) {
      if (some_rows * some_columns * count <= 0) return;
      const Cost cost = cost_of(geometry, tile, costs, some_rows, some_columns);
      blocks += count * geometry.groups;
      sum.input += static_cast<double>(count * geometry.groups) * cost.input;
      sum.rest += static_cast<double>(count * geometry.groups) * cost.rest;
    };
    if (k > 1) {
      add(h, w, geometry.batch / k);
      add(geometry.batch % k * image_rows() - 1, w, 1);
    } else {
      add(h, w, geometry.batch * (rows / h) * (columns / w));
      add(rows % h, w, geometry.batch * (columns / w));
      add(h, columns % w, geometry.batch * (rows / h));
      add(rows % h, columns % w, geometry.batch);
    }
    const Cost largest = cost_of(geometry, tile, costs, h, w);
    for (std::int64_t shares = 1; shares <= most_shares; ++shares) {
      const double time = time_of(sum, largest, blocks, shares, threads);
      if (time >= least) continue;
      least = time;
      seconds = sum.input + sum.rest;
      out_shares = shares;
      block_rows = h;
      block_columns = w;
      images = k;
      patch_bytes = lanes * lane_bytes;
    }
    return true;
  };
  for (std::int64_t w = std::min(columns, kMostBlocks * kSplitBlock); w > 0; --w) {
    for (std::int64_t h = std::min(rows, kMostBlocks * kSplitBlock / w); h > 0; --h) weigh(w, h, 1);
  }
  for (std::int64_t k = 2; k <= std::min(geometry.batch, kMostImages); ++k) {
    if (!weigh(columns, k * image_rows() - 1, k)) break;
  }
  if (patch_bytes > kPatchBytes) {
    const std::int64_t acc_bytes =
        points * kSplitBlock * 4 * base::round_up(block_rows * block_columns, kSplitBlock);
    few = std::clamp<std::int64_t>(kAccBytes / acc_bytes, 1,
                                   divide_up(geometry.out_channels, kSplitBlock));
  }
}

}  // namespace weft::ops
