#include "ops/convolution_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "ops/axis_window.h"

namespace weft::ops {

using kernels::FoldRows;
using kernels::kSplitBlock;
using kernels::ProductSide;
using kernels::SplitRange;

namespace {

constexpr std::int64_t kHeaderBytes = 256;
constexpr std::int64_t kMostColumns = 128;  // of more, others fill the unit as well
constexpr std::int64_t kMostChannels = 1024;
constexpr std::int64_t kMostRowPhases = 1024;
constexpr std::int64_t kMostOutputs = 1 << 18;  // a row, which a thread keeps

// What a thread keeps in the second-level cache (2 MiB on every machine that has the unit):
// products of two bands, and two sets of patches.
constexpr std::int64_t kBandBytes = 256 << 10;
constexpr std::int64_t kMostBandBytes = 1 << 20;
constexpr std::int64_t kFoldPatchBytes = 256 << 10;

// Rows of a tile of which a few more cost little, and bands that make tiles alike.
constexpr std::int64_t kTileRows = 48;
constexpr std::int64_t kTileBands = 4;

// How far apart the rows of inputs of an output row are, in any phase.
std::int64_t row_spread(const ConvolutionAxis& axis) {
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  for (std::int64_t i = 0; i < axis.phase_count(); ++i) {
    const Phase phase = axis.phase(i);
    if (phase.taps == 0) continue;
    const auto [low, high] = offset_range(phase);
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
  return lowest < highest ? highest - lowest : 1;
}

std::int64_t columns_of(const ConvolutionGeometry& g) { return g.out_channels * g.window(); }

std::int64_t band_rows_of(const ConvolutionGeometry& g) {
  const std::int64_t row_bytes =
      g.axes[2].in_size() * base::round_up(columns_of(g), kSplitBlock) * 4;
  return std::min(std::max(kBandBytes / row_bytes, row_spread(g.axes[1])), g.axes[1].in_size());
}

bool suits(const ConvolutionGeometry& g) {
  const ConvolutionAxis &h = g.axes[1], &w = g.axes[2];
  const Phase first = w.phase(0);
  if (g.groups != 1 || !g.axes[0].is_single()) return false;
  if (g.in_channels > kMostChannels || columns_of(g) > kMostColumns || g.window() == 1) {
    return false;
  }
  if (first.in_step != 1 || h.phase(0).in_step != 1) return false;
  if (first.step > FoldRows::kMaxPhases || first.step > w.phase_count()) return false;
  if (h.phase_count() > kMostRowPhases || w.out_size() > kMostOutputs) return false;
  std::int64_t terms = 0;
  for (std::int64_t i = 0; i < first.step; ++i) {
    if (w.phase(i).step != first.step) return false;  // fewer outputs than phases
    terms += w.phase(i).taps;
  }
  for (std::int64_t i = 0; i < h.phase_count(); ++i) {
    if (h.phase(i).taps > FoldRows::kMaxParts) return false;
  }
  if (terms == 0 || terms > FoldRows::kMaxTerms) return false;
  if (g.in_strides[2] != 1 || (h.in_size() > 1 && g.in_strides[1] != w.in_size())) return false;
  const std::int64_t band_bytes =
      band_rows_of(g) * w.in_size() * base::round_up(columns_of(g), kSplitBlock) * 4;
  return row_spread(h) <= band_rows_of(g) && band_bytes <= kMostBandBytes;
}

}  // namespace

double FoldConvolution::seconds(const ConvolutionParams& params, const PlanOptions& options) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::int64_t parts = split_parts(params.input.data_type);
  if (base::choose_isa(options.max_isa) < Isa::amx) return kNever;
  if (kernels::product_kernels(parts) == nullptr) return kNever;
  const ConvolutionGeometry g(params);
  if (!suits(g)) return kNever;
  // Measured on one core, as if at 2.8 GHz: a step of products of a block, the block's results, a
  // pair of channels packed, one number added, a row of outputs.
  const double step = parts == 3 ? 156e-9 : 78e-9;
  const double result = parts == 3 ? 94e-9 : 125e-9;
  const double pair = parts == 3 ? 14e-9 : 8.5e-9;
  constexpr double kAddition = 0.094e-9, kRow = 100e-9;
  const auto positions = static_cast<double>(g.axes[1].in_size() * g.axes[2].in_size());
  const auto steps = static_cast<double>(base::divide_up(g.in_channels, kSplitBlock));
  const auto columns = static_cast<double>(columns_of(g));
  const double blocks = static_cast<double>(base::divide_up(columns_of(g), kSplitBlock / 2)) / 2;
  const double sum = std::ceil(positions / kSplitBlock) *
                         (blocks * (steps * step + result) + steps * kSplitBlock / 2 * pair) +
                     positions * columns * kAddition +
                     static_cast<double>(g.out_channels * g.axes[1].out_size()) * kRow;
  return sum * static_cast<double>(g.batch);
}

FoldConvolution::FoldConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : SplitPlan(params, options),
      unit_(*kernels::split_kernels(split_parts(data_type_))),
      kernels_(*kernels::product_kernels(split_parts(data_type_))),
      fold_rows_(kernels::fold_kernel(Isa::amx, DataType::float32).rows),
      add_bias_(kernels::activation_kernel(OperatorType::activation_linear, Isa::amx)->function),
      steps_(base::divide_up(geometry_.in_channels, kSplitBlock)),
      columns_(columns_of(geometry_)),
      blocks_(base::divide_up(columns_, kSplitBlock)),
      spread_(row_spread(geometry_.axes[1])) {
  algorithm = kernels_.name;
  choose_tiles(options);
  choose_terms();
  const std::uint64_t filter_bytes =
      kHeaderBytes + blocks_ * steps_ * kernels_.parts * kernels::kSplitFilterPart * 2;
  set_memory(options, base::round_up(filter_bytes, base::kWorkspaceAlignment), slots_, slot_bytes_);
  explanation =
      "products with " + std::to_string(columns_) + " pairs of channel and tap in bands of " +
      std::to_string(band_rows_) + " rows, " + std::to_string(run_) + " positions at a time, " +
      std::to_string(tiles_ * geometry_.batch) + " tiles, " + std::to_string(slots_) + " slots";
}

void FoldConvolution::choose_tiles(const PlanOptions& options) {
  const std::int64_t height = geometry_.axes[1].in_size(), width = geometry_.axes[2].in_size();
  band_rows_ = band_rows_of(geometry_);
  // Few bands leave threads without work at the end; each tile costs some rows more.
  const unsigned threads = slot_count(options, INT64_MAX);
  std::int64_t wanted = threads > 1 ? base::divide_up(threads, geometry_.batch) : 1;
  if (threads > 1 && height >= kTileRows * 2 * wanted) wanted *= 2;
  if (threads > 1) {
    band_rows_ = std::clamp(height / (kTileBands * wanted), spread_, band_rows_);
  }
  bands_ = base::divide_up(height, band_rows_);
  half_ = base::round_up(band_rows_ * width, kSplitBlock);
  // Two halves, what a block of positions that begins anywhere has past the second, and so many
  // floats that it is an odd number of cache lines: no two share cache sets.
  pitch_ = 2 * half_ + kSplitBlock + kSplitBlock / 2;
  const std::int64_t position_bytes = 2 * kSplitBlock * kernels_.parts * steps_;
  run_ =
      std::clamp(kFoldPatchBytes / position_bytes / kSplitBlock * kSplitBlock, kSplitBlock, half_);
  run_ = base::round_up(base::divide_up(half_, base::divide_up(half_, run_)), kSplitBlock);
  tile_bands_ = base::divide_up(bands_, std::min(wanted, bands_));
  tiles_ = base::divide_up(bands_, tile_bands_);
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, tiles_ * geometry_.batch));
  slot_bytes_ = base::slot_bytes(2 * run_ * position_bytes + blocks_ * kSplitBlock * pitch_ * 4 +
                                 (geometry_.axes[2].out_size() + geometry_.out_channels) * 4 +
                                 (steps_ * kSplitBlock + kernels::kPatchTermsAhead) * 8 +
                                 std::int64_t{5} * 64);
}

