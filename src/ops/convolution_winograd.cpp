#include "ops/convolution_winograd.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitRange;
using kernels::WinogradRun;

namespace {

// Patches that threads share lie in all their caches; of more, each finds its own nearer. 256 to
// 256 channels, 56 x 56, of which two of four blocks were shared, 2.4 MB each: 3140 us, shared
// 3600.
constexpr std::int64_t kMostShared = 2 << 20;

// On a matrix unit two threads gain nothing. 128 to 128, 28 x 28, on 16 cores of a Xeon: 354 us,
// 275 shared; 256 to 256, 14 x 14: 518 and 440.
constexpr unsigned kManySlots = 4;

// As many runs as a block of tiles can have: each has a tile at least, and ends in the middle.
constexpr std::int64_t kMostRuns = kSplitBlock;

}  // namespace

WinogradConvolution::WinogradConvolution(const ConvolutionParams& params,
                                         const PlanOptions& options,
                                         const kernels::WinogradTile& outputs,
                                         const kernels::SplitKernels* unit,
                                         std::optional<WinogradVectors> vectors)
    : SplitPlan(params, options),
      kernels_(*kernels::winograd_kernels(base::choose_isa(options.max_isa), outputs)),
      gemm_(kernels::gemm_kernel(base::choose_isa(options.max_isa))),
      load_rows_(kernels::direct_kernels(base::choose_isa(options.max_isa)).load(data_type_)),
      images_(geometry_, outputs),
      tiling_(geometry_, outputs, WinogradTiling::products(base::choose_isa(options.max_isa), unit),
              slot_count(options, INT64_MAX), vectors),
      filter_(geometry_, images_, data_type_, rows_.load(data_type_), unit, kernels_, tiling_.few) {
  slots_ = slot_count(options, tiling_.shares.tiles());
  const std::int64_t blocks =
      base::divide_up(tiling_.block_rows * tiling_.block_columns, kSplitBlock);
  const std::int64_t number_bytes = unit != nullptr ? unit->parts * 2 : 4;
  patch_block_ = filter_.steps() * kSplitBlock * kSplitBlock * number_bytes;
  // A line between points keeps them out of each other's cache sets.
  patch_point_ = blocks * patch_block_ + 64;
  plane_remainder_ = base::round_up((tiling_.block_rows + 1) * tiling_.block_columns, 16) + 16;
  plane_point_ = outputs.rows * plane_remainder_;
  const TileShares& shares = tiling_.shares;
  const std::int64_t patch_bytes = outputs.points() * patch_point_;
  const bool pays = unit == nullptr || slots_ >= kManySlots;
  if (pays && shares.shares() > 1 && shares.whole() == 0 &&
      shares.units() * patch_bytes <= kMostShared) {
    shared_units_ = shares.units();
  }
  const bool own_patches = shared_units_ == 0;
  slot_bytes_ = base::slot_bytes(static_cast<std::uint64_t>(own_patches ? patch_bytes : 0) +
                                 2 * outputs.column_points() * plane_point_ * 4 +
                                 filter_.few() * blocks * block_sums() * 4 +
                                 (sums_floats() + result_floats() + row_floats()) * 4 +
                                 tiling_.shares.most_blocks() * kSplitBlock * 4 +
                                 blocks * kMostRuns * sizeof(WinogradRun) + (blocks + 1) * 8 + 576);
  set_memory(options, filter_.size_in_bytes(), slots_, slot_bytes_,
             static_cast<std::uint64_t>(shared_units_ * patch_bytes));
  explanation = "blocks of " + std::to_string(tiling_.block_rows) + " x " +
                std::to_string(tiling_.block_columns) + " tiles" +
                (tiling_.stacked ? " of stacked images" : "") + " x " +
                std::to_string(tiling_.shares.most_blocks() * kSplitBlock) + " channels, " +
                std::to_string(filter_.few() * kSplitBlock) + " channels at a time, vectors of " +
                (tiling_.along_channels() ? "channels, " : "tiles, ") +
                std::to_string(tiling_.shares.tiles()) + " blocks, " + std::to_string(slots_) +
                " slots";
}

