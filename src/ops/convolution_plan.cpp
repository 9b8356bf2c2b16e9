#include "ops/convolution_plan.h"

#include <algorithm>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"

namespace weft::ops {

namespace {

// Block sizes. A tile's patches (kDepthBlock x kMaxPositions) and sums (kMaxPanelRows x
// kMaxPositions) take 320 KiB together, so they and the panels in use stay in a second-level
// cache of 512 KiB or more; 240 terms make the load and store of a register tile a small part of
// its work.
constexpr std::int64_t kDepthBlock = 240;
constexpr std::int64_t kMaxPositions = 192;
constexpr std::int64_t kMaxPanelRows = 144;

// Below this many output channels a group a gemm panel would be mostly padding.
constexpr std::int64_t kMinGemmChannels = 4;

// A packed filter past this many bytes, and this many times its own memory, is a broadcast one:
// it is read where it lies, however slowly, instead of being written out.
constexpr std::uint64_t kMaxUnfoldedBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxUnfolding = 8;

// Below this many multiply-adds a second thread costs more than it brings.
constexpr double kMinParallelWork = 1 << 17;

template <class T>
T* take(std::byte*& memory, std::int64_t count) {
  T* result = reinterpret_cast<T*>(memory);
  memory += base::round_up(static_cast<std::uint64_t>(count) * sizeof(T), 64);
  return result;
}

bool is_broadcast(const TensorDesc& filter) {
  const std::uint64_t unfolded = *element_count(filter.sizes) * sizeof(float);
  const std::uint64_t memory = *extent_in_elements(filter) * byte_size(filter.data_type);
  return unfolded > kMaxUnfoldedBytes && unfolded / kMaxUnfolding > memory;
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(const ConvolutionParams& params, const PlanOptions& options)
    : geometry_(params),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(params.input.data_type)),
      activation_(params.fused_activation),
      gemm_(kernels::gemm_kernel(base::choose_isa(options.max_isa))),
      rows_(kernels::row_kernels(gemm_.isa)),
      filter_in_place_(!options.prepare_filter && is_broadcast(params.filter)),
      direct_(filter_in_place_ || geometry_.out_channels < kMinGemmChannels),
      filter_(geometry_, data_type_, rows_.load(data_type_), direct_ ? 1 : gemm_.mr) {
  type = OperatorType::convolution;
  inputs = {params.input, params.filter, params.bias};
  outputs = {params.output};
  if (activation_) {
    const auto* kernel = kernels::activation_kernel(activation_->type, gemm_.isa);
    activation_row_ = kernel != nullptr ? kernel->function : nullptr;
    scale_row_ = kernels::activation_kernel(OperatorType::activation_linear, gemm_.isa)->function;
  }

  const bool half = data_type_ == DataType::float16;
  algorithm = direct_ ? (half ? gemm_.rows_f16_name : gemm_.rows_f32_name)
                      : (half ? gemm_.gemm_f16_name : gemm_.gemm_f32_name);

  choose_tiles(options);
  workspace_size_in_bytes = slots_ * slot_bytes_;
  if (options.prepare_filter) {
    prepared_size_in_bytes = filter_.size_in_bytes();
  } else if (!filter_in_place_) {
    workspace_size_in_bytes += filter_.size_in_bytes();
  }
  explanation =
      "tiles of " +
      std::to_string(std::min(panel_block_ * filter_.panel_rows(), geometry_.out_channels)) +
      " channels x " + std::to_string(position_block_) + " positions, " +
      std::to_string(tile_count_) + " tiles, " + std::to_string(slots_) + " slots";
}

void ConvolutionPlan::choose_tiles(const PlanOptions& options) {
  const auto& axes = geometry_.axes;
  std::int64_t positions = 1;  // of the largest phase
  double terms = 1;            // multiply-adds in all
  phase_count_ = 1;
  for (const ConvolutionAxis& axis : axes) {
    positions *= axis.max_count();
    phase_count_ *= axis.phase_count();
    terms *= static_cast<double>(axis.window()) *
             static_cast<double>(std::min(axis.in_size(), axis.out_size()));
  }
  terms *= static_cast<double>(geometry_.in_channels * geometry_.out_channels) *
           static_cast<double>(geometry_.groups * geometry_.batch);
  const unsigned threads = terms < kMinParallelWork ? 1 : slot_count(options, INT64_MAX);

  const std::int64_t columns = direct_ ? 16 : gemm_.nr;
  const std::int64_t rows = filter_.panel_rows();
  panel_blocks_ = base::divide_up(filter_.panels() * rows, direct_ ? 1 : kMaxPanelRows);
  position_blocks_ = base::divide_up(positions, kMaxPositions);
  // Few tiles leave threads without work at the end: cut positions, then channels, finer.
  const std::int64_t others = geometry_.batch * geometry_.groups * phase_count_;
  const std::int64_t wanted = threads > 1 ? 4 * std::int64_t{threads} : 1;
  if (others * panel_blocks_ * position_blocks_ < wanted) {
    const std::int64_t most = base::divide_up(positions, 2 * columns);
    position_blocks_ = std::clamp(base::divide_up(wanted, others * panel_blocks_), position_blocks_,
                                  std::max(position_blocks_, most));
  }
  if (others * panel_blocks_ * position_blocks_ < wanted) {
    panel_blocks_ = std::clamp(base::divide_up(wanted, others * position_blocks_), panel_blocks_,
                               filter_.panels());
  }
  panel_block_ = base::divide_up(filter_.panels(), panel_blocks_);
  panel_blocks_ = base::divide_up(filter_.panels(), panel_block_);
  position_block_ = base::round_up(base::divide_up(positions, position_blocks_), columns);
  position_blocks_ = base::divide_up(positions, position_block_);
  // An odd number of cache lines, so that the rows of a column do not share cache sets.
  row_stride_ = base::round_up(position_block_, 32) + 16;

  tile_count_ = others * panel_blocks_ * position_blocks_;
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, tile_count_));
  const std::uint64_t floats =
      (direct_ ? 1 : kDepthBlock) * row_stride_ + panel_block_ * rows * row_stride_ + row_stride_;
  slot_bytes_ = base::round_up(floats * sizeof(float) + position_block_ * sizeof(Segment) + 256,
                               base::kWorkspaceAlignment);
}

