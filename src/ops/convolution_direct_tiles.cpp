// The tiles of DirectConvolution: boxes of outputs whose input fits the cache.

#include <algorithm>
#include <limits>
#include <optional>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "ops/axis_taps.h"
#include "ops/convolution_direct.h"

namespace weft::ops {

using kernels::kDirectColumns;

namespace {

// The planes of a tile stay in a second-level cache of 512 KiB or more, and those of one channel,
// where they are all that a sum needs, nearly in the first level.
constexpr std::int64_t kTilePlaneBytes = 448 << 10;
constexpr std::int64_t kChannelBytes = 96 << 10;

// Groups with small planes are copied and summed some at a time: sums that read what was just
// written, by loads that span several of the stores, would wait for those to leave the store
// buffer.
constexpr std::int64_t kBatchBytes = 16 << 10;

// Of a window, and of one dimension of it where sums are of several channels.
constexpr std::int64_t kMaxTaps = 4096, kMostTaps = 64;
constexpr std::int64_t kMaxDirectPhases = 1024;

// Tiles a thread: enough that a thread which comes late does not leave the others waiting.
constexpr std::int64_t kDirectTilesAThread = 8;

// Where the taps of all phases lie along one dimension, in positions of the input, or of a plane
// along the last one.
struct Reach {
  std::int64_t step = 1;
  std::int64_t lowest = 0;
  std::int64_t spread = 0;
  std::int64_t planes = 1;
};

Reach reach_of(const ConvolutionAxis& axis, bool in_planes) {
  Reach reach;
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  reach.lowest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
    const Phase phase = axis.phase(p);
    if (phase.taps == 0) continue;
    reach.step = phase.in_step;
    const AxisTaps taps(phase);
    const std::int64_t first = in_planes ? taps.lowest : phase.offset(0);
    const std::int64_t last = in_planes ? taps.lowest + taps.spread : phase.offset(phase.taps - 1);
    reach.lowest = std::min({reach.lowest, first, last});
    highest = std::max({highest, first, last});
    if (in_planes) reach.planes = taps.planes;
  }
  if (highest < reach.lowest) return {};  // no phase has taps
  reach.spread = highest - reach.lowest;
  return reach;
}

// Positions of the input along one of the first two dimensions that `size` outputs read.
std::int64_t rows_read(const Reach& reach, std::int64_t size) {
  return (size - 1) * reach.step + reach.spread + 1;
}

// Floats before a row, so that the first position of the input lies at the start of a cache line,
// unless the whole row has room in one.
std::int64_t lead_of(const Reach& reach, std::int64_t size) {
  if (reach.lowest >= 0 || size + reach.spread <= kDirectColumns) return 0;
  return (reach.lowest % kDirectColumns + kDirectColumns) % kDirectColumns;
}

// Floats of a row that `size` outputs read. What is computed past them reads the next row, in vain.
std::int64_t row_floats(const Reach& reach, std::int64_t size) {
  return static_cast<std::int64_t>(
      base::round_up(lead_of(reach, size) + size + reach.spread, kDirectColumns));
}

// The box of outputs whose planes fit the cache and that reads the least for an output.
std::optional<std::array<std::int64_t, kSpatial>> best_box(const ConvolutionGeometry& g) {
  std::array<Reach, kSpatial> reach;
  std::array<std::int64_t, kSpatial> most;
  for (int d = 0; d < kSpatial; ++d) {
    reach[d] = reach_of(g.axes[d], d == kWidth);
    most[d] = g.axes[d].max_count();
  }
  const std::int64_t limit = std::min(kTilePlaneBytes / g.in_channels,
                                      g.in_channels == 1 ? kChannelBytes : kTilePlaneBytes);
  std::optional<std::array<std::int64_t, kSpatial>> best;
  double least = std::numeric_limits<double>::max();
  for (std::int64_t parts = 1;; parts *= 2) {
    const std::int64_t width = std::min<std::int64_t>(
        base::round_up(base::divide_up(most[kWidth], parts), 4 * kDirectColumns), most[kWidth]);
    const std::int64_t row = row_floats(reach[kWidth], width) * reach[kWidth].planes * 4;
    // As many as fit, whole planes before a second one.
    const auto fitting = [&](int d, std::int64_t rows) {
      const std::int64_t left = rows - reach[d].spread - 1;
      return left < 0 ? 0 : std::min(left / reach[d].step + 1, most[d]);
    };
    const std::int64_t depth_rows = reach[kDepth].spread + 1;
    const std::int64_t height = fitting(kHeight, limit / row / depth_rows);
    if (height > 0) {
      const std::int64_t layer = row * rows_read(reach[kHeight], height);
      const std::int64_t depth = height == most[kHeight] ? fitting(kDepth, limit / layer) : 1;
      const double cost = static_cast<double>(layer * rows_read(reach[kDepth], depth)) /
                          static_cast<double>(width * height * depth);
      if (cost < 0.95 * least) {
        least = cost;
        best = {depth, height, width};
      }
    }
    if (width <= 4 * kDirectColumns) return best;
  }
}

}  // namespace

