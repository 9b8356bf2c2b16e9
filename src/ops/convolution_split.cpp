#include "ops/convolution_split.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "ops/axis_window.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitAhead;
using kernels::SplitRange;
using kernels::SplitResult;

namespace {

// What a tile keeps in the second-level cache (2 MiB on every machine that has the unit): the split
// pixels of as many channel blocks as are in use, and the filter of one block of output channels.
constexpr std::int64_t kPixelBytes = 896 << 10;
constexpr std::int64_t kFilterBytes = 640 << 10;
constexpr std::int64_t kMaxAccBytes = 2 << 20;
constexpr std::int64_t kAheadBytes = 1280 << 10;  // with what is fetched ahead

// Fewer pixels a tile would have its filter read from the third level for too little work.
constexpr std::int64_t kMinLine = 96;

// The least that a tile does: steps of products of 32 pixels, channels and outputs, about 10 us.
constexpr std::int64_t kLeastSteps = 64;

constexpr std::int64_t kMaxPhases = 64;  // a dimension
constexpr int kMostApart = 4;

// Taps so far apart that bands of rows without one of them are worth while.
constexpr std::int64_t kFarApart = 8;

// Windows and phases of few taps, as BACKWARD has them, have many channels in one chain of sums: so
// short a chain halves the error, for a hundredth of the time.
constexpr std::int64_t kFewTaps = 4;
constexpr std::int64_t kShortChain = 3;  // blocks of channels

}  // namespace

double SplitConvolution::seconds(const ConvolutionParams& params, const PlanOptions& options) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (base::choose_isa(options.max_isa) < Isa::amx) return kNever;
  if (kernels::split_kernels(split_parts(params.input.data_type)) == nullptr) return kNever;
  const ConvolutionGeometry g(params);
  if (!g.axes[0].is_single()) return kNever;
  double positions = static_cast<double>(g.batch * g.groups);
  double line_share = 1;
  double rows_of_taps = 1;  // the share of those that are not left out
  double far_rows = 0;      // that a band of rows reads besides as many as its own
  double planes = 1;
  double least_pixels = 1;  // of one row of outputs
  for (int d = 1; d < kSpatial; ++d) {
    const ConvolutionAxis& axis = g.axes[d];
    if (axis.phase_count() > kMaxPhases || axis.window() > AxisTaps::kMost) return kNever;
    positions *= static_cast<double>(axis.out_size());
    const AxisTaps taps(axis.phase(0));
    if (taps.planes > 8 || taps.spread > 4 * axis.max_count() + 64) return kNever;
    least_pixels *= static_cast<double>(std::max(taps.planes, 1)) *
                    static_cast<double>((d == kSpatial - 1 ? axis.max_count() : 1) + taps.spread);
    if (d == kSpatial - 1) {
      line_share = static_cast<double>(axis.max_count()) /
                   static_cast<double>(axis.max_count() + taps.spread);
      // Then there is a plane for each tap.
      if (columns_lie_apart(g, axis.phase(0))) {
        line_share = 1;
        planes = taps.count;
      }
    } else if (axis.phase(0).taps > 1 && std::abs(axis.phase(0).offset_step) >= kFarApart) {
      const double pairs = static_cast<double>(axis.phase(0).taps * axis.phase(0).count);
      rows_of_taps = 1.05 * static_cast<double>(pairs_inside(axis)) / pairs;
      far_rows = static_cast<double>(taps.spread);
    }
  }
  const double bytes_a_pixel =
      static_cast<double>(split_parts(params.input.data_type) * kSplitBlock * 2);
  if (least_pixels * bytes_a_pixel > static_cast<double>(kPixelBytes)) return kNever;
  // Each band splits its rows anew.
  const double pitch = static_cast<double>(g.axes[kSpatial - 1].max_count()) / line_share;
  const double fitting =
      static_cast<double>(kPixelBytes) / (bytes_a_pixel * planes * pitch) - far_rows;
  const double band_rows = std::min(std::max(fitting, static_cast<double>(kMinLine) / pitch),
                                    static_cast<double>(g.axes[1].max_count()));
  const double times_split = 1 + far_rows / band_rows;
  // Seconds on one core, from measurements: products with whole blocks, splitting, results.
  const auto blocks = [](std::int64_t channels) {
    return static_cast<double>(base::round_up(channels, kSplitBlock));
  };
  const double taps = static_cast<double>(g.window()) * rows_of_taps;
  const double phases = static_cast<double>(g.axes[1].phase_count() * g.axes[2].phase_count());
  const double parts = static_cast<double>(split_parts(params.input.data_type));
  const double products = parts == 3 ? 6 : 3;
  const double in_elements = static_cast<double>(g.batch * g.groups * g.in_channels) *
                             static_cast<double>(g.axes[1].in_size() * g.axes[2].in_size());
  if (positions < 16) return kNever;
  // Rows of a step beyond 1 are taken apart one by one: with few channels a group there is little
  // else to do.
  const bool strided = g.axes[kSpatial - 1].phase(0).in_step > 1 && g.groups > 1 && parts == 3;
  const double rows =
      strided ? in_elements / static_cast<double>(g.axes[kSpatial - 1].in_size()) : 0;
  // The fewer the taps, the less often pixels are found in the first level.
  const double rate = 2.45e12 / (1 + 1.6 / std::max(taps / phases, 1.0));
  return 2 * blocks(g.in_channels) * blocks(g.out_channels) * taps / phases * positions /
             line_share * products / rate +
         in_elements * planes * times_split * 0.4e-9 + rows * 22e-9 +
         positions * blocks(g.out_channels) * 0.6e-9;
}

