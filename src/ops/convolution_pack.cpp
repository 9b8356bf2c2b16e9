// Padded copies of input rows for a tile of ConvolutionPlan.

#include <algorithm>
#include <array>

#include "base/fetch.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Rows of one channel are too short for the processor to foresee those of channels further on.
constexpr std::int64_t kAhead = 8;

// Of a layer with one tap, whose rows are read once; not where their elements lie far apart. `row`:
// its first element; `distance`: from one that is read to the next.
[[gnu::always_inline]] inline void fetch_row(const std::byte* row, const AxisWindow& columns,
                                             std::int64_t distance, std::int64_t element_bytes) {
  constexpr std::int64_t kNear = 8;
  if (distance > kNear) return;
  base::fetch(row + std::max<std::int64_t>(columns.lowest, 0) * element_bytes,
              columns.size * distance * element_bytes);
}

}  // namespace

void ConvolutionPlan::pad_plane(const Tile& tile, const float* from, float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow& rows = tile.windows[1];
  const AxisWindow& columns = tile.windows[2];
  const auto inside = [&](const AxisWindow& window, int axis) {
    const std::int64_t begin = std::clamp<std::int64_t>(-window.lowest, 0, window.size);
    const std::int64_t end = std::clamp(g.axes[axis].in_size() - window.lowest, begin, window.size);
    return std::array{begin, end};
  };
  const auto [top, bottom] = inside(rows, 1);
  const auto [left, right] = inside(columns, 2);
  const std::int64_t pitch = tile.element_strides[1];
  std::fill_n(to, top * pitch, 0.0f);
  std::fill(to + bottom * pitch, to + rows.size * pitch, 0.0f);
  gemm_.pad_rows({.from = from + (rows.lowest + top) * g.in_strides[1] + columns.lowest + left,
                  .to = to + top * pitch,
                  .from_stride = g.in_strides[1],
                  .to_stride = pitch,
                  .rows = bottom - top,
                  .before = left,
                  .count = right - left,
                  .size = pitch});
}

// Of channels that are packed after some strips, where what a tile reads of each is one run.
LinesAhead ConvolutionPlan::input_ahead(const Tile& tile, std::int64_t first_channel,
                                        std::int64_t channels, std::int64_t strips) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow &rows = tile.windows[1], &columns = tile.windows[2];
  channels = std::min(channels, g.in_channels - first_channel);
  if (channels <= 0 || (tile.in_place && !padded_rows_) || g.axes[0].in_size() > 1 || rows.far ||
      columns.far || g.in_strides[2] != 1) {
    return {};
  }
  const auto inside = [&](const AxisWindow& window, int axis) {
    const std::int64_t begin = std::max<std::int64_t>(window.lowest, 0);
    return std::array{begin, std::min(window.lowest + window.size, g.axes[axis].in_size())};
  };
  const auto [top, bottom] = inside(rows, 1);
  const auto [left, right] = inside(columns, 2);
  if (top >= bottom || left >= right || (bottom - top > 1 && right - left < g.axes[2].in_size())) {
    return {};
  }
  // Of what is read in place, the tile's input is the first element.
  const std::int64_t first = tile.in_place ? 0 : top * g.in_strides[1] + left;
  const std::int64_t size = (bottom - 1 - top) * g.in_strides[1] + right - left;
  return {tile.input + (first_channel * g.in_channel_stride + first) * element_bytes_, channels,
          g.in_channel_stride * element_bytes_, size * element_bytes_, strips};
}

// Of the first channels of the tile that the thread is likely to compute next.
LinesAhead ConvolutionPlan::next_tile_ahead(const RunArguments& arguments, const Tile& tile,
                                            std::int64_t strips) const noexcept {
  if (tile.index + slots_ >= tile_count_) return {};
  Tile next = locate(tile.index + slots_);
  if (next.box == tile.box) return {};
  next.input = input_of(arguments, next);
  lay_out(next);
  return input_ahead(next, 0, tiling_.channel_block, strips);
}

