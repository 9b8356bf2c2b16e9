// How SplitConvolution cuts its work, and how long that takes.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "ops/axis_window.h"
#include "ops/convolution_split.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitResult;

namespace {

// What a tile keeps in the second-level cache (2 MiB on every machine that has the unit): the split
// pixels of as many channel blocks as are in use, and the filter of one block of output channels.
constexpr std::int64_t kPixelBytes = 896 << 10;
constexpr std::int64_t kFilterBytes = 640 << 10;
constexpr std::int64_t kMaxAccBytes = 2 << 20;

// Fewer pixels a tile would have its filter read from the third level for too little work.
constexpr std::int64_t kMinLine = 96;

// The least that a tile does: steps of products of 32 pixels, channels and outputs, about 10 us.
constexpr std::int64_t kLeastSplitSteps = 64;

constexpr std::int64_t kMaxAxisPhases = 64, kMostTaps = 64;  // a dimension
static_assert(kMostTaps <= AxisTaps::kMost);
constexpr int kMostApart = 4;

// Taps so far apart that bands of rows without one of them are worth while.
constexpr std::int64_t kFarApart = 8;

bool lies_far_apart(const Phase& phase) {
  return phase.taps > 1 && std::abs(phase.offset_step) >= kFarApart;
}

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
    if (axis.phase_count() > kMaxAxisPhases || axis.window() > kMostTaps) return kNever;
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
    } else if (lies_far_apart(axis.phase(0))) {
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
  const std::int64_t split = split_parts(params.input.data_type);
  const auto parts = static_cast<double>(split);
  const auto products = static_cast<double>(kernels::part_products(split));
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
    if (lowest > highest || highest - lowest >= kMostTaps) return;
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
  const bool far = rows.phase_count() == 1 && lies_far_apart(rows.phase(0));
  if (far) bands_ = best_bands(bands_, pitch);

  // Few tiles leave threads without work at the end: cut rows, then output channels, finer.
  const unsigned threads = slot_count(options, INT64_MAX);
  const std::int64_t others = geometry_.batch * geometry_.groups *
                              (shares_pixels_ ? 1 : rows.phase_count() * columns.phase_count());
  const std::int64_t wanted = threads > 1 ? 2 * std::int64_t{threads} : 1;
  if (others * bands_ < wanted) {
    const std::int64_t most = std::max<std::int64_t>(1, rows.max_count() * pitch / kMinLine);
    bands_ = std::max(bands_, std::min(base::divide_up(wanted, others), most));
  }
  const std::int64_t most_rows = band_rows_;
  band_rows_ = base::divide_up(rows.max_count(), bands_);
  if (threads == 1 && !far) band_rows_ = fullest_bands(band_rows_, most_rows, pitch);
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
    const std::int64_t blocks =
        (kAheadBytes - pixel_elements_ * 2) / (4 * most_taps_ * filter_.step());
    block_group_ =
        std::min(block_group_, std::max(blocks / kShortChain, std::int64_t{1}) * kShortChain);
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

// Rows of a band, of as many bands as at `least`, whose pixels leave the fewest of a block of 32
// over.
std::int64_t SplitConvolution::fullest_bands(std::int64_t least, std::int64_t most,
                                             std::int64_t pitch) const noexcept {
  const std::int64_t rows = geometry_.axes[1].max_count();
  const auto pixels = [&](std::int64_t band) {
    return rows / band * base::round_up(band * pitch, kSplitBlock) +
           base::round_up(rows % band * pitch, kSplitBlock);
  };
  std::int64_t best = least;
  for (std::int64_t band = least + 1; band <= most; ++band) {
    const std::int64_t last = rows % band * pitch;
    if ((last == 0 || last >= kMinLine) && pixels(band) < pixels(best)) best = band;
  }
  return best;
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
  // Of many bands, few lie at the padding.
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
    return TileShares::for_threads(bands, out_blocks, out_blocks * steps / kLeastSplitSteps,
                                   threads);
  }
  // Sums wait for the next group of channels.
  const std::int64_t fitting = std::max<std::int64_t>(1, kMaxAccBytes / (line_ * kSplitBlock * 4));
  const std::int64_t shares = base::divide_up(std::int64_t{threads}, bands);
  return {bands, out_blocks, std::min(fitting, base::divide_up(out_blocks, shares))};
}

}  // namespace weft::ops
