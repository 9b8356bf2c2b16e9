#include "ops/convolution_pairs.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/aligned_memory.h"
#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "base/parallel.h"
#include "ops/activation.h"
#include "ops/convolution_tiling.h"
#include "ops/lines_ahead.h"

namespace weft::ops {

namespace {

// Of fewer terms, other ways are as fast; of more, the filter is too much to be read once for each
// few strips.
constexpr std::int64_t kFewestTerms = 4, kMostTerms = 512;

// Of both sides: a matrix unit sums more terms, or packs once for more outputs, in less time. One
// core of a Xeon with AMX, us, by pairs and by the unit, float32: 64 to 32 channels, 128x128: 2206
// and 2114; 4096, 2 taps: 322 and 432; 128 to 64, 60x60: 1755 and 1286. float16: 32 to 16,
// 40x64x64, 2x2x2: 17300 and 28200; 64 to 32, 128x128: 2905 and 2791.
constexpr std::int64_t kMostBesideUnit = 64, kMostBesideUnitF16 = 32;

// Outputs of a position along a dimension.
constexpr std::int64_t kMostPairPhases = 64;

// Tiles a thread, so that none waits long for another.
constexpr std::int64_t kPairTilesAThread = 4;

// Chains of about as many terms as there are chains have the smallest error, but each of them takes
// time to end. One core of a Xeon, AVX-512, errors and us, by chains of 128 terms and by these: 512
// to 256 channels, 32x32: 2.1e-7 and 1.3e-7, 6900 and 7040; 64 to 32, 24x32x32: 1.4e-7 and 0.9e-7,
// 5600 and 5790.
constexpr std::int64_t kMostPairChains = 16, kShortestPairChain = 16;

}  // namespace

bool PairsConvolution::suits(const ConvolutionParams& params, const PlanOptions& options) {
  const Isa isa = base::choose_isa(options.max_isa);
  const kernels::GemmKernel& kernel = kernels::gemm_kernel(isa);
  if (params.direction != ConvolutionDirection::backward || kernel.pairs == nullptr ||
      !ramp_of(params.fused_activation) ||
      *element_count(params.filter.sizes) > kMostPackedWeights) {
    return false;
  }
  const ConvolutionGeometry g(params);
  for (const ConvolutionAxis& axis : g.axes) {
    const std::int64_t phases = axis.phase_count();
    if (phases > kMostPairPhases || axis.window() != phases ||
        axis.out_size() != axis.in_size() * phases) {
      return false;
    }
    for (std::int64_t i = 0; i < phases; ++i) {
      const Phase phase = axis.phase(i);
      if (phase.start != i || phase.taps != 1 || phase.first_offset != 0) return false;
    }
  }
  const std::int64_t most = isa < Isa::amx                                ? kMostTerms
                            : params.input.data_type == DataType::float16 ? kMostBesideUnitF16
                                                                          : kMostBesideUnit;
  if (g.axes[kWidth].phase_count() != 2 || g.in_strides[kWidth] != 1 ||
      g.out_strides[kWidth] != 1 || g.in_channels < kFewestTerms || g.in_channels > most ||
      (isa >= Isa::amx && g.out_channels > most)) {
    return false;
  }
  // At most a ninth of the products are of no position, and of no channel.
  const auto fills = [](std::int64_t count, std::int64_t unit) {
    return 8 * static_cast<std::int64_t>(base::round_up(count, unit)) <= 9 * count;
  };
  const std::int64_t half = kernel.lanes / 2;
  return g.axes[kWidth].in_size() >= half && fills(g.batch * position_count(g), kHalves * half) &&
         fills(g.out_channels, half / 2);
}

PairsConvolution::PairsConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : geometry_(params),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(data_type_)),
      ramp_(*ramp_of(params.fused_activation)),
      gemm_(kernels::gemm_kernel(base::choose_isa(options.max_isa))),
      rows_(kernels::row_kernels(gemm_.isa)),
      panel_channels_(gemm_.lanes / 4),
      half_(gemm_.lanes / 2),
      columns_(kHalves * half_),
      chain_(
          std::max(base::divide_up(geometry_.in_channels, kMostPairChains), kShortestPairChain)) {
  const ConvolutionGeometry& g = geometry_;
  for (int d = 0; d < kSpatial; ++d) phases_[d] = g.axes[d].phase_count();
  channel_blocks_ = base::divide_up(g.out_channels, panel_channels_);
  panels_ = channel_blocks_ * phases_[0] * phases_[1];
  positions_ = g.batch * position_count(g);
  strips_ = base::divide_up(positions_, columns_);
  long_strips_ = std::max<std::int64_t>(
      base::divide_up(positions_, gemm_.lanes) - strips_ * (kernels::kGemmPairsVectors - 1), 0);
  choose_tiles(options);

  type = OperatorType::convolution;
  algorithm = data_type_ == DataType::float16 ? gemm_.gemm_f16_name : gemm_.gemm_f32_name;
  explanation = "pairs of columns interleaved, tiles of " +
                std::to_string(tile_panels_ * panel_channels_) + " pairs x " +
                std::to_string(tile_strips_ * columns_) + " positions, " +
                std::to_string(tile_count_) + " tiles, " + std::to_string(slots_) + " slots";
  inputs = {params.input, params.filter, params.bias};
  outputs = {params.output};
  filter_bytes_ = base::round_up(panels_ * panel_floats() * g.groups * sizeof(float),
                                 base::kWorkspaceAlignment);
  (options.prepare_filter ? prepared_size_in_bytes : workspace_size_in_bytes) = filter_bytes_;
  workspace_size_in_bytes += slots_ * slot_bytes_;
}

