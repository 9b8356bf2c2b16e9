#include "ops/convolution_direct.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "ops/axis_taps.h"

namespace weft::ops {

using kernels::DirectBlock;
using kernels::DirectRows;
using kernels::kDirectChannels;
using kernels::kDirectColumns;

namespace {

// The planes of a tile stay in a second-level cache of 512 KiB or more, and those of one channel,
// where they are all that a sum needs, nearly in the first level.
constexpr std::int64_t kPlaneBytes = 448 << 10;
constexpr std::int64_t kChannelBytes = 64 << 10;

// Planes that are read right after they were written, by loads that span several of the stores,
// wait for those to leave the store buffer. So small ones are written one group ahead.
constexpr std::int64_t kAheadBytes = 8 << 10;

// Rows that short are better summed in half of an AVX-512 register: its loads cross cache lines.
constexpr std::int64_t kNarrowColumns = 8;

constexpr std::int64_t kMaxTaps = 4096;
constexpr std::int64_t kMaxPhases = 1024;

// Tiles a thread: enough that a thread which comes late does not leave the others waiting.
constexpr std::int64_t kTilesAThread = 8;

// Below this many multiply-adds a second thread costs more than it brings.
constexpr double kMinParallelWork = 1 << 17;

constexpr int kDepth = 0, kHeight = 1, kWidth = 2;

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

// Floats before a row, so that the first position of the input lies at the start of a cache line.
std::int64_t lead_of(const Reach& reach) {
  return reach.lowest < 0 ? (reach.lowest % kDirectColumns + kDirectColumns) % kDirectColumns : 0;
}

// Floats of a row that `size` outputs read, and a whole number of columns is computed.
std::int64_t row_floats(const Reach& reach, std::int64_t size) {
  return static_cast<std::int64_t>(base::round_up(
      lead_of(reach) + base::round_up(size, kDirectColumns) + reach.spread, kDirectColumns));
}

// The box of outputs whose planes fit the cache and that reads the least for an output.
std::optional<std::array<std::int64_t, kSpatial>> best_box(const ConvolutionGeometry& g) {
  std::array<Reach, kSpatial> reach;
  std::array<std::int64_t, kSpatial> most;
  for (int d = 0; d < kSpatial; ++d) {
    reach[d] = reach_of(g.axes[d], d == kWidth);
    most[d] = g.axes[d].max_count();
  }
  const std::int64_t limit =
      std::min(kPlaneBytes / g.in_channels, g.in_channels == 1 ? kChannelBytes : kPlaneBytes);
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

std::int64_t panel_rows(std::int64_t out_channels) {
  return base::divide_up(out_channels, base::divide_up(out_channels, kDirectChannels));
}

}  // namespace

bool DirectConvolution::suits(const ConvolutionParams& params, const PlanOptions& options) {
  const ConvolutionGeometry g(params);
  const kernels::GemmKernel& gemm = kernels::gemm_kernel(base::choose_isa(options.max_isa));
  if (2 * g.out_channels > gemm.lanes || g.window() > kMaxTaps) return false;
  std::int64_t phases = 1;
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.window() > AxisTaps::kMost || axis.phase_count() > kMaxPhases) return false;
    phases *= axis.phase_count();
  }
  if (phases > kMaxPhases) return false;
  // A filter past this is a broadcast one, best read where it lies.
  if (*element_count(params.filter.sizes) > (std::uint64_t{1} << 28)) return false;
  return best_box(g).has_value();
}

