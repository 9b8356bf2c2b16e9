#include "ops/convolution_tiling.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "ops/axis_window.h"

namespace weft::ops {

namespace {

// Cycles a term: two multiply-adds or two loads a cycle, and four cycles until a sum can take its
// next term. As measured on a Xeon, AVX2 and AVX-512 alike, fewer than 12 sums do not quite hide
// that, and tiles of one vector wait for their loads.
double cycles_a_term(std::int64_t positions, std::int64_t vectors) {
  const auto m = static_cast<double>(positions);
  const auto v = static_cast<double>(vectors);
  const double waiting = std::max(0.2 * (12 - m * v), 0.0) + (vectors == 1 ? 0.7 : 0.0);
  return std::max({m * v / 2 + waiting, (m + v + 2) / 2, 4.3});
}

double row_cycles(std::int64_t positions, std::int64_t vectors, std::int64_t most) {
  const Strips strips(positions, most);
  const auto longs = static_cast<double>(strips.long_count);
  const auto shorts = static_cast<double>(strips.count - strips.long_count);
  return longs * cycles_a_term(strips.short_size + 1, vectors) +
         (shorts > 0 ? shorts * cycles_a_term(strips.short_size, vectors) : 0);
}

// Positions of a row at its ends that lack a tap; all of them where one reads nothing at all.
std::int64_t positions_at_ends(const ConvolutionAxis& axis, const Phase& phase) {
  std::array<std::int64_t, 2> inside = {0, phase.count};
  for (std::int64_t j = 0; j < phase.taps; ++j) {
    const auto [begin, end] = axis.inside(phase, phase.offset(j));
    inside = {std::max(inside[0], begin), std::min(inside[1], end)};
  }
  return phase.count - std::max<std::int64_t>(inside[1] - inside[0], 0);
}

// Rows of a layer whose strips never go on in the next row: those with fewer taps than the others,
// or all of them. Strips that do take all taps, as nearly all strips of a single row have them.
// Of more phases than real ones have, looking at each would take longer than that saves.
std::int64_t rows_apart(const ConvolutionGeometry& g, const kernels::GemmKernel& kernel,
                        std::int64_t vectors) {
  constexpr std::int64_t kMostPhases = 4096;
  const std::int64_t most = kernel.offset_positions_of(vectors);
  const ConvolutionAxis &rows = g.axes[kSpatial - 2], &row = g.axes[kSpatial - 1];
  bool wraps =
      row.phase_count() <= kMostPhases && most > 0 && most_taps(g) > 1 && rows.max_count() > 1;
  for (std::int64_t p = 0; p < row.phase_count() && wraps; ++p) {
    const Phase phase = row.phase(p);
    const std::int64_t at_ends = positions_at_ends(row, phase);
    wraps = phase.count == row.max_count() && at_ends <= most && at_ends < phase.count;
  }
  return wraps ? positions_at_ends(rows, rows.phase(0)) : rows.max_count();
}

// Of the taps of all positions, those that lie inside the input.
double share_inside(const ConvolutionAxis& axis) {
  const Phase phase = axis.phase(0);
  std::int64_t taps = 0;
  for (std::int64_t j = 0; j < phase.taps; ++j) {
    const auto [begin, end] = axis.inside(phase, phase.offset(j));
    taps += std::max<std::int64_t>(end - begin, 0);
  }
  return phase.taps > 0 ? static_cast<double>(taps) / static_cast<double>(phase.taps * phase.count)
                        : 1;
}

// Cycles a term for a layer of a box, and how its strips lie.
struct LayerStrips {
  double cycles;
  std::int64_t most;
  bool wraps;
};

LayerStrips layer_strips(std::int64_t rows, std::int64_t width, std::int64_t vectors,
                         const kernels::GemmKernel& kernel, std::int64_t single_rows) {
  constexpr double kWorthwhile = 0.975;
  const std::int64_t most = kernel.positions_of(vectors);
  const double apart = static_cast<double>(rows) * row_cycles(width, vectors, most);
  const std::int64_t together = rows - single_rows;
  const std::int64_t most_wrapped = kernel.offset_positions_of(vectors);
  if (together > 1 && most_wrapped > 0) {
    const double wrapped =
        row_cycles(together * width, vectors, most_wrapped) +
        static_cast<double>(single_rows) * row_cycles(width, vectors, most_wrapped);
    if (wrapped < apart * kWorthwhile) return {wrapped, most_wrapped, true};
  }
  return {apart, most, false};
}

// Cycles for a row of strips that leave out the taps of which they read nothing but padding.
double cycles_of_strips(const ConvolutionAxis& axis, std::int64_t vectors, std::int64_t most) {
  const Phase phase = axis.phase(0);
  const Strips strips(phase.count, most);
  double cycles = 0;
  for (std::int64_t s = 0, w = 0; s < strips.count; ++s) {
    const std::int64_t size = strips.size(s);
    const auto [first, last] = taps_inside(phase, w, size, axis.in_size());
    cycles += static_cast<double>(last - first) * cycles_a_term(size, vectors);
    w += size;
  }
  return cycles;
}

// The same if strips end where a tap begins or ends to read the input.
double cycles_of_ranges(const ConvolutionAxis& axis, std::int64_t vectors, std::int64_t most) {
  const Phase phase = axis.phase(0);
  double cycles = 0;
  for (std::int64_t w = 0, end; w < phase.count; w = end) {
    end = axis.end_of_same_taps(phase, w);
    const auto [first, last] = taps_inside(phase, w, 1, axis.in_size());
    cycles += static_cast<double>(last - first) * row_cycles(end - w, vectors, most);
  }
  return cycles;
}

// Where taps lie far apart, as those of dilated windows, strips that end with them multiply less.
std::int64_t choose_tap_ranges(const ConvolutionGeometry& g, const kernels::GemmKernel& kernel,
                               std::int64_t vectors) {
  constexpr std::int64_t kMostTaps = 256, kMostPositions = 1 << 14;  // to look at each
  const ConvolutionAxis& row = g.axes[kSpatial - 1];
  if (most_taps(g) == 1 || most_taps(g) > kMostTaps || row.max_count() > kMostPositions) return 0;
  const std::int64_t ranges = count_tap_ranges(g);
  if (ranges == 0) return 0;
  const std::int64_t most = kernel.positions_of(vectors);
  const std::int64_t rows = g.axes[kSpatial - 2].max_count();
  const LayerStrips layer =
      layer_strips(rows, row.max_count(), vectors, kernel, rows_apart(g, kernel, vectors));
  const double taps_a_row = static_cast<double>(row.phase(0).taps) / static_cast<double>(rows);
  const double of_strips =
      layer.wraps ? taps_a_row * layer.cycles : cycles_of_strips(row, vectors, most);
  return cycles_of_ranges(row, vectors, most) < of_strips ? ranges : 0;
}

// The filter of one block of terms stays in the first-level cache while the positions of a tile
// pass by, with a third of it left for what they read: no more terms than have room there. While
// few of them pass, much of the next block comes for each.
std::int64_t terms_a_block(std::int64_t columns, std::int64_t positions) {
  constexpr std::int64_t kFew = 64;
  const std::int64_t cache = base::first_cache_bytes();
  const std::int64_t bytes = positions <= kFew ? cache / 2 : cache * 2 / 3;
  return std::min<std::int64_t>(256, bytes / (columns * 4));
}

// The fewer, the smaller is the error of a sum. Never a machine's own number, or its bits were too.
// Where panels are of two vectors and the first-level cache is of 48 KiB, two chains are a block.
constexpr std::int64_t kTermsAChain = 128;

// Phases of few taps, as BACKWARD has them, sum many channels: twice as many chains take a fifth
// off the error, for 1 to 3 percent of the time. One tap has less to sum for each number it writes.
constexpr std::int64_t kFewTaps = 4, kTermsAShortChain = 64;

// Bytes a cycle that are gathered, and by how much products then take less: most where positions
// lie far apart, hardly where taps share no input, so that positions follow each other already. In
// turns, one thread: 512 to 512, 14x14, 3x3 at 2: 1.21, whose strips then need not end with their
// rows; 3 to 768, 224x224, 16x16 at 16: 1.20; 512 to 512, length 3199, 3 at 2: 1.03 to 1.17, by
// how busy the processor is; 96 to 192, 56x56, 2x2 at 2: 0.95.
constexpr double kGatheredBytesACycle = 6, kGathered = 0.93, kGatheredFar = 0.85,
                 kGatheredApart = 0.97;
constexpr std::int64_t kNearStep = 2;

// Input of a block of terms that the first-level translation buffer still reaches.
constexpr double kMaxWindowBytes = 256 << 10;

// A box of about `target` positions, whole rows where possible.
std::array<std::int64_t, kSpatial> box_of(const ConvolutionGeometry& g, std::int64_t target,
                                          std::int64_t strip) {
  std::array<std::int64_t, kSpatial> box{1, 1, 1};
  std::int64_t left = target;
  for (int d = kSpatial; d-- > 0 && left > 0;) {
    const std::int64_t size = g.axes[d].max_count();
    std::int64_t part = std::min(size, left);
    if (d == kSpatial - 1 && part < size)
      part = std::min(size, base::divide_up(part, strip) * strip);
    box[d] = base::divide_up(size, base::divide_up(size, part));
    if (d == kSpatial - 1 && box[d] < size)
      box[d] = std::min(size, base::divide_up(box[d], strip) * strip);
    left /= part;
    if (part < size) break;
  }
  return box;
}

// What strips across read of input and filter stays near; lists of terms are one a row of taps.
constexpr std::int64_t kMaxAcrossTerms = 1024, kMaxAcrossTaps = 512;

// Cycles for a sum on its way from a panel into rows, as measured.
constexpr double kTransposed = 1.25;

// Cycles for a number that a tile reads of a 1x1 layer's input, where tiles are of fewer positions
// than half a cache line: two or three read each line, the last ones from the second level. At the
// least: on Zen 4 with AVX2, 1 to 3. There, 512 to 32, 28x28 takes 820 us along, 440 across.
constexpr double kReadAgain = 0.25;

// Cycles before the first term of a tile across, and for each of its sums after the last, as
// measured.
constexpr double kTileStart = 45, kStored = 1;

// Where registers hold eight sums of three vectors, these take fewer instructions a product. As
// measured, on one thread and two: of 48 channels and more 1.02 to 1.09 times as fast, of 24 to 40
// between 0.97 and 1.03. Others where two at a time leave a single one, whose loads take longer
// than its products: 256 to 1024, 14x14, 428 us, by threes 414; two threads 242 and 234.
bool takes_three_vectors(const ConvolutionGeometry& geometry,
                         const kernels::GemmKernel& kernel) noexcept {
  constexpr std::int64_t kManyChannels = 48, kManySums = 8;
  const std::int64_t positions = position_count(geometry);
  const bool leaves_one = base::divide_up(positions, kernel.lanes) % kAcrossVectors == 1;
  return kernel.max_positions[2] >= kManySums && positions >= 3 * kernel.lanes &&
         !suits_packed_strips(geometry, kernel) && geometry.in_channels >= kManyChannels &&
         geometry.out_channels > geometry.in_channels &&
         (suits_strips(geometry, kernel) || leaves_one);
}

}  // namespace

std::int64_t ConvolutionTiling::window_size(const ConvolutionAxis& axis, int d) const noexcept {
  const std::int64_t size = window_bound(axis.phase(0), axis.class_taps(0), box[d]);
  return tap_ranges > 0 ? std::min(size, axis.in_size()) : size;
}

std::int64_t position_count(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t positions = 1;
  for (const ConvolutionAxis& axis : geometry.axes) positions *= axis.max_count();
  return positions;
}

bool has_one_position(const ConvolutionGeometry& geometry) noexcept {
  return std::all_of(geometry.axes.begin(), geometry.axes.end(), [](const ConvolutionAxis& axis) {
    return axis.phase_count() == 1 && axis.max_count() == 1;
  });
}

std::int64_t most_taps(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t taps = 1;
  for (const ConvolutionAxis& axis : geometry.axes) taps *= axis.class_taps(0);
  return taps;
}

std::int64_t fewest_taps(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t taps = 1;
  for (const ConvolutionAxis& axis : geometry.axes) taps *= axis.class_taps(axis.class_count() - 1);
  return taps;
}

bool phases_read_alike(const ConvolutionGeometry& geometry) noexcept {
  for (const ConvolutionAxis& axis : geometry.axes) {
    const Phase first = axis.phase(0);
    for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
      const Phase phase = axis.phase(p);
      if (phase.taps != 1 || phase.first_offset != first.first_offset ||
          phase.in_step != first.in_step || phase.count != first.count) {
        return false;
      }
    }
  }
  return true;
}

