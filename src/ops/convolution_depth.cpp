#include "ops/convolution_depth.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/aligned_memory.h"
#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitRange;
using kernels::WinogradTile;

namespace {

constexpr std::int64_t kRangeBytes = 256;

// A row is made in blocks of so many floats, which may be written past its end.
constexpr std::int64_t kRowBlock = 16;

// Inputs from the first to the last that so many outputs read.
std::int64_t reach(const Phase& phase, std::int64_t outputs) {
  return (outputs - 1) * phase.in_step + (phase.taps - 1) * phase.offset_step + 1;
}

}  // namespace

DepthConvolution::Blocks::Blocks(const ConvolutionGeometry& g, const WinogradTile& tile) {
  const Phase height = g.axes[kHeight].phase(0), width = g.axes[kWidth].phase(0);
  tiles = base::divide_up(g.axes[kDepth].out_size(), tile.rows);
  const std::int64_t size = g.axes[kWidth].in_size();
  const std::int64_t before = -width.first_offset;
  const std::int64_t after = reach(width, width.count) - before - size;
  gap = base::round_up(std::max<std::int64_t>({before, after, 0}), kRowBlock);
  pitch = base::round_up(size, kRowBlock) + gap;
  const auto bytes_of = [&](std::int64_t in, std::int64_t out) {
    return 4.0 * static_cast<double>(tile.row_points()) *
           (static_cast<double>(g.in_channels) * static_cast<double>(in) *
                static_cast<double>(pitch) +
            static_cast<double>(g.out_channels) * static_cast<double>(out * width.count));
  };
  // The filter has a place there, too.
  const double most = static_cast<double>(base::second_cache_bytes()) * 0.75;
  rows = equal_parts(height.count, static_cast<std::int64_t>(most / bytes_of(height.in_step, 1)));
  row_blocks = base::divide_up(height.count, rows);
  in_rows = reach(height, rows);
  bytes = bytes_of(in_rows, rows);
}

// Of one point and group, for a block: nothing is padded, so that the layers are read in place.
ConvolutionParams DepthConvolution::plain_of(const ConvolutionGeometry& g, const Blocks& blocks) {
  const Phase height = g.axes[kHeight].phase(0), width = g.axes[kWidth].phase(0);
  const auto dims = [](auto... sizes) { return Dims{static_cast<std::uint32_t>(sizes)...}; };
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.input.sizes = dims(1, g.in_channels, blocks.in_rows, reach(width, width.count));
  p.input.strides = dims(0, blocks.in_rows * blocks.pitch, blocks.pitch, 1);
  p.filter.sizes = dims(g.out_channels, g.in_channels, height.taps, width.taps);
  p.output.sizes = dims(1, g.out_channels, blocks.rows, width.count);
  p.strides = dims(height.in_step, width.in_step);
  p.dilations = dims(height.offset_step, width.offset_step);
  return p;
}

bool DepthConvolution::suits(const ConvolutionParams& params, const PlanOptions& options,
                             const WinogradTile& tile) {
  constexpr double kMostBytes = 12 << 20;
  const Isa isa = base::choose_isa(options.max_isa);
  if (kernels::winograd_kernels(isa, tile) == nullptr ||
      params.direction != ConvolutionDirection::forward) {
    return false;
  }
  const ConvolutionGeometry g(params);
  const Phase depth = g.axes[kDepth].phase(0);
  return depth.taps == tile.row_taps && depth.in_step == 1 && depth.offset_step == 1 &&
         g.in_strides[kWidth] == 1 && g.out_strides[kWidth] == 1 &&
         Blocks(g, tile).bytes <= kMostBytes;
}

