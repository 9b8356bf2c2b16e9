// From sums at points to the outputs of WinogradConvolution.

#include <algorithm>

#include "base/checked.h"
#include "ops/convolution_winograd.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::WinogradRun;

// Where the outputs of each block of tiles belong: in the output, or in the slot's sums. Where
// vectors are of channels, all tiles are one block.
void WinogradConvolution::list_runs(const RunArguments& arguments, const Tile& tile,
                                    const Slot& slot) const noexcept {
  const kernels::WinogradTile& outputs = tiling_.tile;
  auto* const output = static_cast<std::byte*>(arguments.outputs[0]);
  const std::int64_t first_column = tile.first_column * outputs.columns;
  std::int64_t seen = -1;
  WinogradImages::Image image{};
  const std::int64_t block = tiling_.along_channels() ? tile.count : kSplitBlock;
  const std::int64_t half = tiling_.along_channels() ? block : block / 2;
  std::int64_t run = 0;
  slot.first_runs[0] = 0;
  for (std::int64_t n = 0; n * block < tile.count; ++n) {
    const std::int64_t end = std::min((n + 1) * block, tile.count);
    for (std::int64_t at = n * block; at < end;) {
      const std::int64_t tile_row = at / tile.columns;
      const std::int64_t index = (tile.first_row + tile_row) / tiling_.image_rows();
      if (index != seen) image = images_.image(tile.image + index);
      seen = index;
      const std::int64_t row = (tile.first_row + tile_row) % tiling_.image_rows() * outputs.rows;
      const std::int64_t column = at % tile.columns * outputs.columns;
      const std::int64_t middle = (at / half + 1) * half;
      const std::int64_t count =
          std::min({tile.columns - at % tile.columns, end - at, middle - at});
      at += count;
      const std::int64_t rows = image.rows - row;
      const std::int64_t columns =
          std::min(count * outputs.columns, image.columns - first_column - column);
      if (rows <= 0 || columns <= 0) continue;  // between two images, or of larger ones alone
      void* to = slot.sums + tile_row * outputs.rows * tile.columns * outputs.columns + column;
      if (in_place()) {
        to = output +
             (image.out + row * images_.out_row_stride() + first_column + column) * element_bytes_;
      }
      slot.runs[run++] = {.first = at - count - n * block,
                          .columns = columns,
                          .rows = std::min(outputs.rows, rows),
                          .to = to};
    }
    slot.first_runs[n + 1] = run;
  }
}

WinogradConvolution::Place WinogradConvolution::place_of(const Tile& tile,
                                                         std::int64_t channel) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t outputs = outputs_of(channel);
  if (!in_place()) {
    return {.outputs = outputs,
            .offset = 0,
            .output_stride = sums_floats() / kSplitBlock,
            .row_stride = tile.columns * tiling_.tile.columns,
            .half = false};
  }
  return {.outputs = outputs,
          .offset = (tile.group * g.out_channels + channel) * g.out_channel_stride,
          .output_stride = g.out_channel_stride,
          .row_stride = images_.out_row_stride(),
          .half = data_type_ == DataType::float16};
}

void WinogradConvolution::store_tiles(const Tile& tile, const BlockSums& sums,
                                      const Slot& slot) const noexcept {
  const Place place = place_of(tile, sums.channel);
  for (std::int64_t n = 0; n < tile.blocks; ++n) {
    kernels_.store({.acc = sums.acc + n * block_sums(),
                    .acc_output_stride = row_sums(),
                    .scale = 1 / filter_.scale(),
                    .bias = sums.bias,
                    .ramp = general_.ramp(),
                    .half = place.half,
                    .outputs = place.outputs,
                    .output_offset = place.offset,
                    .output_stride = place.output_stride,
                    .row_stride = place.row_stride,
                    .runs = slot.runs + slot.first_runs[n],
                    .run_count = slot.first_runs[n + 1] - slot.first_runs[n]});
  }
}

// Runs that follow each other in memory are one row of positions for the transposition.
void WinogradConvolution::store_channels(const Tile& tile, const BlockSums& sums,
                                         const Slot& slot) const noexcept {
  const Place place = place_of(tile, sums.channel);
  const std::int64_t bytes = place.half ? 2 : 4;
  const WinogradRun* const end = slot.runs + slot.first_runs[1];
  for (const WinogradRun* run = slot.runs; run != end;) {
    std::byte* const to = static_cast<std::byte*>(run->to) + place.offset * bytes;
    const std::int64_t columns = run->columns;
    const void* next;
    std::int64_t rows = 0;
    do {
      kernels_.store_channels({.acc = sums.acc + run->first * row_sums(),
                               .acc_tile_stride = row_sums(),
                               .bias = sums.bias,
                               .ramp = general_.ramp(),
                               .channels = place.outputs,
                               .rows = run->rows,
                               .columns = columns,
                               .to = slot.results + rows * columns * kSplitBlock,
                               .row_stride = columns * kSplitBlock});
      rows += run->rows;
      next = static_cast<const std::byte*>(run->to) + run->rows * place.row_stride * bytes;
      ++run;
    } while (run != end && run->to == next && run->columns == columns &&
             rows * columns < kResultPositions);
    const bool follow = columns == place.row_stride;
    const std::int64_t lines = follow ? 1 : rows;
    for (std::int64_t line = 0; line < lines; ++line) {
      std::byte* const line_to = to + line * place.row_stride * bytes;
      gemm_.transpose({.from = slot.results + line * columns * kSplitBlock,
                       .to = reinterpret_cast<float*>(line_to),
                       .half = place.half ? reinterpret_cast<std::uint16_t*>(line_to) : nullptr,
                       .from_stride = kSplitBlock,
                       .to_stride = place.output_stride,
                       .rows = follow ? rows * columns : columns,
                       .columns = place.outputs});
    }
  }
}

// Activations and outputs of a block of output channels, from `channel` of the group on.
void WinogradConvolution::store_sums(const RunArguments& arguments, const Tile& tile,
                                     std::int64_t channel, float* sums) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t pitch = tile.columns * tiling_.tile.columns;
  const std::int64_t first_column = tile.first_column * tiling_.tile.columns;
  const std::int64_t channels = outputs_of(channel);
  for (std::int64_t i = 0; i < tile.images; ++i) {
    const Part part = part_of(tile, i);
    const WinogradImages::Image image = images_.image(tile.image + i);
    const std::int64_t columns = std::min(pitch, image.columns - first_column);
    if (columns <= 0) continue;
    const std::int64_t first_row = part.image_row * tiling_.tile.rows;
    const std::int64_t rows = std::min(part.rows * tiling_.tile.rows, image.rows - first_row);
    for (std::int64_t o = 0; o < channels; ++o) {
      float* from = sums + o * (sums_floats() / kSplitBlock) + part.row * tiling_.tile.rows * pitch;
      std::byte* to =
          static_cast<std::byte*>(arguments.outputs[0]) +
          (image.out + (tile.group * g.out_channels + channel + o) * g.out_channel_stride +
           first_row * images_.out_row_stride() + first_column * images_.out_column_stride()) *
              element_bytes_;
      for (std::int64_t row = 0; row < rows; ++row, from += pitch) {
        if (!plain_results_) general_.activate(from, columns);
        rows_.store(data_type_)(from, to + row * images_.out_row_stride() * element_bytes_,
                                images_.out_column_stride(), columns);
      }
    }
  }
}

}  // namespace weft::ops