bool is_best_across(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept {
  const ConvolutionAxis& axis = geometry.axes[kSpatial - 1];
  std::int64_t width = axis.max_count();
  std::int64_t rows = 1;  // that are summed as one
  if (joins_rows(geometry)) rows = geometry.axes[0].max_count() * geometry.axes[1].max_count();
  if (axis.phase_count() != 1 || geometry.out_strides[kSpatial - 1] != 1 ||
      width * rows < kAcrossVectors * kernel.lanes) {
    return false;
  }
  const std::int64_t terms = geometry.in_channels * most_taps(geometry);
  if (terms > (geometry.window() == 1 ? kMaxAcrossTerms : kMaxAcrossTaps)) return false;

  if (is_best_packed(geometry, kernel)) return true;
  const std::int64_t vectors = choose_vectors(geometry, kernel);
  const std::int64_t panels = rows * base::divide_up(geometry.out_channels, vectors * kernel.lanes);
  const bool reads_again =
      joins_rows(geometry) && kernel.positions_of(vectors) < base::kLineFloats / 2;
  const double along =
      (reads_again ? kReadAgain * static_cast<double>(rows * width) : 0) +
      static_cast<double>(panels) * row_cycles(width, vectors, kernel.positions_of(vectors)) +
      static_cast<double>(rows * width * geometry.out_channels) * kTransposed /
          static_cast<double>(terms);
  const std::int64_t strips = base::divide_up(width * rows, kernel.lanes);
  const std::int64_t whole = strips / kAcrossVectors, rest = strips % kAcrossVectors;
  const auto panel = [&](std::int64_t channels) {
    if (channels == 0) return 0.0;
    return static_cast<double>(whole) * cycles_a_term(channels, kAcrossVectors) +
           (rest > 0 ? cycles_a_term(channels, 1) : 0);
  };
  const std::int64_t channels =
      equal_parts(geometry.out_channels, kernel.max_positions[kAcrossVectors - 1]);
  const std::int64_t full = geometry.out_channels / channels;
  const double across =
      static_cast<double>(full) * panel(channels) + panel(geometry.out_channels % channels);
  return across <= along;
}

std::int64_t vectors_across(const ConvolutionGeometry& geometry,
                            const kernels::GemmKernel& kernel) noexcept {
  const std::int64_t width = geometry.axes[kSpatial - 1].max_count();
  if (joins_rows(geometry)) return takes_three_vectors(geometry, kernel) ? 3 : kAcrossVectors;
  const auto terms = static_cast<double>(geometry.in_channels * most_taps(geometry));
  std::int64_t best = kAcrossVectors;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t v = kAcrossVectors; v <= kernels::kGemmMaxVectors; ++v) {
    if (kernel.max_positions[v - 1] == 0 || width < v * kernel.lanes) break;
    const std::int64_t channels = equal_parts(geometry.out_channels, kernel.max_positions[v - 1]);
    const std::int64_t panels = base::divide_up(geometry.out_channels, channels);
    const auto tile = [&](std::int64_t vectors) {
      return kTileStart + static_cast<double>(channels * vectors) * kStored +
             terms * cycles_a_term(channels, vectors);
    };
    const Strips strips(base::divide_up(width, kernel.lanes), v);
    const std::int64_t shorts = strips.count - strips.long_count;
    const double row = static_cast<double>(strips.long_count) * tile(strips.short_size + 1) +
                       static_cast<double>(shorts) * tile(strips.short_size);
    const double cycles = static_cast<double>(panels) * row;
    if (cycles < least) {
      least = cycles;
      best = v;
    }
  }
  return best;
}