ConvolutionPlan::Slot ConvolutionPlan::slot_memory(std::byte* slots, unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  Slot result;
  result.patches = take<float>(memory, (direct_ ? 1 : kDepthBlock) * row_stride_);
  result.sums = take<float>(memory, panel_block_ * filter_.panel_rows() * row_stride_);
  result.row = take<float>(memory, row_stride_);
  result.segments = take<Segment>(memory, position_block_);
  return result;
}

void ConvolutionPlan::run(const RunArguments& arguments) const noexcept {
  std::byte* slots = arguments.workspace;
  const std::byte* packed = static_cast<const std::byte*>(arguments.prepared);
  if (prepared_size_in_bytes == 0 && !filter_in_place_) {
    pack_filter(arguments.inputs[1], arguments.workspace);
    packed = arguments.workspace;
    slots += filter_.size_in_bytes();
  }
  run_tiles(arguments, packed, 0, tile_count_, slots);
}

void ConvolutionPlan::run_image(const RunArguments& arguments, const std::byte* packed,
                                std::int64_t image, std::byte* slots) const noexcept {
  const std::int64_t tiles = tile_count_ / geometry_.batch;
  run_tiles(arguments, packed, image * tiles, tiles, slots);
}

void ConvolutionPlan::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                std::int64_t first, std::int64_t count,
                                std::byte* slots) const noexcept {
  base::parallel_tiles(slots_, count, [&](std::int64_t tile, unsigned slot) {
    compute_tile(arguments, packed, locate(first + tile), slot_memory(slots, slot));
  });
}

void ConvolutionPlan::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void ConvolutionPlan::prepare(const void* filter, void* prepared) const noexcept {
  pack_filter(filter, static_cast<std::byte*>(prepared));
}

