// Products of ConvolutionPlan with positions along vectors, of windows of several taps, and the
// copies of input rows that they read.

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "kernels/gemm/strips.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Input of strips of kAcrossVectors that stays in the first-level cache while all panels pass by.
// Fewer panels write so few pieces that nothing is gained by runs.
constexpr std::int64_t kNearStripBytes = 24 << 10, kNearStrips = 16;
constexpr std::int64_t kFewPanels = 2;

// Up to so many panels hardly take longer than what the next strips read: a line of each channel
// comes with each strip, with terms that bring no lines of sums. All at once they would take as
// long as not to be fetched. One thread of Zen 4 with AVX2 and two, us: 32 to 16, 112x112: 280, so
// 222, and 143, 114; 24 to 16: 216, 187, and 110, 95.
constexpr std::int64_t kPanelsByLines = 8;

// Results of a tile, a channel: of fewer, what is fetched beside them another thread is writing to.
// In turns, us, two threads: 16 to 96, 50x50 in tiles of 240: 119, fetched 130. Of AMD, 24 to 144,
// 56x56 in tiles of 336: 240, fetched 199; 64 to 256, 28x28 in tiles of 196: 178 and 161.
constexpr std::int64_t kLongResultRun = 512, kLongRunOfAmd = 128;

// A sum of more terms is not a short one.
constexpr std::int64_t kLongSum = 32;

}  // namespace

// Of sums across: all channels, with zeros where a layer or a row lies outside.
void ConvolutionPlan::pack_runs(const Tile& tile, float* planes) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [wd, wh, ww] = tile.windows;
  const std::int64_t pitch = tile.element_strides[1];
  const std::int64_t top = std::clamp<std::int64_t>(-wh.lowest, 0, wh.size);
  const std::int64_t bottom = std::clamp(g.axes[1].in_size() - wh.lowest, top, wh.size);
  for (std::int64_t d = 0; d < wd.size; ++d) {
    float* const layer = planes + d * tile.element_strides[0];
    const std::int64_t in_d = wd.source(d);
    const bool inside = in_d >= 0 && in_d < g.axes[0].in_size();
    for (std::int64_t c = 0; c < g.in_channels; ++c) {
      float* const plane = layer + c * tile.channel_stride;
      std::fill_n(plane, (inside ? top : wh.size) * pitch, 0.0f);
      if (inside) std::fill(plane + bottom * pitch, plane + wh.size * pitch, 0.0f);
    }
    if (!inside) continue;
    const std::int64_t offset = in_d * g.in_strides[0] + (wh.lowest + top) * g.in_strides[1];
    pack_rows(tile, tile.input + offset * element_bytes_, bottom - top, layer + top * pitch);
  }
}