void FoldConvolution::choose_terms() {
  const ConvolutionAxis& axis = geometry_.axes[2];
  row_.phases = row_.to_step = axis.phase(0).step;
  row_.rows = 1;
  row_.count = base::divide_up(axis.out_size(), row_.phases);
  row_.last = axis.out_size() - (row_.count - 1) * row_.phases;
  std::int64_t count = 0;
  for (std::int64_t p = 0; p < row_.phases; ++p) {
    const Phase phase = axis.phase(p);
    for (std::int64_t j = 0; j < phase.taps; ++j) {
      const auto [begin, end] = axis.inside(phase, phase.offset(j));
      row_.terms[count++] = {(phase.tap_class + j * axis.tap_step()) * pitch_ + phase.offset(j),
                             begin, std::max(begin, end)};
    }
    row_.term_end[p] = count;
  }
}

FoldConvolution::Slot FoldConvolution::slot_memory(std::byte* slots, unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  Slot result;
  result.patches =
      base::take<std::uint16_t>(memory, 2 * run_ * kSplitBlock * kernels_.parts * steps_);
  result.products = base::take<float>(memory, blocks_ * kSplitBlock * pitch_);
  result.sums = base::take<float>(memory, geometry_.axes[2].out_size());
  result.offsets =
      base::take<std::int64_t>(memory, steps_ * kSplitBlock + kernels::kPatchTermsAhead);
  result.bias = base::take<float>(memory, geometry_.out_channels);
  return result;
}

void FoldConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  pack_with_range(packed, slots_, blocks_, [&](std::int64_t block, SplitRange& range) {
    pack_block(static_cast<const std::byte*>(filter), block, packed, range);
  });
}

void FoldConvolution::pack_block(const std::byte* filter, std::int64_t block, std::byte* packed,
                                 SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t step = kernels_.parts * kernels::kSplitFilterPart;
  auto* to = reinterpret_cast<std::uint16_t*>(packed + kHeaderBytes) + block * steps_ * step;
  for (std::int64_t s = 0; s < steps_; ++s, to += step) {
    alignas(64) float rows[kSplitBlock * kSplitBlock] = {};
    const std::int64_t channels = std::min(kSplitBlock, g.in_channels - s * kSplitBlock);
    const std::int64_t count = std::min(kSplitBlock, columns_ - block * kSplitBlock);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t column = block * kSplitBlock + i;
      const std::int64_t w = base::take_digit(column, g.axes[2].window());
      const std::int64_t h = base::take_digit(column, g.axes[1].window());
      const std::int64_t offset = g.filter_origin + column * g.filter_out_stride +
                                  s * kSplitBlock * g.filter_in_stride + h * g.filter_strides[1] +
                                  w * g.filter_strides[2];
      float weights[kSplitBlock];
      rows_.load(data_type_)(filter + offset * element_bytes_, g.filter_in_stride, weights,
                             channels);
      for (std::int64_t c = 0; c < channels; ++c) rows[c * kSplitBlock + i] = weights[c];
    }
    unit_.split_pixels(rows, kSplitBlock, kSplitBlock, to, kernels::kSplitFilterPart, range);
  }
}

void FoldConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                std::byte* slots, SharedRange* ranges) const noexcept {
  base::parallel_tiles(slots_, tiles_ * geometry_.batch, [&](std::int64_t index, unsigned slot) {
    const Tile tile = locate(index);
    SplitRange seen;
    compute_tile(arguments, packed, tile, slot_memory(slots, slot), seen);
    ranges[tile.image].add(seen);
  });
}

