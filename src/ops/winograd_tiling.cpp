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
// Patches, the filter of one block of output channels, and its sums: more than that in the
// second-level cache (2 MiB on every machine that has the unit) is not found there every time, and
// more than fits it never.
constexpr std::int64_t kNearBytes = 1152 << 10;
constexpr std::int64_t kMostNearBytes = 2 << 20;
constexpr std::int64_t kFewSums = 192 << 10;
// Sums of a few blocks of output channels, which use the patches of one point together.
constexpr std::int64_t kAccBytes = 4 << 20;

constexpr std::int64_t kFewShared = 4;  // fewer blocks of outputs would read patches too often
constexpr std::int64_t kMostPatchBytes = 6 << 20;

// Measured on one core at 2.8 GHz; with AVX2 this and all other ways take about twice as long.
struct TileCosts {
  double row;      // d B of 16 tiles
  double columns;  // B^T d of 16 tiles and two channels
  double results;  // of 16 tiles and one channel
};
struct Costs {
  TileCosts of_2x2, of_2x4, of_4x4;
  double step;                // products of 32 x 32 x 32
  double narrow;              // of that, where a block has but 16 tiles, with what it fetches
  double step_filter;         // for which a filter is fetched,
  double far_step_filter;     // of more than kFilterKept
  double crowded;             // more a step for each MiB past kNearBytes,
  double far_crowded;         // and where a few blocks of output channels take turns
  double sums;                // of 32 x 32, on their way from registers
  double many_sums;           // more for each kFewSums past the first
  double far_sums;            // instead, of a few blocks
  double filter_byte;         // read from the third-level cache by a few blocks,
  bool beside;                // or from memory by all, while they are multiplied
  std::int64_t number_bytes;  // of what is multiplied

  const TileCosts& of(const kernels::WinogradTile& tile) const {
    return tile.rows == 4 ? of_4x4 : tile.columns == 4 ? of_2x4 : of_2x2;
  }
};
constexpr Costs kUnit{.of_2x2 = {14e-9, 150e-9, 60e-9},
                      .of_2x4 = {17e-9, 230e-9, 64e-9},
                      .of_4x4 = {17e-9, 400e-9, 40e-9},
                      .step = 215e-9,
                      .narrow = 1,
                      .step_filter = 70e-9,
                      .far_step_filter = 70e-9,
                      .crowded = 60e-9,
                      .far_crowded = 0,
                      .sums = 20e-9,
                      .many_sums = 80e-9,
                      .far_sums = 600e-9,
                      .filter_byte = 0.9e-11,
                      .beside = false,
                      .number_bytes = 6};
constexpr Costs kVectors{.of_2x2 = {14e-9, 70e-9, 30e-9},
                         .of_2x4 = {25e-9, 90e-9, 50e-9},
                         .of_4x4 = {25e-9, 140e-9, 90e-9},
                         .step = 425e-9,
                         .narrow = 0.62,
                         .step_filter = 0,
                         .far_step_filter = 60e-9,
                         .crowded = 60e-9,
                         .far_crowded = 100e-9,
                         .sums = 20e-9,
                         .many_sums = 0,
                         .far_sums = 150e-9,
                         .filter_byte = 8e-11,
                         .beside = true,
                         .number_bytes = 4};

const Costs& costs_of(Isa products) {
  if (products == Isa::amx) return kUnit;
  if (products == Isa::avx512) return kVectors;
  // As everything takes twice as long there but what memory does, that takes half as long.
  static constexpr Costs half = [] {
    Costs c = kVectors;
    c.narrow = 0.57;
    for (double* of_memory : {&c.far_step_filter, &c.crowded, &c.far_crowded, &c.filter_byte}) {
      *of_memory /= 2;
    }
    return c;
  }();
  return half;
}

std::int64_t sums_bytes(const kernels::WinogradTile& tile, std::int64_t lanes) {
  return tile.points() * kSplitBlock * lanes * 4;
}

// Blocks of output channels that use the patches of one point together, where not each of them has
// all points to itself.
std::int64_t some_blocks(const ConvolutionGeometry& g, const kernels::WinogradTile& tile,
                         std::int64_t lanes) {
  return std::clamp<std::int64_t>(kAccBytes / sums_bytes(tile, lanes), 1,
                                  divide_up(g.out_channels, kSplitBlock));
}

struct Cost {
  double input, rest;
};

// Of a block of tiles.
Cost cost_of(const ConvolutionGeometry& g, const kernels::WinogradTile& tile, const Costs& costs,
             std::int64_t rows, std::int64_t columns, std::int64_t few, bool narrow) {
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
  const double numbers = points * in_blocks * static_cast<double>(kSplitBlock * kSplitBlock) *
                         number_bytes;  // of a block of tiles or outputs
  const auto acc =
      static_cast<double>(sums_bytes(tile, base::round_up(rows * columns, kSplitBlock)));
  const double patches = numbers * (narrow ? 0.5 : blocks);
  const double near = few == 1 ? patches + numbers + acc : patches + acc * static_cast<double>(few);
  const double past = std::max(near - kNearBytes, 0.0) / (1 << 20);
  const double step = costs.step * (narrow ? costs.narrow : 1) +
                      (few == 1 ? costs.crowded : costs.far_crowded) * past;
  const double sums =
      few == 1 ? costs.sums + costs.many_sums * std::max(acc / kFewSums - 1, 0.0) : costs.far_sums;
  const double filter = numbers * out_blocks;
  const bool far = filter > kFilterKept;
  const double step_filter = far && !narrow ? costs.far_step_filter : costs.step_filter;
  double products =
      out_blocks * points * (in_blocks * (blocks * step + step_filter) + blocks * sums);
  if (far) {
    const double reading = filter * costs.filter_byte;
    if (costs.beside) products = std::max(products, reading);
    if (!costs.beside && few > 1) products += reading;
  }
  return {in * (row_vectors * of_tile.row + lanes / 2 * of_tile.columns),
          products + out * lanes * of_tile.results};
}