// Some rows of all channels, run by run; those of neighbours together, where they are inside.
void ConvolutionPlan::pack_rows(const Tile& tile, const std::byte* from, std::int64_t row_count,
                                float* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const AxisWindow& ww = tile.windows[2];
  const std::int64_t pitch = tile.element_strides[1], in_size = g.axes[2].in_size();
  const std::int64_t step = ww.far ? ww.in_step : 1, run = ww.run();
  // Loading a run may write as many zeros after it as a vector has lanes but one.
  const std::int64_t most = run - kernels::kDirectColumns + 1;
  // Of a run, whose element i is input position source + i * step, those inside.
  const auto inside_of = [&](std::int64_t first) {
    const std::int64_t source = ww.source(first);
    const std::int64_t begin = source < 0 ? std::min(base::divide_up(-source, step), most) : 0;
    const std::int64_t end = source >= in_size
                                 ? begin
                                 : std::clamp(base::divide_up(in_size - source, step), begin, most);
    return std::array{begin, end};
  };
  // Calls use(from, to) for the rows, from an offset in elements and one in floats on.
  const auto each_row = [&](std::int64_t from_offset, std::int64_t to_offset, const auto& use) {
    for (std::int64_t c = 0; c < g.in_channels; ++c) {
      for (std::int64_t h = 0; h < row_count; ++h) {
        const std::int64_t row = c * g.in_channel_stride + h * g.in_strides[1] + from_offset;
        use(from + row * element_bytes_, to + c * tile.channel_stride + h * pitch + to_offset);
      }
    }
  };
  const auto load = [&](std::int64_t first, std::int64_t i, std::int64_t end) {
    if (i >= end) return;
    const std::int64_t offset = (ww.source(first) + i * step) * g.in_strides[2];
    const std::int64_t stride = step * g.in_strides[2];
    if (stride <= 2) {
      return load_rows_({.from = from + offset * element_bytes_,
                         .from_channel_stride = g.in_channel_stride,
                         .from_row_stride = g.in_strides[1],
                         .from_stride = stride,
                         .to = to + first + i,
                         .to_odd = nullptr,
                         .to_channel_stride = tile.channel_stride,
                         .to_row_stride = pitch,
                         .channels = g.in_channels,
                         .rows = row_count,
                         .columns = end - i});
    }
    each_row(offset, first + i, [&](const std::byte* row, float* row_to) {
      rows_.load(data_type_)(row, stride, row_to, end - i);
    });
  };
  const auto clear = [&](std::int64_t first, std::int64_t i, std::int64_t end) {
    if (i >= end) return;
    each_row(0, first + i, [&](const std::byte*, float* row_to) {
      for (std::int64_t n = 0; n < end - i; ++n) row_to[n] = 0.0f;
    });
  };
  const std::int64_t last = ww.size - run;
  const bool neighbours = data_type_ == DataType::float32 && last >= 3 * run &&
                          ww.in_tap_step == 1 && g.in_strides[2] == 1;
  const std::int64_t together = inside_of(0)[0];
  const std::int64_t stop = neighbours ? std::max(together, inside_of(last)[1]) : together;
  // Every other element each: both runs of a row at once.
  if (last == run && step == 2 && ww.in_tap_step == 1 && g.in_strides[2] == 1) {
    const auto ends = std::array{inside_of(0), inside_of(run)};
    const std::int64_t first = std::max<std::int64_t>(ww.lowest, 0);
    const std::int64_t end =
        std::max(ww.source(0) + ends[0][1] * 2, ww.source(run) + ends[1][1] * 2) - 1;
    const std::int64_t odd = (first - ww.lowest) % 2, at = (first - ww.lowest) / 2;
    if (first < end) {
      load_rows_({.from = from + first * element_bytes_,
                  .from_channel_stride = g.in_channel_stride,
                  .from_row_stride = g.in_strides[1],
                  .from_stride = 2,
                  .to = to + odd * run + at,
                  .to_odd = to + (1 - odd) * run + at + odd,
                  .to_channel_stride = tile.channel_stride,
                  .to_row_stride = pitch,
                  .channels = g.in_channels,
                  .rows = row_count,
                  .columns = end - first});
    }
    for (std::int64_t i = 0; i < 2; ++i) {
      clear(i * run, 0, ends[i][0]);
      clear(i * run, ends[i][1], most);
    }
    return;
  }
  for (std::int64_t first = 0; first < ww.size; first += run) {
    const auto [begin, end] = inside_of(first);
    clear(first, 0, begin);
    load(first, begin, together < stop ? together : end);
    if (together < stop) load(first, stop, end);
    clear(first, end, most);
  }
  if (together >= stop) return;
  each_row(ww.lowest + together * step, together, [&](const std::byte* row, float* row_to) {
    transpose_({.from = row,
                .from_row = step,
                .to = row_to,
                .to_row = run,
                .rows = last / run + 1,
                .count = stop - together});
  });
}

// Of the fewest terms, the rounding of the sum with the bias is a good part of the error: a tenth
// of it is saved for a fiftieth of the time.
bool ConvolutionPlan::adds_to_bias(const std::array<Phase, kSpatial>& phases) const noexcept {
  std::int64_t terms = geometry_.in_channels;
  for (const Phase& phase : phases) terms *= phase.taps;
  return adds_to_bias_ && terms >= std::int64_t{2} * kernels::kGemmBiasTerms && terms <= kLongSum;
}