FoldConvolution::Tile FoldConvolution::locate(std::int64_t index) const noexcept {
  Tile tile;
  tile.first_band = base::take_digit(index, tiles_) * tile_bands_;
  tile.band_count = std::min(tile_bands_, bands_ - tile.first_band);
  tile.image = index;
  return tile;
}

void FoldConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                   const Tile& tile, const Slot& slot,
                                   SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto* input = static_cast<const std::byte*>(arguments.inputs[0]) +
                      tile.image * g.in_batch_stride * element_bytes_;
  const std::int64_t end = tile.first_band + tile.band_count;
  load_bias(arguments, 0, 0, base::divide_up(g.out_channels, kSplitBlock), slot.bias);
  for (std::int64_t c = 0; c < g.in_channels; ++c) slot.offsets[c] = c * g.in_channel_stride;
  std::fill_n(slot.offsets + g.in_channels, kernels::kPatchTermsAhead, std::int64_t{0});
  ProductSide side = nothing_aside();
  Batch batch = after({tile.first_band, 0, 0});
  if (tile.first_band > 0) {  // the rows that the first windows reach back to
    batch = after({tile.first_band - 1, (band_rows_ - spread_) * g.axes[2].in_size(), 0});
  }
  std::uint16_t* patches = slot.patches;
  std::uint16_t* next_patches = patches + run_ * kSplitBlock * kernels_.parts * steps_;
  set_packing(input, batch, patches, slot, side);
  kernels_.pack(side);
  unit_.enter();
  while (batch.band < end) {
    const Batch next = after(batch);
    side.rows.terms = 0;
    if (next.band < end) set_packing(input, next, next_patches, slot, side);
    multiply(packed, batch, patches, slot, side);
    kernels_.pack(side);
    if (next.band > batch.band && batch.band >= tile.first_band) {
      fold_band(arguments, tile.image, batch.band, slot);
    }
    batch = next;
    std::swap(patches, next_patches);
  }
  unit_.leave();
  widen(range, side.range);
}

std::int64_t FoldConvolution::band_positions(std::int64_t band) const noexcept {
  return std::min(band_rows_, geometry_.axes[1].in_size() - band * band_rows_) *
         geometry_.axes[2].in_size();
}

FoldConvolution::Batch FoldConvolution::after(const Batch& batch) const noexcept {
  Batch next{batch.band, batch.first + batch.count, 0};
  if (next.first == band_positions(batch.band)) next = {batch.band + 1, 0, 0};
  if (next.band < bands_) next.count = std::min(run_, band_positions(next.band) - next.first);
  return next;
}

void FoldConvolution::set_packing(const std::byte* input, const Batch& batch, std::uint16_t* to,
                                  const Slot& slot, ProductSide& side) const noexcept {
  const std::int64_t band_size = band_rows_ * geometry_.axes[2].in_size();
  side.units = 0;
  side.units_a_step = base::divide_up(base::divide_up(batch.count, kSplitBlock) * kSplitBlock / 2,
                                      blocks_ * std::max<std::int64_t>(run_ / kSplitBlock, 1));
  side.rows = {.rows = input,
               .offsets = slot.offsets,
               .half = data_type_ == DataType::float16,
               .step = 1,
               .first = batch.band * band_size + batch.first,
               .length = INT64_MAX,
               .image_stride = 0,
               .terms = geometry_.in_channels,
               .positions = batch.count,
               .to = to,
               .block_stride = steps_ * kernels_.parts * kernels::kSplitPatchPart};
}