double DepthConvolution::seconds(const ConvolutionParams& params, const PlanOptions& options,
                                 const WinogradTile& tile) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // More are enough for WinogradConvolution, which saves more products: of 3 x 3 x 3, 30 to 100
  // channels, 16x14x14, one thread of a Zen 4 with AVX2, us: 4480, by 2 x 2 3930; but 16 to 16,
  // 32x64x64, 17900, by 2 x 2 20100.
  constexpr std::int64_t kMostChannels = 31, kMostOf3x3 = 16;
  // From so many terms of a window's layer on the error is below that of one chain of all.
  const double fewest_terms = tile.rows == 2 ? 60 : 110;
  constexpr double kByte = 0.06e-9;  // there and back, beside products of general_seconds()
  const Isa isa = base::choose_isa(options.max_isa);
  const bool halved = isa == Isa::avx512 && base::halves_vectors();
  if (isa != Isa::avx2 && !halved) return kNever;  // others are not measured
  if (!suits(params, options, tile)) return kNever;
  const ConvolutionGeometry g(params);
  double terms = static_cast<double>(g.in_channels) / static_cast<double>(tile.row_taps);
  for (const ConvolutionAxis& axis : g.axes) {
    terms *= static_cast<double>(pairs_inside(axis)) / static_cast<double>(axis.out_size());
  }
  const Phase height = g.axes[kHeight].phase(0), width = g.axes[kWidth].phase(0);
  const bool is_3x3 = height.taps == 3 && width.taps == 3 && height.in_step * width.in_step == 1;
  if (g.in_channels > (is_3x3 ? kMostOf3x3 : kMostChannels) || terms < fewest_terms) return kNever;
  const Blocks blocks(g, tile);
  const double plain = general_seconds(plain_of(g, blocks), options);
  return static_cast<double>(g.batch * g.groups * blocks.count()) *
         (static_cast<double>(tile.points()) * plain + kByte * blocks.bytes);
}

DepthConvolution::DepthConvolution(const ConvolutionParams& params, const PlanOptions& options,
                                   const WinogradTile& tile)
    : SplitPlan(params, options),
      kernels_(*kernels::winograd_kernels(base::choose_isa(options.max_isa), tile)),
      blocks_(geometry_, tile),
      plain_(plain_of(geometry_, blocks_),
             {.threads = 1, .max_isa = options.max_isa, .prepare_filter = true},
             tile.rows == 2 ? SumChains::as_usual : SumChains::short_ones) {
  algorithm = kernels_.name;
  const std::int64_t units = geometry_.batch * geometry_.groups * blocks_.count();
  slots_ = slot_count(options, units);
  windows_bytes_ = base::round_up(*element_count(plain_.inputs[1]->sizes) * sizeof(float),
                                  base::kWorkspaceAlignment);
  point_bytes_ =
      windows_bytes_ + base::round_up(plain_.prepared_size_in_bytes, base::kWorkspaceAlignment);
  const std::int64_t points = tile.points();
  slot_bytes_ =
      base::slot_bytes((points * (layer_floats() + geometry_.out_channels * channel_sums()) +
                        blocks_.gap + 2 * points * blocks_.pitch + tile.rows * channel_sums() +
                        base::round_up(geometry_.out_channels, kSplitBlock)) *
                           sizeof(float) +
                       plain_bytes() + 5 * base::kLineBytes);
  set_memory(options, kRangeBytes + geometry_.groups * points * point_bytes_, slots_, slot_bytes_);
  explanation = "along the depth, " + std::to_string(units) + " blocks of " +
                std::to_string(tile.rows) + " x " + std::to_string(blocks_.rows) +
                " rows, each by " + std::to_string(points) + " plain convolutions (" +
                plain_.explanation + "), " + std::to_string(slots_) + " slots";
}

bool DepthConvolution::is_safe(const SplitRange& x, const SplitRange& filter) const noexcept {
  return transforms_are_safe(x, filter);
}

std::int64_t DepthConvolution::window_at(std::int64_t group, std::int64_t point) const noexcept {
  return kRangeBytes + (group * kernels_.tile.points() + point) * point_bytes_;
}

void DepthConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  const std::int64_t blocks = base::divide_up(geometry_.out_channels, kSplitBlock);
  pack_with_range(packed, slots_, geometry_.groups * blocks,
                  [&](std::int64_t index, SplitRange& range) {
                    pack_windows(static_cast<const std::byte*>(filter), index / blocks,
                                 index % blocks * kSplitBlock, packed, range);
                  });
  base::parallel_tiles(slots_, geometry_.groups * kernels_.tile.points(),
                       [&](std::int64_t index, unsigned) {
                         std::byte* const windows = packed + window_at(0, index);
                         plain_.prepare(windows, windows + windows_bytes_);
                       });
}