// Some strips of a panel follow each other, so that few runs are written, not a piece of every
// channel, and what they share stays in registers. In turns, one thread, in us: 1 to 512, length
// 8000, window 10 at 5: 309, strip by strip and panel by panel 1748; 3 to 96, 224x224, 4x4 at 4:
// 422 and 779; 3 to 64, 3x3: 1970, and 1730 with lines of sums fetched along with the terms.
void ConvolutionPlan::multiply_strips(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& tile, const float* input,
                                      const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t rows = filter_.panel_rows();
  const std::int64_t channels = channel_count(tile);
  const bool half = data_type_ == DataType::float16;
  std::byte* const output = first_output(arguments, tile);
  const auto at = [&](std::int64_t channel, std::int64_t position) {
    return output + (channel * g.out_channel_stride + position) * element_bytes_;
  };
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t strips = list_strips(tile, g.in_channels, slot);
  const std::int64_t strips_a_row = strips / (tile.count[0] * tile.count[1]);
  const std::int64_t terms = g.in_channels * most_taps(g);
  const std::int64_t own_terms = terms - (adds_to_bias(tile.phases) ? kernels::kGemmBiasTerms : 0);
  // Else sums wait for an activation, or for their rounding.
  const bool in_place = !half || (gemm_.rounds && only_ramps());
  // Of copied rows, other terms bring those of the next tile, a share with each strip and panel.
  const std::byte* ahead = tile.in_place ? nullptr : next_input(arguments, tile);
  const std::int64_t span = ((tile.count[0] - 1) * tile.phases[0].in_step * g.in_strides[0] +
                             (tile.count[1] - 1) * tile.phases[1].in_step * g.in_strides[1] +
                             tile.count[2] * tile.phases[2].in_step * g.in_strides[2]) *
                            element_bytes_;
  const std::int64_t other_terms = std::max<std::int64_t>(own_terms - (in_place ? rows : 0), 1);
  const std::int64_t lines = base::divide_up(vectors_ * gemm_.lanes, base::kLineFloats);  // a term
  const std::int64_t next_step =
      std::min(base::divide_up(g.in_channels * span, strips * tile.panel_count * other_terms),
               lines * base::kLineBytes);
  std::int64_t ahead_channel = 0, ahead_bytes = 0;

  kernels::GemmStrips product{};
  product.b = input;
  product.sums = slot.sums;
  product.sums_stride = in_place ? g.out_channel_stride : vectors_ * gemm_.lanes;
  product.fetches_sums = in_place;
  product.ramp = ramp();
  product.a_row = rows;
  product.bias_terms = adds_to_bias(tile.phases);
  const auto multiply = [&](const Strip& strip, std::span<const kernels::GemmPlace> places,
                            std::int64_t p, float* strips_packed = nullptr) {
    product.a = filter_.panel(packed, tile.group, tile.first_panel + p, offset);
    product.bias = slot.bias + p * rows;
    if (in_place && half) product.half = reinterpret_cast<std::uint16_t*>(at(p * rows, 0));
    if (in_place && !half) product.sums = reinterpret_cast<float*>(at(p * rows, 0));
    product.terms = strip.terms;
    product.depth = strip.depth;
    product.places = places.data();
    product.count = std::ssize(places);
    const bool fetches = ahead != nullptr && ahead_channel < g.in_channels;
    product.next = reinterpret_cast<const char*>(
        fetches ? ahead + ahead_channel * g.in_channel_stride * element_bytes_ + ahead_bytes
                : reinterpret_cast<const std::byte*>(input));
    product.next_step = fetches ? next_step : 0;
    product.next_line = product.next_step / lines;
    if (fetches) ahead_bytes += product.count * other_terms * next_step;
    if (ahead_bytes >= span) {
      ahead_bytes = 0;
      ++ahead_channel;
    }
    const std::int64_t count = std::min(rows, channels - p * rows);
    product.b = input;
    product.next_strip = other_terms * product.next_step;
    if (strips_packed == nullptr) return strips_function(strip, product, count)(product);
    // The first panel lays out what it reads for the others.
    product.packed = strips_packed;
    product.packed_step = strip.depth * strip.count;
    if (p > 0) product.b = strips_packed;
    (p == 0 ? gemm_.packing_strips : gemm_.packed_strips)(strip.count / gemm_.lanes,
                                                          count)(product);
  };
  const auto multiply_aside = [&](const Strip& strip, std::int64_t p) {
    const std::int64_t count = std::min(rows, channels - p * rows);
    const kernels::GemmPlace place = {strip.a, 0};
    multiply(strip, {&place, 1}, p);
    for (std::int64_t n = 0; !only_ramps() && n < count; ++n) {
      activate(slot.sums + n * product.sums_stride, strip.count);
    }
    rows_.store_rows_f16(slot.sums, product.sums_stride, at(p * rows, strip.acc),
                         g.out_channel_stride, count, strip.count);
  };
  StripGroups groups;
  const bool packs = packs_strips(tile);
  for (std::int64_t first = 0, end; first < strips; first = end) {
    end = std::min(first + (packs ? packed_strips_ : kStripsTogether), strips);
    if (in_place) group_strips({slot.strips, slot.strips + strips}, first, end, 0, groups);
    if (packs) place_packed(groups, slot.packed);
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      for (std::int64_t i = 0; in_place && i < groups.count; ++i) {
        const StripGroups::Group& group = groups.groups[i];
        multiply(*group.like, group.places, p, group.packed);
      }
      for (std::int64_t s = first; !in_place && s < end; ++s) multiply_aside(slot.strips[s], p);
    }
    if (only_ramps() || half) continue;
    for (std::int64_t s = first; s < end; ++s) {
      if ((s + 1) % strips_a_row != 0) continue;
      for (std::int64_t n = 0; n < channels; ++n) {
        activate(reinterpret_cast<float*>(at(n, slot.strips[s + 1 - strips_a_row].acc)),
                 tile.count[2]);
      }
    }
  }
}

