// What a tile of ConvolutionPlan reads: how it lies, and lists of terms over it.

#include <algorithm>
#include <cstdlib>

#include "base/checked.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

std::int64_t count_tap_ranges(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t ranges = 1;
  for (const ConvolutionAxis& axis : geometry.axes) {
    if (axis.phase_count() > 1) return 0;
    const Phase phase = axis.phase(0);
    std::int64_t changes = 0;
    for (std::int64_t t = 0; t < phase.count; t = axis.end_of_same_taps(phase, t)) {
      if (++changes * ranges > kMostTermLists) return 0;
    }
    ranges *= changes;
  }
  return ranges;
}

void ConvolutionPlan::lay_out(Tile& tile) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  // Few numbers a channel from channels far apart would crowd a few cache sets and pages. Where
  // there are many, all strips but the first wait for memory that a copy asks for in time. In
  // turns, one thread of Zen 3 and two, us, read in place and copied: 64 to 20, 4000, 7: 1930, 995
  // and 1200, 600; 64 to 12, 60x60, 2x2: 650, 390 and 410, 250. Vectors of AVX-512 were not
  // measured.
  constexpr std::int64_t kManyChannels = 16;
  const bool reads_channels = gemm_.lanes >= 16 || g.in_channels < kManyChannels;
  const bool near_channels = across_
                                 ? reads_channels && stays_in_first_cache(g, vectors_ * gemm_.lanes)
                                 : g.window() >= 16 || std::abs(g.in_channel_stride) <= 512;
  bool inside = data_type_ == DataType::float32 && !one_tap_ &&
                (joined_ ? !strips_apart_ : near_channels || padded_rows_);
  for (int d = 0; d < kSpatial; ++d) {
    const Phase& phase = tile.phases[d];
    auto [low, high] = offset_range(phase);
    if (d == kSpatial - 1 && tile.merged > 1) {
      low = merged_offsets_[0];
      high = merged_offsets_[1];
    }
    tile.windows[d] = AxisWindow::near_taps(phase, tile.first[d], tile.count[d], low, high);
    if (tiling_.tap_ranges > 0 || padded_rows_) {
      tile.windows[d].leave_out_padding(g.axes[d].in_size());
    }
    const std::int64_t first = tile.windows[d].lowest;
    inside = inside && first >= 0 && first + tile.windows[d].size <= g.axes[d].in_size();
    if (across_ && d == kSpatial - 1) inside = inside && phase.in_step * g.in_strides[d] == 1;
  }
  tile.in_place = inside;
  if (inside) {
    tile.element_strides = g.in_strides;
    tile.channel_stride = copies_strips_ ? copied_stride() : g.in_channel_stride;
    for (int d = 0; d < kSpatial; ++d) {
      tile.input += tile.windows[d].lowest * g.in_strides[d] * element_bytes_;
    }
    return;
  }
  for (int d = 0; d < kSpatial; ++d) {
    const bool merged = d == kSpatial - 1 && tile.merged > 1;
    const Phase& phase = tile.phases[d];
    if (merged || phase.taps == 0) continue;
    if (across_ && d == kSpatial - 1 && !joined_) {
      tile.windows[d] =
          AxisWindow::in_vectors(phase, tile.first[d], tile.count[d], kernels::kDirectColumns);
    } else if (across_ && d == kSpatial - 1 && phase.in_step != 1) {
      tile.windows[d] = AxisWindow::strided(phase, tile.first[d], tile.count[d]);
    } else if (tile.windows[d].size > tile.count[d] * phase.taps) {
      tile.windows[d] = AxisWindow::far_taps(phase, tile.first[d], tile.count[d]);
    }
  }
  if (one_tap_) {
    tile.element_strides = {0, 0, 1};  // strips follow each other, list_strips() knows where
    tile.channel_stride = tiling_.strip;
    return;
  }
  const std::int64_t pitch = tile.windows[2].size;
  tile.element_strides = {tile.windows[1].size * pitch, pitch, 1};
  tile.channel_stride = strips_apart_
                            ? vectors_ * gemm_.lanes
                            : plane_stride(tile.windows[0].size * tile.windows[1].size * pitch);
}