std::int64_t channels_across(const ConvolutionGeometry& geometry,
                             const kernels::GemmKernel& kernel) noexcept {
  return equal_parts(geometry.out_channels,
                     kernel.max_positions[vectors_across(geometry, kernel) - 1]);
}

std::int64_t choose_vectors(const ConvolutionGeometry& geometry,
                            const kernels::GemmKernel& kernel) noexcept {
  // Of a single position, as many as there are tiles for, but two panels, for threads to share. In
  // turns, one thread of Zen 4 and two, us, by up to three vectors and eight: 960 to 1280 channels,
  // 71 and 67, 38 and 36; 512 to 512, 16 and 14, 9 and 7.
  const std::int64_t all = base::divide_up(geometry.out_channels, kernel.lanes);
  if (has_one_position(geometry) && all > kernels::kGemmMaxVectors) {
    return equal_parts(all, std::min(base::divide_up(all, 2), kernel.max_vectors_of_one));
  }
  std::int64_t best = 2;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t v = 1; v <= kernels::kGemmMaxVectors; ++v) {
    if (kernel.max_positions[v - 1] == 0) continue;
    const std::int64_t panels = base::divide_up(geometry.out_channels, v * kernel.lanes);
    const double cycles = static_cast<double>(panels) *
                          layer_strips(geometry.axes[1].max_count(), geometry.axes[2].max_count(),
                                       v, kernel, rows_apart(geometry, kernel, v))
                              .cycles;
    if (cycles < least) {
      least = cycles;
      best = v;
    }
  }
  return best;
}

