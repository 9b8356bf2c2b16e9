// Strips of ConvolutionPlan, positions along vectors, laid out as their products read them.

#include <algorithm>
#include <array>

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
// another thread shares the processor's decoders. With AVX-512 windows gain nothing.
std::int64_t ConvolutionPlan::strips_to_pack() const noexcept {
  const std::int64_t terms = geometry_.in_channels * most_taps(geometry_);
  const bool suits = joined_ ? !slabs_ && !strips_first_ && suits_packed_strips(geometry_, gemm_)
                             : gemm_.packed_strips != nullptr && gemm_.lanes < base::kLineFloats &&
                                   !windows_ && terms >= kManyTerms &&
                                   geometry_.in_channels >= kManyPackedChannels &&
                                   filter_.panels() >= kManyPanels;
  // float16 waits for other functions elsewhere.
  if (!suits || !stores_sums()) return 0;
  const std::int64_t bytes = terms_to_pack() * vectors_ * gemm_.lanes * 4;
  return std::clamp<std::int64_t>(kPackedBytes / bytes, 1, kStripsTogether);
}

// Phases of a few terms may add the last ones to the bias, which packed strips do not.
bool ConvolutionPlan::packs_strips(const Tile& tile) const noexcept {
  return packed_strips_ > 0 && tile.panel_count >= kManyPanels && !adds_to_bias(tile.phases);
}

// Those that take all taps: their terms follow each other in the filter too.
void ConvolutionPlan::place_packed(StripGroups& groups, float* packed) const noexcept {
  for (std::int64_t i = 0; i < groups.count; ++i) {
    StripGroups::Group& group = groups.groups[i];
    if (!group.like->all_taps) continue;
    group.packed = packed;
    packed += std::ssize(group.places) * group.like->depth * group.like->count;
  }
}

// Of strips where they lie: with fewer instructions, too, for all taps, whose terms follow each
// other in the filter. Whole rows of lines that are wanted next come with strips() alone.
kernels::GemmStripsFunction ConvolutionPlan::strips_function(const Strip& like,
                                                             const kernels::GemmStrips& product,
                                                             std::int64_t outputs) const noexcept {
  const bool suits = gemm_.listed_strips != nullptr && gemm_.lanes < base::kLineFloats &&
                     like.all_taps && !product.bias_terms && like.depth >= kManyTerms &&
                     product.next_line < base::kLineBytes;
  return (suits ? gemm_.listed_strips : gemm_.strips)(like.count / gemm_.lanes, outputs);
}

// Strips near the processor pass by all panels of a tile, chain by chain. The first panel lays out
// what it reads for the others. What the next strips or the next chain read comes with some panels,
// a line of each channel with each strip, the next panel with the others: all at once, it would
// take as long as not to be fetched.
void ConvolutionPlan::multiply_packed(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& given, const float* input,
                                      const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = join_rows(given);
  const std::int64_t rows = filter_.panel_rows(), channels = channel_count(tile);
  const std::int64_t columns = vectors_ * gemm_.lanes, panels = tile.panel_count;
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t count = list_strips(tile, g.in_channels, slot);
  const std::int64_t lines_ahead =
      strips_apart_ ? 0 : base::divide_up(packed_strips_ * columns, base::kLineFloats) + 1;
  const bool fetches = fetches_sums(tile);
  std::byte* const output = first_output(arguments, tile);
  kernels::GemmStrips product{
      .sums_stride = g.out_channel_stride, .a_row = rows, .ramp = ramp(), .packed = slot.packed};
  std::array<kernels::GemmPlace, kStripsTogether + kernels::kGemmPlacesAhead> places;
  product.places = places.data();
  for (std::int64_t first = 0, end; first < count; first = end) {
    const Strip& like = slot.strips[first];
    const std::int64_t vectors = like.count / gemm_.lanes;
    for (end = first; end < std::min(count, first + packed_strips_); ++end) {
      if (slot.strips[end].count != like.count) break;
    }
    for (std::int64_t i = first; i < end + kernels::kGemmPlacesAhead; ++i) {
      const Strip& strip = slot.strips[std::min(i, count - 1)];
      places[i - first] = {strip.a, strip.acc};
    }
    product.count = end - first;
    // Strips that were copied before have room for all vectors.
    const bool lists = strips_apart_ && vectors != vectors_;
    const auto function = lists ? gemm_.listed_strips : gemm_.packed_strips;
    for (std::int64_t c = 0; c < g.in_channels; c += product.depth) {
      product.depth = std::min(chain_, g.in_channels - c);
      product.terms = like.terms + c;
      product.first = c == 0;
      product.last = c + product.depth == g.in_channels;
      product.fetches_sums = product.last && fetches;
      product.packed_step = (strips_apart_ ? g.in_channels : product.depth) * like.count;
      product.kept = slot.kept;
      const float* ahead = input;
      std::int64_t bringing = 0;  // panels that bring lines of the input
      if (lines_ahead > 0 && !(product.last && end == count)) {
        ahead +=
            product.last ? slot.strips[end].a : like.a + (c + product.depth) * g.in_channel_stride;
        bringing = std::min(base::divide_up(lines_ahead, product.count), panels);
      }
      for (std::int64_t p = 0; p < panels; ++p) {
        const auto panel = [&](std::int64_t i) {
          return filter_.panel(packed, tile.group, tile.first_panel + i % panels, offset + c);
        };
        product.a = panel(p);
        const std::int64_t brought = bringing * p / panels;
        if (brought < bringing * (p + 1) / panels) {
          product.next =
              reinterpret_cast<const char*>(ahead + brought * product.count * base::kLineFloats);
          product.next_step = g.in_channel_stride * 4;
          product.next_strip = base::kLineBytes;
        } else {
          product.next = reinterpret_cast<const char*>(panel(p + 1));
          product.next_step = base::divide_up(rows * 4, product.count);
          product.next_strip = product.next_step * product.depth;
        }
        product.bias = slot.bias + p * rows;
        std::byte* const to = output + p * rows * g.out_channel_stride * element_bytes_;
        product.sums = reinterpret_cast<float*>(to);
        if (data_type_ == DataType::float16) product.half = reinterpret_cast<std::uint16_t*>(to);
        const std::int64_t outputs = std::min(rows, channels - p * rows);
        const bool packs = !strips_apart_ && p == 0;
        product.b = packs || lists  ? input
                    : strips_apart_ ? input + like.a + c * like.count
                                    : slot.packed;
        (packs ? gemm_.packing_strips : function)(vectors, outputs)(product);
        if (g.in_channels > chain_) product.kept += product.count * outputs * like.count;
      }
    }
  }
  for (std::int64_t n = 0; !only_ramps() && n < channels; ++n) {
    activate(reinterpret_cast<float*>(output) + n * g.out_channel_stride + slot.strips[0].acc,
             tile.count[2]);
  }
}

}  // namespace weft::ops