SplitConvolution::SplitConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : SplitPlan(params, options),
      kernels_(*kernels::split_kernels(split_parts(data_type_))),
      filter_(geometry_, data_type_, rows_.load(data_type_), kernels_) {
  algorithm = kernels_.name;
  choose_tiles(options);
  set_memory(options, filter_.size_in_bytes(), slots_, slot_bytes_);
  explanation = "tiles of " + std::to_string(band_rows_) + " rows x " +
                std::to_string(shares_.most_blocks() * kSplitBlock) + " channels, " +
                std::to_string(block_group_ * kSplitBlock) + " input channels at a time, " +
                std::to_string(shares_.tiles()) + " tiles, " + std::to_string(slots_) + " slots";
}

// Whether rows without pixels between them make clearly fewer blocks.
bool SplitConvolution::columns_lie_apart(const ConvolutionGeometry& geometry,
                                         const Phase& inputs) noexcept {
  const std::int64_t rows = geometry.axes[1].max_count(), columns = geometry.axes[2].max_count();
  const AxisTaps taps(inputs);
  const std::int64_t pitch = columns + taps.spread;
  return taps.count <= kMostApart && 20 * base::divide_up(rows * columns, kSplitBlock) <
                                         17 * base::divide_up(rows * pitch, kSplitBlock);
}

// The phases of BACKWARD read nearly the same inputs. These are split once where the pixels of all
// channels fit the cache.
void SplitConvolution::choose_sharing() {
  std::int64_t phases = 1, most_taps = 1;
  for (int d = 1; d < kSpatial; ++d) {
    const ConvolutionAxis& axis = geometry_.axes[d];
    std::int64_t lowest = INT64_MAX, highest = INT64_MIN, taps = 1;
    for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
      const Phase phase = axis.phase(p);
      if (phase.taps == 0) continue;
      if (phase.in_step != 1) return;
      const auto [low, high] = offset_range(phase);
      lowest = std::min(lowest, low);
      highest = std::max(highest, high);
      taps = std::max(taps, phase.taps);
    }
    if (lowest > highest || highest - lowest >= AxisTaps::kMost) return;
    phases *= axis.phase_count();
    most_taps *= taps;
    all_inputs_[d] = {.count = axis.max_count(),
                      .taps = highest - lowest + 1,
                      .in_step = 1,
                      .first_offset = lowest,
                      .offset_step = 1};
  }
  columns_apart_ = columns_lie_apart(geometry_, all_inputs_[2]);
  const AxisTaps h(all_inputs_[1]), w = planes_of(2, all_inputs_[2]);
  const std::int64_t pitch = all_inputs_[2].count + w.spread;
  const std::int64_t rows = std::min(base::divide_up(kMinLine, pitch), all_inputs_[1].count);
  const std::int64_t a_pixel = kernels_.parts * w.planes * filter_.in_blocks() * 2 * kSplitBlock;
  shares_pixels_ = phases > 1 && (rows + h.spread) * pitch * a_pixel <= kPixelBytes &&
                   2 * most_taps * filter_.step() * filter_.in_blocks() <= kFilterBytes;
}

