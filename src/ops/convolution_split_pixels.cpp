// Pixels and results of SplitConvolution: what goes into a tile and what comes out of it.

#include <algorithm>

#include "base/checked.h"
#include "ops/convolution_split.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitRange;
using kernels::SplitResult;

void SplitConvolution::split_blocks(const Tile& tile, const AxisTaps& h, const AxisTaps& w,
                                    const std::byte* input, std::int64_t first_block,
                                    std::int64_t block_count, const Slot& slot,
                                    SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const int whole = whole_plane(tile, w);
  for (std::int64_t b = 0; b < block_count; ++b) {
    const std::int64_t first_channel = (first_block + b) * kSplitBlock;
    const std::int64_t channels = std::min(kSplitBlock, g.in_channels - first_channel);
    const std::byte* block = input + first_channel * g.in_channel_stride * element_bytes_;
    if (channels < kSplitBlock) {
      std::fill(slot.rows + channels * kChunk, slot.rows + kSplitBlock * kChunk, 0.0f);
    }
    for (int rows = 0; rows < h.planes; ++rows) {
      for (std::int64_t i = 0; i < tile.rows + h.spread; ++i) {
        const std::int64_t y =
            (tile.first_row + h.lowest + i) * tile.inputs[1].in_step + h.remainder[rows];
        const bool inside = y >= 0 && y < g.axes[1].in_size();
        const std::byte* row = inside ? block + y * g.in_strides[1] * element_bytes_ : nullptr;
        const auto pixels = [&](int plane) {
          return slot.pixels + b * tile.block_stride +
                 ((rows * w.planes + plane) * tile.plane_size + i * tile.pitch) * kSplitBlock;
        };
        if (whole >= 0) split_row(tile, w, whole, row, channels, pixels(whole), slot, range);
        for (int plane = 0; plane < w.planes; ++plane) {
          if (plane == whole) continue;
          if (whole >= 0) {
            shift_row(tile, pixels(whole), w.remainder[plane] - w.remainder[whole], pixels(plane));
          } else {
            split_row(tile, w, plane, row, channels, pixels(plane), slot, range);
          }
        }
      }
    }
  }
}

// The plane that has all columns of the input, where the others are the same one shifted; -1: none.
int SplitConvolution::whole_plane(const Tile& tile, const AxisTaps& w) const noexcept {
  if (!columns_apart_ || tile.inputs[2].in_step != 1) return -1;
  for (int plane = 0; plane < w.planes; ++plane) {
    const std::int64_t first = w.remainder[plane] + w.lowest;  // column of pixel 0
    if (first <= 0 && first + tile.pitch >= geometry_.axes[2].in_size()) return plane;
  }
  return -1;
}

// to[u] = from[u + shift], both of them rows of all columns with padding around.
void SplitConvolution::shift_row(const Tile& tile, const std::uint16_t* from, std::int64_t shift,
                                 std::uint16_t* to) const noexcept {
  const std::int64_t end = std::clamp(tile.pitch - shift, std::int64_t{0}, tile.pitch);
  const std::int64_t begin = std::clamp(-shift, std::int64_t{0}, end);
  for (std::int64_t q = 0; q < kernels_.parts;
       ++q, from += tile.part_stride, to += tile.part_stride) {
    std::fill(to, to + begin * kSplitBlock, std::uint16_t{0});
    std::copy(from + (begin + shift) * kSplitBlock, from + (end + shift) * kSplitBlock,
              to + begin * kSplitBlock);
    std::fill(to + end * kSplitBlock, to + tile.pitch * kSplitBlock, std::uint16_t{0});
  }
}