ConvolutionPlan::Tile ConvolutionPlan::locate(std::int64_t index) const noexcept {
  const auto digit = [&](std::int64_t base) {
    const std::int64_t value = index % base;
    index /= base;
    return value;
  };
  Tile tile;
  // Positions run fastest: neighbouring tiles share the panels that they read.
  const std::int64_t position_block = digit(position_blocks_);
  tile.first_panel = digit(panel_blocks_) * panel_block_;
  tile.panel_count = std::min(panel_block_, filter_.panels() - tile.first_panel);
  for (int d = kSpatial; d-- > 0;) {
    const ConvolutionAxis& axis = geometry_.axes[d];
    tile.phases[d] = axis.phase(digit(axis.phase_count()));
  }
  tile.group = digit(geometry_.groups);
  tile.image = index;

  const auto& [d, h, w] = tile.phases;
  tile.first_position = position_block * position_block_;
  tile.position_count =
      std::min(position_block_, d.count * h.count * w.count - tile.first_position);
  tile.depth = geometry_.in_channels * d.taps * h.taps * w.taps;
  tile.class_offset = filter_.class_offset(tile.phases);
  return tile;
}

void ConvolutionPlan::list_segments(Tile& tile, Segment* segments) const noexcept {
  const std::int64_t width = tile.phases[2].count;
  const std::int64_t height = tile.phases[1].count;
  std::int64_t row = tile.first_position / width;
  std::int64_t w = tile.first_position % width;
  for (std::int64_t first = 0; first < tile.position_count;) {
    const std::int64_t count = std::min(width - w, tile.position_count - first);
    segments[tile.segment_count++] = {row / height, row % height, w, count, first};
    first += count;
    w = 0;
    ++row;
  }
}

void ConvolutionPlan::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                   Tile tile, const Slot& slot) const noexcept {
  if (tile.position_count <= 0) return;  // this phase has fewer positions than the largest
  list_segments(tile, slot.segments);
  const ConvolutionGeometry& g = geometry_;
  const auto* input =
      static_cast<const std::byte*>(arguments.inputs[0]) +
      (tile.image * g.in_batch_stride + tile.group * g.in_channels * g.in_channel_stride) *
          element_bytes_;
  auto* output = static_cast<std::byte*>(arguments.outputs[0]);

  if (!direct_) multiply(tile, input, packed, slot);
  const bool padded = !direct_ && touches_padding(tile);
  for (std::int64_t p = 0; p < tile.panel_count; ++p) {
    const std::int64_t panel = tile.first_panel + p;
    // Zeros stand for the padding in the patches; an infinite weight must not meet them.
    const bool again = direct_ || (padded && filter_.has_non_finite(packed, tile.group, panel));
    for (std::int64_t m = 0; m < filter_.panel_rows(); ++m) {
      const std::int64_t channel = panel * filter_.panel_rows() + m;
      if (channel >= g.out_channels) break;
      float* sums = slot.sums + (p * filter_.panel_rows() + m) * row_stride_;
      if (again)
        sum_directly(tile, input, static_cast<const std::byte*>(arguments.inputs[1]), packed,
                     channel, slot, sums);
      const std::int64_t out_channel = tile.group * g.out_channels + channel;
      finish(arguments, out_channel, sums, tile.position_count);
      store(tile, out_channel, sums, output, slot);
    }
  }
}

void ConvolutionPlan::advance(Term& term, const Tile& tile) const noexcept {
  if (++term.w < tile.phases[2].taps) return;
  term.w = 0;
  if (++term.h < tile.phases[1].taps) return;
  term.h = 0;
  if (++term.d < tile.phases[0].taps) return;
  term.d = 0;
  ++term.channel;
}