// A row of one channel as the terms read it, padded. With `fetches`, that of a channel kAhead
// further on is brought nearer.
void ConvolutionPlan::pack_row(const Tile& tile, const std::byte* channel, std::int64_t d,
                               std::int64_t h, bool fetches, float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow& ww = tile.windows[2];
  const std::int64_t in_d = tile.windows[0].source(d), in_h = tile.windows[1].source(h);
  if (in_d < 0 || in_d >= g.axes[0].in_size() || in_h < 0 || in_h >= g.axes[1].in_size()) {
    std::fill_n(to, ww.size, 0.0f);
    return;
  }
  const std::byte* row =
      channel + (in_d * g.in_strides[0] + in_h * g.in_strides[1]) * element_bytes_;
  // Runs of a row of planes: all of it, or with far taps one tap's elements.
  const std::int64_t run = ww.far ? ww.tap_step : ww.size;
  const std::int64_t step = ww.far ? ww.in_step : 1;
  if (fetches) {
    fetch_row(row + kAhead * g.in_channel_stride * element_bytes_, ww, step * g.in_strides[2],
              element_bytes_);
  }
  const std::int64_t in_size = g.axes[2].in_size();
  for (std::int64_t first = 0; first < ww.size; first += run, to += run) {
    // Element i of the run is input position source + i * step.
    const std::int64_t source = ww.source(first);
    const std::int64_t begin =
        std::clamp<std::int64_t>((-source + step - 1) / step, 0, source < 0 ? run : 0);
    const std::int64_t end =
        source >= in_size ? begin
                          : std::clamp<std::int64_t>((in_size - source - 1) / step + 1, begin, run);
    std::fill(to, to + begin, 0.0f);
    if (begin < end) {
      rows_.load(data_type_)(row + (source + begin * step) * g.in_strides[2] * element_bytes_,
                             step * g.in_strides[2], to + begin, end - begin);
    }
    std::fill(to + end, to + run, 0.0f);
  }
}

// Where a tile reads no padding: from an element of a row that its one tap reads to the next, if
// that is so near that rows can be loaded many at a time; else 0.
std::int64_t ConvolutionPlan::stride_at_once(const Tile& tile) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  for (int d = 0; d < kSpatial; ++d) {
    const AxisWindow& w = tile.windows[d];
    if (w.lowest < 0 || w.source(w.size - 1) >= g.axes[d].in_size()) return 0;
  }
  const AxisWindow& ww = tile.windows[2];
  const std::int64_t stride = (ww.far ? ww.in_step : 1) * g.in_strides[2];
  return stride == 1 || stride == 2 ? stride : 0;
}

// Rows cut into strips, those of some channels by one call: strips are short. Where these are
// gathered, they go on in the next row.
void ConvolutionPlan::pack_strips(const Tile& tile, std::int64_t first_channel,
                                  std::int64_t channels, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow &wd = tile.windows[0], &wh = tile.windows[1], &ww = tile.windows[2];
  const std::int64_t most = tiling_.strip;
  const Strips strips((tiling_.gathers ? tile.count[1] : 1) * tile.count[2], most);
  const std::int64_t stride = stride_at_once(tile);
  const bool in_place = data_type_ == DataType::float32 && stride == 1;
  for (std::int64_t first = 0; first < channels; first += kChannelsTogether) {
    const std::int64_t together = std::min(kChannelsTogether, channels - first);
    const std::byte* const channel =
        tile.input + (first_channel + first) * g.in_channel_stride * element_bytes_;
    float* to = slot.planes;
    std::int64_t strip = 0, packed = 0;  // of the strip
    for (std::int64_t d = 0; d < wd.size; ++d) {
      for (std::int64_t h = 0; h < wh.size; ++h) {
        const float* from = slot.row;
        if (stride > 0) {
          const std::int64_t row = wd.source(d) * g.in_strides[0] + wh.source(h) * g.in_strides[1];
          const std::int64_t begin = row + ww.lowest * g.in_strides[2];
          for (std::int64_t c = together;
               c < std::min(2 * together, g.in_channels - first_channel - first); ++c) {
            fetch_row(channel + (c * g.in_channel_stride + row) * element_bytes_, ww, stride,
                      element_bytes_);
          }
          if (in_place) {
            from = reinterpret_cast<const float*>(channel) + begin;
          } else {
            load_rows_({.from = channel + begin * element_bytes_,
                        .from_channel_stride = g.in_channel_stride,
                        .from_row_stride = 0,
                        .from_stride = stride,
                        .to = slot.row,
                        .to_odd = nullptr,
                        .to_channel_stride = ww.size,
                        .to_row_stride = 0,
                        .channels = together,
                        .rows = 1,
                        .columns = ww.size});
          }
        } else {
          for (std::int64_t c = 0; c < together; ++c) {
            pack_row(tile, channel + c * g.in_channel_stride * element_bytes_, d, h,
                     first_channel + first + c + kAhead < g.in_channels, slot.row + c * ww.size);
          }
        }
        for (std::int64_t w = 0, count; w < tile.count[2]; w += count) {
          const std::int64_t size = strips.size(strip), row = tiling_.gathers ? size : most;
          count = std::min(size - packed, tile.count[2] - w);
          gemm_.pad_rows({.from = from + w,
                          .to = to + first * row + packed,
                          .from_stride = in_place ? g.in_channel_stride : ww.size,
                          .to_stride = row,
                          .rows = together,
                          .before = 0,
                          .count = count,
                          .size = count});
          packed += count;
          if (packed < size) continue;
          packed = 0;
          to += channels * row;
          if (++strip == strips.count) strip = 0;
        }
      }
    }
  }
}