void SplitConvolution::choose_tiles(const PlanOptions& options) {
  choose_sharing();
  if (!shares_pixels_) columns_apart_ = columns_lie_apart(geometry_, geometry_.axes[2].phase(0));
  const ConvolutionAxis& rows = geometry_.axes[1];
  const ConvolutionAxis& columns = geometry_.axes[2];
  // The largest of each over all phases.
  const auto largest_phase = [&](int axis, const auto& value) {
    std::int64_t result = 0;
    for (std::int64_t p = 0; p < geometry_.axes[axis].phase_count(); ++p) {
      result = std::max(result, value(planes_of(axis, geometry_.axes[axis].phase(p))));
    }
    return result;
  };
  const auto largest = [&](int axis, const auto& value) {
    return shares_pixels_ ? value(planes_of(axis, all_inputs_[axis])) : largest_phase(axis, value);
  };
  const auto spread = [](const AxisTaps& taps) { return taps.spread; };
  const auto planes = [](const AxisTaps& taps) { return std::int64_t{std::max(taps.planes, 1)}; };
  const auto count = [](const AxisTaps& taps) { return std::int64_t{std::max(taps.count, 1)}; };
  const std::int64_t pitch = columns.max_count() + largest(2, spread);
  const std::int64_t row_spread = largest(1, spread);
  const std::int64_t plane_count = largest(1, planes) * largest(2, planes);
  most_taps_ = std::max<std::int64_t>(largest_phase(1, count) * largest_phase(2, count), 1);

  const std::int64_t row_bytes = std::max<std::int64_t>(
      kernels_.parts * plane_count * (1 + row_spread) * pitch * 2 * kSplitBlock, 1);
  fetch_ahead_ = static_cast<double>(filter_.size_in_bytes()) > kFilterKept;
  const std::int64_t filter_bytes = fetch_ahead_ ? kFilterBytes / 2 : kFilterBytes;
  block_group_ = std::clamp<std::int64_t>(
      std::min(filter_bytes / (2 * most_taps_ * filter_.step()), kPixelBytes / row_bytes), 1,
      filter_.in_blocks());
  if (shares_pixels_) block_group_ = filter_.in_blocks();
  block_group_ =
      base::divide_up(filter_.in_blocks(), base::divide_up(filter_.in_blocks(), block_group_));
  const std::int64_t pixel_bytes =
      std::max<std::int64_t>(block_group_ * kernels_.parts * plane_count * 2 * kSplitBlock, 1);
  const std::int64_t fitting = kPixelBytes / pixel_bytes / pitch - row_spread;
  band_rows_ = std::clamp<std::int64_t>(fitting, base::divide_up(kMinLine, pitch),
                                        std::max<std::int64_t>(rows.max_count(), 1));
  band_rows_ = std::min(band_rows_, rows.max_count());
  bands_ = base::divide_up(rows.max_count(), band_rows_);
  if (rows.phase_count() == 1) bands_ = best_bands(bands_, pitch);

  // Few tiles leave threads without work at the end: cut rows, then output channels, finer.
  const unsigned threads = slot_count(options, INT64_MAX);
  const std::int64_t others = geometry_.batch * geometry_.groups *
                              (shares_pixels_ ? 1 : rows.phase_count() * columns.phase_count());
  const std::int64_t wanted = threads > 1 ? 2 * std::int64_t{threads} : 1;
  if (others * bands_ < wanted) {
    const std::int64_t most = std::max<std::int64_t>(1, rows.max_count() * pitch / kMinLine);
    bands_ = std::max(bands_, std::min(base::divide_up(wanted, others), most));
  }
  band_rows_ = base::divide_up(rows.max_count(), bands_);
  bands_ = base::divide_up(rows.max_count(), band_rows_);
  line_ = base::round_up(band_rows_ * pitch, kSplitBlock);
  // The last block of a line, and the taps of its last pixel, reach past the last plane.
  const std::int64_t planes_pixels = plane_count * (band_rows_ + row_spread) * pitch;
  const std::int64_t past = kSplitBlock + (pitch - columns.max_count());
  const auto pixels_of = [&](std::int64_t blocks) {
    return (blocks * kernels_.parts * planes_pixels + past) * kSplitBlock;
  };
  const bool fit = pixels_of(filter_.in_blocks()) * 2 <= kPixelBytes;
  split_group_ = fit ? filter_.in_blocks() : block_group_;
  pixel_elements_ = pixels_of(split_group_);
  if (shares_pixels_ && fetch_ahead_ && most_taps_ <= kFewTaps) {
    // So many that the filter of those to come fits, too; whole chains of sums.
    const std::int64_t fitting =
        (kAheadBytes - pixel_elements_ * 2) / (4 * most_taps_ * filter_.step());
    block_group_ =
        std::min(block_group_, std::max(fitting / kShortChain, std::int64_t{1}) * kShortChain);
  }
  shares_ = cut(others * bands_, threads);

  const std::int64_t shortest_row = columns.phase(columns.phase_count() - 1).count;
  stores_blocks_ = plain_results_ && columns.phase(0).step * geometry_.out_strides[2] == 1 &&
                   shortest_row >= kSplitBlock / (SplitResult::kMostRuns - 1) + 1;
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, shares_.tiles()));
  acc_elements_ = kSplitBlock * (multiplies_at_once() ? 2 * kSplitBlock
                                 : keeps_pixels()     ? line_
                                                      : shares_.most_blocks() * line_);
  slot_bytes_ = base::slot_bytes(static_cast<std::uint64_t>(pixel_elements_) * 2 +
                                 kSplitBlock * kChunk * 4 + acc_elements_ * 4 +
                                 (stores_blocks_ ? 0 : kSplitBlock * line_ * 4) + most_taps_ * 8 +
                                 shares_.most_blocks() * kSplitBlock * 4 + std::int64_t{6} * 64);
}

