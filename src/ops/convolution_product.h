#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/split/product.h"
#include "kernels/transpose/transpose.h"
#include "ops/product_filter.h"
#include "ops/split_plan.h"
#include "ops/tile_shares.h"

namespace weft::ops {

// A convolution on a matrix unit for bfloat16 as a plain product of split numbers (product.h): the
// patches of a block of positions are written out, in parts, and multiplied while they are in the
// cache. For windows of one, for windows that do not overlap, and for few input channels, where
// SplitConvolution would fill its blocks of 32 channels with zeros.
//
// Patches come from rows of the input, each term of each position taken apart where it is used, or,
// where windows overlap much, from planes: for each row of the input, the pairs of terms that a
// window takes from it, as the unit reads them. A window is then a run of such pairs.
//
// Phases of BACKWARD that read the same inputs share their patches. The terms of a sum are added in
// the order input channel, tap, in planes row of taps, channel, tap, whatever the tiles.
//
// A thread's memory is at most 4 MiB, whatever the size of the image.
class ProductConvolution final : public SplitPlan {
 public:
  // Seconds that one core would take; infinite where this is not the way.
  static double seconds(const ConvolutionParams& params, const PlanOptions& options);

  ProductConvolution(const ConvolutionParams& params, const PlanOptions& options);

 private:
  using Phases = std::array<Phase, kSpatial>;

  // Phases, and the position of a set at which their outputs begin.
  struct Member {
    Phases phases;
    std::array<std::int64_t, kSpatial> delays;
  };

  // Where the positions of a set are the elements of one row a term, of the input as it lies: the
  // step, length and images of kernels::PatchRows.
  struct InPlace {
    int step;  // 0: they are not
    std::int64_t length;
    std::int64_t image_stride;
  };

  // Phases that read the same inputs: as many positions as all of them need. Where the outputs of
  // some of them take turns along the last dimension, these follow each other.
  struct PhaseSet {
    Phases inputs;
    std::vector<Member> members;
    std::int64_t terms = 0;
    std::int64_t taps = 0;
    std::int64_t interleaved = 1;  // members
    std::int64_t late = 0;         // those whose first output is not at position 0 but at 1
    std::int64_t length = 0;       // outputs of a row of the interleaved ones
    InPlace in_place = {};
  };

  // Pairs of terms of one row of positions, from all channels, one after the other; those of the
  // taps along the depth; those of the rows of the input. So the pairs of a window are those from
  // that of its first row on.
  struct Planes {
    std::vector<kernels::PatchPairs::Tap> taps;  // two a pair, of a row; empty: no planes
    std::vector<std::int64_t> order;             // of the filter's terms
    std::int64_t pairs = 0;                      // of a row of the input, for all depths
    std::int64_t pitch = 0;                      // elements of a pair
    std::int64_t first_offset = 0;               // of the rows of a window
  };

  // Positions of a phase are numbered along a line, row by row.
  struct Tile {
    std::int64_t image, group, first_out_block, out_blocks;
    const PhaseSet* set;
    std::int64_t first;  // of the line
    std::int64_t count;
  };

  // What is packed at a time: a run of positions, some steps of terms.
  struct Batch {
    std::int64_t first, count;
    std::int64_t step, steps;
  };

  struct Slot {
    std::uint16_t* patches;
    float* rows;
    std::int64_t* row_offsets;
    float* acc;
    std::uint16_t* planes;
    float* bias;
  };

  // The same convolution with its images one behind the other along the depth or, where they have
  // one position each, the width: no block of positions ends with an image then.
  static ConvolutionGeometry as_one_image(const ConvolutionGeometry& geometry);
  static Planes planes_of(const ConvolutionGeometry& geometry, const std::vector<PhaseSet>& sets);
  bool has_planes() const noexcept { return !planes_.taps.empty(); }
  static std::vector<PhaseSet> phase_sets(const ConvolutionGeometry& geometry);
  static InPlace in_place(const ConvolutionGeometry& geometry, const PhaseSet& set);
  bool has_short_chains(const ConvolutionParams& params) const noexcept;

  void pack_filter(const void* filter, std::byte* packed) const noexcept override;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                 SharedRange* ranges) const noexcept override;

  void choose_bands(std::int64_t wanted);
  std::int64_t shared_run(std::int64_t positions, std::int64_t others, std::int64_t phases,
                          unsigned threads) const noexcept;
  void choose_tiles(const PlanOptions& options);
  Tile locate(const TileShares::Share& share) const noexcept;
  const std::byte* input_of(const RunArguments& arguments, const Tile& tile) const noexcept;
  std::int64_t row_floats() const noexcept {
    return has_planes() ? 2 * planes_.pitch : kernels::kSplitBlock * run_;
  }
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;

  void compute_tile(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Slot& slot, bool has_patches, kernels::SplitRange& range) const noexcept;
  void compute_rows(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Slot& slot, kernels::ProductSide& side) const noexcept;
  kernels::SplitRange range_of(const RunArguments& arguments, std::int64_t image,
                               const Slot& slot) const noexcept;
  Batch batch_at(const Tile& tile, std::int64_t first, std::int64_t step) const noexcept;
  std::int64_t tap_offset(const PhaseSet& set, std::int64_t tap) const noexcept;
  void set_packing(const Tile& tile, const std::byte* input, const Batch& batch, std::uint16_t* to,
                   const Slot& slot, kernels::ProductSide& side) const noexcept;
  void pack(const Tile& tile, const std::byte* input, const Batch& batch, std::uint16_t* to,
            const Slot& slot, kernels::ProductSide& side) const noexcept;
  std::int64_t neighbours(const PhaseSet& set, std::int64_t term) const noexcept;
  void gather_rows(const Tile& tile, const std::byte* input, std::int64_t position,
                   std::int64_t count, std::int64_t term, std::int64_t terms,
                   std::byte* to) const noexcept;
  void fill_planes(const Tile& tile, const std::byte* input, const Slot& slot,
                   kernels::LaneRange& range) const noexcept;
  void store(const RunArguments& arguments, const Tile& tile, const Member& member,
             std::int64_t block, std::int64_t position, std::int64_t count, const Slot& slot,
             float* acc, kernels::ProductSide& side) const noexcept;

  const kernels::SplitKernels& unit_;
  const kernels::ProductKernels& kernels_;
  kernels::TransposeFunction transpose_;
  ConvolutionGeometry shape_;  // what follows, and all tiles, are of this
  std::vector<PhaseSet> sets_;
  Planes planes_;
  ProductFilter filter_;

  // With planes: all of one phase.
  std::int64_t band_rows_ = 0;
  std::int64_t bands_ = 0;
  std::int64_t plane_part_ = 0;  // elements of one part

  std::int64_t line_ = 0;        // positions a tile
  std::int64_t lines_ = 0;       // tiles a phase set
  std::int64_t run_ = 0;         // positions whose patches are in use at a time
  std::int64_t step_chunk_ = 0;  // steps that are multiplied at a time,
  std::int64_t chain_ = 0;       // and whose sums are added as a whole to those before
  TileShares shares_;            // all tiles of positions
  std::int64_t row_offsets_ = 0;
  bool keeps_sums_ = false;     // from one chunk to the next
  bool keeps_patches_ = false;  // from one share to the next
  bool past_cache_ = false;     // where outputs go
  bool fetch_ahead_ = false;    // filters that the second-level cache does not keep
  std::int64_t acc_blocks_ = 0;
  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