void PairsConvolution::choose_tiles(const PlanOptions& options) {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t strip_bytes = g.in_channels * columns_ * sizeof(float);
  const double products = static_cast<double>(g.groups * first_position(strips_)) *
                          static_cast<double>(panels_ * panel_floats());
  const std::int64_t threads = products < kMinParallelWork ? 1 : slot_count(options, INT64_MAX);
  const std::int64_t cache = base::second_cache_bytes();
  const std::int64_t filter_bytes =
      panels_ * panel_floats() * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t tile_bytes = filter_bytes > cache / 2 ? cache / 4 : cache / 16;
  tile_strips_ = std::clamp<std::int64_t>(tile_bytes / strip_bytes, 1, strips_);
  tile_panels_ = panels_;
  if (threads > 1) {
    const std::int64_t wanted = base::divide_up(kPairTilesAThread * threads, g.groups);
    tile_strips_ = std::min(tile_strips_, base::divide_up(strips_, wanted));
    const std::int64_t blocks = base::divide_up(wanted, base::divide_up(strips_, tile_strips_));
    tile_panels_ = base::divide_up(panels_, std::min(blocks, panels_));
  }
  tile_strips_ = equal_parts(strips_, tile_strips_);
  strip_blocks_ = base::divide_up(strips_, tile_strips_);
  panel_blocks_ = base::divide_up(panels_, tile_panels_);
  tile_count_ = g.groups * strip_blocks_ * panel_blocks_;
  slots_ = static_cast<unsigned>(std::min(threads, tile_count_));
  constexpr std::int64_t kRounding = 3 * base::kLineBytes;  // of each part
  slot_bytes_ =
      base::slot_bytes(tile_strips_ * (strip_bytes + kHalves * sizeof(kernels::GemmPairsPlace)) +
                       bias_floats() * sizeof(float) + kRounding);
}

PairsConvolution::Slot PairsConvolution::slot_memory(std::byte* memory) const noexcept {
  Slot slot;
  slot.rows = base::take<float>(memory, tile_strips_ * geometry_.in_channels * columns_);
  slot.places = base::take<kernels::GemmPairsPlace>(memory, tile_strips_ * kHalves);
  slot.bias = base::take<float>(memory, bias_floats());
  return slot;
}

PairsConvolution::Position PairsConvolution::position_of(std::int64_t index) const noexcept {
  Position at;
  at.width = base::take_digit(index, geometry_.axes[kWidth].in_size());
  at.height = base::take_digit(index, geometry_.axes[1].in_size());
  at.depth = base::take_digit(index, geometry_.axes[0].in_size());
  at.image = index;
  return at;
}

void PairsConvolution::advance(Position& position, std::int64_t count) const noexcept {
  const auto& axes = geometry_.axes;
  position.width += count;
  if (position.width < axes[kWidth].in_size()) return;
  position.width = 0;
  if (++position.height < axes[1].in_size()) return;
  position.height = 0;
  if (++position.depth < axes[0].in_size()) return;
  position.depth = 0;
  ++position.image;
}

std::int64_t PairsConvolution::input_offset(const Position& position) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  return position.image * g.in_batch_stride + position.depth * g.in_strides[0] +
         position.height * g.in_strides[1] + position.width;
}

std::int64_t PairsConvolution::output_offset(const Position& position) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  return position.image * g.out_batch_stride + position.depth * phases_[0] * g.out_strides[0] +
         position.height * phases_[1] * g.out_strides[1] + 2 * position.width;
}

std::int64_t PairsConvolution::panel_offset(std::int64_t panel) const noexcept {
  const std::int64_t channel = base::take_digit(panel, channel_blocks_) * panel_channels_;
  const std::int64_t height = base::take_digit(panel, phases_[1]);
  return channel * geometry_.out_channel_stride + panel * geometry_.out_strides[0] +
         height * geometry_.out_strides[1];
}

