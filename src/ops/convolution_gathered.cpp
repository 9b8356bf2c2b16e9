// Strips of ConvolutionPlan along vectors of output channels whose input is copied, term by term,
// to lie as products read it. They may then begin and end anywhere in the rows of a tile.

#include <algorithm>

#include "ops/convolution_plan.h"

namespace weft::ops {

// Strip::a: where the copies are, for one after the other; `source`: where they come from.
std::int64_t ConvolutionPlan::list_gathered(const Tile& tile, std::int64_t channels,
                                            const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = filter_.panel_rows(), most = tiling_.strip;
  const auto& [wd, wh, ww] = tile.windows;
  const std::int64_t step = ww.step * tile.element_strides[2];
  list_offsets(tile, slot.offsets);
  TermLists lists(tile.merged);
  Strip* strip = slot.strips;
  std::int64_t copied = 0;
  for (std::int64_t d = 0; d < tile.count[0]; ++d) {
    const auto taps_d = taps_inside(tile.phases[0], tile.first[0] + d, 1, g.axes[0].in_size());
    for (std::int64_t i = 0; i < tile.merged; ++i) {
      const Phase& phase = tile.last[i];
      const std::int64_t origin =
          tile.merged > 1 ? phase.first_offset - merged_offsets_[0] : ww.origin;
      const std::int64_t width = std::min(tile.count[2], phase.count - tile.first[2]);
      // A merged phase may have fewer positions a row than others.
      const std::int64_t rows = width == tile.count[2] ? tile.count[1] : 1;
      for (std::int64_t first_row = 0; first_row < tile.count[1]; first_row += rows) {
        const Strips strips(rows * width, most);
        std::int64_t h = first_row, w = 0;
        for (std::int64_t s = 0; s < strips.count; ++s, ++strip) {
          const std::int64_t count = strips.size(s), left = width - w;
          const std::int64_t last_row = h + (w + count - 1) / width;
          const auto taps_h =
              taps_inside(tile.phases[1], tile.first[1] + h, last_row - h + 1, g.axes[1].in_size());
          const auto taps_w =
              last_row > h ? std::array<std::int64_t, 2>{0, phase.taps}
                           : taps_inside(phase, tile.first[2] + w, count, g.axes[2].in_size());
          const std::int64_t index =
              list_of({i, {taps_d, taps_h, taps_w}}, tile, channels, slot, lists);
          const std::int64_t row = (d * tile.count[1] + h) * tile.count[2];
          *strip = {.terms = slot.terms + index * list_terms_,
                    .depth = lists.depths[index],
                    .a = one_tap_ ? (row + w) * channels : copied,
                    .source = (d * wd.step + wd.origin) * tile.element_strides[0] +
                              (h * wh.step + wh.origin) * tile.element_strides[1] + w * step +
                              origin * tile.element_strides[2],
                    .acc = ((row + w) * tile.merged + i) * columns,
                    .function = gemm_.gathered_tile(vectors_, count),
                    .offsets = left < count ? slot.offsets + left * most : nullptr,
                    .count = static_cast<std::int32_t>(count),
                    .taps = static_cast<std::int32_t>(lists.depths[index] / channels),
                    .phase = static_cast<std::int16_t>(i),
                    .all_taps = lists.ranges[index] == all_taps(tile, i)};
          copied += strip->depth * count;
          w += count;
          h += w / width;
          w %= width;
        }
      }
    }
  }
  return strip - slot.strips;
}

void ConvolutionPlan::gather_strips(const Tile& tile, const float* from, std::int64_t strips,
                                    const Slot& slot) const noexcept {
  const std::int64_t step = tile.windows[2].step * tile.element_strides[2];
  for (std::int64_t s = 0; s < strips; ++s) {
    const Strip& strip = slot.strips[s];
    gemm_.gather({.a = from + strip.source,
                  .terms = strip.terms,
                  .depth = strip.depth,
                  .a_step = step,
                  .a_offsets = strip.offsets},
                 strip.count, slot.packed + strip.a);
  }
}

}  // namespace weft::ops
