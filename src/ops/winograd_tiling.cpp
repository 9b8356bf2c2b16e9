#include "ops/winograd_tiling.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/cpu.h"
#include "kernels/gemm/gemm.h"
#include "kernels/winograd/winograd.h"
#include "ops/convolution_tiling.h"
#include "ops/split_plan.h"
#include "ops/winograd_images.h"

namespace weft::ops {

using base::divide_up;
using kernels::kSplitBlock;

namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kMostBlocks = 8;  // of 32 tiles
// Patches, the filter of one block of output channels, and its sums: more than that in the
// second-level cache (2 MiB on every machine that has the unit) is not found there every time, and
// more than fits it never.
constexpr std::int64_t kNearTileBytes = 1152 << 10;
constexpr std::int64_t kMostNearBytes = 2 << 20;
constexpr std::int64_t kFewSums = 192 << 10;
// Sums of a few blocks of output channels, which use the patches of one point together.
constexpr std::int64_t kSumBytes = 4 << 20;

// With channels along vectors, more tiles gain nothing over vectors of tiles.
constexpr std::int64_t kMostOfChannels = 128;

constexpr std::int64_t kFewShared = 4;  // fewer blocks of outputs would read patches too often
constexpr std::int64_t kMostPatchBytes = 6 << 20;

// Measured on one core at 2.8 GHz; with AVX2, or where vectors are halved, this and all other ways
// take about twice as long.
struct TileCosts {
  double row;      // d B of 16 tiles
  double columns;  // B^T d of 16 tiles and two channels
  double results;  // of 16 tiles and one channel
};
struct Costs {
  TileCosts of_2x2, of_2x4, of_4x4;  // of 3 x 3 taps
  double channel_results;            // times as much, with channels along vectors
  double few_outputs;                // times as much by tiles of two, which hardly keep a core busy
  double far_row;             // more a row that other images have lines of, far apart in time
  double step;                // products of 32 x 32 x 32
  double narrow;              // of that, where a block has but 16 tiles, with what it fetches
  double step_filter;         // for which a filter is fetched,
  double far_step_filter;     // of more than kFilterKept
  double crowded;             // more a step for each MiB past kNearTileBytes,
  double far_crowded;         // and where a few blocks of output channels take turns
  double sums;                // of 32 x 32, on their way from registers
  double many_sums;           // more for each kFewSums past the first
  double far_sums;            // instead, of a few blocks
  double filter_byte;         // read from the third-level cache by a few blocks,
  bool beside;                // or from memory by all, while they are multiplied
  double late;                // of that time, not beside products along channels,
  double later;               // and of theirs, where they take less
  double near_filter_byte;    // instead, where it stays in the third-level cache:
  double near_filter;         // bytes, of all filters
  std::int64_t number_bytes;  // of what is multiplied
  std::int64_t terms;         // multiplied at once: input channels,
  std::int64_t strip;         // outputs by a block's tiles, or the reverse,
  std::int64_t columns;       // by as many outputs; kVectors: as the level has them

