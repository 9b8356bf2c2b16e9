// Products of ConvolutionPlan with positions along vectors.

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/cache.h"
#include "base/checked.h"
#include "base/fetch.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

// Tiles are short enough for threads to end together.
constexpr std::int64_t kAcrossPositions = 4096;

// Joined rows pass by once a panel: what a tile reads of them is to stay near.
constexpr std::int64_t kJoinedPositions = 448;
constexpr std::int64_t kChannelsAhead = 4;

// Of slabs, a thread, which so end together.
constexpr std::int64_t kMostTilesAThread = 8;

// Two threads share the panels of a tile by no fewer: what each reads first comes for all of them.
// In turns, fastest tenth: 64 to 384, 14x14: 74 us, by three panels 81.
constexpr std::int64_t kPanelsAPass = 8;

}  // namespace

void ConvolutionPlan::choose_boxes_across(unsigned threads) {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const std::int64_t others = g.batch * g.groups * phase_counts_[0] * phase_counts_[1];
  const std::int64_t positions = position_count(g);
  // The input of a tile takes up to a quarter of the second-level cache, the filter half of it.
  const std::int64_t cache = base::second_cache_bytes();
  const std::int64_t channel_bytes = g.in_channels * 4;
  std::int64_t tiles_a_thread = 8;
  std::int64_t least = 8 * columns, limit = kAcrossPositions, near = cache / 4 / channel_bytes;
  tiling_.channel_block = g.in_channels;
  packed_strips_ = strips_to_pack();
  if (slabs_) {
    tiling_.channel_block = channels_a_slab(g, gemm_);
    least = 4 * columns;
    limit = near = kSlabPositions;
    tiles_a_thread = std::clamp<std::int64_t>(positions * others / threads / kSlabPositions, 1,
                                              kMostTilesAThread);
  } else if (strips_first_) {
    copies_strips_ = filter_.panels() > 1 && !stays_in_first_cache(g, columns) &&
                     !suits_strips_in_place(g, gemm_);
  } else if (joined_) {
    limit = kJoinedPositions;
    // One thread, us, read where they lie and copied: Zen 5, 256 to 2048 channels, 32x32, AVX2,
    // 13300 and 9380; 96 to 576, 14x14, 217 and 190; AVX-512 5440 and 5260, 108 and 107; a Xeon,
    // 256 to 1024, 40x40, 5880 and 5340; 512 to 512, 32x32, which crowd its second-level cache,
    // 6120 and 3410.
    strips_apart_ = data_type_ == DataType::float16 || !lies_at_lines(g) ||
                    (filter_.panels() > 1 &&
                     !(stays_in_first_cache(g, columns) && stays_in_second_cache(g, limit)));
    strips_apart_ &= data_type_ == DataType::float16 || !suits_rows_in_place(g, gemm_);
    if (packed_strips_ > 0) {
      strips_apart_ =
          data_type_ == DataType::float16 || !lies_in_line(g) || !stays_in_second_cache(g, columns);
      near = cache / 2 / channel_bytes;  // of a copy
    }
    if (!strips_apart_ && packed_strips_ > 0) {
      limit = near = kAcrossPositions;
      least = 16 * columns;
    } else if (!strips_apart_) {
      near = cache / 8 / channel_bytes;
      least = 4 * columns;
    }
  } else {
    // Windows that move by several positions read so many for each. In turns, one thread of Zen 5,
    // us, before and after: 16 to 64, 160x160, 3x3 at 2: 553 and 509; 3 to 96, 224x224, 4x4 at 4:
    // 193 and 182.
    for (const ConvolutionAxis& axis : g.axes) {
      near /= std::max<std::int64_t>(axis.phase(0).in_step, 1);
    }
  }
  // Threads that end together only where tiles take the same time. Tiles of copied strips are cut
  // by panels, too: two threads of Zen 4, 256 to 512, 56x56, 1x1 at 2: 1400 us, so cut 1550.
  const std::int64_t sharing =
      packed_strips_ > 0 && !strips_apart_ ? base::divide_up(threads, others) : 1;
  const std::int64_t most = std::clamp(near, least, limit);
  const std::int64_t wanted = threads > 1 ? tiles_a_thread * threads : 1;
  std::int64_t left =
      std::clamp(base::divide_up(positions, base::divide_up(wanted, others)), least, most);
  std::int64_t inner = 1;  // positions of the dimensions done
  tiling_.strip = columns;
  for (int d = kWidth; d >= 0; --d) {
    const std::int64_t size = g.axes[d].max_count();
    const std::int64_t parts =
        base::divide_up(size, std::min(size, std::max<std::int64_t>(left, 1)));
    std::int64_t part = base::divide_up(size, parts);
    if (joined_ && part < size) {
      const std::int64_t even = base::round_up(part, gemm_.lanes);
      const bool fair = slabs_ && inner == 1 && size % even >= columns;
      part = fair ? even : choose_joined(d, part, inner, sharing);
    } else if (d == kWidth && part < size) {
      part = base::divide_up(part, columns) * columns;
      // No row may end in less than whole vectors.
      if (size % part != 0 && size % part < columns) part = size;
    }
    inner *= size;
    tiling_.box[d] = part;
    tiling_.boxes[d] = base::divide_up(size, part);
    // What is cut is a tile's last dimension: rows of several parts would not be one.
    left = joined_ && part < size ? 1 : left / part;
  }
  const std::int64_t panel_bytes = filter_.panel_rows() * most_taps(g) * channel_bytes;
  const std::int64_t panels = filter_.panels();
  const std::int64_t fitting = std::max<std::int64_t>(cache / 2 / panel_bytes, 1);
  // Tiles of other panels read the same, so where that is most of what moves they are cut only for
  // every thread to have one.
  const bool reads_most = slabs_ || (strips_first_ && g.out_channels <= g.in_channels);
  const std::int64_t tiles = others * tiling_.box_count();
  std::int64_t blocks = base::divide_up(reads_most ? std::int64_t{threads} : wanted, tiles);
  if (writes_planes() || (packed_strips_ > 0 && joined_)) {
    blocks = std::min(blocks, std::max(base::divide_up(std::int64_t{threads}, tiles),
                                       base::divide_up(panels, kPanelsAPass)));
  }
  tiling_.panel_block = base::divide_up(panels, base::divide_up(panels, fitting));
  const std::int64_t largest = tiling_.panel_block;
  tiling_.panel_block = std::clamp<std::int64_t>(panels / blocks, 1, largest);
  // Of AMD, two threads of Zen 5, us, before and after: 256 to 1024, 14x14, AVX-512 239 and 235,
  // AVX2 473 and 446; 96 to 576, AVX2 103 and 95; 256 to 512, 1x1 at 2, AVX2 965 and 895, but
  // AVX-512, which had enough tiles, 504 and 524. Packed strips of AVX-512, Zen 4, 64 to 256,
  // 56x56: 528 and 500.
  const bool few = tiles < threads || gemm_.lanes < 16 || packed_strips_ > 0;
  if (threads > 1 && blocks > 1 && few && !reads_most) {
    tiling_.panel_block = choose_panel_block(tiles, threads, largest);
  }
  tiling_.panel_blocks = base::divide_up(filter_.panels(), tiling_.panel_block);
}