DirectConvolution::DirectConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : general_(params, options),
      geometry_(general_.geometry()),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(params.input.data_type)),
      kernels_(kernels::direct_kernels(base::choose_isa(options.max_isa))),
      multiply_(kernels_.multiply),
      rows_(kernels::row_kernels(kernels_.isa)),
      filter_(geometry_, data_type_, rows_.load(data_type_), panel_rows(geometry_.out_channels)) {
  type = OperatorType::convolution;
  inputs = general_.inputs;
  outputs = general_.outputs;
  algorithm = data_type_ == DataType::float16 ? kernels_.f16_name : kernels_.f32_name;
  choose_tiles(options);
  list_taps();
  join_phases();
  if (box_[kWidth] <= kNarrowColumns) {
    multiply_ = kernels::direct_kernels(std::min(kernels_.isa, Isa::avx2)).multiply;
  }
  joint_offset_ = filter_.size_in_bytes();
  filter_bytes_ = joint_offset_ + base::round_up(geometry_.groups * filter_.panels() *
                                                     joint_factors_ * sizeof(float),
                                                 base::kWorkspaceAlignment);
  const std::uint64_t filters = filter_bytes_ + general_.filter_size_in_bytes();
  (options.prepare_filter ? prepared_size_in_bytes : workspace_size_in_bytes) = filters;
  workspace_size_in_bytes += std::max(slots_ * slot_bytes_, general_.slots_size_in_bytes());
  explanation = "boxes of " + std::to_string(box_[kDepth]) + "x" + std::to_string(box_[kHeight]) +
                "x" + std::to_string(box_[kWidth]) + " outputs, " + std::to_string(group_block_) +
                (group_block_ == 1 ? " group, " : " groups, ") + std::to_string(tile_count_) +
                " tiles, " + threads_text(slots_);
}

void DirectConvolution::choose_tiles(const PlanOptions& options) {
  const ConvolutionGeometry& g = geometry_;
  std::array<Reach, kSpatial> reach;
  std::int64_t phases = 1;
  double terms = static_cast<double>(g.batch * g.groups * g.in_channels * g.out_channels);
  for (int d = 0; d < kSpatial; ++d) {
    reach[d] = reach_of(g.axes[d], d == kWidth);
    step_[d] = reach[d].step;
    lowest_[d] = reach[d].lowest;
    spread_[d] = reach[d].spread;
    phases *= g.axes[d].phase_count();
    terms *= static_cast<double>(g.axes[d].window()) * static_cast<double>(g.axes[d].max_count());
  }
  const unsigned threads = terms < kMinParallelWork ? 1 : slot_count(options, INT64_MAX);
  const std::int64_t wanted = threads > 1 ? kTilesAThread * std::int64_t{threads} : 1;

  box_ = *best_box(g);
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
    std::int64_t& longest = box_[box_[kDepth] > box_[kHeight] ? kDepth : kHeight];
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
  lead_ = lead_of(reach[kWidth]);
  plane_stride_ = rows_of_[kDepth] * rows_of_[kHeight] * rows_of_[kWidth];
  channel_stride_ = plane_stride_ * reach[kWidth].planes;
  sums_stride_ = static_cast<std::int64_t>(base::round_up(box_[kWidth] + 1, kDirectColumns));
  // Rows end with zeros that may be written past them, and columns that are read past them.
  group_floats_ = g.in_channels * channel_stride_ + 2 * kDirectColumns;
  plane_sets_ = group_block_ > 1 && group_floats_ * 4 <= kAheadBytes ? 2 : 1;
  const std::int64_t sum_rows = std::max<std::int64_t>(filter_.panel_rows() * box_[kHeight],
                                                       std::int64_t{2} * kernels::kDirectPhases);
  const std::int64_t floats = plane_sets_ * group_floats_ + sum_rows * sums_stride_;
  slot_bytes_ = base::round_up(floats * sizeof(float), base::kWorkspaceAlignment);
}