bool DirectConvolution::suits(const ConvolutionParams& params, const PlanOptions& options) {
  const ConvolutionGeometry g(params);
  const kernels::GemmKernel& gemm = kernels::gemm_kernel(base::choose_isa(options.max_isa));
  if (2 * g.out_channels > gemm.lanes || g.window() > kMaxTaps) return false;
  if (is_line_across(g, gemm) || suits_windows(params, g, options)) return false;
  const std::int64_t most_taps =
      g.in_channels == 1 && g.out_channels == 1 ? AxisTaps::kMost : kMostTaps;
  std::int64_t phases = 1;
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.window() > most_taps || axis.phase_count() > kMaxDirectPhases) return false;
    phases *= axis.phase_count();
  }
  if (phases > kMaxDirectPhases) return false;
  // A filter past this is a broadcast one, best read where it lies.
  if (*element_count(params.filter.sizes) > (std::uint64_t{1} << 28)) return false;
  return best_box(g).has_value();
}

void DirectConvolution::choose_tiles(const PlanOptions& options) {
  const ConvolutionGeometry& g = geometry_;
  std::array<Reach, kSpatial> reach;
  double terms = static_cast<double>(g.batch * g.groups * g.in_channels * g.out_channels);
  for (int d = 0; d < kSpatial; ++d) {
    reach[d] = reach_of(g.axes[d], d == kWidth);
    step_[d] = reach[d].step;
    lowest_[d] = reach[d].lowest;
    spread_[d] = reach[d].spread;
    terms *= static_cast<double>(g.axes[d].window()) * static_cast<double>(g.axes[d].max_count());
  }
  const unsigned threads = terms < kMinParallelWork ? 1 : slot_count(options, INT64_MAX);
  const std::int64_t wanted = threads > 1 ? kDirectTilesAThread * std::int64_t{threads} : 1;

  by_channels_ = suits_channels();
  if (by_channels_) {
    choose_channel_tiles(wanted);
    slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, tile_count_));
    return;
  }
  box_ = *best_box(g);
  whole_planes_ = suits_whole_planes();
  in_place_ = suits_in_place();
  whole_planes_ = whole_planes_ && in_place_;
  const auto count_boxes = [&] {
    std::int64_t count = 1;
    for (int d = 0; d < kSpatial; ++d) {
      boxes_[d] = base::divide_up(g.axes[d].max_count(), box_[d]);
      box_[d] = base::divide_up(g.axes[d].max_count(), boxes_[d]);
      boxes_[d] = base::divide_up(g.axes[d].max_count(), box_[d]);
      count *= boxes_[d];
    }
    return count;
  };
  std::int64_t boxes = count_boxes();
  // Few tiles leave threads without work at the end: cut the longest of depth and height finer.
  while (g.batch * g.groups * boxes < wanted / 2) {
    std::int64_t& longest = box_[whole_planes_ || box_[kDepth] > box_[kHeight] ? kDepth : kHeight];
    if (longest < 4) break;
    longest = base::divide_up(longest, 2);
    boxes = count_boxes();
  }
  group_blocks_ = std::clamp<std::int64_t>(base::divide_up(wanted, g.batch * boxes), 1, g.groups);
  group_block_ = base::divide_up(g.groups, group_blocks_);
  group_blocks_ = base::divide_up(g.groups, group_block_);
  tile_count_ = g.batch * boxes * group_blocks_;
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, tile_count_));

  rows_of_ = {rows_read(reach[kDepth], box_[kDepth]), rows_read(reach[kHeight], box_[kHeight]),
              row_floats(reach[kWidth], box_[kWidth])};
  lead_ = lead_of(reach[kWidth], box_[kWidth]);
  // Rows end with zeros that may be written past them, and columns that are read past them.
  plane_stride_ = rows_of_[kDepth] * rows_of_[kHeight] * rows_of_[kWidth] + kDirectColumns;
  channel_stride_ = plane_stride_ * reach[kWidth].planes;
  sums_stride_ = static_cast<std::int64_t>(base::round_up(box_[kWidth] + 1, kDirectColumns));
  group_floats_ = g.in_channels * channel_stride_;
  batch_ = std::clamp<std::int64_t>(kBatchBytes / (group_floats_ * 4), 1,
                                    std::min(group_block_, kMaxBatch));
  const std::int64_t sum_rows = std::max<std::int64_t>(filter_.panel_rows() * box_[kHeight],
                                                       std::int64_t{2} * kernels::kDirectPhases);
  const std::int64_t floats = batch_ * group_floats_ + kPastPlanes + sum_rows * sums_stride_;
  slot_bytes_ = base::slot_bytes(floats * sizeof(float));
}

}  // namespace weft::ops