// Where no other thread writes beside them, or so far away that it pays.
bool ConvolutionPlan::fetches_sums(const Tile& joined) const noexcept {
  return slots_ == 1 || tiling_.box_count() == 1 ||
         joined.count[2] >= (base::is_amd() ? kLongRunOfAmd : kLongResultRun);
}

// As many as have their input near.
std::int64_t ConvolutionPlan::near_strips() const noexcept {
  if (tiling_.panel_block <= kFewPanels) return 1;
  const std::int64_t bytes = geometry_.in_channels * kAcrossVectors * gemm_.lanes * 4;
  return std::clamp<std::int64_t>(kNearStripBytes / bytes, 1, kNearStrips);
}

// One tap, float32: near strips together; where channels share sets of the cache, copied first.
// What the next ones read comes a channel after the other; what a single one reads comes with the
// terms that bring no lines of sums, else before these. In turns, in us: 16 to 96, 112x112, AVX2:
// 791, with a call for every strip 1194; 96 to 576, 14x14: 308, with strips of 64 KiB 317. AVX-512:
// 32 to 16, 112x112: 255, without all lines of sums and of the next strip 325; 16 to 96, 64x64,
// copied: 236, strip by strip 396, and 643 without lines of sums.
void ConvolutionPlan::multiply_near_strips(const RunArguments& arguments, const std::byte* packed,
                                           const Tile& given, const Slot& slot) const noexcept {
  assert(given.in_place);
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = join_rows(given);
  const std::int64_t rows = filter_.panel_rows();
  const std::int64_t channels = channel_count(tile);
  load_bias(arguments, tile, tile.first_panel, tile.panel_count, slot.bias);
  const auto* const input = reinterpret_cast<const float*>(given.input);
  auto* const output = reinterpret_cast<float*>(first_output(arguments, tile));
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const std::int64_t together = near_strips();
  const std::int64_t count = list_strips(tile, g.in_channels, slot);
  const std::span<const Strip> strips(slot.strips, slot.strips + count);
  kernels::GemmStrips product{.b = copies_strips_ ? slot.planes : input,
                              .sums_stride = g.out_channel_stride,
                              .a_row = rows,
                              .fetches_sums = fetches_sums(tile),
                              .ramp = ramp(),
                              .next = reinterpret_cast<const char*>(input)};
  const std::int64_t turns_of_sums = base::divide_up(rows, kernels::kGemmTurn) * kernels::kGemmTurn;
  const bool by_lines = gemm_.listed_strips != nullptr && !copies_strips_ &&
                        columns == base::kLineFloats && together > 1 &&
                        tile.panel_count <= kPanelsByLines && g.in_channels > turns_of_sums;
  if (by_lines) product.next_strip = base::kLineBytes;
  const bool spreads = product.fetches_sums && g.in_channels >= rows;
  const std::int64_t other_terms = g.in_channels - (spreads ? by_lines ? turns_of_sums : rows : 0);
  StripGroups groups;
  for (std::int64_t first = 0, end; first < count; first = end) {
    end = std::min(first + together, count);
    const std::int64_t origin = copies_strips_ ? strips[first].a : 0;
    if (copies_strips_) {
      const std::int64_t run = strips[end - 1].a + strips[end - 1].count - origin;
      gemm_.pad_rows({.from = input + origin,
                      .to = slot.planes,
                      .from_stride = g.in_channel_stride,
                      .to_stride = tile.channel_stride,
                      .rows = g.in_channels,
                      .before = 0,
                      .count = run,
                      .size = run});
    }
    group_strips(strips, first, end, origin, groups);
    const std::int64_t after = std::min(end + together, count) - end;
    const auto wanted = [&](std::int64_t channel) {
      return reinterpret_cast<const std::byte*>(input + strips[end].a +
                                                channel * g.in_channel_stride);
    };
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      const std::int64_t channels_ahead = after > 0 ? g.in_channels : 0;
      const std::int64_t last = channels_ahead * (p + 1) / tile.panel_count;
      std::int64_t c = channels_ahead * p / tile.panel_count;
      product.next_step = product.next_line = 0;
      if (by_lines) {
        c = p * other_terms;
        if (c < channels_ahead) {
          product.next = reinterpret_cast<const char*>(wanted(c));
          product.next_step = g.in_channel_stride * 4;
        }
        c = last;
      } else if (together == 1 && c < last) {
        const std::int64_t with_terms = std::max(c, last - other_terms);
        for (; c < with_terms; ++c) base::fetch(wanted(c), columns * 4);
        product.next = reinterpret_cast<const char*>(wanted(c));
        product.next_step = g.in_channel_stride * 4;
        product.next_line = base::kLineBytes;
        c = last;
      }
      for (; c < last; ++c) base::fetch_to_second_level(wanted(c), after * columns * 4);
      product.a = filter_.panel(packed, tile.group, tile.first_panel + p, offset);
      product.bias = slot.bias + p * rows;
      product.sums = output + p * rows * g.out_channel_stride;
      for (std::int64_t i = 0; i < groups.count; ++i) {
        const StripGroups::Group& group = groups.groups[i];
        const Strip& like = *group.like;
        product.terms = like.terms;
        product.depth = like.depth;
        product.places = group.places.data();
        product.count = std::ssize(group.places);
        const std::int64_t outputs = std::min(rows, channels - p * rows);
        const auto function = by_lines ? gemm_.listed_strips(like.count / gemm_.lanes, outputs)
                                       : strips_function(like, product, outputs);
        function(product);
      }
    }
  }
  for (std::int64_t n = 0; !only_ramps() && n < channels; ++n) {
    activate(output + n * g.out_channel_stride + strips[0].acc, tile.count[2]);
  }
}