SplitConvolution::Slot SplitConvolution::slot_memory(std::byte* slots,
                                                     unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  Slot result;
  result.pixels = base::take<std::uint16_t>(memory, pixel_elements_);
  result.rows = base::take<float>(memory, kSplitBlock * kChunk);
  result.acc = base::take<float>(memory, acc_elements_);
  result.sums = base::take<float>(memory, stores_blocks_ ? 0 : kSplitBlock * line_);
  result.taps = base::take<std::int64_t>(memory, most_taps_);
  result.bias = base::take<float>(memory, shares_.most_blocks() * kSplitBlock);
  return result;
}

void SplitConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void SplitConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                 std::byte* slots, SharedRange* ranges) const noexcept {
  shares_.run(slots_, [&](const TileShares::Share& share, unsigned slot, bool has_pixels) {
    const Tile tile = locate(share);
    if (tile.rows <= 0) return;
    compute_tile(arguments, packed, tile, slot_memory(slots, slot), has_pixels, ranges[tile.image]);
  });
}

SplitConvolution::Tile SplitConvolution::locate(const TileShares::Share& share) const noexcept {
  Tile tile;
  std::int64_t index = share.unit;
  tile.first_out_block = share.first_block;
  tile.out_blocks = share.blocks;
  tile.first_row = base::take_digit(index, bands_) * band_rows_;
  for (int d = kSpatial; d-- > 1;) {
    const ConvolutionAxis& axis = geometry_.axes[d];
    tile.phases[d] = axis.phase(shares_pixels_ ? 0 : base::take_digit(index, axis.phase_count()));
    tile.inputs[d] = shares_pixels_ ? all_inputs_[d] : tile.phases[d];
  }
  tile.phases[0] = geometry_.axes[0].phase(0);
  tile.group = base::take_digit(index, geometry_.groups);
  tile.image = index;
  tile.rows = std::min(band_rows_, tile.phases[1].count - tile.first_row);
  return tile;
}

void SplitConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                    const Tile& located, const Slot& slot, bool has_pixels,
                                    SharedRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  Tile tile = located;
  const AxisTaps h(tile.inputs[1]);
  const AxisTaps w = planes_of(2, tile.inputs[2]);
  tile.pitch = tile.inputs[2].count + w.spread;
  tile.plane_size = (tile.rows + h.spread) * tile.pitch;
  tile.part_stride = std::int64_t{h.planes} * w.planes * tile.plane_size * kSplitBlock;
  tile.block_stride = kernels_.parts * tile.part_stride;
  const auto* input =
      static_cast<const std::byte*>(arguments.inputs[0]) +
      (tile.image * g.in_batch_stride + tile.group * g.in_channels * g.in_channel_stride) *
          element_bytes_;
  load_bias(arguments, tile.group, tile.first_out_block, tile.out_blocks, slot.bias);
  SplitRange seen;
  kernels_.enter();
  for (std::int64_t first = 0; first < filter_.in_blocks(); first += split_group_) {
    const std::int64_t blocks = std::min(split_group_, filter_.in_blocks() - first);
    if (!has_pixels && h.count * w.count > 0) {
      split_blocks(tile, h, w, input, first, blocks, slot, seen);
    }
    if (!shares_pixels_) {
      multiply_phases(arguments, packed, tile, h, w, first, blocks, slot, nullptr);
      continue;
    }
    const std::int64_t columns = g.axes[2].phase_count();
    const std::int64_t count = g.axes[1].phase_count() * columns;
    const auto of_phase = [&](std::int64_t index) {
      Tile phase = tile;
      phase.phases[1] = g.axes[1].phase(index / columns);
      phase.phases[2] = g.axes[2].phase(index % columns);
      phase.rows = std::min(tile.rows, phase.phases[1].count - tile.first_row);
      return phase;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const Tile phase = of_phase(i);
      if (phase.rows <= 0) continue;
      const std::int64_t block = tile.first_out_block + (i + 1 < count ? 0 : tile.out_blocks);
      multiply_phases(arguments, packed, phase, h, w, first, blocks, slot,
                      filter_.block(packed, tile.group, block) +
                          filter_.class_offset(of_phase((i + 1) % count).phases));
    }
  }
  kernels_.leave();
  range.add(seen);
}