std::int64_t ConvolutionPlan::list_terms(const Tile& tile, const TermRange& range,
                                         std::int64_t channels,
                                         kernels::GemmTerm* terms) const noexcept {
  const std::int64_t columns = filter_.panel_rows();
  const std::int64_t taps_h = tile.phases[1].taps;
  const std::int64_t taps_w = tile.last[range.phase].taps;
  const std::int64_t taps = tile.phases[0].taps * taps_h * taps_w;
  const AxisWindow &wd = tile.windows[0], &wh = tile.windows[1], &ww = tile.windows[2];
  // Merged phases differ in their taps, and some have none.
  const auto column = [&](std::int64_t w) {
    return tile.merged > 1 ? w * tile.last[range.phase].offset_step : ww.tap(w);
  };
  kernels::GemmTerm* term = terms;
  for (std::int64_t d = range.taps[0][0]; d < range.taps[0][1]; ++d) {
    for (std::int64_t h = range.taps[1][0]; h < range.taps[1][1]; ++h) {
      const std::int64_t a =
          wd.tap(d) * tile.element_strides[0] + wh.tap(h) * tile.element_strides[1];
      const std::int64_t b = (d * taps_h + h) * taps_w;
      for (std::int64_t w = range.taps[2][0]; w < range.taps[2][1]; ++w) {
        const std::int64_t of_input = a + column(w) * tile.element_strides[2];
        const std::int64_t of_filter = (b + w) * columns;
        *term++ = across_ ? kernels::GemmTerm{of_filter, of_input}
                          : kernels::GemmTerm{of_input, of_filter};
      }
    }
  }
  // From channel to channel they are as far apart.
  const std::int64_t a = across_ ? taps * columns : tile.channel_stride;
  const std::int64_t b = across_ ? tile.channel_stride : taps * columns;
  for (const kernels::GemmTerm *last = terms, *end = terms + (term - terms) * channels;
       term != terms && term != end; ++term, ++last) {
    *term = {last->a + a, last->b + b};
  }
  return term - terms;
}

// Of strips that go on in the next row, by their positions in the first: how far each position lies
// from the first one.
void ConvolutionPlan::list_offsets(const Tile& tile, std::int64_t* offsets) const noexcept {
  const std::int64_t step = tile.windows[2].step * tile.element_strides[2];
  const std::int64_t row_step = tile.windows[1].step * tile.element_strides[1];
  const std::int64_t width = tile.count[2];
  for (std::int64_t left = 1; left < tiling_.strip && left <= width; ++left) {
    std::int64_t row = (left - width) * step;
    for (std::int64_t m = 0, w = width - left; m < tiling_.strip; ++m) {
      offsets[left * tiling_.strip + m] = row + w * step;
      if (++w == width) {
        w = 0;
        row += row_step;
      }
    }
  }
}

ConvolutionPlan::TermRange ConvolutionPlan::all_taps(const Tile& tile,
                                                     std::int64_t phase) noexcept {
  return {phase,
          {{{0, tile.phases[0].taps}, {0, tile.phases[1].taps}, {0, tile.last[phase].taps}}}};
}

// The list of these terms; of all taps where there is no room for another one.
std::int64_t ConvolutionPlan::list_of(TermRange range, const Tile& tile, std::int64_t channels,
                                      const Slot& slot, TermLists& lists) const noexcept {
  const auto find = [&] {
    return std::find(lists.ranges.begin(), lists.ranges.begin() + lists.count, range) -
           lists.ranges.begin();
  };
  const TermRange all = all_taps(tile, range.phase);
  // Sums that end at the bias do so with the last of all terms, whatever reads padding.
  if (adds_to_bias(tile.phases)) range = all;
  std::int64_t i = find();
  if (i == lists.count && lists.count + lists.reserved >= list_count_ && !(range == all)) {
    range = all;
    i = find();
  }
  if (i == lists.count) {
    if (range == all && !lists.has_all[range.phase]) {
      lists.has_all[range.phase] = true;
      --lists.reserved;
    }
    lists.ranges[i] = range;
    lists.depths[i] = list_terms(tile, range, channels, slot.terms + i * list_terms_);
    ++lists.count;
  }
  return i;
}

