#include "ops/convolution_direct.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "ops/axis_taps.h"

namespace weft::ops {

using kernels::DirectBlock;
using kernels::DirectRows;
using kernels::DirectWindow;
using kernels::kDirectChannels;

namespace {

// Rows that short are better summed in half of an AVX-512 register: its loads cross cache lines.
constexpr std::int64_t kNarrowColumns = 8;

// Input of the next groups is fetched meanwhile. More than this is better left to the processor,
// which fetches ahead in long runs itself.
constexpr std::int64_t kMaxFetch = 64 << 10;

std::int64_t panel_rows(std::int64_t out_channels) {
  return base::divide_up(out_channels, base::divide_up(out_channels, kDirectChannels));
}

}  // namespace

DirectConvolution::DirectConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : general_(params, options),
      geometry_(general_.geometry()),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(params.input.data_type)),
      kernels_(kernels_for(geometry_, data_type_, options)),
      multiply_(kernels_.multiply),
      rows_(kernels::row_kernels(kernels_.isa)),
      chain_(channels_a_chain(geometry_)),
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
  if (in_place_) use_no_planes();
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
                " tiles, " + threads_text(slots_) + (in_place_ || by_channels_ ? ", in place" : "");
}

DirectWindow DirectConvolution::window_of(const PhaseTaps& phase) const noexcept {
  const auto& [d, h, w] = phase.phases;
  DirectWindow window;
  if (filter_.panel_rows() > 1) return window;
  const bool shared = h.offset_step > 0 && h.in_step % h.offset_step == 0;
  const std::int64_t step = shared ? h.in_step / h.offset_step : 1;
  const auto count = static_cast<std::int64_t>(phase.taps.size());
  const bool bands = DirectWindow::has_bands(h.taps, step);
  if ((phase.upwards || shared) && (bands || DirectWindow::has_rows(h.taps, step))) {
    window = {bands ? DirectWindow::Kind::bands : DirectWindow::Kind::rows, h.taps, w.taps, step};
  } else if (count > kernels::far_taps(kernels_.isa) &&
             phase.taps.back() - phase.taps.front() == count - 1 &&
             std::is_sorted(phase.taps.begin(), phase.taps.end())) {
    window = {DirectWindow::Kind::run, 1, count, kernels::far_taps(kernels_.isa)};
  }
  return window;
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
          result.window = window_of(result);
          direct_order(result.window, static_cast<std::int64_t>(result.taps.size()),
                       [&](std::int64_t tap) {
                         result.terms.push_back({result.taps[tap], tap});
                       });
        }
        phases_.push_back(std::move(result));
      }
    }
  }
}

DirectConvolution::Slot DirectConvolution::slot_memory(std::byte* slots,
                                                       unsigned slot) const noexcept {
  auto* planes = reinterpret_cast<float*>(slots + slot * slot_bytes_);
  return {planes, planes + batch_ * group_floats_ + kPastPlanes};
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
  base::parallel_tiles_apart(slots_, tile_count_, [&](std::int64_t tile, unsigned slot) {
    compute_tile(arguments, packed, tile, slot_memory(workspace, slot));
  });
}

DirectConvolution::Tile DirectConvolution::locate(std::int64_t index) const noexcept {
  Tile tile;
  for (int d = kSpatial; d-- > 0;) {
    tile.first[d] = base::take_digit(index, boxes_[d]) * box_[d];
    tile.size[d] = std::min(box_[d], geometry_.axes[d].max_count() - tile.first[d]);
  }
  tile.first_group = base::take_digit(index, group_blocks_) * group_block_;
  tile.group_count = std::min(group_block_, geometry_.groups - tile.first_group);
  tile.image = index;
  return tile;
}

void DirectConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                     std::int64_t index, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  if (by_channels_) return sum_channels(arguments, packed, index, slot);
  const Tile tile = locate(index);
  // Padding lies at the same place for every channel.
  if (!in_place_) std::memset(slot.planes, 0, batch_ * group_floats_ * sizeof(float));
  const auto* image = static_cast<const std::byte*>(arguments.inputs[0]) +
                      tile.image * g.in_batch_stride * element_bytes_;
  const auto group_at = [&](std::int64_t n) {
    return image + (tile.first_group + n) * g.in_channels * g.in_channel_stride * element_bytes_;
  };
  for (std::int64_t n = 0; n < tile.group_count; n += batch_) {
    Batch batch{.first = tile.first_group + n,
                .count = std::min(batch_, tile.group_count - n),
                .next = nullptr,
                .next_bytes = 0};
    if (in_place_) {
      sum_in_place(arguments, packed, tile, batch, slot.planes);
      continue;
    }
    load_channels(tile, group_at(n), batch.count * g.in_channels, slot.planes);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      const std::int64_t group = batch.first + i;
      const float* factors = reinterpret_cast<const float*>(packed + joint_offset_) +
                             group * filter_.panels() * joint_factors_;
      const float* const planes = slot.planes + i * group_floats_;
      const float* const next = wanted_next(image, tile, group + batch.count - 1, index);
      for (const JointPhases& joint : joint_) {
        if (joint.doubling_shift >= 0) {
          sum_doubling(arguments, factors, tile, group, joint, planes, next);
        } else {
          sum_joint(arguments, factors, tile, group, joint, planes, next, slot.sums);
        }
      }
    }
    const std::int64_t left = tile.group_count - n - batch.count;
    if (left > 0) find_next(tile, group_at(n + batch.count), std::min(left, batch_), batch);
    for (const PhaseTaps& phase : phases_) {
      if (phase.joined) continue;
      sum_phase(arguments, packed, tile, batch, phase, slot);
      batch.next_bytes = 0;
    }
  }
}

DirectConvolution::Inside DirectConvolution::inside(const Tile& tile, int d) const noexcept {
  const std::int64_t first = tile.first[d] * step_[d] + lowest_[d];
  const std::int64_t rows = (tile.size[d] - 1) * step_[d] + spread_[d] + 1;
  const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, rows);
  return {first, begin, std::clamp(geometry_.axes[d].in_size() - first, begin, rows)};
}

void DirectConvolution::find_next(const Tile& tile, const std::byte* group, std::int64_t count,
                                  Batch& batch) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto [first_d, begin_d, end_d] = inside(tile, kDepth);
  const auto [first_h, begin_h, end_h] = inside(tile, kHeight);
  if (begin_d == end_d || begin_h == end_h) return;
  const std::int64_t first =
      (first_d + begin_d) * g.in_strides[kDepth] + (first_h + begin_h) * g.in_strides[kHeight];
  const std::int64_t elements = (count * g.in_channels - 1) * g.in_channel_stride +
                                (end_d - begin_d - 1) * g.in_strides[kDepth] +
                                (end_h - begin_h) * g.in_strides[kHeight];
  if (elements * element_bytes_ > kMaxFetch) return;
  batch.next = reinterpret_cast<const char*>(group + first * element_bytes_);
  batch.next_bytes = elements * element_bytes_;
}

