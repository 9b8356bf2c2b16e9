#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/checked.h"
#include "kernels/gemm/equal_strips.h"
#include "kernels/gemm/gemm.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// Below this many multiply-adds a second thread costs more than it brings.
inline constexpr double kMinParallelWork = 1 << 17;

// A filter that is broadcast so far is read where it lies, unless it is prepared.
inline constexpr std::uint64_t kMostPackedWeights = std::uint64_t{1} << 28;

// Lists of terms without the taps that read padding only: as many as corners, edges and the middle
// of an image need.
inline constexpr std::int64_t kMostTermLists = 27;

// How a convolution's products are cut into tiles: boxes of positions of a stride phase by some
// panels of output channels, and how their terms are cut into blocks of input channels.
struct ConvolutionTiling {
  std::array<std::int64_t, kSpatial> box{1, 1, 1};
  std::array<std::int64_t, kSpatial> boxes{1, 1, 1};
  std::int64_t panel_block = 1;
  std::int64_t panel_blocks = 1;
  std::int64_t channel_block = 1;
  std::int64_t strip = 1;  // positions, at most
  bool wraps = false;      // strips go on in the next row
  bool gathers = false;    // what strips read is copied to lie as products read it
  // Strips end where a tap begins or ends to read the input, so that no term reads padding: then as
  // many ranges of taps as positions have; else 0.
  std::int64_t tap_ranges = 0;

  std::int64_t box_count() const noexcept { return boxes[0] * boxes[1] * boxes[2]; }
  std::int64_t box_positions() const noexcept { return box[0] * box[1] * box[2]; }
  // Of the input along dimension d that a box reads, with the padding that is copied.
  std::int64_t window_size(const ConvolutionAxis& axis, int d) const noexcept;
};

// Sums that are multiplied afterwards, and with them their errors, are of short chains.
enum class SumChains { as_usual, short_ones };

// What the choice depends on besides the geometry.
struct TilingProblem {
  std::int64_t merged_phases;  // of the last dimension that a tile computes together
  std::int64_t others;         // tiles that differ in image, group or phase
  unsigned threads;
  bool packs_strips;  // of one tap: they are copied anyway
  SumChains chains;
};

// Vectors a panel with the least time for rows of positions as long as this convolution's.
std::int64_t choose_vectors(const ConvolutionGeometry& geometry,
                            const kernels::GemmKernel& kernel) noexcept;

// Input channels whose terms are summed in one chain, before the sums of several chains are added.
std::int64_t channels_a_chain(const ConvolutionGeometry& geometry,
                              SumChains chains = SumChains::as_usual) noexcept;

// Blocks are of whole chains.
ConvolutionTiling choose_tiling(const ConvolutionGeometry& geometry,
                                const kernels::GemmKernel& kernel, std::int64_t vectors,
                                const TilingProblem& problem) noexcept;

// Sums across: positions along at least this many vectors at a time.
inline constexpr std::int64_t kAcrossVectors = 2;