std::int64_t PairsConvolution::channels_of(std::int64_t panel) const noexcept {
  return std::min(panel_channels_,
                  geometry_.out_channels - panel % channel_blocks_ * panel_channels_);
}

void PairsConvolution::prepare(const void* filter, void* prepared) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  auto* const to = static_cast<float*>(prepared);
  base::parallel_tiles(slots_, g.groups * panels_, [&](std::int64_t index, unsigned) {
    pack_panel(filter, index / panels_, index % panels_, to + index * panel_floats());
  });
}

void PairsConvolution::pack_panel(const void* filter, std::int64_t group, std::int64_t panel,
                                  float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t channels = channels_of(panel);
  const std::int64_t first = base::take_digit(panel, channel_blocks_) * panel_channels_;
  const std::int64_t height = base::take_digit(panel, phases_[1]);
  std::array<std::int64_t, 2> columns;  // taps of both phases
  for (int i = 0; i < 2; ++i) {
    columns[i] = g.filter_origin + group * g.filter_group_stride + first * g.filter_out_stride +
                 g.axes[0].phase(panel).tap_class * g.filter_strides[0] +
                 g.axes[1].phase(height).tap_class * g.filter_strides[1] +
                 g.axes[kWidth].phase(i).tap_class * g.filter_strides[kWidth];
  }
  const auto* const from = static_cast<const std::byte*>(filter);
  std::fill_n(to, panel_floats(), 0.0f);
  if (data_type_ == DataType::float32 && columns[1] == columns[0] + 1) {
    for (std::int64_t c = 0; c < g.in_channels; ++c, to += 2 * panel_channels_) {
      for (std::int64_t o = 0; o < channels; ++o) {
        const std::int64_t at = columns[0] + o * g.filter_out_stride + c * g.filter_in_stride;
        std::memcpy(to + 2 * o, from + at * element_bytes_, 2 * sizeof(float));
      }
    }
    return;
  }
  // Of an output channel and phase, the weights of all input channels.
  const kernels::LoadRow load = rows_.load(data_type_);
  constexpr std::int64_t kAtOnce = 64;
  std::array<float, kAtOnce> weights;
  for (std::int64_t o = 0; o < channels; ++o) {
    for (int i = 0; i < 2; ++i) {
      float* row = to + 2 * o + i;
      for (std::int64_t c = 0; c < g.in_channels; c += kAtOnce) {
        const std::int64_t count = std::min(kAtOnce, g.in_channels - c);
        const std::int64_t at = columns[i] + o * g.filter_out_stride + c * g.filter_in_stride;
        load(from + at * element_bytes_, g.filter_in_stride, weights.data(), count);
        for (std::int64_t k = 0; k < count; ++k, row += 2 * panel_channels_) *row = weights[k];
      }
    }
  }
}

PairsConvolution::Tile PairsConvolution::locate(std::int64_t index) const noexcept {
  Tile tile;
  const base::Portion panels =
      base::portion_of(panels_, panel_blocks_, base::take_digit(index, panel_blocks_));
  tile.first_panel = panels.first;
  tile.panels = panels.count;
  tile.first_strip = base::take_digit(index, strip_blocks_) * tile_strips_;
  tile.strips = std::min(tile_strips_, strips_ - tile.first_strip);
  tile.long_strips = std::clamp<std::int64_t>(long_strips_ - tile.first_strip, 0, tile.strips);
  tile.group = index;
  return tile;
}

void PairsConvolution::run(const RunArguments& arguments) const noexcept {
  std::byte* memory = arguments.workspace;
  const void* packed = arguments.prepared;
  if (prepared_size_in_bytes == 0) {
    prepare(arguments.inputs[1], memory);
    packed = memory;
    memory += filter_bytes_;
  }
  base::parallel_tiles_apart(slots_, tile_count_, [&](std::int64_t index, unsigned number) {
    compute_tile(arguments, static_cast<const float*>(packed), index,
                 slot_memory(memory + number * slot_bytes_));
  });
}

// A bias that is not -0 makes every sum that is zero 0, as in ConvolutionPlan.
void PairsConvolution::load_bias(const RunArguments& arguments, std::int64_t group,
                                 float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  std::fill_n(to, bias_floats(), 0.0f);
  if (arguments.inputs[2] == nullptr) return;
  const auto* const from = static_cast<const std::byte*>(arguments.inputs[2]);
  for (std::int64_t o = 0; o < g.out_channels; ++o) {
    const std::int64_t at = (group * g.out_channels + o) * g.bias_stride;
    rows_.load(data_type_)(from + at * element_bytes_, 0, to + 2 * o, 2);
  }
  for (std::int64_t m = 0; m < bias_floats(); ++m) to[m] += 0.0f;
}

