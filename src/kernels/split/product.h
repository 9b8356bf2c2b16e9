#pragma once

// Plain matrix products of split numbers (split.h) on a matrix unit, for convolutions whose patches
// are written out:
//
//   acc(o, p) = (first ? 0 : acc(o, p)) + sum over k of filter(o, k) * patch(k, p)
//
// Here output channels are the rows of the unit's tiles and positions the columns: a result is 16
// positions of one channel, as it lies in memory, and needs no transposing. Terms k come in steps
// of 32:
//
//   filter    [step][part][32 outputs][32 terms]: what SplitKernels::split_pixels makes of 32 terms
//             of 32 outputs
//   patches   [step][part][half of the positions][pair of terms][16 positions][one of the pair], or
//             rows of pairs where they lie (PatchPairs)

#include <cstddef>
#include <cstdint>

#include "kernels/split/split.h"

namespace weft::kernels {

// Elements of one part of a step of patches: 32 terms x 32 positions.
inline constexpr std::int64_t kSplitPatchPart = kSplitBlock * kSplitBlock;

// Where patches lie, in elements from each other.
struct PatchLayout {
  std::int64_t step;
  std::int64_t part = kSplitPatchPart;
  std::int64_t half = kSplitPatchPart / 2;  // of the positions
  std::int64_t pair = kSplitBlock;
};

// Positions of a wide block, of which the sums of the second half lie as those of 16 more outputs.
inline constexpr std::int64_t kWideBlock = 2 * kSplitBlock;

struct ProductBlock {
  const std::uint16_t* filter;
  const std::uint16_t* patches;
  const std::uint16_t* next;  // patches of the block to come; null: they are packed, and follow
  PatchLayout layout;         // of those that are not packed
  std::int64_t steps;
  std::int64_t chain;      // steps whose sums are added as a whole to those before; wide: all
  std::int64_t outputs;    // likewise: up to 16 of either take less time; what else is written is 0
  std::int64_t positions;  // or kWideBlock, of not more than 16 outputs of float16
  float* acc;              // 32 outputs of 32 positions, acc_stride apart; aligned to 64 bytes
  std::int64_t acc_stride;
  bool first;
  bool all_products;  // of float16, mm too
  SplitAhead ahead;
};

// The range of the numbers that were split, by lane: as in SplitRange, and the largest absolute
// value of float16.
struct alignas(64) LaneRange {
  std::uint32_t largest[16];
  std::uint32_t smallest[16];
  std::uint16_t largest_half[32];
};

// How far ahead of a term its row's offset is read: so far rows are fetched.
inline constexpr std::int64_t kPatchTermsAhead = 4;

// Terms of any number of positions, from one row of numbers a term. Rows lie in images: position p
// is number first + p of the row, and number n is element (n % length) * step of image n / length.
struct PatchRows {
  const void* rows;
  const std::int64_t* offsets;  // of each term's row, in elements; kPatchTermsAhead more than terms
  bool half;                    // float16, of which there are two parts; otherwise float32
  int step;                     // 1 or 2 elements
  std::int64_t first;
  std::int64_t length;        // at least 16, where there is a second image
  std::int64_t image_stride;  // elements
  std::int64_t terms;         // those up to the next multiple of 32 become 0
  std::int64_t positions;     // likewise
  std::uint16_t* to;          // first block of 32 positions
  std::int64_t block_stride;  // elements from a block of positions to the next
};

// Pairs of terms of a row of positions, from one row of the input:
//
//   to(part, pair, p, i) = part of row[taps[2 pair + i].offset + p * step]
//
// for p in [begin, end) of that tap, 0 for other positions up to the next multiple of 16.
struct PatchPairs {
  struct Tap {
    std::int64_t offset;
    std::int64_t begin, end;
  };
  const void* row;
  bool half;  // float16, of which there are two parts; otherwise float32
  int step;   // 1 or 2 elements
  const Tap* taps;
  std::int64_t pairs;
  std::int64_t positions;
  std::uint16_t* to;
  std::int64_t pair_stride;  // elements
  std::int64_t part_stride;
};

// Most blocks whose sums lie interleaved in the output.
inline constexpr int kMostInterleaved = 8;

// A block's sums, or those of some blocks whose positions take turns, on their way to a tensor
// whose positions lie side by side, in a few runs:
//
//   to(o, p * interleaved + q) = activation(acc(q, o, first + p) + bias(o))
//
// for o in [0, outputs), and numbers p * interleaved + q in [begin, end) of each run.
struct ProductResult {
  struct Run {
    std::int64_t first;  // position
    std::int64_t begin, end;
    void* to;
  };
  static constexpr int kMostRuns = 6;

  const float* acc;   // [q][32 outputs][32 positions]
  const float* bias;  // one an output
  const Ramp* ramp;   // or null
  bool half;          // float16, otherwise float32
  bool past_cache;    // written straight to memory; ProductKernels::store ends with a fence
  int interleaved;    // blocks: 1 to kMostInterleaved
  std::int64_t outputs;
  std::int64_t output_stride;  // elements
  std::int64_t ahead;          // elements from here to the next block's, in all likelihood
  std::int64_t steps;          // of products, in which to store all
  std::int64_t run_count;
  Run runs[kMostRuns];
  std::int64_t next;  // output
};

// What is done between the products of a block, while the vector units have nothing else to do:
// some results of blocks before are stored, and some of the patches of a later one are packed.
struct ProductSide {
  ProductResult result;           // next is outputs: nothing to store
  PatchRows rows;                 // of the patches to come; terms is 0: none
  LaneRange range;                // of what is taken from rows
  std::int64_t units = 0;         // packed so far: pairs of terms of a block of positions
  std::int64_t units_a_step = 0;  // how many to pack for each step of products
};

struct ProductKernels {
  std::int64_t parts;
  const char* name;

  void (*pack_pairs)(const PatchPairs& pairs, LaneRange& range) noexcept;

  // Between SplitKernels::enter() and leave().
  void (*multiply)(const ProductBlock& block, ProductSide& side) noexcept;

  // Each does all that is left of its work.
  void (*store)(ProductSide& side) noexcept;
  void (*pack)(ProductSide& side) noexcept;
};

// Null where this build or this machine has no such unit.
const ProductKernels* product_kernels(std::int64_t parts) noexcept;

}  // namespace weft::kernels