void ConvolutionPlan::pack_planes(const Tile& tile, std::int64_t first_channel,
                                  std::int64_t channels, const Slot& slot) const noexcept {
  if (one_tap_) return pack_strips(tile, first_channel, channels, slot);
  float* planes = slot.planes;
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow &wd = tile.windows[0], &wh = tile.windows[1], &ww = tile.windows[2];
  // Rows as they lie, one after the other.
  const bool plain = data_type_ == DataType::float32 && g.in_strides[2] == 1 && !ww.far && !wh.far;
  if (tile.channel_stride == kRowOfChannels && !touches_padding(tile)) {
    const std::int64_t from = first_channel * g.in_channel_stride + wd.source(0) * g.in_strides[0] +
                              wh.source(0) * g.in_strides[1] + ww.source(0) * g.in_strides[2];
    return rows_.load(data_type_)(tile.input + from * element_bytes_, g.in_channel_stride, planes,
                                  channels);
  }
  const bool fetches = most_taps(g) == 1;
  // Only a line has room for the whole vectors that this writes.
  const std::int64_t stride = joined_ ? stride_at_once(tile) : 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::byte* channel =
        tile.input + (first_channel + c) * g.in_channel_stride * element_bytes_;
    for (std::int64_t d = 0; d < wd.size; ++d) {
      float* const to = planes + c * tile.channel_stride + d * tile.element_strides[0];
      const std::int64_t in_d = wd.source(d);
      if (stride > 0) {
        const std::byte* row = channel + in_d * g.in_strides[0] * element_bytes_;
        for (std::int64_t h = 0; first_channel + c + kAhead < g.in_channels && h < wh.size; ++h) {
          fetch_row(row + (kAhead * g.in_channel_stride + wh.source(h) * g.in_strides[1]) *
                              element_bytes_,
                    ww, stride, element_bytes_);
        }
        load_rows_({.from = row + (wh.lowest * g.in_strides[1] + ww.lowest * g.in_strides[2]) *
                                      element_bytes_,
                    .from_channel_stride = 0,
                    .from_row_stride = (wh.far ? wh.in_step : 1) * g.in_strides[1],
                    .from_stride = stride,
                    .to = to,
                    .to_odd = nullptr,
                    .to_channel_stride = 0,
                    .to_row_stride = tile.element_strides[1],
                    .channels = 1,
                    .rows = wh.size,
                    .columns = ww.size});
        continue;
      }
      if (plain && in_d >= 0 && in_d < g.axes[0].in_size()) {
        pad_plane(tile, reinterpret_cast<const float*>(channel) + in_d * g.in_strides[0], to);
        continue;
      }
      for (std::int64_t h = 0; h < wh.size; ++h) {
        pack_row(tile, channel, d, h, fetches && first_channel + c + kAhead < g.in_channels,
                 to + h * tile.element_strides[1]);
      }
    }
  }
}

}  // namespace weft::ops
