#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/activation/activation.h"
#include "kernels/fold/fold.h"
#include "kernels/split/product.h"
#include "ops/split_plan.h"

namespace weft::ops {

// A convolution with few output channels on a matrix unit for bfloat16: one product of split
// numbers (product.h) whose rows are pairs of output channel and tap, which fills the unit where
// output channels alone do not, then a sum of rows of it, each shifted by its tap:
//
//   product(o, tap, p) = sum over c of filter(o, c, tap) * in(c, p)
//   out(o, y) = sum over tap of product(o, tap, position that tap reads for y)
//
// Of two dimensions, one group, stride 1 of FORWARD, and BACKWARD of few phases along a row. Terms
// are added up over the channels first, then over the taps of a row and over the rows, whatever the
// tiles.
//
// A tile is some bands of rows of one image. The products of two bands are kept, since windows
// reach from one into the one before; the last rows of the band before a tile are multiplied for
// both.
// A thread's memory is at most 4 MiB.
class FoldConvolution final : public SplitPlan {
 public:
  // Seconds that one core would take; infinite where this is not the way.
  static double seconds(const ConvolutionParams& params, const PlanOptions& options);

  FoldConvolution(const ConvolutionParams& params, const PlanOptions& options);

 private:
  struct Tile {
    std::int64_t image, first_band, band_count;
  };

  // Positions of a band whose patches are packed at a time.
  struct Batch {
    std::int64_t band, first, count;
  };

  struct Slot {
    std::uint16_t* patches;
    float* products;
    float* sums;
    std::int64_t* offsets;
    float* bias;
  };

  void pack_filter(const void* filter, std::byte* packed) const noexcept override;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                 SharedRange* ranges) const noexcept override;

  void choose_terms();
  void choose_tiles(const PlanOptions& options);
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;
  Tile locate(std::int64_t index) const noexcept;

  void pack_block(const std::byte* filter, std::int64_t block, std::byte* packed,
                  kernels::SplitRange& range) const noexcept;
  void compute_tile(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Slot& slot, kernels::SplitRange& range) const noexcept;
  std::int64_t band_positions(std::int64_t band) const noexcept;
  Batch after(const Batch& batch) const noexcept;
  void set_packing(const std::byte* input, const Batch& batch, std::uint16_t* to, const Slot& slot,
                   kernels::ProductSide& side) const noexcept;
  void multiply(const std::byte* packed, const Batch& batch, const std::uint16_t* patches,
                const Slot& slot, kernels::ProductSide& side) const noexcept;
  std::int64_t rows_ready(const Phase& phase, std::int64_t band) const noexcept;
  void fold_band(const RunArguments& arguments, std::int64_t image, std::int64_t band,
                 const Slot& slot) const noexcept;
  void fold_row(const RunArguments& arguments, std::int64_t image, std::int64_t output,
                const Phase& phase, std::int64_t row, const Slot& slot) const noexcept;

  const kernels::SplitKernels& unit_;
  const kernels::ProductKernels& kernels_;
  kernels::FoldRowsFunction fold_rows_;
  kernels::ActivationRow add_bias_;
  kernels::FoldRows row_{};  // what all rows of outputs share

  std::int64_t steps_;    // of 32 input channels
  std::int64_t columns_;  // output channels x taps
  std::int64_t blocks_;   // of 32 columns
  std::int64_t spread_;   // rows of the band before that windows reach
  std::int64_t band_rows_ = 0;
  std::int64_t bands_ = 0;  // an image
  std::int64_t run_ = 0;    // positions a batch
  std::int64_t half_ = 0;   // floats of a column of a band
  std::int64_t pitch_ = 0;  // of a column of both
  std::int64_t tile_bands_ = 0;
  std::int64_t tiles_ = 0;  // an image
  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