void DirectConvolution::list_taps() {
  const auto& axes = geometry_.axes;
  const std::int64_t row = rows_of_[kWidth];
  for (std::int64_t pd = 0; pd < axes[kDepth].phase_count(); ++pd) {
    for (std::int64_t ph = 0; ph < axes[kHeight].phase_count(); ++ph) {
      for (std::int64_t pw = 0; pw < axes[kWidth].phase_count(); ++pw) {
        PhaseTaps result;
        result.phases = {axes[kDepth].phase(pd), axes[kHeight].phase(ph), axes[kWidth].phase(pw)};
        const auto& [d, h, w] = result.phases;
        const AxisTaps columns(w);
        if (columns.planes > 0) {
          remainders_.assign(columns.remainder.begin(), columns.remainder.begin() + columns.planes);
        }
        for (std::int64_t i = 0; i < d.taps; ++i) {
          const std::int64_t layer = (d.offset(i) - lowest_[kDepth]) * rows_of_[kHeight];
          for (std::int64_t j = 0; j < h.taps; ++j) {
            const std::int64_t line = (layer + h.offset(j) - lowest_[kHeight]) * row;
            for (std::int64_t k = 0; k < w.taps; ++k) {
              result.taps.push_back(lead_ + columns.plane[k] * plane_stride_ + line +
                                    columns.shift[k] - lowest_[kWidth]);
            }
          }
        }
        if (!result.taps.empty()) {
          result.class_offset = filter_.class_offset(result.phases);
          result.upwards = h.offset_step == -h.in_step;
          if (result.upwards || h.offset_step == h.in_step) {
            result.window_rows = h.taps;
            result.window_columns = w.taps;
          }
        }
        phases_.push_back(std::move(result));
      }
    }
  }
}

DirectConvolution::Slot DirectConvolution::slot_memory(std::byte* slots,
                                                       unsigned slot) const noexcept {
  auto* planes = reinterpret_cast<float*>(slots + slot * slot_bytes_);
  return {planes, planes + plane_sets_ * group_floats_};
}

void DirectConvolution::prepare(const void* filter, void* prepared) const noexcept {
  auto* memory = static_cast<std::byte*>(prepared);
  pack_all(filter, memory);
  general_.pack_filter(filter, memory + filter_bytes_);
}

bool DirectConvolution::has_non_finite(const std::byte* packed) const noexcept {
  for (std::int64_t group = 0; group < geometry_.groups; ++group) {
    for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
      if (filter_.has_non_finite(packed, group, panel)) return true;
    }
  }
  return false;
}

void DirectConvolution::run(const RunArguments& arguments) const noexcept {
  std::byte* workspace = arguments.workspace;
  auto* packed = static_cast<const std::byte*>(arguments.prepared);
  const bool prepared = prepared_size_in_bytes != 0;
  if (!prepared) {
    pack_all(arguments.inputs[1], workspace);
    packed = workspace;
    workspace += filter_bytes_ + general_.filter_size_in_bytes();
  }
  if (has_non_finite(packed)) {
    const std::byte* general_packed = packed + filter_bytes_;
    if (!prepared) {
      general_.pack_filter(arguments.inputs[1], arguments.workspace + filter_bytes_);
    }
    for (std::int64_t image = 0; image < geometry_.batch; ++image) {
      general_.run_image(arguments, general_packed, image, workspace);
    }
    return;
  }
  base::parallel_tiles(slots_, tile_count_, [&](std::int64_t tile, unsigned slot) {
    compute_tile(arguments, packed, tile, slot_memory(workspace, slot));
  });
}

DirectConvolution::Tile DirectConvolution::locate(std::int64_t index) const noexcept {
  const auto digit = [&](std::int64_t base) {
    const std::int64_t value = index % base;
    index /= base;
    return value;
  };
  Tile tile;
  for (int d = kSpatial; d-- > 0;) {
    tile.first[d] = digit(boxes_[d]) * box_[d];
    tile.size[d] = std::min(box_[d], geometry_.axes[d].max_count() - tile.first[d]);
  }
  tile.first_group = digit(group_blocks_) * group_block_;
  tile.group_count = std::min(group_block_, geometry_.groups - tile.first_group);
  tile.image = index;
  return tile;
}

void DirectConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                     std::int64_t index, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = locate(index);
  // Padding lies at the same place for every channel.
  std::memset(slot.planes, 0, plane_sets_ * group_floats_ * sizeof(float));
  const auto* image = static_cast<const std::byte*>(arguments.inputs[0]) +
                      tile.image * g.in_batch_stride * element_bytes_;
  const auto planes_of = [&](std::int64_t n) {
    return slot.planes + n % plane_sets_ * group_floats_;
  };
  const auto load = [&](std::int64_t n) {
    for (std::int64_t c = 0; c < g.in_channels; ++c) {
      const std::int64_t channel = (tile.first_group + n) * g.in_channels + c;
      load_channel(tile, image + channel * g.in_channel_stride * element_bytes_,
                   planes_of(n) + c * channel_stride_);
    }
  };
  const std::int64_t ahead = plane_sets_ - 1;
  if (ahead > 0) load(0);
  for (std::int64_t n = 0; n < tile.group_count; ++n) {
    if (n + ahead < tile.group_count) load(n + ahead);
    const std::int64_t group = tile.first_group + n;
    const float* factors = reinterpret_cast<const float*>(packed + joint_offset_) +
                           group * filter_.panels() * joint_factors_;
    for (const JointPhases& joint : joint_) {
      sum_joint(arguments, factors, tile, group, joint, planes_of(n),
                wanted_next(image, tile, group, index), slot.sums);
    }
    for (const PhaseTaps& phase : phases_) {
      if (phase.joined) continue;
      sum_phase(arguments, packed, tile, group, phase, planes_of(n), slot.sums);
    }
  }
}

void DirectConvolution::load_channel(const Tile& tile, const std::byte* channel,
                                     float* planes) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  // Row i of the planes is input position i + first; those inside the input are [begin, end).
  const auto inside = [&](int d, std::int64_t& first, std::int64_t& begin, std::int64_t& end) {
    first = tile.first[d] * step_[d] + lowest_[d];
    const std::int64_t rows = (tile.size[d] - 1) * step_[d] + spread_[d] + 1;
    begin = std::clamp<std::int64_t>(-first, 0, rows);
    end = std::clamp(g.axes[d].in_size() - first, begin, rows);
  };
  std::int64_t first_d, begin_d, end_d, first_h, begin_h, end_h;
  inside(kDepth, first_d, begin_d, end_d);
  inside(kHeight, first_h, begin_h, end_h);
  const auto load = data_type_ == DataType::float16 ? kernels_.load_f16 : kernels_.load_f32;
  // Element u of a plane's row is input position (u + first_w) * step + remainder.
  const std::int64_t step = step_[kWidth];
  const std::int64_t first_w = tile.first[kWidth] + lowest_[kWidth];
  const std::int64_t count = tile.size[kWidth] + spread_[kWidth];
  const std::int64_t in_size = g.axes[kWidth].in_size();
  const std::int64_t begin = std::clamp<std::int64_t>(-first_w, 0, count);
  DirectRows rows{};
  rows.from_row_stride = g.in_strides[kHeight];
  rows.from_stride = step * g.in_strides[kWidth];
  rows.to_row_stride = rows_of_[kWidth];
  rows.rows = end_h - begin_h;
  // Both planes of stride 2 are read at once.
  const bool pairs = remainders_.size() == 2 && rows.from_stride == 2;
  for (std::size_t p = 0; p < (pairs ? 1 : remainders_.size()); ++p) {
    const std::int64_t remainder = pairs ? 0 : remainders_[p];
    const std::int64_t size = base::divide_up(in_size - remainder, step);
    const std::int64_t end = std::clamp(size - first_w, begin, count);
    const std::int64_t column = (begin + first_w) * step + remainder;
    rows.columns = pairs ? std::min(in_size, (end + first_w) * step) - column : end - begin;
    if (end == begin) continue;
    for (std::int64_t i = begin_d; i < end_d; ++i) {
      const std::int64_t offset = (first_d + i) * g.in_strides[kDepth] +
                                  (first_h + begin_h) * g.in_strides[kHeight] +
                                  column * g.in_strides[kWidth];
      const auto plane = [&](std::size_t number) {
        return planes + static_cast<std::int64_t>(number) * plane_stride_ +
               (i * rows_of_[kHeight] + begin_h) * rows_of_[kWidth] + lead_ + begin;
      };
      rows.from = channel + offset * element_bytes_;
      rows.to = plane(p);
      if (pairs) {
        rows.to = plane(remainders_[0] == 0 ? 0 : 1);
        rows.to_odd = plane(remainders_[0] == 0 ? 1 : 0);
      }
      load(rows);
    }
  }
}