  // Other tiles take what their points and outputs are of those.
  TileCosts of(const kernels::WinogradTile& tile) const {
    static constexpr kernels::WinogradTile k2x2{2, 2}, k2x4{2, 4}, k4x4{4, 4};
    const bool largest = tile == k4x4;
    const bool small = tile.columns == 2;
    const kernels::WinogradTile& known = largest ? k4x4 : small ? k2x2 : k2x4;
    const TileCosts& costs = largest ? of_4x4 : small ? of_2x2 : of_2x4;
    const auto work = [](const kernels::WinogradTile& of) {
      return static_cast<double>(of.points() + 2 * of.rows * of.columns);
    };
    // Where rows are transformed alone, that waits for memory; where columns are, it is a copy.
    const double row = tile.column_taps == 1 ? 0.5 : tile.row_taps == 1 ? 1.7 : 1;
    // 64 to 64 channels, 1 x 3, 12800 positions: 1480 us by tiles of 1 x 2, 1350 directly, where it
    // would be less.
    const double few = tile.rows * tile.columns == 2 ? few_outputs : 1;
    return {.row = costs.row * row * few,
            .columns = costs.columns * static_cast<double>(tile.points()) /
                       static_cast<double>(known.points()),
            .results = costs.results * few * work(tile) / work(known)};
  }
};
// Of float32.
constexpr Costs kUnit{.of_2x2 = {14e-9, 150e-9, 60e-9},
                      .of_2x4 = {17e-9, 230e-9, 64e-9},
                      .of_4x4 = {17e-9, 400e-9, 40e-9},
                      .channel_results = 1.5,
                      .few_outputs = 2.2,
                      .far_row = 0,
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
                      .late = 0,
                      .later = 0,
                      .near_filter_byte = 0.9e-11,
                      .near_filter = 16 << 20,
                      .number_bytes = 6,
                      .terms = kSplitBlock,
                      .strip = kSplitBlock,
                      .columns = kSplitBlock};
// Of float16, in two parts. Filters from memory are read more slowly than they are multiplied: 157
// MB of them take 13 ms with all else.
constexpr Costs unit_of_halves() {
  Costs costs = kUnit;
  costs.step = 100e-9;
  costs.step_filter = 47e-9;
  costs.far_step_filter = 115e-9;
  costs.crowded = 40e-9;
  costs.filter_byte = 2.5e-11;
  costs.near_filter = 32 << 20;
  costs.number_bytes = 4;
  for (TileCosts* of_tile : {&costs.of_2x2, &costs.of_2x4, &costs.of_4x4}) {
    of_tile->row *= 0.55;
    of_tile->columns *= 0.55;
    of_tile->results *= 0.55;
  }
  return costs;
}
// Filters as a Xeon reads them on one core: 17 MB in the time of their products, 105 MB at 12 GB/s.
constexpr Costs kVectors{.of_2x2 = {14e-9, 70e-9, 30e-9},
                         .of_2x4 = {25e-9, 90e-9, 50e-9},
                         .of_4x4 = {25e-9, 140e-9, 90e-9},
                         .channel_results = 1.5,
                         .few_outputs = 2.2,
                         .far_row = 0,
                         .step = 425e-9,
                         .narrow = 0.62,
                         .step_filter = 0,
                         .far_step_filter = 60e-9,
                         .crowded = 60e-9,
                         .far_crowded = 100e-9,
                         .sums = 20e-9,
                         .many_sums = 0,
                         .far_sums = 150e-9,
                         .filter_byte = 11e-11,
                         .beside = true,
                         .late = 0.1,
                         .later = 0,
                         .near_filter_byte = 4.2e-11,
                         .near_filter = 32 << 20,
                         .number_bytes = 4,
                         .terms = 1,
                         .strip = 0,
                         .columns = 0};

Costs costs_of(const WinogradProducts& products) {
  if (products.by_unit()) return products.parts == 2 ? unit_of_halves() : kUnit;
  const Isa level = products.level;
  Costs costs = kVectors;
  costs.strip = kernels::gemm_kernel(level).max_positions[1];
  costs.columns = 2 * kernels::gemm_kernel(level).lanes;
  const bool wide = level == Isa::avx512 && !base::halves_vectors();
  if (base::is_amd()) {
    // On one core of a Zen 5, where products take 0.57 of the time: 17 MB at 115 GB/s, 151 MB at
    // 34. Transformations of inputs take still less.
    costs.filter_byte = 5e-11;
    costs.near_filter_byte = 1.6e-11;
    costs.near_filter = 16 << 20;
    costs.late = costs.later = 0.25;
    for (TileCosts* of_tile : {&costs.of_2x2, &costs.of_2x4, &costs.of_4x4}) {
      of_tile->row *= wide ? 0.55 : 0.35;
      of_tile->columns *= wide ? 0.55 : 0.35;
    }
  }
  if (wide) return costs;
  if (level == Isa::avx512) {
    // A Zen 4. Products of one vector take 1.5 times as long as those of two, and all but the
    // memory takes longer. 64 to 64 channels, 56x56, two threads, us: vectors of tiles 565, of
    // channels 510.
    costs.narrow = 0.75;
    costs.channel_results = 1;
    // 2048 to 256 channels, 33x33, 3 x 3, 6 apart: 73 ms, by tiles of 2 x 2 87.
    costs.far_row = 22e-9;
  } else {
    // As everything takes twice as long there but what memory does, that takes half as long.
    costs.narrow = 0.57;
    for (double* of_memory : {&costs.far_step_filter, &costs.crowded, &costs.far_crowded,
                              &costs.filter_byte, &costs.near_filter_byte}) {
      *of_memory /= 2;
    }
  }
  if (base::halves_vectors()) {
    // On one core of a Zen 4 25 MB of filters come at 30 GB/s, 100 MB at 21.
    costs.filter_byte = 5e-11;
    costs.near_filter_byte = 1.1e-11;
    costs.near_filter = 12 << 20;
    // 64 to 64 channels, 56x56, 1 x 3: 820 us, by tiles of 1 x 2 650.
    costs.few_outputs = 1.6;
  }
  return costs;
}

// Products of a block of tiles by 32 x 32 channels that lie along vectors, in steps of 32 tiles. A
// strip takes what one tile more would; fewer than 4 wait for their sums.
double channel_steps(std::int64_t tiles, std::int64_t strip) {
  const double of_a_step = base::is_amd() ? 1.1 : 0.95;  // as measured
  const Strips strips(tiles, strip);
  const auto cost = [](std::int64_t size) { return std::max<std::int64_t>(size, 4) + 1; };
  const std::int64_t sum = strips.long_count * cost(strips.short_size + 1) +
                           (strips.count - strips.long_count) * cost(strips.short_size);
  const std::int64_t of_step = kSplitBlock + divide_up(kSplitBlock, strip);
  return of_a_step * static_cast<double>(sum) / static_cast<double>(of_step);
}

// Blocks of channels of which some are multiplied at once: of the last one, while there are any.
double multiplied_blocks(std::int64_t channels, std::int64_t at_once) {
  const std::int64_t last = channels % kSplitBlock;
  const std::int64_t multiplied = std::min(divide_up(last, at_once) * at_once, kSplitBlock);
  return static_cast<double>(channels - last + multiplied) / kSplitBlock;
}

std::int64_t sums_bytes(const kernels::WinogradTile& tile, std::int64_t lanes) {
  return tile.points() * kSplitBlock * lanes * 4;
}

// Blocks of output channels that use the patches of one point together, where not each of them has
// all points to itself.
std::int64_t some_blocks(const ConvolutionGeometry& g, const kernels::WinogradTile& tile,
                         std::int64_t lanes) {
  return std::clamp<std::int64_t>(kSumBytes / sums_bytes(tile, lanes), 1,
                                  divide_up(g.out_channels, kSplitBlock));
}

struct Cost {
  double input, rest;
};

// Of a row of numbers, from or to every so many in memory.
constexpr double kMovedRow = 5e-9, kMoved = 0.8e-9;
// So far apart that few of them lie in a line of the cache.
constexpr std::int64_t kFarColumns = 6;
// Of windows of one row, which reads and writes each row for itself, far from that of the channel
// before.
constexpr double kBegunRow = 80e-9;

struct Channels {
  std::int64_t in, out;
  std::int64_t filters;      // each of as many
  double share;              // of the products at all points, that are not with zeros
  bool gathered, scattered;  // row by row, from and to every so many columns
  bool far;                  // from kFarColumns or more
};

// Of a block of tiles.
Cost cost_of(const Channels& channels, const kernels::WinogradTile& tile, const Costs& costs,
             std::int64_t rows, std::int64_t columns, std::int64_t few, bool narrow,
             WinogradVectors vectors) {
  const TileCosts of_tile = costs.of(tile);
  const auto number_bytes = static_cast<double>(costs.number_bytes);
  const auto lanes = static_cast<double>(divide_up(rows * columns, kLanes));
  const auto blocks = static_cast<double>(divide_up(rows * columns, kSplitBlock));
  const auto in = static_cast<double>(channels.in);
  const auto out = static_cast<double>(channels.out);
  const auto in_blocks = static_cast<double>(divide_up(channels.in, kSplitBlock));
  const auto out_blocks = static_cast<double>(divide_up(channels.out, kSplitBlock));
  const auto points = static_cast<double>(tile.points());
  const auto row_vectors =
      static_cast<double>((rows * tile.rows + tile.row_taps - 1) * divide_up(columns, kLanes));
  const double numbers = points * in_blocks * static_cast<double>(kSplitBlock * kSplitBlock) *
                         number_bytes;  // of a block of tiles or outputs
  const auto acc =
      static_cast<double>(sums_bytes(tile, base::round_up(rows * columns, kSplitBlock)));
  const double patches = numbers * (narrow ? 0.5 : blocks);
  const double near = few == 1 ? patches + numbers + acc : patches + acc * static_cast<double>(few);
  const double past = std::max(near - kNearTileBytes, 0.0) / (1 << 20);
  const double crowded = (few == 1 ? costs.crowded : costs.far_crowded) * past;
  const double sums =
      few == 1 ? costs.sums + costs.many_sums * std::max(acc / kFewSums - 1, 0.0) : costs.far_sums;
  const double filter = numbers * out_blocks;
  const bool far = filter > kFilterKept;
  const bool along_channels = vectors == WinogradVectors::of_channels;
  const double in_steps = multiplied_blocks(channels.in, costs.terms);
  const double out_steps =
      multiplied_blocks(channels.out, along_channels ? costs.columns : costs.strip);
  double steps, all_sums = blocks * sums, results = lanes * of_tile.results;
  if (along_channels) {
    steps = channel_steps(rows * columns, costs.strip) * (costs.step + (few == 1 ? crowded : 0));
    all_sums = sums * static_cast<double>(rows * columns) / kSplitBlock;
    results *= costs.channel_results;
  } else {
    steps = blocks * (costs.step * (narrow ? costs.narrow : 1) + crowded) +
            (far && !narrow ? costs.far_step_filter : costs.step_filter);
  }
  double products =
      points * (out_steps * in_steps * channels.share * steps + out_blocks * all_sums);
  if (far) {
    const double near =
        std::min(costs.near_filter / (filter * static_cast<double>(channels.filters)), 1.0);
    const double reading =
        filter * (near * costs.near_filter_byte + (1 - near) * costs.filter_byte);
    const double late = along_channels ? costs.late : 0;
    const double later = along_channels ? costs.later : 0;
    if (costs.beside) products = std::max(products + late * reading, reading + later * products);
    if (!costs.beside && few > 1) products += reading;
  }
  const auto positions = static_cast<double>(columns * tile.columns);
  const double slow = tile.row_taps == 1 ? 1.5 : 1;  // nothing of a row is there already
  const double moved =
      static_cast<double>(rows * tile.rows) * (kMovedRow + slow * kMoved * positions);
  const double far_rows = channels.far ? costs.far_row * static_cast<double>(rows * tile.rows) : 0;
  const double gathered = channels.gathered ? moved + far_rows : 0;
  const double scattered = channels.scattered ? moved : 0;
  const double begun = tile.row_taps == 1 ? kBegunRow : 0;
  return {in * (row_vectors * of_tile.row + lanes / 2 * of_tile.columns + gathered + begun),
          products + out * (results + scattered + begun)};
}

// Time on some threads. Each of them transforms the inputs of a block for itself, as if they never
// shared what is small enough to; where their parts are not quite equal, one ends later than the
// others by half of a share.
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
                               const kernels::WinogradTile& outputs,
                               const WinogradProducts& products, unsigned threads,
                               std::optional<WinogradVectors> asked)
    : tile(outputs) {
  const WinogradImages images(geometry, tile);
  rows = divide_up(images.out_rows(), tile.rows);
  columns = divide_up(images.out_columns(), tile.columns);
  batch = images.count();
  const Channels channels{images.mean_channels(),
                          geometry.out_channels,
                          images.filters() * geometry.groups,
                          products.by_unit() ? 1 : images.share_of_products(),
                          images.in_column_stride() != geometry.in_strides[2],
                          images.out_column_stride() != geometry.out_strides[2],
                          images.in_column_stride() >= kFarColumns * geometry.in_strides[2]};
  const Costs costs = costs_of(products);
  seconds = std::numeric_limits<double>::infinity();
  double least = seconds;
  const std::int64_t out_blocks = divide_up(geometry.out_channels, kSplitBlock);
  const std::int64_t points = tile.points();
  const std::int64_t lane_bytes =
      points * base::round_up(images.channels(), kSplitBlock) * costs.number_bytes;
  // Whole blocks of w x h tiles and what is left, of images apart or stacked.
  const auto weigh_few = [&](std::int64_t w, std::int64_t h, bool stack, std::int64_t some,
                             WinogradVectors along) {
    const std::int64_t together = stack ? batch * image_rows() - gap() : rows;
    const std::int64_t count = geometry.groups * (stack ? 1 : batch);
    Cost sum{};
    std::int64_t blocks = 0;
    const bool narrow = w * h <= kNarrow;
    const auto add = [&](std::int64_t some_rows, std::int64_t some_columns, std::int64_t times) {
      if (some_rows * some_columns * times <= 0) return;
      const Cost cost =
          cost_of(channels, tile, costs, some_rows, some_columns, some, narrow, along);
      blocks += times * count;
      sum.input += static_cast<double>(times * count) * cost.input;
      sum.rest += static_cast<double>(times * count) * cost.rest;
    };
    add(h, w, (together / h) * (columns / w));
    add(together % h, w, columns / w);
    add(h, columns % w, together / h);
    add(together % h, columns % w, 1);
    const Cost largest = cost_of(channels, tile, costs, h, w, some, narrow, along);
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
    vectors = along;
  };
  // Neighbouring blocks write to different lines of memory, where rows are whole lines.
  const std::int64_t line = kLanes / tile.columns;
  const auto weigh = [&](std::int64_t w, std::int64_t h, bool stack) {
    const std::int64_t lanes = base::round_up(h * w, kSplitBlock);
    if (lanes * lane_bytes > kMostPatchBytes) return;
    const std::int64_t some = some_blocks(geometry, tile, lanes);
    // Of 36 points, two blocks of tiles on the unit crowd more than is estimated. 64 to 64
    // channels, 112x112: 1.93 ms, 2.32 with two.
    const bool crowds = tile.rows == 4 && !costs.beside && lanes > kSplitBlock;
    const bool near =
        (lanes + kSplitBlock) * lane_bytes + sums_bytes(tile, lanes) <= kMostNearBytes;
    const auto weigh_along = [&](WinogradVectors along) {
      if ((near || some == 1) && !crowds) weigh_few(w, h, stack, 1, along);
      if (some > 1) weigh_few(w, h, stack, some, along);
    };
    if (asked != WinogradVectors::of_channels) weigh_along(WinogradVectors::of_tiles);
    if (asked == WinogradVectors::of_tiles || products.by_unit()) return;
    // Parts of rows are transposed line by line.
    const bool whole_lines = w == columns || w % line == 0;
    if (h * w <= kMostOfChannels && whole_lines) weigh_along(WinogradVectors::of_channels);
  };
  const std::int64_t most = kMostBlocks * kSplitBlock;
  for (std::int64_t w = std::min(columns, most); w > 0; --w) {
    if (w < columns && w > line && w % line != 0) continue;
    for (std::int64_t h = std::min(rows, most / w); h > 0; --h) weigh(w, h, false);
  }
  if (batch == 1 || columns > most || images.has_depth() || images.filters() > 1) return;
  // The first row may be the last of an image, and the last one the first.
  const std::int64_t most_rows = std::min(
      {most / columns, batch * image_rows() - gap(), (kMostImages - 2) * image_rows() + 2});
  for (std::int64_t h = most_rows; h > 0; --h) weigh(columns, h, true);
}

}  // namespace weft::ops