void FoldConvolution::multiply(const std::byte* packed, const Batch& batch,
                               const std::uint16_t* patches, const Slot& slot,
                               ProductSide& side) const noexcept {
  const std::int64_t patch_step = kernels_.parts * kernels::kSplitPatchPart;
  const std::int64_t filter_block = steps_ * kernels_.parts * kernels::kSplitFilterPart;
  const auto* const filter = reinterpret_cast<const std::uint16_t*>(packed + kHeaderBytes);
  float* const to = slot.products + batch.band % 2 * half_ + batch.first;
  for (std::int64_t n = 0; n < batch.count; n += kSplitBlock, patches += steps_ * patch_step) {
    for (std::int64_t k = 0; k < blocks_; ++k) {
      // Where half of the columns are none, so many products are left out.
      const std::int64_t outputs = std::min(kSplitBlock, columns_ - k * kSplitBlock);
      const bool whole = outputs > kSplitBlock / 2;
      kernels_.multiply({.filter = filter + k * filter_block,
                         .patches = patches,
                         .next = whole ? nullptr : patches + steps_ * patch_step,
                         .layout = {.step = patch_step},
                         .steps = steps_,
                         .chain = steps_,
                         .outputs = outputs,
                         .positions = kSplitBlock,
                         .acc = to + k * kSplitBlock * pitch_ + n,
                         .acc_stride = pitch_,
                         .first = true,
                         .all_products = all_products_,
                         .ahead = {}},
                        side);
    }
  }
}

// The rows of a phase whose inputs lie before the end of a band.
std::int64_t FoldConvolution::rows_ready(const Phase& phase, std::int64_t band) const noexcept {
  if (band < 0) return 0;
  if (band + 1 == bands_) return phase.count;
  if (phase.taps == 0) return 0;
  return std::clamp<std::int64_t>((band + 1) * band_rows_ - offset_range(phase)[1], 0, phase.count);
}

// All outputs whose last inputs are in the band.
void FoldConvolution::fold_band(const RunArguments& arguments, std::int64_t image,
                                std::int64_t band, const Slot& slot) const noexcept {
  const ConvolutionAxis& axis = geometry_.axes[1];
  for (std::int64_t output = 0; output < geometry_.out_channels; ++output) {
    for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
      const Phase phase = axis.phase(p);
      const std::int64_t end = rows_ready(phase, band);
      for (std::int64_t row = rows_ready(phase, band - 1); row < end; ++row) {
        fold_row(arguments, image, output, phase, row, slot);
      }
    }
  }
}

void FoldConvolution::fold_row(const RunArguments& arguments, std::int64_t image,
                               std::int64_t output, const Phase& phase, std::int64_t row,
                               const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const ConvolutionAxis &h = g.axes[1], &w = g.axes[2];
  auto* const to = static_cast<std::byte*>(arguments.outputs[0]) +
                   (image * g.out_batch_stride + output * g.out_channel_stride +
                    (phase.start + row * phase.step) * g.out_strides[1]) *
                       element_bytes_;
  const bool in_place = data_type_ == DataType::float32 && g.out_strides[2] == 1;
  float* const sums = in_place ? reinterpret_cast<float*>(to) : slot.sums;
  FoldRows rows = row_;
  rows.to = sums;
  for (std::int64_t j = 0; j < phase.taps; ++j) {
    const std::int64_t y = row + phase.offset(j);
    if (y < 0 || y >= h.in_size()) continue;
    const std::int64_t tap = phase.tap_class + j * h.tap_step();
    const float* const from = slot.products + (output * h.window() + tap) * w.window() * pitch_ +
                              y / band_rows_ % 2 * half_ + y % band_rows_ * w.in_size();
    rows.parts[rows.part_count++] = {from, 0, 1};
  }
  fold_rows_(rows);
  if (arguments.inputs[2] != nullptr) add_bias_(sums, w.out_size(), 1, slot.bias[output]);
  general_.activate(sums, w.out_size());
  if (!in_place) rows_.store(data_type_)(sums, to, g.out_strides[2], w.out_size());
}

}  // namespace weft::ops