// One row of a plane; `row` is null where it lies in the padding.
void SplitConvolution::split_row(const Tile& tile, const AxisTaps& w, int plane,
                                 const std::byte* row, std::int64_t channels, std::uint16_t* to,
                                 const Slot& slot, SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t step = tile.inputs[2].in_step;
  const std::int64_t remainder = w.remainder[plane];
  // Pixel u is input position (u + lowest) * step + remainder.
  const std::int64_t size = g.axes[2].in_size();
  std::int64_t begin = -base::floor_divide(remainder, step) - w.lowest;
  std::int64_t end = base::floor_divide(size - remainder - 1, step) + 1 - w.lowest;
  end = row == nullptr ? 0 : std::clamp(end, std::int64_t{0}, tile.pitch);
  begin = std::clamp(begin, std::int64_t{0}, end);
  for (std::int64_t q = 0; q < kernels_.parts; ++q) {
    std::uint16_t* part = to + q * tile.part_stride;
    std::fill(part, part + begin * kSplitBlock, std::uint16_t{0});
    std::fill(part + end * kSplitBlock, part + tile.pitch * kSplitBlock, std::uint16_t{0});
  }
  const std::int64_t stride = step * g.in_strides[2];
  const bool in_place = stride == 1 && channels == kSplitBlock;
  const std::int64_t chunk = in_place ? tile.pitch : kChunk;
  for (std::int64_t u = begin; u < end; u += chunk) {
    const std::int64_t count = std::min(chunk, end - u);
    const std::byte* from =
        row + ((u + w.lowest) * step + remainder) * g.in_strides[2] * element_bytes_;
    if (in_place && data_type_ == DataType::float16) {
      kernels_.split_half_pixels(reinterpret_cast<const std::uint16_t*>(from), g.in_channel_stride,
                                 count, to + u * kSplitBlock, tile.part_stride, range);
      continue;
    }
    if (in_place) {
      kernels_.split_pixels(reinterpret_cast<const float*>(from), g.in_channel_stride, count,
                            to + u * kSplitBlock, tile.part_stride, range);
      continue;
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      rows_.load(data_type_)(from + c * g.in_channel_stride * element_bytes_, stride,
                             slot.rows + c * kChunk, count);
    }
    kernels_.split_pixels(slot.rows, kChunk, count, to + u * kSplitBlock, tile.part_stride, range);
  }
}

// The first row of a tile in one output channel of a group.
std::byte* SplitConvolution::output_of(const RunArguments& arguments, const Tile& tile,
                                       std::int64_t channel) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Phase& ph = tile.phases[1];
  return static_cast<std::byte*>(arguments.outputs[0]) +
         (tile.image * g.out_batch_stride +
          (tile.group * g.out_channels + channel) * g.out_channel_stride +
          (ph.start + tile.first_row * ph.step) * g.out_strides[1] +
          tile.phases[2].start * g.out_strides[2]) *
             element_bytes_;
}

// Of the block of pixels from `first` of a tile's line on.
SplitResult SplitConvolution::result_of(const RunArguments& arguments, const Tile& tile,
                                        std::int64_t out_block, std::int64_t first,
                                        const float* acc, const float* bias) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t channel = (tile.first_out_block + out_block) * kSplitBlock;
  const std::int64_t row_stride = tile.phases[1].step * g.out_strides[1];
  std::byte* output = output_of(arguments, tile, channel);
  SplitResult result{.acc = acc,
                     .bias = bias,
                     .ramp = general_.ramp(),
                     .half = data_type_ == DataType::float16,
                     .outputs = std::min(kSplitBlock, g.out_channels - channel),
                     .output_stride = g.out_channel_stride,
                     .run_count = 0,
                     .runs = {},
                     .next = 0};
  const std::int64_t end = std::min(first + kSplitBlock, tile.rows * tile.pitch);
  for (std::int64_t at = first; at < end;) {
    const std::int64_t row = at / tile.pitch;
    const std::int64_t column = at % tile.pitch;
    const std::int64_t count = std::min(tile.phases[2].count - column, end - at);
    if (count > 0) {
      result.runs[result.run_count++] = {at - first, count,
                                         output + (row * row_stride + column) * element_bytes_};
    }
    at += tile.pitch - column;
  }
  return result;
}

void SplitConvolution::store(const RunArguments& arguments, const Tile& tile,
                             std::int64_t out_block, float* sums) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Phase& ph = tile.phases[1];
  const Phase& pw = tile.phases[2];
  const std::int64_t first = out_block * kSplitBlock;
  const std::int64_t channels = std::min(kSplitBlock, g.out_channels - first);
  for (std::int64_t o = 0; o < channels; ++o) {
    float* row = sums + o * line_;
    general_.finish(arguments, tile.group * g.out_channels + first + o, row,
                    tile.rows * tile.pitch);
    std::byte* to = output_of(arguments, tile, first + o);
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      rows_.store(data_type_)(row + r * tile.pitch,
                              to + r * ph.step * g.out_strides[1] * element_bytes_,
                              pw.step * g.out_strides[2], pw.count);
    }
  }
}

}  // namespace weft::ops