void DirectConvolution::load_channels(const Tile& tile, const std::byte* channel,
                                      std::int64_t channels, float* planes) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Inside depth = inside(tile, kDepth), height = inside(tile, kHeight);
  const kernels::LoadDirectRows load = kernels_.load(data_type_);
  // Element u of a plane's row is input position (u + first_w) * step + remainder.
  const std::int64_t step = step_[kWidth];
  const std::int64_t first_w = tile.first[kWidth] + lowest_[kWidth];
  const std::int64_t count = tile.size[kWidth] + spread_[kWidth];
  const std::int64_t in_size = g.axes[kWidth].in_size();
  const std::int64_t begin = std::clamp<std::int64_t>(-first_w, 0, count);
  DirectRows rows{};
  rows.channels = channels;
  rows.from_channel_stride = g.in_channel_stride;
  rows.to_channel_stride = channel_stride_;
  rows.from_row_stride = g.in_strides[kHeight];
  rows.from_stride = step * g.in_strides[kWidth];
  rows.to_row_stride = rows_of_[kWidth];
  rows.rows = height.end - height.begin;
  // Both planes of stride 2 are read at once.
  const bool pairs = remainders_.size() == 2 && rows.from_stride == 2;
  for (std::size_t p = 0; p < (pairs ? 1 : remainders_.size()); ++p) {
    const std::int64_t remainder = pairs ? 0 : remainders_[p];
    const std::int64_t size = base::divide_up(in_size - remainder, step);
    const std::int64_t end = std::clamp(size - first_w, begin, count);
    const std::int64_t column = (begin + first_w) * step + remainder;
    rows.columns = pairs ? std::min(in_size, (end + first_w) * step) - column : end - begin;
    if (end == begin) continue;
    for (std::int64_t i = depth.begin; i < depth.end; ++i) {
      const std::int64_t offset = (depth.first + i) * g.in_strides[kDepth] +
                                  (height.first + height.begin) * g.in_strides[kHeight] +
                                  column * g.in_strides[kWidth];
      const auto plane = [&](std::size_t number) {
        return planes + static_cast<std::int64_t>(number) * plane_stride_ +
               (i * rows_of_[kHeight] + height.begin) * rows_of_[kWidth] + lead_ + begin;
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

// Numbered from the first one that is read by the first output row, as the kernel sees them.
DirectConvolution::Inside DirectConvolution::band_rows(const Tile& tile, std::int64_t size,
                                                       const PhaseTaps& phase) const noexcept {
  const Phase& h = phase.phases[kHeight];
  const std::int64_t first =
      (tile.first[kHeight] + (phase.upwards ? size - 1 : 0)) * h.in_step + h.first_offset;
  const std::int64_t step = phase.upwards ? -h.in_step : h.in_step;
  const std::int64_t in_size = geometry_.axes[kHeight].in_size();
  const auto is_inside = [&](std::int64_t row) {
    const std::int64_t position = first + row * step;
    return position >= 0 && position < in_size;
  };
  Inside rows{first, 0, size + h.taps - 1};
  while (rows.begin < rows.end && !is_inside(rows.begin)) ++rows.begin;
  while (rows.begin < rows.end && !is_inside(rows.end - 1)) --rows.end;
  return rows;
}

void DirectConvolution::sum_phase(const RunArguments& arguments, const std::byte* packed,
                                  const Tile& tile, const Batch& batch, const PhaseTaps& phase,
                                  const Slot& slot) const noexcept {
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
  const std::int64_t panel_rows = filter_.panel_rows();
  const bool half = data_type_ == DataType::float16;
  const bool in_place = out_stride == 1 && general_.stores_sums();
  const kernels::LoadRow load = rows_.load(data_type_);
  const kernels::StoreRow store = rows_.store(data_type_);
  const Inside rows = band_rows(tile, size[kHeight], phase);
  for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
    const std::int64_t first_channel = panel * panel_rows;
    const std::int64_t channels = std::min(panel_rows, g.out_channels - first_channel);
    const std::int64_t channel = batch.first * g.out_channels + first_channel;
    float bias[kMaxBatch * kDirectChannels] = {};
    if (const auto* biases = static_cast<const std::byte*>(arguments.inputs[2])) {
      // One panel: the biases of all groups follow each other.
      const std::int64_t runs = filter_.panels() == 1 ? 1 : batch.count;
      for (std::int64_t n = 0; n < runs; ++n) {
        load(biases + (channel + n * g.out_channels) * g.bias_stride * element_bytes_,
             g.bias_stride, bias + n * panel_rows,
             filter_.panels() == 1 ? batch.count * channels : channels);
      }
    }
    // Straight to the output, or by way of scratch memory, one group after the other.
    const bool direct = in_place && channels == panel_rows;
    DirectBlock block{
        .in = slot.planes,
        .in_channel_stride = channel_stride_,
        .in_row_stride = step_[kHeight] * row,
        .in_channels = phase.taps.empty() ? 0 : g.in_channels,
        .chain_channels = chain_,
        .taps = phase.taps.data(),
        .tap_count = static_cast<std::int64_t>(phase.taps.size()),
        .window = phase.window,
        .terms = phase.terms.data(),
        .inside = rows.begin,
        .inside_end = rows.end,
        .filter = filter_.panel(packed, batch.first, panel, phase.class_offset),
        .bias = arguments.inputs[2] != nullptr ? bias : nullptr,
        .ramp = general_.ramp(),
        .out_channels = panel_rows,
        .out = slot.sums,
        .half = direct && half,
        .out_channel_stride = direct ? g.out_channel_stride : size[kHeight] * sums_stride_,
        .out_row_stride = direct ? out_row_stride : sums_stride_,
        .rows = size[kHeight],
        .columns = size[kWidth],
        .halves = base::halves_vectors(),
        .groups = direct ? batch.count : 1,
        .in_group_stride = group_floats_,
        .filter_group_stride = filter_.panel(packed, 1, 0, 0) - filter_.panel(packed, 0, 0, 0),
        .out_group_stride = g.out_channels * g.out_channel_stride,
        .next = batch.next,
        .next_bytes = batch.next_bytes / size[kDepth]};
    for (std::int64_t n = 0; n < batch.count; n += block.groups) {
      for (std::int64_t i = 0; i < size[kDepth]; ++i) {
        const std::int64_t offset =
            tile.image * g.out_batch_stride +
            (channel + n * g.out_channels) * g.out_channel_stride +
            (pd.start + (tile.first[kDepth] + i) * pd.step) * g.out_strides[kDepth] +
            (ph.start + tile.first[kHeight] * ph.step) * g.out_strides[kHeight] +
            (pw.start + tile.first[kWidth] * pw.step) * g.out_strides[kWidth];
        auto* output = static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_;
        DirectBlock layer = block;
        layer.in += n * group_floats_ + i * step_[kDepth] * rows_of_[kHeight] * row;
        layer.filter += n * block.filter_group_stride;
        if (block.bias != nullptr) layer.bias += n * panel_rows;
        if (direct) layer.out = output;
        layer.next += i * layer.next_bytes;
        multiply(layer, phase.upwards);
        if (direct && general_.only_ramps()) continue;
        float* const sums = direct ? reinterpret_cast<float*>(output) : slot.sums;
        for (std::int64_t q = 0; q < block.groups * channels; ++q) {
          const std::int64_t m = q % channels;
          float* const rows_of_sums =
              sums + q / channels * block.out_group_stride + m * block.out_channel_stride;
          activate_rows(rows_of_sums, size[kHeight], block.out_row_stride, size[kWidth]);
          for (std::int64_t r = 0; !direct && r < size[kHeight]; ++r) {
            store(rows_of_sums + r * block.out_row_stride,
                  output + (m * g.out_channel_stride + r * out_row_stride) * element_bytes_,
                  out_stride, size[kWidth]);
          }
        }
      }
    }
  }
}

// Rows that follow each other are one.
void DirectConvolution::activate_rows(float* first, std::int64_t rows, std::int64_t row_stride,
                                      std::int64_t columns) const noexcept {
  if (general_.only_ramps()) return;
  if (row_stride == columns) return general_.activate(first, rows * columns);
  for (std::int64_t r = 0; r < rows; ++r) general_.activate(first + r * row_stride, columns);
}

// With `upwards`, from the last row to the first.
void DirectConvolution::multiply(DirectBlock& block, bool upwards) const noexcept {
  if (upwards) {
    const std::int64_t element = block.half ? 2 : 4;
    block.in += (block.rows - 1) * block.in_row_stride;
    block.out =
        static_cast<std::byte*>(block.out) + (block.rows - 1) * block.out_row_stride * element;
    block.in_row_stride = -block.in_row_stride;
    block.out_row_stride = -block.out_row_stride;
  }
  multiply_(block);
}

}  // namespace weft::ops