void DirectConvolution::sum_phase(const RunArguments& arguments, const std::byte* packed,
                                  const Tile& tile, std::int64_t group, const PhaseTaps& phase,
                                  const float* planes, float* scratch) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = phase.phases;
  Extent size;
  for (int d = 0; d < kSpatial; ++d) {
    size[d] = std::min(tile.size[d], phase.phases[d].count - tile.first[d]);
    if (size[d] <= 0) return;
  }
  const std::int64_t row = rows_of_[kWidth];
  const std::int64_t out_stride = pw.step * g.out_strides[kWidth];
  const std::int64_t out_row_stride = ph.step * g.out_strides[kHeight];
  const bool in_place = data_type_ == DataType::float32 && out_stride == 1;
  const kernels::StoreRow store = rows_.store(data_type_);
  for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
    const std::int64_t first_channel = panel * filter_.panel_rows();
    const std::int64_t channels = std::min(filter_.panel_rows(), g.out_channels - first_channel);
    const std::int64_t channel = group * g.out_channels + first_channel;
    float bias[kDirectChannels] = {};
    for (std::int64_t m = 0; m < channels; ++m) bias[m] = bias_of(arguments, channel + m);
    const bool direct = in_place && channels == filter_.panel_rows();
    DirectBlock block{.in = planes,
                      .in_channel_stride = channel_stride_,
                      .in_row_stride = step_[kHeight] * row,
                      .in_channels = phase.taps.empty() ? 0 : g.in_channels,
                      .taps = phase.taps.data(),
                      .tap_count = static_cast<std::int64_t>(phase.taps.size()),
                      .window_rows = phase.window_rows,
                      .window_columns = phase.window_columns,
                      .filter = filter_.panel(packed, group, panel, phase.class_offset),
                      .bias = arguments.inputs[2] != nullptr ? bias : nullptr,
                      .out_channels = filter_.panel_rows(),
                      .out = scratch,
                      .out_channel_stride = direct ? g.out_channel_stride : size[1] * sums_stride_,
                      .out_row_stride = direct ? out_row_stride : sums_stride_,
                      .rows = size[kHeight],
                      .columns = size[kWidth]};
    for (std::int64_t i = 0; i < size[kDepth]; ++i) {
      const std::int64_t offset =
          tile.image * g.out_batch_stride + channel * g.out_channel_stride +
          (pd.start + (tile.first[kDepth] + i) * pd.step) * g.out_strides[kDepth] +
          (ph.start + tile.first[kHeight] * ph.step) * g.out_strides[kHeight] +
          (pw.start + tile.first[kWidth] * pw.step) * g.out_strides[kWidth];
      auto* output = static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_;
      DirectBlock layer = block;
      layer.in += i * step_[kDepth] * rows_of_[kHeight] * row;
      if (direct) layer.out = reinterpret_cast<float*>(output);
      float* const sums = layer.out;
      if (phase.upwards) {
        layer.in += (layer.rows - 1) * layer.in_row_stride;
        layer.out += (layer.rows - 1) * layer.out_row_stride;
        layer.in_row_stride = -layer.in_row_stride;
        layer.out_row_stride = -layer.out_row_stride;
      }
      multiply_(layer);
      if (direct && !general_.has_activation()) continue;
      for (std::int64_t m = 0; m < channels; ++m) {
        for (std::int64_t r = 0; r < size[kHeight]; ++r) {
          float* line = sums + m * block.out_channel_stride + r * block.out_row_stride;
          general_.activate(line, size[kWidth]);
          if (direct) continue;
          store(line, output + (m * g.out_channel_stride + r * out_row_stride) * element_bytes_,
                out_stride, size[kWidth]);
        }
      }
    }
  }
}

}  // namespace weft::ops