// Copies the strips of a tile, and finds where their results go.
void PairsConvolution::load_strips(const Tile& tile, const std::byte* input,
                                   const Slot& slot) const noexcept {
  const std::int64_t strip_floats = geometry_.in_channels * columns_;
  const std::int64_t first = first_position(tile.first_strip);
  if (first_position(tile.first_strip + tile.strips) > positions_) {
    std::fill_n(slot.rows + (tile.strips - 1) * strip_floats, strip_floats, 0.0f);
  }
  // Positions side by side in the input and in a strip are copied together.
  std::int64_t from = 0, count = 0;
  float* to = slot.rows;
  const auto add = [&](const Position& at, std::int64_t more, float* place) {
    const std::int64_t source = input_offset(at);
    if (source != from + count || place != to + count) {
      load_rows(input, from, count, to);
      from = source;
      count = 0;
      to = place;
    }
    count += more;
  };
  Position at = position_of(first);
  std::int64_t left = positions_ - first;
  for (std::int64_t i = 0; i < tile.strips * kHalves; ++i) {
    const std::int64_t strip = i / kHalves, half = i % kHalves;
    float* const place = slot.rows + strip * strip_floats + half * half_;
    const bool is_used = strip < tile.long_strips || half < kHalves - 2;
    const std::int64_t end = is_used ? std::min(left, half_) : 0;
    const std::int64_t of_row = std::min(end, geometry_.axes[kWidth].in_size() - at.width);
    slot.places[i] = {output_offset(at), of_row, 0, end};
    if (end == 0) continue;
    left -= end;
    add(at, of_row, place);
    advance(at, of_row);
    if (of_row == end) continue;
    slot.places[i].rest = output_offset(at);
    add(at, end - of_row, place + of_row);
    advance(at, end - of_row);
  }
  load_rows(input, from, count, to);
}

// Some positions of all input channels.
void PairsConvolution::load_rows(const std::byte* input, std::int64_t from, std::int64_t count,
                                 float* to) const noexcept {
  if (count == 0) return;
  const ConvolutionGeometry& g = geometry_;
  const std::byte* const first = input + from * element_bytes_;
  if (data_type_ == DataType::float16) {
    rows_.load_rows_f16(first, g.in_channel_stride, to, columns_, g.in_channels, count);
    return;
  }
  gemm_.pad_rows({.from = reinterpret_cast<const float*>(first),
                  .to = to,
                  .from_stride = g.in_channel_stride,
                  .to_stride = columns_,
                  .rows = g.in_channels,
                  .before = 0,
                  .count = count,
                  .size = count});
}

void PairsConvolution::compute_tile(const RunArguments& arguments, const float* packed,
                                    std::int64_t index, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = locate(index);
  const auto input_of = [&](const Tile& t) {
    return static_cast<const std::byte*>(arguments.inputs[0]) +
           t.group * g.in_channels * g.in_channel_stride * element_bytes_;
  };
  load_strips(tile, input_of(tile), slot);
  load_bias(arguments, tile.group, slot.bias);
  LinesAhead input;
  if (index + 1 < tile_count_) {
    const Tile next = locate(index + 1);
    const std::int64_t first = first_position(next.first_strip);
    input = {input_of(next) + input_offset(position_of(first)) * element_bytes_, g.in_channels,
             g.in_channel_stride * element_bytes_,
             (first_position(next.first_strip + next.strips) - first) * element_bytes_,
             tile.panels};
  }
  auto* const out = static_cast<std::byte*>(arguments.outputs[0]) +
                    tile.group * g.out_channels * g.out_channel_stride * element_bytes_;
  const auto results_of = [&](std::int64_t panel) {
    return out + panel_offset(panel) * element_bytes_;
  };
  const std::int64_t end = tile.first_panel + tile.panels;
  for (std::int64_t p = tile.first_panel; p < end; ++p) {
    input.fetch_share();
    gemm_.pairs({.a = packed + (tile.group * panels_ + p) * panel_floats(),
                 .b = slot.rows,
                 .depth = g.in_channels,
                 .chain = chain_,
                 .bias = slot.bias + p % channel_blocks_ * 2 * panel_channels_,
                 .ramp = ramp_.bent(),
                 .places = slot.places,
                 .strips = tile.strips,
                 .long_strips = tile.long_strips,
                 .out = results_of(p),
                 .half = data_type_ == DataType::float16,
                 .out_channel_stride = g.out_channel_stride,
                 .channels = channels_of(p),
                 .next_out = results_of(std::min(p + 1, end - 1))});
  }
}

}  // namespace weft::ops