std::int64_t WinogradConvolution::sums_floats() const noexcept {
  if (in_place()) return 0;
  return kSplitBlock * tiling_.block_rows * tiling_.block_columns * tiling_.tile.rows *
         tiling_.tile.columns;
}

std::int64_t WinogradConvolution::result_floats() const noexcept {
  if (!tiling_.along_channels()) return 0;
  return kSplitBlock *
         (kResultPositions + tiling_.tile.rows * tiling_.block_columns * tiling_.tile.columns);
}

std::int64_t WinogradConvolution::row_floats() const noexcept {
  if (images_.in_column_stride() == 1) return 0;
  const kernels::WinogradTile& tile = tiling_.tile;
  return (tiling_.block_rows * tile.rows + tile.row_taps - 1) *
             (tiling_.block_columns * tile.columns + tile.column_taps - 1) +
         kernels::kDirectColumns;
}

WinogradConvolution::Slot WinogradConvolution::slot_memory(std::byte* slots,
                                                           unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  const std::int64_t blocks =
      base::divide_up(tiling_.block_rows * tiling_.block_columns, kSplitBlock);
  Slot result{};
  if (shared_units_ == 0) {
    result.patches = base::take<std::byte>(memory, tiling_.tile.points() * patch_point_);
  }
  result.planes = base::take<float>(memory, 2 * tiling_.tile.column_points() * plane_point_);
  result.acc = base::take<float>(memory, filter_.few() * blocks * block_sums());
  result.sums = base::take<float>(memory, sums_floats());
  result.results = base::take<float>(memory, result_floats());
  result.rows = base::take<float>(memory, row_floats());
  result.bias = base::take<float>(memory, tiling_.shares.most_blocks() * kSplitBlock);
  result.runs = base::take<WinogradRun>(memory, blocks * kMostRuns);
  result.first_runs = base::take<std::int64_t>(memory, blocks + 1);
  return result;
}

void WinogradConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void WinogradConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                    std::byte* slots, SharedRange* ranges) const noexcept {
  if (shared_units_ > 0) pack_shared(arguments, slots, ranges);
  tiling_.shares.run(slots_, [&](const TileShares::Share& share, unsigned index, bool same_unit) {
    const Tile tile = locate(share);
    Slot slot = slot_memory(slots, index);
    if (shared_units_ > 0) {
      slot.patches = shared_patches(slots, share.unit);
    } else if (!same_unit) {
      pack_inputs(arguments, tile, slot, 0, filter_.steps() * kSplitBlock, ranges);
    }
    if (!same_unit) list_runs(arguments, tile, slot);
    compute_tile(arguments, packed, tile, slot);
  });
}

std::byte* WinogradConvolution::shared_patches(std::byte* slots, std::int64_t unit) const noexcept {
  return slots + slots_ * slot_bytes_ + unit * tiling_.tile.points() * patch_point_;
}

// 512 to 512 channels, 7 x 7, of which each thread would transform all inputs, on two cores of a
// Zen 5: 364 us, 347 by both.
void WinogradConvolution::pack_shared(const RunArguments& arguments, std::byte* slots,
                                      SharedRange* ranges) const noexcept {
  constexpr std::int64_t kChannels = 8;
  const std::int64_t parts = filter_.steps() * kSplitBlock / kChannels;
  base::parallel_parts(slots_, shared_units_ * parts, 0,
                       [&](std::int64_t index, unsigned slot, std::int64_t) {
                         const std::int64_t channel = index % parts * kChannels;
                         const std::int64_t unit = index / parts;
                         const Tile tile = locate({unit, 0, 1});
                         Slot memory = slot_memory(slots, slot);
                         memory.patches = shared_patches(slots, unit);
                         pack_inputs(arguments, tile, memory, channel, channel + kChannels, ranges);
                       });
}

