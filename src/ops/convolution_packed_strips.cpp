// Strips of ConvolutionPlan, positions along vectors, copied to lie as their products read them.

#include <algorithm>
#include <array>
#include <cstring>

#include "base/checked.h"
#include "base/fetch.h"
#include "kernels/gemm/strips.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Packed strips that stay in the first-level cache while all panels pass by. Of fewer terms or
// panels, packing costs more than it saves; of fewer terms, turns of several gain nothing either.
constexpr std::int64_t kPackedBytes = 16 << 10, kManyTerms = 48, kManyPackedChannels = 8,
                       kManyPanels = 4;

}  // namespace

// Each instruction of AVX2 multiplies so little that those around it count, most of all where
// another thread shares the processor's decoders.
std::int64_t ConvolutionPlan::strips_to_pack() const noexcept {
  const std::int64_t terms = geometry_.in_channels * most_taps(geometry_);
  const bool suits = joined_ ? !slabs_ && !strips_first_ && suits_packed_strips(geometry_, gemm_)
                             : gemm_.packed_strips != nullptr && !windows_ && terms >= kManyTerms &&
                                   geometry_.in_channels >= kManyPackedChannels &&
                                   filter_.panels() >= kManyPanels;
  // float16 waits for other functions than RELU elsewhere.
  const bool in_place = data_type_ == DataType::float32 || !activation_ || is_relu();
  if (!suits || !in_place) return 0;
  const std::int64_t bytes = terms * vectors_ * gemm_.lanes * 4;
  return std::clamp<std::int64_t>(kPackedBytes / bytes, 1, kStripsTogether);
}

// Phases of a few terms may add the last ones to the bias, which packed strips do not.
bool ConvolutionPlan::packs_strips(const Tile& tile) const noexcept {
  return packed_strips_ > 0 && tile.panel_count >= kManyPanels && !adds_to_bias(tile.phases);
}

// Those that take all taps: their terms follow each other in the filter too.
void ConvolutionPlan::pack_groups(const float* input, StripGroups& groups,
                                  float* packed) const noexcept {
  for (std::int64_t i = 0; i < groups.count; ++i) {
    StripGroups::Group& group = groups.groups[i];
    const Strip& like = *group.like;
    if (!like.all_taps) continue;
    group.packed = packed;
    for (const kernels::GemmPlace& place : group.places) {
      packed =
          gemm_.pack(input + place.b, like.count / gemm_.lanes, like.terms, like.depth, packed);
    }
  }
}

// Of strips where they lie: with fewer instructions, too, for a full panel and all taps, whose
// terms follow each other in the filter. Whole rows of lines that are wanted next come with
// strips() alone.
kernels::GemmStripsFunction ConvolutionPlan::strips_function(const Strip& like,
                                                             const kernels::GemmStrips& product,
                                                             std::int64_t outputs) const noexcept {
  const bool follow = like.all_taps && outputs == filter_.panel_rows() && !product.bias_terms;
  const bool suits = gemm_.listed_strips != nullptr && follow && like.depth >= kManyTerms &&
                     product.next_line < base::kLineBytes;
  return (suits ? gemm_.listed_strips : gemm_.strips)(like.count / gemm_.lanes, outputs);
}

// Of a panel that is not full, the sums that there are, strip by strip. `step`: of b, from strip to
// strip.
void ConvolutionPlan::multiply_some(const kernels::GemmStrips& whole,
                                    kernels::GemmStripsFunction multiply, std::int64_t columns,
                                    std::int64_t step, std::int64_t sums,
                                    const Slot& slot) const noexcept {
  const bool half = whole.half != nullptr;
  auto* const to =
      half ? reinterpret_cast<std::byte*>(whole.half) : reinterpret_cast<std::byte*>(whole.sums);
  kernels::GemmStrips strip = whole;
  strip.sums = slot.sums;
  if (half) strip.half = reinterpret_cast<std::uint16_t*>(slot.sums);
  strip.sums_stride = columns;
  strip.fetches_sums = false;
  strip.count = 1;
  for (std::int64_t i = 0; i < whole.count; ++i, strip.b += step) {
    const kernels::GemmPlace place = {.b = whole.places[i].b, .sums = 0};
    strip.places = &place;
    multiply(strip);
    for (std::int64_t n = 0; n < sums; ++n) {
      std::memcpy(to + (n * whole.sums_stride + whole.places[i].sums) * element_bytes_,
                  reinterpret_cast<const std::byte*>(slot.sums) + n * columns * element_bytes_,
                  columns * element_bytes_);
    }
  }
}

