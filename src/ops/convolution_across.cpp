// Products of ConvolutionPlan with positions along vectors.

#include <algorithm>

#include "base/cache.h"
#include "base/checked.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Tiles are short enough for threads to end together.
constexpr std::int64_t kAcrossPositions = 4096;

constexpr std::int64_t kLineFloats = 16;  // of a cache line
constexpr std::int64_t kFewTerms = 96;

}  // namespace

void ConvolutionPlan::choose_boxes_across(unsigned threads) {
  const ConvolutionGeometry& g = geometry_;
  constexpr int kLast = kSpatial - 1;
  const std::int64_t width = g.axes[kLast].max_count();
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const std::int64_t others = g.batch * g.groups * phase_counts_[0] * phase_counts_[1];
  std::int64_t positions = width;
  for (int d = 0; d < kLast; ++d) positions *= g.axes[d].max_count();
  const std::int64_t wanted = threads > 1 ? 4 * std::int64_t{threads} : 1;
  // The input of a tile takes up to a quarter of the second-level cache, the filter half of it.
  const std::int64_t cache = base::second_cache_bytes();
  const std::int64_t terms = g.in_channels * most_taps(g);
  const std::int64_t most =
      std::clamp(cache / 4 / (g.in_channels * 4), 8 * columns, kAcrossPositions);
  std::int64_t left =
      std::clamp(base::divide_up(positions, base::divide_up(wanted, others)), 8 * columns, most);
  std::int64_t inner = 1;  // positions of the dimensions done
  tiling_.channel_block = g.in_channels;
  for (int d = kLast; d >= 0; --d) {
    const std::int64_t size = g.axes[d].max_count();
    const std::int64_t parts =
        base::divide_up(size, std::min(size, std::max<std::int64_t>(left, 1)));
    std::int64_t part = base::divide_up(size, parts);
    if (d == kLast && part < size) {
      part = base::divide_up(part, columns) * columns;
      // No row may end in less than whole vectors.
      if (size % part != 0 && size % part < columns) part = size;
    }
    // Nor may several that are one.
    while (joined_ && size % part != 0 && size % part * inner < columns) ++part;
    inner *= size;
    tiling_.box[d] = part;
    tiling_.boxes[d] = base::divide_up(size, part);
    left /= part;
  }
  const std::int64_t panel_bytes = filter_.panel_rows() * terms * 4;
  const std::int64_t blocks = std::max(base::divide_up(wanted, others * tiling_.box_count()),
                                       base::divide_up(filter_.panels() * panel_bytes, cache / 2));
  tiling_.panel_block =
      base::divide_up(filter_.panels(), std::clamp<std::int64_t>(blocks, 1, filter_.panels()));
  tiling_.panel_blocks = base::divide_up(filter_.panels(), tiling_.panel_block);
}

// One tap: positions follow each other in planes and output from row to row.
ConvolutionPlan::Tile ConvolutionPlan::join_rows(const Tile& tile) const noexcept {
  Tile joined = tile;
  const std::int64_t positions = tile.count[0] * tile.count[1] * tile.count[2];
  joined.count = {1, 1, positions};
  // All of them lie inside the input.
  joined.last[0].in_step = 0;
  joined.last[0].first_offset = 0;
  joined.last[0].count = tile.first[2] + positions;
  return joined;
}

void ConvolutionPlan::multiply_across(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& given, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t rows = filter_.panel_rows();
  const float* input = slot.planes;
  if (given.in_place) {
    input = reinterpret_cast<const float*>(given.input);
  } else {
    pack_planes(given, 0, g.in_channels, slot);
  }
  const Tile tile = joined_ ? join_rows(given) : given;
  const bool has_bias = arguments.inputs[2] != nullptr;
  for (std::int64_t p = 0; has_bias && p < tile.panel_count; ++p) {
    load_bias(arguments, tile, tile.first_panel + p, slot.bias + p * rows);
  }
  const std::int64_t first_channel = tile.first_panel * rows;
  const std::int64_t channels = std::min(tile.panel_count * rows, g.out_channels - first_channel);
  float* output = static_cast<float*>(arguments.outputs[0]) + tile.image * g.out_batch_stride +
                  (tile.group * g.out_channels + first_channel) * g.out_channel_stride;
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t strips = list_strips(tile, g.in_channels, slot);
  const std::int64_t strips_a_row = strips / (tile.count[0] * tile.count[1]);
  // With one tap, what the next strip reads is fetched with the last panel of each.
  const bool fetches = slot.strips[0].depth == g.in_channels;
  for (std::int64_t s = 0; s < strips; ++s) {
    const Strip& strip = slot.strips[s];
    const std::int64_t vectors = strip.count / gemm_.lanes;
    const kernels::GemmFunction multiply = gemm_.tile(vectors, rows, 1);
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      float* to = output + p * rows * g.out_channel_stride + strip.acc;
      const std::int64_t count = std::min(rows, channels - p * rows);
      // Results go to lines that nobody has read. With few terms those of the next panels are
      // fetched meanwhile; with many that would reach far past these.
      const bool last = p + 1 == tile.panel_count;
      const float* next = to + (last ? 0 : rows) * g.out_channel_stride;
      std::int64_t next_step = g.out_channel_stride;
      if (strip.depth > kFewTerms) {
        for (std::int64_t n = 0; n < count; ++n) {
          for (std::int64_t i = 0; i < strip.count; i += kLineFloats) {
            __builtin_prefetch(to + n * g.out_channel_stride + i, 1);
          }
        }
        next_step = 0;
      }
      if (last && fetches && s + 1 < strips) {
        next = input + slot.strips[s + 1].a;
        next_step = tile.channel_stride;
      }
      (count == rows ? multiply : gemm_.tile(vectors, count, 1))(
          {.a = filter_.panel(packed, tile.group, tile.first_panel + p, offset),
           .b = input + strip.a,
           .acc = to,
           .bias = has_bias ? slot.bias + p * rows : nullptr,
           .terms = strip.terms,
           .depth = strip.depth,
           .a_step = 1,
           .acc_stride = g.out_channel_stride,
           .next = reinterpret_cast<const char*>(next),
           .next_step = next_step * std::int64_t{sizeof(float)},
           .first = true,
           .bias_of_positions = true});
    }
    if (activation_ && (s + 1) % strips_a_row == 0) {
      float* row = output + slot.strips[s + 1 - strips_a_row].acc;
      for (std::int64_t n = 0; n < channels; ++n) {
        activate(row + n * g.out_channel_stride, tile.count[2]);
      }
    }
  }
}

}  // namespace weft::ops