WinogradConvolution::Tile WinogradConvolution::locate(
    const TileShares::Share& share) const noexcept {
  Tile tile{};
  std::int64_t index = share.unit;
  tile.first_out_block = share.first_block;
  tile.out_blocks = share.blocks;
  tile.first_column = base::take_digit(index, tiling_.column_blocks()) * tiling_.block_columns;
  const std::int64_t row = base::take_digit(index, tiling_.row_blocks()) * tiling_.block_rows;
  tile.group = base::take_digit(index, geometry_.groups);
  tile.rows = std::min(tiling_.block_rows, tiling_.cut_rows() - row);
  tile.columns = std::min(tiling_.block_columns, tiling_.columns - tile.first_column);
  // Rows of images that are not stacked are all of the first.
  tile.image = index + row / tiling_.image_rows();
  tile.first_row = row % tiling_.image_rows();
  tile.images = base::divide_up(tile.first_row + tile.rows, tiling_.image_rows());
  tile.count = tile.rows * tile.columns;
  tile.blocks = base::divide_up(tile.count, kSplitBlock);
  // Images that are stacked sum the same channels.
  const WinogradImages::Image first = images_.image(tile.image);
  tile.filter = filter_.number(first.filter, tile.group);
  tile.end = images_.channels();
  if (first.begin_tap < first.end_tap) {
    tile.begin = first.begin_tap * images_.of_slice() / kMostChain * kMostChain;
    tile.end = first.end_tap * images_.of_slice();
  }
  return tile;
}

void WinogradConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                       const Tile& tile, const Slot& slot) const noexcept {
  load_bias(arguments, tile.group, tile.first_out_block, tile.out_blocks, slot.bias);
  const std::int64_t end = tile.first_out_block + tile.out_blocks;
  for (std::int64_t block = tile.first_out_block; block < end;) {
    // Those that lie together.
    const std::int64_t blocks = std::min(filter_.few() - block % filter_.few(), end - block);
    multiply(packed, tile, block, blocks, slot);
    for (std::int64_t k = 0; k < blocks; ++k, ++block) {
      const BlockSums sums{.channel = block * kSplitBlock,
                           .acc = slot.acc + k * tile.blocks * block_sums(),
                           .bias = slot.bias + (block - tile.first_out_block) * kSplitBlock};
      tiling_.along_channels() ? store_channels(tile, sums, slot) : store_tiles(tile, sums, slot);
      if (!in_place()) store_sums(arguments, tile, sums.channel, slot.sums);
    }
  }
}

// The inputs of all tiles at all points.
void WinogradConvolution::pack_inputs(const RunArguments& arguments, const Tile& tile,
                                      const Slot& slot, std::int64_t first, std::int64_t end,
                                      SharedRange* ranges) const noexcept {
  std::array<SplitRange, WinogradTiling::kMostImages> seen{};
  std::array<WinogradImages::Image, WinogradTiling::kMostImages> images;
  std::array<WinogradImages::Input, WinogradTiling::kMostImages> inputs;
  for (std::int64_t i = 0; i < tile.images; ++i) images[i] = images_.image(tile.image + i);
  // Nothing else is written to some rows between images, whose results are dropped.
  if (tiling_.stacked) {
    std::fill_n(slot.planes, 2 * tiling_.tile.column_points() * plane_point_, 0.0f);
  }
  float* const odd_planes = slot.planes + tiling_.tile.column_points() * plane_point_;
  end = std::min(end, base::divide_up(tile.end, kSplitBlock) * kSplitBlock);
  const std::int64_t begin = std::max(first, tile.begin);
  const auto transform = [&](std::int64_t c, float* to) {
    const bool part_begins = c == begin || c % images_.of_part() == 0;
    for (std::int64_t i = 0; i < tile.images; ++i) {
      if (part_begins) {
        inputs[i] = images_.input(images[i], tile.group, c);
      } else {
        inputs[i].first += geometry_.in_channel_stride;
      }
    }
    transform_images(arguments, tile, inputs.data(), to, slot, seen.data());
  };
  for (std::int64_t c = begin; c < end; c += 2) {
    const bool has_even = c < images_.channels();
    const bool has_odd = c + 1 < images_.channels();
    if (has_even) transform(c, slot.planes);
    if (has_odd) transform(c + 1, odd_planes);
    transform_columns(tile, c, has_even ? slot.planes : nullptr, has_odd ? odd_planes : nullptr,
                      slot);
  }
  for (std::int64_t i = 0; i < tile.images; ++i) {
    ranges[images_.volume(tile.image + i)].add(seen[i]);
  }
}