// Strips near the processor pass by all panels of a tile, whose next ones come meanwhile.
void ConvolutionPlan::multiply_packed(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& given, const float* input,
                                      const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = join_rows(given);
  const std::int64_t rows = filter_.panel_rows(), channels = channel_count(tile);
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t count = list_strips(tile, g.in_channels, slot);
  std::byte* const output = first_output(arguments, tile);
  kernels::GemmStrips product{.sums_stride = g.out_channel_stride,
                              .depth = g.in_channels,
                              .chain = chain_,
                              .fetches_sums = fetches_sums(tile),
                              .relu = is_relu(),
                              .next_step = rows * 4};
  std::array<kernels::GemmPlace, kStripsTogether + kernels::kGemmPlacesAhead> places;
  for (std::int64_t first = 0, end; first < count; first = end) {
    const Strip& like = slot.strips[first];
    const std::int64_t vectors = like.count / gemm_.lanes;
    for (end = first; end < std::min(count, first + packed_strips_); ++end) {
      if (slot.strips[end].count != like.count) break;
    }
    // Strips that were copied before have room for all vectors.
    const bool is_packed = !strips_apart_ || vectors == vectors_;
    const auto multiply = (is_packed ? gemm_.packed_strips : gemm_.listed_strips)(vectors, rows);
    product.b = is_packed ? input + like.a : input;
    if (!strips_apart_) {
      float* to = slot.packed;
      for (std::int64_t i = first; i < end; ++i) {
        to = gemm_.pack(input + slot.strips[i].a, vectors, like.terms, like.depth, to);
      }
      product.b = slot.packed;
    }
    for (std::int64_t i = first; i < end + kernels::kGemmPlacesAhead; ++i) {
      const Strip& strip = slot.strips[std::min(i, count - 1)];
      places[i - first] = {strip.a, strip.acc};
    }
    product.terms = like.terms;
    product.places = places.data();
    product.count = end - first;
    product.next_step = base::divide_up(rows * 4, product.count);
    const std::int64_t after = strips_apart_ ? 0 : std::min(end + packed_strips_, count) - end;
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      for (std::int64_t c = after > 0 ? g.in_channels * p / tile.panel_count : g.in_channels;
           c < g.in_channels * (p + 1) / tile.panel_count; ++c) {
        base::fetch_to_second_level(reinterpret_cast<const std::byte*>(input + slot.strips[end].a +
                                                                       c * g.in_channel_stride),
                                    after * vectors_ * gemm_.lanes * 4);
      }
      product.a = filter_.panel(packed, tile.group, tile.first_panel + p, offset);
      const std::int64_t next = tile.first_panel + (p + 1) % tile.panel_count;
      product.next = reinterpret_cast<const char*>(filter_.panel(packed, tile.group, next, offset));
      product.bias = slot.bias + p * rows;
      std::byte* const to = output + p * rows * g.out_channel_stride * element_bytes_;
      product.sums = reinterpret_cast<float*>(to);
      if (data_type_ == DataType::float16) product.half = reinterpret_cast<std::uint16_t*>(to);
      const std::int64_t sums = std::min(rows, channels - p * rows);
      if (sums == rows) {
        multiply(product);
      } else {
        multiply_some(product, multiply, like.count, is_packed ? like.count * g.in_channels : 0,
                      sums, slot);
      }
    }
  }
  for (std::int64_t n = 0; activation_ && !product.relu && n < channels; ++n) {
    activate(reinterpret_cast<float*>(output) + n * g.out_channel_stride + slot.strips[0].acc,
             tile.count[2]);
  }
}

}  // namespace weft::ops