std::int64_t channels_a_chain(const ConvolutionGeometry& geometry, SumChains chains) noexcept {
  const std::int64_t taps = most_taps(geometry);
  const bool few_taps = taps > 1 && taps <= kFewTaps;
  const std::int64_t terms = chains == SumChains::short_ones ? kTermsAShortestChain
                             : few_taps                      ? kTermsAShortChain
                                                             : kTermsAChain;
  return equal_parts(geometry.in_channels, terms / taps);
}

// A power of two, so that blocks of the longest chain are whole ones of all others.
std::int64_t chains_in_one(const ConvolutionGeometry& geometry, const kernels::GemmKernel& kernel,
                           std::int64_t taps) noexcept {
  const std::int64_t terms = kernel.lanes < 16 ? 256 : 128;  // of a block with any cache
  const std::int64_t most = most_taps(geometry);
  const std::int64_t fitting = terms / (channels_a_chain(geometry, SumChains::as_usual) * most);
  const std::int64_t fewer = most / std::max<std::int64_t>(taps, 1);
  const std::int64_t chains = std::max<std::int64_t>(std::min(fitting, fewer), 1);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(chains)));
}

ConvolutionTiling choose_tiling(const ConvolutionGeometry& geometry,
                                const kernels::GemmKernel& kernel, std::int64_t vectors,
                                const TilingProblem& problem) noexcept {
  const std::int64_t columns = vectors * kernel.lanes;
  const std::int64_t panels = base::divide_up(geometry.out_channels, columns);
  const std::int64_t taps = most_taps(geometry);
  const std::int64_t tap_ranges = choose_tap_ranges(geometry, kernel, vectors);
  const std::int64_t single_rows = tap_ranges > 0 ? geometry.axes[kSpatial - 2].max_count()
                                                  : rows_apart(geometry, kernel, vectors);
  const std::int64_t terms = geometry.in_channels * taps;
  const auto phases = static_cast<double>(problem.merged_phases);

  ConvolutionTiling tiling;
  const std::int64_t positions = position_count(geometry);
  const std::int64_t most = kernel.positions_of(vectors);
  const std::int64_t chain = channels_a_chain(geometry, problem.chains) *
                             chains_in_one(geometry, kernel, fewest_taps(geometry));
  const std::int64_t chains = equal_parts(base::divide_up(geometry.in_channels, chain),
                                          terms_a_block(columns, positions) / (chain * taps));
  tiling.channel_block = std::min(chains * chain, geometry.in_channels);
  const std::int64_t blocks = base::divide_up(geometry.in_channels, tiling.channel_block);

  const std::int64_t cache = base::second_cache_bytes();
  // From a shared cache or memory the filter comes several times slower.
  const double filter_bytes = static_cast<double>(panels * columns * 4) *
                              static_cast<double>(geometry.in_channels * geometry.window());
  const double bytes_a_cycle = filter_bytes > static_cast<double>(cache) / 2 ? 4 : 16;

  // Packed numbers come from a shared cache, and each thread packs what it reads. Of AMD, in turns:
  // BACKWARD 512 to 256, 32x32, 2x2 at 2: 13.4 ms, by half the speed 12.0.
  const double packed_bytes_a_cycle = base::is_amd() ? 4 : 8;

  // Of the terms of all taps, those that strips multiply which are not gathered.
  const ConvolutionAxis& row = geometry.axes[kWidth];
  const double share_of_depth = share_inside(geometry.axes[kDepth]);
  const double share_of_rows = share_inside(geometry.axes[kHeight]);
  const double share = share_of_depth * share_of_rows *
                       (tap_ranges > 0 ? cycles_of_ranges(row, vectors, most) /
                                             (static_cast<double>(row.phase(0).taps) *
                                              row_cycles(row.phase(0).count, vectors, most))
                                       : 1);
  const bool may_gather = kernel.gathered_tile != nullptr && vectors > 1 &&
                          vectors <= kernels::kGemmMaxVectors && share > 0 &&
                          !(problem.packs_strips && problem.merged_phases > 1);
  const Phase phase = row.phase(0);
  const double gain = phase.in_step > kNearStep                            ? kGatheredFar
                      : phase.taps > phase.in_step || problem.packs_strips ? kGathered
                                                                           : kGatheredApart;
  // Gathered strips leave out rows of taps unless they go on in the next row of positions: how many
  // terms they multiply for one of the others.
  const auto gathered_share = [&](std::int64_t width) {
    const double within = std::max(0.0, 1 - static_cast<double>(most) / static_cast<double>(width));
    return share_of_depth * (1 - within * (1 - share_of_rows)) / share;
  };

  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t parts = 1; parts <= positions; parts += 1 + parts / 8) {
    ConvolutionTiling candidate = tiling;
    candidate.tap_ranges = tap_ranges;
    candidate.box = box_of(geometry, base::divide_up(positions, parts), most);
    double window = 4.0 * static_cast<double>(tiling.channel_block);  // bytes of input
    for (int d = 0; d < kSpatial; ++d) {
      const ConvolutionAxis& axis = geometry.axes[d];
      candidate.boxes[d] = base::divide_up(axis.max_count(), candidate.box[d]);
      window *= static_cast<double>(candidate.window_size(axis, d));
    }
    const double sums = static_cast<double>(candidate.box_positions() * columns * 4) * phases;
    const LayerStrips own_strips =
        layer_strips(candidate.box[1], candidate.box[2], vectors, kernel, single_rows);
    const LayerStrips gathered_strips = {
        gain * gathered_share(candidate.box[2]) *
            row_cycles(candidate.box[1] * candidate.box[2], vectors, most),
        most, true};
    for (std::int64_t panel_blocks = 1; panel_blocks <= panels;
         panel_blocks += 1 + panel_blocks / 8) {
      candidate.panel_block = base::divide_up(panels, panel_blocks);
      candidate.panel_blocks = base::divide_up(panels, candidate.panel_block);
      const auto panels_here = static_cast<double>(candidate.panel_block);
      const double tiles = static_cast<double>(problem.others * candidate.box_count()) *
                           static_cast<double>(candidate.panel_blocks);
      const double rounds = static_cast<double>(
          base::divide_up(static_cast<std::int64_t>(tiles), std::int64_t{problem.threads}));
      for (const bool gathers : {false, true}) {
        if (gathers && !may_gather) continue;
        const LayerStrips& strips = gathers ? gathered_strips : own_strips;
        candidate.gathers = gathers;
        candidate.strip = strips.most;
        candidate.wraps = strips.wraps;
        candidate.tap_ranges = gathers ? 0 : tap_ranges;
        const double gathered =
            gathers && !problem.packs_strips
                ? phases * 4 *
                      static_cast<double>(candidate.box_positions() * tiling.channel_block * taps)
                : 0;
        // What a tile keeps has to fit; the smallest tile need not.
        const double kept = std::max(window, gathered) + (blocks > 1 ? panels_here : 1) * sums;
        // Sums of all terms at once are stored before they leave the first cache.
        const bool fits = kept <= static_cast<double>(cache) * 0.6 && window <= kMaxWindowBytes &&
                          (blocks > 1 || sums <= static_cast<double>(base::first_cache_bytes()));
        const double cycles = static_cast<double>(terms) * phases * panels_here *
                                  (static_cast<double>(candidate.box[0]) * strips.cycles +
                                   static_cast<double>(columns * 4) / bytes_a_cycle) +
                              (window / packed_bytes_a_cycle + gathered / kGatheredBytesACycle) *
                                  static_cast<double>(blocks) +
                              3000;
        const double cost = rounds * cycles + (fits ? 0 : kept * 1e12);
        if (cost < least) {
          least = cost;
          tiling = candidate;
        }
      }
    }
  }
  return tiling;
}

}  // namespace weft::ops