// How many bands of rows take the least time, from `least` on: the narrower they are, the more rows
// of taps read nothing but padding, as in windows far apart, and the more rows are split twice.
std::int64_t SplitConvolution::best_bands(std::int64_t least, std::int64_t pitch) const noexcept {
  const Phase phase = geometry_.axes[1].phase(0);
  const AxisTaps h(phase), w = planes_of(2, geometry_.axes[2].phase(0));
  // Of a pixel of 32 channels: products with 32 output channels for one tap, and splitting.
  constexpr double kProducts = 5.3, kSplitting = 12.8;
  const auto tap_seconds = kProducts * static_cast<double>(filter_.out_blocks() * w.count);
  const auto cost = [&](std::int64_t bands) {
    const std::int64_t rows = base::divide_up(phase.count, bands);
    double sum = 0;
    for (std::int64_t first = 0; first < phase.count; first += rows) {
      const std::int64_t count = std::min(rows, phase.count - first);
      const auto [begin, end] = taps_inside(phase, first, count, geometry_.axes[1].in_size());
      sum += static_cast<double>(base::round_up(count * pitch, kSplitBlock) * (end - begin)) *
                 tap_seconds +
             static_cast<double>((count + h.spread) * pitch * w.planes * h.planes) * kSplitting;
    }
    return sum;
  };
  std::int64_t best = least;
  // Nearer taps have nothing to gain; of many bands, few lie at the padding.
  if (phase.taps < 2 || std::abs(phase.offset_step) < kFarApart) return least;
  constexpr std::int64_t kMostBands = 32;
  for (std::int64_t bands = least + 1; bands <= std::min({4 * least, phase.count, kMostBands});
       ++bands) {
    if (cost(bands) < 0.95 * cost(best)) best = bands;
  }
  return best;
}

TileShares SplitConvolution::cut(std::int64_t bands, unsigned threads) const noexcept {
  const std::int64_t out_blocks = filter_.out_blocks();
  if (keeps_pixels()) {
    const std::int64_t steps = line_ / kSplitBlock * filter_.in_blocks() * most_taps_;
    return TileShares::for_threads(bands, out_blocks, out_blocks * steps / kLeastSteps, threads);
  }
  // Sums wait for the next group of channels.
  const std::int64_t fitting = std::max<std::int64_t>(1, kMaxAccBytes / (line_ * kSplitBlock * 4));
  const std::int64_t shares = base::divide_up(std::int64_t{threads}, bands);
  return {bands, out_blocks, std::min(fitting, base::divide_up(out_blocks, shares))};
}