// Time on some threads. Each of them transforms the inputs of a block for itself; where their parts
// are not quite equal, one ends later than the others by half of a share.
double time_of(const Cost& all, const Cost& largest, std::int64_t blocks, bool alike,
               const TileShares& shares, unsigned threads) {
  const std::int64_t count = threads;
  const bool even = alike && shares.tiles() % count == 0;
  const std::int64_t again = shares.shares() == 1 || (even && blocks % count == 0) ? 0 : count - 1;
  const double input =
      all.input * static_cast<double>(blocks + again) / static_cast<double>(blocks);
  const double last = largest.input + largest.rest / static_cast<double>(shares.shares());
  const double late = even ? 0 : last / 2 * static_cast<double>(count - 1);
  return (input + all.rest + late) / static_cast<double>(count);
}

}  // namespace

WinogradTiling::WinogradTiling(const ConvolutionGeometry& geometry,
                               const kernels::WinogradTile& outputs, Isa products, unsigned threads)
    : tile(outputs),
      rows(divide_up(geometry.axes[1].max_count(), outputs.rows)),
      columns(divide_up(geometry.axes[2].max_count(), outputs.columns)),
      batch(geometry.batch) {
  const Costs& costs = costs_of(products);
  seconds = std::numeric_limits<double>::infinity();
  double least = seconds;
  const std::int64_t out_blocks = divide_up(geometry.out_channels, kSplitBlock);
  const std::int64_t points = tile.points();
  const std::int64_t lane_bytes =
      points * base::round_up(geometry.in_channels, kSplitBlock) * costs.number_bytes;
  // Whole blocks of w x h tiles and what is left, of images apart or stacked.
  const auto weigh_few = [&](std::int64_t w, std::int64_t h, bool stack, std::int64_t some) {
    const std::int64_t together = stack ? batch * image_rows() - 1 : rows;
    const std::int64_t count = geometry.groups * (stack ? 1 : batch);
    Cost sum{};
    std::int64_t blocks = 0;
    const bool narrow = w * h <= kNarrow;
    const auto add = [&](std::int64_t some_rows, std::int64_t some_columns, std::int64_t times) {
      if (some_rows * some_columns * times <= 0) return;
      const Cost cost = cost_of(geometry, tile, costs, some_rows, some_columns, some, narrow);
      blocks += times * count;
      sum.input += static_cast<double>(times * count) * cost.input;
      sum.rest += static_cast<double>(times * count) * cost.rest;
    };
    add(h, w, (together / h) * (columns / w));
    add(together % h, w, columns / w);
    add(h, columns % w, together / h);
    add(together % h, columns % w, 1);
    const Cost largest = cost_of(geometry, tile, costs, h, w, some, narrow);
    const bool alike = together % h == 0 && columns % w == 0;
    const auto cut = TileShares::for_threads(
        blocks, out_blocks, divide_up(out_blocks, std::min(some, kFewShared)), threads);
    const double time = time_of(sum, largest, blocks, alike, cut, threads);
    if (time >= least) return;
    least = time;
    seconds = sum.input + sum.rest;
    few = some;
    shares = cut;
    block_rows = h;
    block_columns = w;
    stacked = stack;
  };
  const auto weigh = [&](std::int64_t w, std::int64_t h, bool stack) {
    const std::int64_t lanes = base::round_up(h * w, kSplitBlock);
    if (lanes * lane_bytes > kMostPatchBytes) return;
    const std::int64_t some = some_blocks(geometry, tile, lanes);
    const bool near =
        (lanes + kSplitBlock) * lane_bytes + sums_bytes(tile, lanes) <= kMostNearBytes;
    // Of 36 points, two blocks of tiles on the unit crowd more than is estimated. 64 to 64
    // channels, 112x112: 1.93 ms, 2.32 with two.
    const bool crowds = tile.rows == 4 && !costs.beside && lanes > kSplitBlock;
    if ((near || some == 1) && !crowds) weigh_few(w, h, stack, 1);
    if (some > 1) weigh_few(w, h, stack, some);
  };
  // Neighbouring blocks write to different lines of memory, where rows are whole lines.
  const std::int64_t line = kLanes / tile.columns, most = kMostBlocks * kSplitBlock;
  for (std::int64_t w = std::min(columns, most); w > 0; --w) {
    if (w < columns && w > line && w % line != 0) continue;
    for (std::int64_t h = std::min(rows, most / w); h > 0; --h) weigh(w, h, false);
  }
  if (batch == 1 || columns > most) return;
  // The first row may be the last of an image, and the last one the first.
  const std::int64_t most_rows =
      std::min({most / columns, batch * image_rows() - 1, (kMostImages - 2) * image_rows() + 2});
  for (std::int64_t h = most_rows; h > 0; --h) weigh(columns, h, true);
}

}  // namespace weft::ops