// What a tile has of the image `i` after its first.
WinogradConvolution::Part WinogradConvolution::part_of(const Tile& tile,
                                                       std::int64_t i) const noexcept {
  const std::int64_t start = i * tiling_.image_rows() - tile.first_row;
  const std::int64_t begin = std::max<std::int64_t>(start, 0);
  return {.row = begin,
          .image_row = begin - start,
          .rows = std::min(tile.rows, start + tiling_.rows) - begin};
}

void WinogradConvolution::transform_images(const RunArguments& arguments, const Tile& tile,
                                           const WinogradImages::Input* inputs, float* to,
                                           const Slot& slot, SplitRange* ranges) const noexcept {
  const auto* const input = static_cast<const std::byte*>(arguments.inputs[0]);
  for (std::int64_t i = 0; i < tile.images; ++i) {
    const Part part = part_of(tile, i);
    if (part.rows <= 0) continue;  // the row between two images
    transform_rows(tile, part, inputs[i], input + inputs[i].first * element_bytes_,
                   to + part.row * tile.columns, slot, ranges[i]);
  }
}

void WinogradConvolution::transform_rows(const Tile& tile, const Part& part,
                                         const WinogradImages::Input& image, const std::byte* from,
                                         float* to, const Slot& slot,
                                         SplitRange& range) const noexcept {
  const kernels::WinogradTile& outputs = tiling_.tile;
  const std::int64_t first_row = part.image_row * outputs.rows + image.first_row;
  const std::int64_t rows = part.rows * outputs.rows + outputs.row_taps - 1;
  const std::int64_t row_stride = images_.in_row_stride();
  const std::byte* const first = from + first_row * row_stride * element_bytes_;
  kernels::WinogradRows result{.from = first,
                               .half = data_type_ == DataType::float16,
                               .row_stride = row_stride,
                               .next = geometry_.in_channel_stride,
                               .rows = rows,
                               .begin = std::clamp<std::int64_t>(-first_row, 0, rows),
                               .end = std::clamp<std::int64_t>(image.rows - first_row, 0, rows),
                               .size = image.columns,
                               .first = tile.first_column * outputs.columns + image.first_column,
                               .tiles = tile.columns,
                               .to = to,
                               .point_stride = plane_point_,
                               .remainder_stride = plane_remainder_};
  if (images_.in_column_stride() != 1) {
    // Those columns that the tiles read.
    const std::int64_t reach = tile.columns * outputs.columns + outputs.column_taps - 1;
    const std::int64_t begin = std::clamp<std::int64_t>(result.first, 0, result.size);
    const std::int64_t end = std::clamp<std::int64_t>(result.first + reach, 0, result.size);
    const std::int64_t columns = end - begin;
    if (columns > 0) {
      load_rows_({.from = first + (result.begin * row_stride + begin * images_.in_column_stride()) *
                                      element_bytes_,
                  .from_channel_stride = 0,
                  .from_row_stride = row_stride,
                  .from_stride = images_.in_column_stride(),
                  .to = slot.rows + result.begin * columns,
                  .to_odd = nullptr,
                  .to_channel_stride = 0,
                  .to_row_stride = columns,
                  .channels = 1,
                  .rows = result.end - result.begin,
                  .columns = columns});
    }
    result.from = slot.rows;
    result.half = false;
    result.row_stride = columns;
    result.next = 0;
    result.size = columns;
    result.first -= begin;
  }
  kernels_.transform_rows(result, range);
}

}  // namespace weft::ops