// Of a panel by one tile, in strips of two lines or more: of shorter ones nothing was gained.
bool ConvolutionPlan::writes_planes() const noexcept {
  return strips_first_ && tiling_.box_count() == 1 &&
         vectors_ * gemm_.lanes >= 2 * base::kLineFloats;
}

// About as many panels a tile as chosen, such that all threads have as much to do.
std::int64_t ConvolutionPlan::choose_panel_block(std::int64_t tiles, std::int64_t threads,
                                                 std::int64_t largest) const noexcept {
  constexpr double kStart = 0.25;  // of a tile, in panels
  const std::int64_t about = tiling_.panel_block;
  std::int64_t best = about;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t n = base::divide_up(about, 3); n <= std::min(3 * about, largest); ++n) {
    const std::int64_t blocks = base::divide_up(filter_.panels(), n);
    const double part = static_cast<double>(filter_.panels()) / static_cast<double>(blocks);
    const double cost =
        static_cast<double>(base::divide_up(tiles * blocks, threads)) * (part + kStart);
    if (cost >= least) continue;
    least = cost;
    best = n;
  }
  return best;
}

// How many of a dimension a tile takes, about `part`, such that few vectors are not full, threads
// that share the tiles end together, and the last tile misses few; `inner` are the positions of
// each. Several rows that are one may not end in less than whole vectors.
std::int64_t ConvolutionPlan::choose_joined(int dimension, std::int64_t part, std::int64_t inner,
                                            std::int64_t threads) const noexcept {
  const std::int64_t size = geometry_.axes[dimension].max_count();
  const std::int64_t columns = vectors_ * gemm_.lanes;
  // Of packed strips, a single vector takes four fifths of the time of two. One thread of Zen 4,
  // us, before and with it: 512 to 1024, 28x28, 1x1 at 2, 2910 and 2670.
  const auto cost_of = [&](std::int64_t n) {
    const std::int64_t vectors = base::divide_up(n * inner, gemm_.lanes);
    return packed_strips_ > 0 ? vectors * 5 + vectors % 2 * 3 : vectors;
  };
  std::int64_t best = size, least = INT64_MAX, fewest = INT64_MAX;
  const auto consider = [&](std::int64_t n, std::int64_t whole) {
    if (n >= size || n * inner % whole != 0) return;
    if (size % n != 0 && size % n * inner < columns) return;
    const std::int64_t sum = threads > 1
                                 ? base::divide_up(base::divide_up(size, n), threads) * cost_of(n)
                                 : size / n * cost_of(n) + cost_of(size % n);
    const std::int64_t missing = base::round_up(size, n) - size;
    if (sum > least || (sum == least && missing >= fewest)) return;
    least = sum;
    fewest = missing;
    best = n;
  };
  // Where channels begin with a line, and so do tiles, no vector of theirs lies in two. Two threads
  // of Zen 4 with AVX-512, us: 96 to 24, 56x56, in tiles of 314 positions 160, of 320 86.
  for (const std::int64_t whole :
       {lies_at_lines(geometry_) ? base::kLineFloats : 1, std::int64_t{1}}) {
    for (std::int64_t n = part; n > 0 && n >= part * 2 / 3; --n) consider(n, whole);
    for (std::int64_t n = part + 1; n <= part * 4 / 3; ++n) consider(n, whole);
    if (best < size) break;
  }
  return best;
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

// [strip][channel][position of the strip], strips as list_strips() has them.
void ConvolutionPlan::pack_joined(const Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const std::int64_t positions = tile.count[0] * tile.count[1] * tile.count[2];
  const Strips strips(base::divide_up(positions, gemm_.lanes), vectors_);
  const std::int64_t shorts = strips.count - strips.long_count;
  const std::int64_t short_size = strips.short_size * gemm_.lanes;
  const std::int64_t long_size = short_size + gemm_.lanes;
  const bool lies = lies_in_line(g);
  const bool half = data_type_ == DataType::float16;
  std::int64_t origin = 0;
  for (int d = 0; d < kSpatial; ++d) origin += tile.windows[d].source(0) * g.in_strides[d];
  Slot of_line = slot;
  of_line.planes = slot.line;
  for (std::int64_t c = 0; c < g.in_channels; ++c) {
    const auto* line = reinterpret_cast<const std::byte*>(slot.line);
    if (lies) {
      line = tile.input + (origin + c * g.in_channel_stride) * element_bytes_;
      for (std::int64_t i = 0; i < positions * element_bytes_; i += base::kLineBytes) {
        __builtin_prefetch(line + kChannelsAhead * g.in_channel_stride * element_bytes_ + i);
      }
    } else {
      pack_planes(tile, c, 1, of_line);
    }
    float* to = slot.planes + c * columns;
    const std::int64_t strip = g.in_channels * columns;
    const auto copy = [&](std::int64_t first, std::int64_t rows, std::int64_t size) {
      if (lies && half) {
        rows_.load_rows_f16(line + first * element_bytes_, size, to, strip, rows, size);
      } else {
        gemm_.pad_rows({.from = reinterpret_cast<const float*>(line) + first,
                        .to = to,
                        .from_stride = size,
                        .to_stride = strip,
                        .rows = rows,
                        .before = 0,
                        .count = size,
                        .size = size});
      }
      to += rows * strip;
    };
    // The last one goes over some positions once more.
    if (shorts > 0) {
      copy(0, strips.long_count, long_size);
      copy(strips.long_count * long_size, shorts - 1, short_size);
      copy(positions - short_size, 1, short_size);
    } else {
      copy(0, strips.long_count - 1, long_size);
      copy(positions - long_size, 1, long_size);
    }
  }
}

void ConvolutionPlan::multiply_across(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& given, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  if (slabs_) return multiply_slabs(arguments, packed, given, slot);
  if (windows_) return multiply_windows(arguments, packed, given, slot);
  if (strips_first_) return multiply_near_strips(arguments, packed, given, slot);
  const std::int64_t rows = filter_.panel_rows();
  const float* input = slot.planes;
  if (given.in_place) {
    input = reinterpret_cast<const float*>(given.input);
  } else if (joined_) {
    assert(strips_apart_);
    // Tiles of other panels read the same.
    if (*slot.box != given.box) pack_joined(given, slot);
    *slot.box = given.box;
  } else if (given.windows[1].far) {
    pack_planes(given, 0, g.in_channels, slot);
  } else {
    pack_runs(given, slot.planes);
  }
  load_bias(arguments, given, given.first_panel, given.panel_count, slot.bias);
  if (!joined_) return multiply_strips(arguments, packed, given, input, slot);
  if (packed_strips_ > 0) return multiply_packed(arguments, packed, given, input, slot);
  const Tile tile = join_rows(given);
  const std::int64_t channels = channel_count(tile);
  const bool half = data_type_ == DataType::float16;
  std::byte* const output = first_output(arguments, tile);
  const auto at = [&](std::int64_t channel, std::int64_t position) {
    return output + (channel * g.out_channel_stride + position) * element_bytes_;
  };
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const std::int64_t strips = list_strips(tile, g.in_channels, slot);
  const float* const filter = filter_.panel(packed, tile.group, tile.first_panel, offset);
  const std::int64_t panel_floats =
      filter_.panel(packed, tile.group, tile.first_panel + 1, offset) - filter;
  kernels::GemmTile product{};
  product.a_step = 1;
  product.acc = slot.sums;
  // Else sums wait for an activation, or for their rounding.
  const bool in_place = !half || (gemm_.rounds && only_ramps());
  product.acc_stride = in_place ? g.out_channel_stride : vectors_ * gemm_.lanes;
  product.first = true;
  product.bias_of_positions = true;
  product.ramp = ramp();
  // next: lines that are wanted next, one a term
  const auto multiply = [&](const Strip& strip, std::int64_t p, const void* next,
                            std::int64_t next_step) {
    const std::int64_t count = std::min(rows, channels - p * rows);
    product.a = filter + p * panel_floats;
    product.b = input + strip.a;
    if (half && in_place) {
      product.half = reinterpret_cast<std::uint16_t*>(at(p * rows, strip.acc));
    } else if (in_place) {
      product.acc = reinterpret_cast<float*>(at(p * rows, strip.acc));
    }
    product.bias = slot.bias + p * rows;
    product.terms = strip.terms;
    product.depth = strip.depth;
    product.next = static_cast<const char*>(next);
    product.next_step = next_step;
    if (in_place) {
      base::fetch_rows_to_write(at(p * rows, strip.acc), g.out_channel_stride * element_bytes_,
                                count, strip.count * element_bytes_);
    }
    (count == rows ? strip.function : gemm_.tile(strip.count / gemm_.lanes, count, 1))(product);
    if (in_place) return;
    for (std::int64_t n = 0; !only_ramps() && n < count; ++n) {
      activate(slot.sums + n * product.acc_stride, strip.count);
    }
    rows_.store_rows_f16(slot.sums, product.acc_stride, at(p * rows, strip.acc),
                         g.out_channel_stride, count, strip.count);
  };
  // Strips are near. Of what the next tile reads and the next panel of the filter, a share comes
  // with each product, and so do the lines its sums go to. Zen 4 with AVX-512, us: 256 to 1024,
  // 14x14, 1020 and 992, two threads 518 and 503.
  const auto* next =
      reinterpret_cast<const float*>(given.in_place ? next_input(arguments, given) : nullptr);
  const std::int64_t lines = next != nullptr ? tile.count[2] / base::kLineFloats + 1 : 0;
  const std::int64_t calls = tile.panel_count * strips;
  std::int64_t line = 0, due = 0;  // the latter in parts of a line
  const std::int64_t panel_share = panel_floats / strips;
  for (std::int64_t p = 0; p < tile.panel_count; ++p) {
    const float* const next_panel = filter + std::min(p + 1, tile.panel_count - 1) * panel_floats;
    for (std::int64_t s = 0; s < strips; ++s) {
      for (due += lines; due >= 2 * calls; due -= calls, ++line) {
        for (std::int64_t c = 0; c < g.in_channels; ++c) {
          __builtin_prefetch(next + line * base::kLineFloats + c * g.in_channel_stride);
        }
      }
      if (due >= calls) {
        multiply(slot.strips[s], p, next + line++ * base::kLineFloats, g.in_channel_stride * 4);
        due -= calls;
      } else {
        multiply(slot.strips[s], p, next_panel + s * panel_share, panel_share * 4 / g.in_channels);
      }
    }
    if (only_ramps() || half) continue;
    for (std::int64_t n = p * rows; n < std::min((p + 1) * rows, channels); ++n) {
      activate(reinterpret_cast<float*>(at(n, slot.strips[0].acc)), tile.count[2]);
    }
  }
}

// Of an image's first position, in the tile's first output channel.
std::byte* ConvolutionPlan::first_output(const RunArguments& arguments,
                                         const Tile& tile) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t channel =
      tile.group * g.out_channels + tile.first_panel * filter_.panel_rows();
  return static_cast<std::byte*>(arguments.outputs[0]) +
         (tile.image * g.out_batch_stride + channel * g.out_channel_stride) * element_bytes_;
}

// The first of what the thread is likely to read after a tile; null: nothing.
const std::byte* ConvolutionPlan::next_input(const RunArguments& arguments,
                                             const Tile& tile) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  if (tile.index + 1 == tile_count_) return nullptr;
  const Tile next = locate(tile.index + 1);
  std::int64_t offset = 0;
  for (int d = 0; d < kSpatial; ++d) {
    const Phase& phase = next.phases[d];
    offset += (next.first[d] * phase.in_step + phase.first_offset) * g.in_strides[d];
  }
  return input_of(arguments, next) + offset * element_bytes_;
}

}  // namespace weft::ops