// The results of a tile's phases from some channel blocks, which have been split.
void SplitConvolution::multiply_phases(const RunArguments& arguments, const std::byte* packed,
                                       const Tile& tile, const AxisTaps& h, const AxisTaps& w,
                                       std::int64_t first_block, std::int64_t block_count,
                                       const Slot& slot,
                                       const std::uint16_t* next_phase) const noexcept {
  // Where a tap lies among the inputs.
  const auto place = [&](int d, std::int64_t tap) {
    return shares_pixels_ ? tile.phases[d].offset(tap) - tile.inputs[d].first_offset : tap;
  };
  // Rows of taps that read nothing but padding are left out: they would add zeros.
  const auto rows_of_taps =
      taps_inside(tile.phases[1], tile.first_row, tile.rows, geometry_.axes[1].in_size());
  const std::int64_t first_tap = rows_of_taps[0];
  const std::int64_t row_taps = tile.phases[2].taps;
  const std::int64_t all_taps = tile.phases[1].taps * row_taps;
  const std::int64_t tap_count = (rows_of_taps[1] - first_tap) * row_taps;
  for (std::int64_t t = 0; t < tap_count; ++t) {
    const std::int64_t i = place(1, first_tap + t / row_taps);
    const std::int64_t j = place(2, t % row_taps);
    slot.taps[t] = ((h.plane[i] * w.planes + w.plane[j]) * tile.plane_size +
                    (h.shift[i] - h.lowest) * tile.pitch + w.shift[j] - w.lowest) *
                   kSplitBlock;
  }
  const std::int64_t line = tile.rows * tile.pitch;
  const std::int64_t class_offset = filter_.class_offset(tile.phases);
  const std::int64_t end_block = first_block + block_count;
  const std::int64_t groups_a_step = kernels_.parts == 3 ? 6 : 3;
  const std::int64_t passes = base::divide_up(line, kSplitBlock);
  const auto filter_of = [&](std::int64_t k, std::int64_t block) {
    return filter_.block(packed, tile.group, tile.first_out_block + k) + class_offset +
           (block * all_taps + first_tap * row_taps) * filter_.step();
  };
  // Output blocks from the tile's first on whose products with these pixels follow each other.
  const std::int64_t following = keeps_pixels() && !shares_pixels_
                                     ? filter_.out_blocks() - tile.first_out_block
                                     : tile.out_blocks;
  SplitResult result{};
  std::int64_t alternate = 0;
  for (std::int64_t k = 0; k < tile.out_blocks; ++k) {
    for (std::int64_t first = first_block, count = 0; first < end_block; first += count) {
      count = std::min(block_group_, end_block - first);
      const bool last = first + count == filter_.in_blocks();
      // Where the cache holds the next block's filter too, all of it; otherwise a part.
      const std::int64_t slab = count * tap_count * filter_.step() * 2;
      const std::int64_t fetched =
          std::clamp(kAheadBytes - pixel_elements_ * 2 - slab, std::int64_t{0}, slab);
      const std::int64_t ahead_lines =
          fetch_ahead_ && slab > 0
              ? base::divide_up(fetched / (count * tap_count * 64), passes * groups_a_step)
              : 0;
      // What is multiplied next, maybe in the next tile, which may begin with the first output.
      const std::uint16_t* ahead = first + count < end_block ? filter_of(k, first + count)
                                   : k + 1 < following       ? filter_of(k + 1, first_block)
                                   : shares_pixels_          ? next_phase
                                   : keeps_pixels() ? filter_of(-tile.first_out_block, first_block)
                                                    : filter_of(0, end_block);
      std::int64_t ahead_line = 0;
      for (std::int64_t n = 0; n < line; n += kSplitBlock) {
        // The block before is stored meanwhile.
        float* acc = slot.acc + (multiplies_at_once() ? alternate++ % 2 * kSplitBlock
                                 : keeps_pixels()     ? n
                                                      : k * line_ + n) *
                                    kSplitBlock;
        kernels_.multiply(
            {.a = slot.pixels + (first - first_block) * tile.block_stride + n * kSplitBlock,
             .taps = slot.taps,
             .tap_count = tap_count,
             .block_count = count,
             .block_stride = tile.block_stride,
             .part_stride = tile.part_stride,
             .b = filter_of(k, first),
             .b_gap = (all_taps - tap_count) * filter_.step(),
             .acc = acc,
             .first = first == 0,
             .all_products = all_products_,
             .chain = all_taps <= kFewTaps ? kShortChain : count,
             .ahead = SplitAhead::of(ahead, fetched / 2, ahead_line, ahead_lines)},
            result);
        ahead_line += ahead_lines * groups_a_step * count * tap_count;
        if (last && stores_blocks_) {
          kernels_.store(result);
          result = result_of(arguments, tile, k, n, acc, slot.bias + k * kSplitBlock);
        } else if (last) {
          kernels_.transpose(acc, slot.sums + n, line_);
        }
      }
      if (last && !stores_blocks_) store(arguments, tile, tile.first_out_block + k, slot.sums);
    }
    // Before its sums are written again.
    if (keeps_pixels() && !multiplies_at_once()) kernels_.store(result);
  }
  kernels_.store(result);
}

}  // namespace weft::ops
