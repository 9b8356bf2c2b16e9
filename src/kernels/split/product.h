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
//   patches   [step][part][half of the positions][pair of terms][16 positions][one of the pair]

#include <cstddef>
#include <cstdint>

#include "kernels/split/split.h"

namespace weft::kernels {

// Elements of one part of a step of patches: 32 terms x 32 positions.
inline constexpr std::int64_t kSplitPatchPart = kSplitBlock * kSplitBlock;

struct ProductBlock {
  const std::uint16_t* filter;
  const std::uint16_t* patches;
  std::int64_t steps;
  float* acc;  // 32 outputs of 32 positions, without gaps; aligned to 64 bytes
  bool first;
};

// The range of the numbers that were split, by lane.
struct alignas(64) LaneRange {
  std::uint32_t largest[16];
  std::uint32_t smallest[16];
};

// Terms of any number of positions, from one row of floats a term.
struct PatchRows {
  const float* rows;
  std::int64_t row_stride;    // floats
  std::int64_t terms;         // those up to the next multiple of 32 become 0
  std::int64_t positions;     // likewise
  std::uint16_t* to;          // first block of 32 positions
  std::int64_t block_stride;  // elements from a block of positions to the next
};

// Terms of one block of 32 positions from split rows, see split_row().
struct PatchTaps {
  const std::uint32_t* planes;
  std::int64_t part_stride;     // elements
  const std::int64_t* offsets;  // of each term's first position
  std::int64_t terms;           // a multiple of 32
  std::uint16_t* to;
};

// A block's sums on their way to a tensor whose positions lie side by side, in one or two runs:
//
//   to(o, p) = activation(acc(o, first + p) + bias(o))   for p in [0, count), o in [0, outputs)
struct ProductResult {
  struct Run {
    std::int64_t first;
    std::int64_t count;
    void* to;
  };

  const float* acc;
  const float* bias;  // one an output
  bool relu;          // or no activation
  bool half;          // float16, otherwise float32
  std::int64_t outputs;
  std::int64_t output_stride;  // elements
  std::int64_t run_count;
  Run runs[2];
};

// What is done between the products of a block, while the vector units have nothing else to do: the
// results of the block before are stored, all of them, and some of the patches of a later one are
// packed.
struct ProductSide {
  ProductResult result;           // outputs is 0: nothing to store
  PatchRows rows;                 // of the patches to come; terms is 0: none
  PatchTaps taps;                 // likewise
  LaneRange range;                // of what is taken from rows
  std::int64_t units = 0;         // packed so far: pairs of terms of a block of positions
  std::int64_t units_a_step = 0;  // how many to pack for each step of products
};

struct ProductKernels {
  std::int64_t parts;
  const char* name;

  // to[part][i] = the part of row[i], in both halves of 32 bits, as PatchTaps are read.
  void (*split_row)(const float* row, std::int64_t count, std::uint32_t* to,
                    std::int64_t part_stride, SplitRange& range) noexcept;

  // Between SplitKernels::enter() and leave().
  void (*multiply)(const ProductBlock& block, ProductSide& side) noexcept;

  // Each does all that is left of its work.
  void (*store)(ProductSide& side) noexcept;
  void (*pack)(ProductSide& side) noexcept;
};

// Null where this build or this machine has no such unit.
const ProductKernels* product_kernels(std::int64_t parts) noexcept;

}  // namespace weft::kernels