void ConvolutionPlan::multiply(const Tile& tile, const std::byte* input, const std::byte* packed,
                               const Slot& slot) const noexcept {
  const std::int64_t rows = gemm_.mr;
  if (tile.depth == 0) {
    std::fill_n(slot.sums, tile.panel_count * rows * row_stride_, 0.0f);
    return;
  }
  Term term{};
  for (std::int64_t first = 0; first < tile.depth; first += kDepthBlock) {
    const std::int64_t depth = std::min(kDepthBlock, tile.depth - first);
    for (std::int64_t k = 0; k < depth; ++k) {
      pack_patch_row(tile, term, input, slot, slot.patches + k * row_stride_);
      advance(term, tile);
    }
    for (std::int64_t column = 0; column < tile.position_count; column += gemm_.nr) {
      for (std::int64_t p = 0; p < tile.panel_count; ++p) {
        gemm_.tile({.a = filter_.panel(packed, tile.group, tile.first_panel + p,
                                       tile.class_offset + first),
                    .b = slot.patches + column,
                    .acc = slot.sums + p * rows * row_stride_ + column,
                    .b_stride = row_stride_,
                    .acc_stride = row_stride_,
                    .depth = depth,
                    .first = first == 0});
      }
    }
  }
}

void ConvolutionPlan::pack_patch_row(const Tile& tile, const Term& term, const std::byte* input,
                                     const Slot& slot, float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = tile.phases;
  const std::int64_t off_d = pd.offset(term.d);
  const std::int64_t off_h = ph.offset(term.h);
  const std::int64_t off_w = pw.offset(term.w);
  const auto [inside_begin, inside_end] = g.axes[2].inside(pw, off_w);
  const std::int64_t stride = pw.in_step * g.in_strides[2];
  const std::byte* channel = input + term.channel * g.in_channel_stride * element_bytes_;
  const kernels::LoadRow load = rows_.load(data_type_);
  for (std::int64_t s = 0; s < tile.segment_count; ++s) {
    const Segment& segment = slot.segments[s];
    float* part = to + segment.first;
    const std::int64_t d = segment.d * pd.in_step + off_d;
    const std::int64_t h = segment.h * ph.in_step + off_h;
    const std::int64_t end = segment.w + segment.count;
    const std::int64_t begin = std::clamp(inside_begin, segment.w, end);
    const std::int64_t stop = std::clamp(inside_end, begin, end);
    if (d < 0 || d >= g.axes[0].in_size() || h < 0 || h >= g.axes[1].in_size() || begin == stop) {
      std::fill_n(part, segment.count, 0.0f);
      continue;
    }
    const std::int64_t offset =
        d * g.in_strides[0] + h * g.in_strides[1] + (begin * pw.in_step + off_w) * g.in_strides[2];
    std::fill(part, part + (begin - segment.w), 0.0f);
    load(channel + offset * element_bytes_, stride, part + (begin - segment.w), stop - begin);
    std::fill(part + (stop - segment.w), part + segment.count, 0.0f);
  }
  // Columns up to the next multiple of nr are multiplied too: give them numbers that cost nothing.
  const std::int64_t columns = base::round_up(tile.position_count, gemm_.nr);
  std::fill(to + tile.position_count, to + columns, 0.0f);
}

bool ConvolutionPlan::touches_padding(const Tile& tile) const noexcept {
  for (int d = 0; d < kSpatial; ++d) {
    const Phase& phase = tile.phases[d];
    if (phase.taps == 0) return false;
    const std::int64_t ends[] = {phase.offset(0), phase.offset(phase.taps - 1)};
    const std::int64_t last = (phase.count - 1) * phase.in_step;
    for (const std::int64_t offset : ends) {
      if (offset < 0 || offset + last >= geometry_.axes[d].in_size()) return true;
    }
  }
  return false;
}