// Whether the float32 sums of a convolution are best formed across; never where its output rows
// are not contiguous or shorter than the vectors.
bool is_best_across(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept;

// Whether windows of three columns are best multiplied where they lie, for a few output channels at
// a time (kernels/gemm/windows.h).
bool suits_windows(const ConvolutionParams& params, const ConvolutionGeometry& geometry,
                   const PlanOptions& options);

// Whether rows of output positions, output channels along vectors, can be summed where the input
// lies, without the padding around it: windows of three columns read one number of that at either
// end, and those of a position stay in the first-level cache.
bool suits_padded_rows(const ConvolutionGeometry& geometry,
                       const kernels::GemmKernel& kernel) noexcept;

// Whether sums of windows of three columns are known to be best formed along, with output channels
// along vectors, in such rows or from copies.
bool is_best_along(DataType type, const ConvolutionGeometry& geometry,
                   const kernels::GemmKernel& kernel) noexcept;

// Whether all output positions, one tap each, are one row for sums across.
bool joins_rows(const ConvolutionGeometry& geometry) noexcept;

// Whether what they read follows each other in the input, too, and whether it then lies at cache
// lines.
bool lies_in_line(const ConvolutionGeometry& geometry) noexcept;
bool lies_at_lines(const ConvolutionGeometry& geometry) noexcept;

// Whether all that is one line that is best summed across.
bool is_line_across(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept;

// Whether strips of such a line best pass by all panels one after the other: there is one panel, or
// all of them stay in the first-level cache, or, on AMD, there are few input channels, or it suits
// strips in place.
bool suits_strips(const ConvolutionGeometry& geometry, const kernels::GemmKernel& kernel) noexcept;

// Of float32 such a line, on Zen 5: whether it is best read where it lies, for each panel anew, or
// strip by strip for all panels, though a strip may come from the second-level cache each time.
bool suits_rows_in_place(const ConvolutionGeometry& geometry,
                         const kernels::GemmKernel& kernel) noexcept;
bool suits_strips_in_place(const ConvolutionGeometry& geometry,
                           const kernels::GemmKernel& kernel) noexcept;

// Input channels a slab, where sums of such a line are best formed slab by slab, read in the order
// of memory; 0 where they are not: there are few input channels, or more output channels, or, on
// AMD, channels crowd in the first-level cache.
std::int64_t channels_a_slab(const ConvolutionGeometry& geometry,
                             const kernels::GemmKernel& kernel) noexcept;

// Positions of a tile that is summed slab by slab; of 512 or more they take up to a tenth longer.
inline constexpr std::int64_t kSlabPositions = 256;

// The first slab, which nothing is multiplied before, is a small one.
inline constexpr std::int64_t kFirstSlab = 16;

// Whether so many positions of all channels stay in the first- or second-level cache where they lie
// in the input: channels that are a large power of two apart share a few sets of it.
bool stays_in_first_cache(const ConvolutionGeometry& geometry, std::int64_t positions) noexcept;
bool stays_in_second_cache(const ConvolutionGeometry& geometry, std::int64_t positions) noexcept;

// Whether strips of a 1x1 layer across are copied, to lie as products read them.
bool suits_packed_strips(const ConvolutionGeometry& geometry,
                         const kernels::GemmKernel& kernel) noexcept;

// Whether these are known to be faster than output channels along vectors.
bool is_best_packed(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept;

// Vectors of positions, and output channels a panel, for sums across.
std::int64_t vectors_across(const ConvolutionGeometry& geometry,
                            const kernels::GemmKernel& kernel) noexcept;
std::int64_t channels_across(const ConvolutionGeometry& geometry,
                             const kernels::GemmKernel& kernel) noexcept;

// Whether all phases have one tap and as many positions, and read the same inputs.
bool phases_read_alike(const ConvolutionGeometry& geometry) noexcept;

// Of an image, and of its largest phase: how many, and whether it is one.
std::int64_t position_count(const ConvolutionGeometry& geometry) noexcept;
bool has_one_position(const ConvolutionGeometry& geometry) noexcept;

// Taps of the phase that has the most, and of the one that has the fewest, if any.
std::int64_t most_taps(const ConvolutionGeometry& geometry) noexcept;
std::int64_t fewest_taps(const ConvolutionGeometry& geometry) noexcept;

// Ranges of taps that positions read inside the input, all others being padding; 0 where positions
// have more than kMostTermLists, or several phases.
std::int64_t count_tap_ranges(const ConvolutionGeometry& geometry) noexcept;

// How many of the chains that channels_a_chain() is for are one in a phase of so many taps, where
// others have more: no more terms than theirs, and none of another block of channels.
std::int64_t chains_in_one(const ConvolutionGeometry& geometry, const kernels::GemmKernel& kernel,
                           std::int64_t taps) noexcept;

// The size of as few parts as possible, of `most` at most, that are about equal.
inline std::int64_t equal_parts(std::int64_t whole, std::int64_t most) noexcept {
  return base::divide_up(whole, base::divide_up(whole, std::max<std::int64_t>(most, 1)));
}

// By 4 layers along the depth, of 3 input channels of 7 x 7 taps: chains of 49 terms would err 1.03
// times as much as one of all 441, of inputs after ReLU; those of 25 err 0.86 times as much, and
// take a twentieth longer.
inline constexpr std::int64_t kTermsAShortestChain = 32;

// Terms a chain, of so many of channels_a_chain(): where one channel has more taps than a short
// chain has terms, a part of them. Then nothing is padded, whose taps are left out.
inline std::int64_t terms_a_chain(std::int64_t terms, SumChains chains) noexcept {
  return chains == SumChains::short_ones ? equal_parts(terms, kTermsAShortestChain) : terms;
}

using kernels::Strips;

}  // namespace weft::ops