// All strips of a tile, each with its list of terms; strips that leave out the same taps share one.
std::int64_t ConvolutionPlan::list_strips(const Tile& tile, std::int64_t channels,
                                          const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = filter_.panel_rows();
  const std::int64_t most = tiling_.strip;
  TermLists lists(tile.merged);
  const std::int64_t step = tile.windows[2].step * tile.element_strides[2];
  const std::int64_t row_step = tile.windows[1].step * tile.element_strides[1];
  if (tiling_.wraps) list_offsets(tile, slot.offsets);
  const bool leaves_out = leaves_out_padding(tile);
  Strip* strip = slot.strips;
  const auto& [wd, wh, ww] = tile.windows;
  for (std::int64_t d = 0; d < tile.count[0]; ++d) {
    const auto taps_d = taps_inside(tile.phases[0], tile.first[0] + d, 1, g.axes[0].in_size());
    std::array<std::int64_t, 2> taps_before{};
    const auto taps_inside_row = [&](std::int64_t h) {
      return taps_inside(tile.phases[1], tile.first[1] + h, 1, g.axes[1].in_size());
    };
    const Strip* row_before = strip;
    for (std::int64_t h = 0, rows = 1; h < tile.count[1]; h += rows) {
      const auto taps_h = taps_inside_row(h);
      const Strip* const from = row_before;
      row_before = strip;
      if (h > 0 && taps_h == taps_before && !one_tap_ && !strips_apart_) {
        // As in the row before.
        for (const Strip* s = from; s != row_before; ++s, ++strip) {
          *strip = *s;
          strip->a += row_step;
          strip->acc += across_ ? tile.phases[1].step * g.out_strides[1]
                                : tile.count[2] * tile.merged * columns;
        }
        continue;
      }
      taps_before = taps_h;
      rows = 1;  // whose strips wrap
      if (tiling_.wraps) {
        while (h + rows < tile.count[1] && taps_inside_row(h + rows) == taps_h) ++rows;
      }
      const std::int64_t row = (d * tile.count[1] + h) * tile.count[2];
      const std::int64_t output_row =
          (tile.phases[0].start + (tile.first[0] + d) * tile.phases[0].step) * g.out_strides[0] +
          (tile.phases[1].start + (tile.first[1] + h) * tile.phases[1].step) * g.out_strides[1] +
          tile.phases[2].start + tile.first[2];
      const std::int64_t a = (d * wd.step + wd.origin) * tile.element_strides[0] +
                             (h * wh.step + wh.origin) * tile.element_strides[1];
      for (std::int64_t i = 0; i < tile.merged; ++i) {
        const Phase& phase = tile.last[i];
        const std::int64_t origin =
            tile.merged > 1 ? phase.first_offset - merged_offsets_[0] : ww.origin;
        const std::int64_t positions =
            rows > 1 ? rows * tile.count[2] : std::min(tile.count[2], phase.count - tile.first[2]);
        const auto strips_from = [&](std::int64_t from) {
          std::int64_t end = one_tap_ ? tile.count[2] : positions;
          if (tiling_.tap_ranges > 0) {
            end = std::min(end,
                           g.axes[2].end_of_same_taps(phase, tile.first[2] + from) - tile.first[2]);
          }
          return Strips(end - from, most);
        };
        Strips strips = strips_from(0);
        const Strips vectors(base::divide_up(tile.count[2], gemm_.lanes), vectors_);  // across
        std::int64_t w = 0, row_begin = 0, of_row = a;
        for (std::int64_t s = 0; w < positions; ++s) {
          if (s == strips.count) {
            strips = strips_from(w);
            s = 0;
          }
          while (w >= row_begin + tile.count[2]) {
            row_begin += tile.count[2];
            of_row += row_step;
          }
          std::int64_t count = strips.size(s);
          std::int64_t next = w + count;
          if (one_tap_) count = std::min(count, positions - w);  // a merged phase may have one less
          if (across_) {
            // Whole vectors: the last of a row go over some positions once more.
            count = vectors.size(s) * gemm_.lanes;
            next = w + count;
            w = std::min(w, tile.count[2] - count);
          }
          const std::int64_t left = row_begin + tile.count[2] - w;
          const auto taps_w =
              rows > 1 ? std::array<std::int64_t, 2>{0, phase.taps}
                       : taps_inside(phase, tile.first[2] + w, count, g.axes[2].in_size());
          const std::int64_t index =
              list_of({i, {taps_d, taps_h, taps_w}}, tile, channels, slot, lists);
          const std::int64_t first_tap = (tile.first[2] + w) * phase.in_step + phase.first_offset;
          const std::int64_t last_tap =
              first_tap + (count - 1) * phase.in_step + (phase.taps - 1) * phase.offset_step;
          const bool before = leaves_out && first_tap < 0;
          const bool after = leaves_out && last_tap >= g.axes[2].in_size();
          const bool padded_row =
              rows == 1 && (before || after) && taps_w[1] - taps_w[0] == kernels::kPaddedTaps;
          *strip++ = {
              .terms = slot.terms + index * list_terms_,
              .depth = lists.depths[index],
              .a = one_tap_ || strips_apart_
                       ? ((d * tile.count[1] + h) * strips.count + s) * channels * most
                       : of_row + ((w - row_begin) * ww.step + origin) * tile.element_strides[2],
              .acc = across_ ? output_row + w : ((row + w) * tile.merged + i) * columns,
              .function = across_        ? gemm_.tile(count / gemm_.lanes, columns, 1)
                          : left < count ? gemm_.offset_tile(vectors_, count)
                          : padded_row   ? gemm_.padded_row_tile(vectors_, count, step)
                                         : gemm_.tile(vectors_, count, step),
              .offsets = left < count ? slot.offsets + left * most : nullptr,
              .count = static_cast<std::int32_t>(count),
              .taps = static_cast<std::int32_t>(lists.depths[index] / channels),
              .phase = static_cast<std::int16_t>(i),
              .all_taps = lists.ranges[index] == all_taps(tile, i),
              .padded_before = before,
              .padded_after = after};
          w = next;
        }
      }
    }
  }
  return strip - slot.strips;
}

bool ConvolutionPlan::touches_padding(const Tile& tile) const noexcept {
  for (int d = 0; d < kSpatial; ++d) {
    const AxisWindow& window = tile.windows[d];
    const std::int64_t run = window.far ? window.tap_step : 1;
    const std::int64_t ends[] = {window.source(0), window.source(run - 1),
                                 window.source(window.size - run), window.source(window.size - 1)};
    for (const std::int64_t end : ends) {
      if (end < 0 || end >= geometry_.axes[d].in_size()) return true;
    }
  }
  return false;
}

}  // namespace weft::ops