void ConvolutionPlan::sum_directly(const Tile& tile, const std::byte* input,
                                   const std::byte* filter, const std::byte* packed,
                                   std::int64_t channel, const Slot& slot,
                                   float* sums) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = tile.phases;
  const std::int64_t stride = pw.in_step * g.in_strides[2];
  const bool in_place = data_type_ == DataType::float32 && stride == 1;
  const kernels::LoadRow load = rows_.load(data_type_);
  const std::int64_t rows = filter_.panel_rows();
  const float* panel =
      filter_in_place_
          ? nullptr
          : filter_.panel(packed, tile.group, channel / rows, tile.class_offset) + channel % rows;
  std::fill_n(sums, tile.position_count, 0.0f);
  for (std::int64_t s = 0; s < tile.segment_count; ++s) {
    const Segment& segment = slot.segments[s];
    Term term{};
    for (std::int64_t k = 0; k < tile.depth; ++k, advance(term, tile)) {
      const std::int64_t d = segment.d * pd.in_step + pd.offset(term.d);
      const std::int64_t h = segment.h * ph.in_step + ph.offset(term.h);
      if (d < 0 || d >= g.axes[0].in_size() || h < 0 || h >= g.axes[1].in_size()) continue;
      const std::int64_t off_w = pw.offset(term.w);
      const auto [inside_begin, inside_end] = g.axes[2].inside(pw, off_w);
      const std::int64_t begin = std::max(inside_begin, segment.w);
      const std::int64_t stop = std::min(inside_end, segment.w + segment.count);
      if (begin >= stop) continue;
      const std::int64_t offset = term.channel * g.in_channel_stride + d * g.in_strides[0] +
                                  h * g.in_strides[1] +
                                  (begin * pw.in_step + off_w) * g.in_strides[2];
      const std::byte* from = input + offset * element_bytes_;
      if (!in_place) load(from, stride, slot.row, stop - begin);
      float weight;
      if (filter_in_place_) {
        const std::int64_t at = filter_offset(tile, channel, term);
        load(filter + at * element_bytes_, 1, &weight, 1);
      } else {
        weight = panel[k * rows];
      }
      gemm_.add_scaled_row(weight, in_place ? reinterpret_cast<const float*>(from) : slot.row,
                           sums + segment.first + (begin - segment.w), stop - begin);
    }
  }
}

std::int64_t ConvolutionPlan::filter_offset(const Tile& tile, std::int64_t channel,
                                            const Term& term) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  std::int64_t offset = g.filter_origin + tile.group * g.filter_group_stride +
                        channel * g.filter_out_stride + term.channel * g.filter_in_stride;
  const std::int64_t taps[] = {term.d, term.h, term.w};
  for (int d = 0; d < kSpatial; ++d) {
    offset += (tile.phases[d].tap_class + taps[d] * g.axes[d].tap_step()) * g.filter_strides[d];
  }
  return offset;
}

void ConvolutionPlan::finish(const RunArguments& arguments, std::int64_t channel, float* sums,
                             std::int64_t count) const noexcept {
  if (const auto* bias = static_cast<const std::byte*>(arguments.inputs[2])) {
    float value;
    rows_.load(data_type_)(bias + channel * geometry_.bias_stride * element_bytes_, 1, &value, 1);
    for (std::int64_t i = 0; i < count; ++i) sums[i] += value;
  }
  activate(sums, count);
}

void ConvolutionPlan::activate(float* sums, std::int64_t count) const noexcept {
  if (!activation_) return;
  if (const auto& scale_bias = activation_->scale_bias) {
    scale_row_(sums, count, scale_bias->scale, scale_bias->bias);
  }
  if (activation_row_ != nullptr) {
    activation_row_(sums, count, activation_->alpha, activation_->beta);
  }
}

void ConvolutionPlan::store(const Tile& tile, std::int64_t channel, float* sums, std::byte* output,
                            const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [pd, ph, pw] = tile.phases;
  const kernels::StoreRow store_row = rows_.store(data_type_);
  for (std::int64_t s = 0; s < tile.segment_count; ++s) {
    const Segment& segment = slot.segments[s];
    const std::int64_t offset = tile.image * g.out_batch_stride + channel * g.out_channel_stride +
                                (pd.start + segment.d * pd.step) * g.out_strides[0] +
                                (ph.start + segment.h * ph.step) * g.out_strides[1] +
                                (pw.start + segment.w * pw.step) * g.out_strides[2];
    store_row(sums + segment.first, output + offset * element_bytes_, pw.step * g.out_strides[2],
              segment.count);
  }
}

}  // namespace weft::ops