// Of up to kSplitBlock output channels.
void DepthConvolution::pack_windows(const std::byte* filter, std::int64_t group,
                                    std::int64_t first_output, std::byte* packed,
                                    SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t outputs = std::min(g.out_channels - first_output, kSplitBlock);
  const std::int64_t rows = g.axes[kHeight].window(), columns = g.axes[kWidth].window();
  const std::int64_t terms = g.in_channels * rows * columns;
  float window[kernels::kWinogradTaps][kernels::kWinogradTaps][kSplitBlock] = {};
  alignas(64) float points[kernels::WinogradTile{4, 1}.points()][kSplitBlock];
  for (std::int64_t term = 0; term < terms; ++term) {
    const std::int64_t offset = g.filter_origin + group * g.filter_group_stride +
                                first_output * g.filter_out_stride +
                                term / (rows * columns) * g.filter_in_stride +
                                term / columns % rows * g.filter_strides[kHeight] +
                                term % columns * g.filter_strides[kWidth];
    for (std::int64_t d = 0; d < kernels_.tile.row_taps; ++d) {
      float* const taps = window[d][0];
      rows_.load(data_type_)(filter + (offset + d * g.filter_strides[kDepth]) * element_bytes_,
                             g.filter_out_stride, taps, outputs);
      widen(range, taps, outputs);
    }
    kernels_.transform_window(
        {.window = window, .scale = 1, .to = points[0], .point_stride = kSplitBlock});
    for (std::int64_t p = 0; p < kernels_.tile.points(); ++p) {
      float* const to =
          reinterpret_cast<float*>(packed + window_at(group, p)) + first_output * terms + term;
      for (std::int64_t o = 0; o < outputs; ++o) to[o * terms] = points[p][o];
    }
  }
}

DepthConvolution::Slot DepthConvolution::slot_memory(std::byte* slots,
                                                     unsigned slot) const noexcept {
  const std::int64_t points = kernels_.tile.points();
  Slot result;
  result.plain = slots + slot * slot_bytes_;
  std::byte* memory = result.plain + plain_bytes();
  result.layers = base::take<float>(memory, blocks_.gap + points * layer_floats());
  result.lines = base::take<float>(memory, 2 * points * blocks_.pitch);
  result.sums = base::take<float>(memory, points * geometry_.out_channels * channel_sums());
  result.result = base::take<float>(memory, kernels_.tile.rows * channel_sums());
  result.bias = base::take<float>(memory, base::round_up(geometry_.out_channels, kSplitBlock));
  return result;
}

DepthConvolution::Unit DepthConvolution::locate(std::int64_t index) const noexcept {
  Unit unit;
  const std::int64_t row = base::take_digit(index, blocks_.row_blocks) * blocks_.rows;
  unit.first_row = std::min(row, geometry_.axes[kHeight].out_size() - blocks_.rows);
  unit.skipped = row - unit.first_row;
  unit.first_layer = base::take_digit(index, blocks_.tiles) * kernels_.tile.rows;
  unit.group = base::take_digit(index, geometry_.groups);
  unit.image = index;
  return unit;
}

void DepthConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                 std::byte* slots, SharedRange* ranges) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t left = -g.axes[kWidth].phase(0).first_offset;
  base::parallel_tiles(
      slots_, g.batch * g.groups * blocks_.count(), [&](std::int64_t index, unsigned number) {
        const Unit unit = locate(index);
        const Slot slot = slot_memory(slots, number);
        SplitRange range;
        transform_layers(arguments, unit, slot, range);
        ranges[unit.image].add(range);
        for (std::int64_t p = 0; p < kernels_.tile.points(); ++p) {
          const std::byte* const windows = packed + window_at(unit.group, p);
          const void* const from[] = {slot.layers + p * layer_floats() + blocks_.gap - left,
                                      windows, nullptr};
          void* const to[] = {slot.sums + p * g.out_channels * channel_sums()};
          plain_.run({from, to, windows + windows_bytes_, slot.plain});
        }
        load_bias(arguments, unit.group, 0, base::divide_up(g.out_channels, kSplitBlock),
                  slot.bias);
        for (std::int64_t channel = 0; channel < g.out_channels; ++channel) {
          store_channel(arguments, unit, channel, slot);
        }
      });
}