// Strips [first, end), those that are alike together, and which come after them; `origin`: of where
// they lie.
void ConvolutionPlan::group_strips(std::span<const Strip> strips, std::int64_t first,
                                   std::int64_t end, std::int64_t origin,
                                   StripGroups& groups) noexcept {
  groups.count = 0;
  kernels::GemmPlace* place = groups.places.data();
  std::array<bool, kStripsTogether> taken{};
  for (std::int64_t s = first; s < end; ++s) {
    if (taken[s - first]) continue;
    const Strip& like = strips[s];
    kernels::GemmPlace* const begin = place;
    const auto take = [&](const Strip& strip) { *place++ = {strip.a - origin, strip.acc}; };
    const auto is_alike = [&](const Strip& strip) {
      return strip.count == like.count && strip.terms == like.terms;
    };
    for (std::int64_t i = s; i < end; ++i) {
      if (!is_alike(strips[i])) continue;
      taken[i - first] = true;
      take(strips[i]);
    }
    groups.groups[groups.count++] = {&like, {begin, place}, nullptr};
    std::int64_t ahead = 0;
    for (std::int64_t i = end; i < std::ssize(strips) && ahead < kernels::kGemmPlacesAhead; ++i) {
      if (!is_alike(strips[i])) continue;
      take(strips[i]);
      ++ahead;
    }
    for (; ahead < kernels::kGemmPlacesAhead; ++ahead, ++place) *place = place[-1];
  }
}

}  // namespace weft::ops