void DepthConvolution::transform_layers(const RunArguments& arguments, const Unit& unit,
                                        const Slot& slot, SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const WinogradTile& tile = kernels_.tile;
  const Phase height = g.axes[kHeight].phase(0);
  const std::int64_t columns = g.axes[kWidth].in_size();
  const std::int64_t first_layer = unit.first_layer + g.axes[kDepth].phase(0).first_offset;
  const std::int64_t first_row = unit.first_row * height.in_step + height.first_offset;
  const auto* const image =
      static_cast<const std::byte*>(arguments.inputs[0]) +
      (unit.image * g.in_batch_stride + unit.group * g.in_channels * g.in_channel_stride +
       first_layer * g.in_strides[kDepth] + first_row * g.in_strides[kHeight]) *
          element_bytes_;
  const auto layers_inside = [&](std::int64_t layer) {
    return std::clamp<std::int64_t>(layer - first_layer, 0, tile.points());
  };
  kernels::WinogradRows rows{.from = nullptr,
                             .half = data_type_ == DataType::float16,
                             .row_stride = g.in_strides[kDepth],
                             .next = g.in_strides[kHeight],
                             .rows = tile.points(),
                             .begin = layers_inside(0),
                             .end = layers_inside(g.axes[kDepth].in_size()),
                             .size = columns,
                             .first = 0,
                             .tiles = columns,
                             .to = slot.lines,
                             .point_stride = 0,
                             .remainder_stride = 2 * blocks_.pitch};
  kernels::WinogradChannel channel{.from = slot.lines,
                                   .from_stride = 0,
                                   .remainder_stride = rows.remainder_stride,
                                   .tiles_a_row = columns,
                                   .tiles = columns,
                                   .to = nullptr,
                                   .block = kRowBlock,
                                   .block_stride = kRowBlock,
                                   .point_stride = layer_floats()};
  for (std::int64_t c = 0; c < g.in_channels; ++c) {
    for (std::int64_t row = 0; row < blocks_.in_rows; ++row) {
      float* const to = slot.layers + (c * blocks_.in_rows + row) * blocks_.pitch;
      const bool inside = first_row + row >= 0 && first_row + row < g.axes[kHeight].in_size();
      for (std::int64_t p = 0; p < tile.points(); ++p) {
        std::fill_n(to + p * layer_floats(), inside ? blocks_.gap : blocks_.gap + blocks_.pitch,
                    0.0f);
      }
      if (!inside) continue;
      rows.from = image + (c * g.in_channel_stride + row * g.in_strides[kHeight]) * element_bytes_;
      kernels_.transform_rows(rows, range);
      channel.to = to + blocks_.gap;
      kernels_.transform_channel(channel);
    }
  }
  std::fill_n(slot.layers + tile.points() * layer_floats(), blocks_.gap, 0.0f);
}

void DepthConvolution::store_channel(const RunArguments& arguments, const Unit& unit,
                                     std::int64_t channel, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = g.axes[kWidth].out_size();
  const std::int64_t rows = blocks_.rows - unit.skipped;
  const std::int64_t layers =
      std::min(kernels_.tile.rows, g.axes[kDepth].out_size() - unit.first_layer);
  const std::int64_t row_stride = g.out_strides[kHeight], layer_stride = g.out_strides[kDepth];
  std::byte* const to =
      static_cast<std::byte*>(arguments.outputs[0]) +
      (unit.image * g.out_batch_stride +
       (unit.group * g.out_channels + channel) * g.out_channel_stride +
       unit.first_layer * layer_stride + (unit.first_row + unit.skipped) * row_stride) *
          element_bytes_;
  const bool follow = row_stride == columns || rows == 1;
  const std::int64_t runs = follow ? 1 : rows, run = follow ? rows * columns : columns;
  kernels::WinogradLines lines{.acc = slot.sums + channel * channel_sums() + unit.skipped * columns,
                               .point_stride = g.out_channels * channel_sums(),
                               .bias = slot.bias[channel],
                               .ramp = general_.ramp(),
                               .half = plain_results_ && data_type_ == DataType::float16,
                               .tiles = run,
                               .lines = layers,
                               .to = slot.result,
                               .line_stride = plain_results_ ? layer_stride : run};
  for (std::int64_t i = 0; i < runs; ++i, lines.acc += run) {
    std::byte* const run_to = to + i * row_stride * element_bytes_;
    if (plain_results_) lines.to = run_to;
    kernels_.store_lines(lines);
    if (plain_results_) continue;
    general_.activate(slot.result, layers * run);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      rows_.store(data_type_)(slot.result + layer * run,
                              run_to + layer * layer_stride * element_bytes_, 1, run);
    }
  }
}

}  // namespace weft::ops
