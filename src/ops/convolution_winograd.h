#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/direct/direct.h"
#include "kernels/gemm/gemm.h"
#include "kernels/winograd/winograd.h"
#include "ops/split_plan.h"
#include "ops/winograd_filter.h"
#include "ops/winograd_images.h"
#include "ops/winograd_tiling.h"

namespace weft::ops {

// A convolution of whatever depth, stride and dilation by Winograd's algorithm (winograd.h), image
// by image (winograd_images.h).
//
// A block of tiles stays in the second-level cache from its inputs to its outputs: a pass over its
// rows, one over its columns, the products at each point, and back.
//
// The sums over input channels at a point are added in the order of the channels, those of every
// kMostChain to each other first, whatever the blocks. By default only such tiles are used whose
// error is below that of one chain of multiply-adds.
//
// A thread's memory is at most 12 MiB, whatever the size of the image; what threads share, 2 MiB.
class WinogradConvolution : public SplitPlan {
 public:
  // The tile whose error passes that unless channels are many.
  static constexpr kernels::WinogradTile kErrsMost{4, 4};

  // Seconds that one core would take; infinite where this is not the way.
  static double seconds(const ConvolutionParams& params, const PlanOptions& options,
                        const kernels::WinogradTile& tile);

  // With products on the matrix unit where there is one that is allowed, else in float32, with
  // vectors of either kind if not of one that is asked for.
  static std::shared_ptr<WinogradConvolution> make(
      const ConvolutionParams& params, const PlanOptions& options,
      const kernels::WinogradTile& tile, std::optional<WinogradVectors> vectors = std::nullopt);

 protected:
  struct Tile {
    std::int64_t image, images, group, first_out_block, out_blocks;
    std::int64_t filter;      // its number
    std::int64_t begin, end;  // channels, from a chain's first on, that are not all zeros
    std::int64_t first_row, first_column;  // tiles, in the first image
    std::int64_t rows, columns;
    std::int64_t count;   // tiles
    std::int64_t blocks;  // of 32 tiles
  };

  struct Slot {
    std::byte* patches;
    float* planes;  // of two channels
    float* acc;
    float* sums;     // outputs of a block of channels; only where they cannot be stored in place
    float* results;  // the same, channel by channel; only where these lie along vectors
    float* rows;     // of the input; only where it cannot be read in place
    float* bias;
    kernels::WinogradRun* runs;
    std::int64_t* first_runs;  // of each block of tiles
  };

  // Channels of a chain of sums: a divisor of this.
  static constexpr std::int64_t kMostChain = 64;

  // `unit`: null for float32.
  WinogradConvolution(const ConvolutionParams& params, const PlanOptions& options,
                      const kernels::WinogradTile& outputs, const kernels::SplitKernels* unit,
                      std::optional<WinogradVectors> vectors);

  // Of the input channels c and c + 1, whose planes are null past the last channel.
  virtual void transform_columns(const Tile& tile, std::int64_t c, const float* even,
                                 const float* odd, const Slot& slot) const noexcept = 0;
  // The sums of some blocks of output channels at all points.
  virtual void multiply(const std::byte* packed, const Tile& tile, std::int64_t first_block,
                        std::int64_t blocks, const Slot& slot) const noexcept = 0;

  // Of a block of 32 tiles and 32 output channels: 32 sums a point, of an output channel's tiles,
  // or a tile's channels where these lie along vectors. All points of one lie together, and a line
  // after them keeps them out of each other's cache sets.
  std::int64_t row_sums() const noexcept {
    return tiling_.tile.points() * kernels::kSplitBlock + 16;
  }
  std::int64_t block_sums() const noexcept { return kernels::kSplitBlock * row_sums(); }

  // Of the block that begins with such an output channel.
  std::int64_t outputs_of(std::int64_t channel) const noexcept {
    return std::min(geometry_.out_channels - channel, kernels::kSplitBlock);
  }

  const kernels::WinogradKernels& kernels_;
  const kernels::GemmKernel& gemm_;
  kernels::LoadDirectRows load_rows_;
  WinogradImages images_;
  WinogradTiling tiling_;
  WinogradFilter filter_;
  std::int64_t patch_block_ = 0;      // bytes of a point of a block of tiles
  std::int64_t patch_point_ = 0;      // bytes from point to point
  std::int64_t plane_remainder_ = 0;  // floats from remainder to remainder
  std::int64_t plane_point_ = 0;

 private:
  // Of a row of tiles or of several that fill fewer positions, transposed at once.
  static constexpr std::int64_t kResultPositions = 256;

  void pack_filter(const void* filter, std::byte* packed) const noexcept final;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                 SharedRange* ranges) const noexcept final;

  // Of one block of output channels.
  struct BlockSums {
    std::int64_t channel;  // the first, in the group
    const float* acc;
    const float* bias;
  };

  // Where its outputs go, from where the runs lie.
  struct Place {
    std::int64_t outputs;                            // channels
    std::int64_t offset, output_stride, row_stride;  // elements
    bool half;
  };

  // Rows of tiles of one image.
  struct Part {
    std::int64_t row;        // the first, in a tile
    std::int64_t image_row;  // and in the image
    std::int64_t rows;       // not positive: none
  };

  Tile locate(const TileShares::Share& share) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;
  void compute_tile(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Slot& slot) const noexcept;
  // Of those of the channels [first, end), which begin and end with pairs, that are a tile's.
  void pack_inputs(const RunArguments& arguments, const Tile& tile, const Slot& slot,
                   std::int64_t first, std::int64_t end, SharedRange* ranges) const noexcept;
  void pack_shared(const RunArguments& arguments, std::byte* slots,
                   SharedRange* ranges) const noexcept;
  std::byte* shared_patches(std::byte* slots, std::int64_t unit) const noexcept;
  // One channel's plane.
  void transform_images(const RunArguments& arguments, const Tile& tile,
                        const WinogradImages::Input* inputs, float* to, const Slot& slot,
                        kernels::SplitRange* ranges) const noexcept;
  Part part_of(const Tile& tile, std::int64_t i) const noexcept;
  // `from`: where the image begins in a channel.
  void transform_rows(const Tile& tile, const Part& part, const WinogradImages::Input& image,
                      const std::byte* from, float* to, const Slot& slot,
                      kernels::SplitRange& range) const noexcept;
  void list_runs(const RunArguments& arguments, const Tile& tile, const Slot& slot) const noexcept;
  Place place_of(const Tile& tile, std::int64_t channel) const noexcept;
  // Of sums along either kind of vectors.
  void store_tiles(const Tile& tile, const BlockSums& sums, const Slot& slot) const noexcept;
  void store_channels(const Tile& tile, const BlockSums& sums, const Slot& slot) const noexcept;
  void store_sums(const RunArguments& arguments, const Tile& tile, std::int64_t channel,
                  float* sums) const noexcept;
  // Whether results need nothing more before they are stored.
  bool in_place() const noexcept { return plain_results_ && images_.out_column_stride() == 1; }
  std::int64_t sums_floats() const noexcept;
  std::int64_t result_floats() const noexcept;
  std::int64_t row_floats() const noexcept;

  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
  // Those of tiling_.shares, where each thread takes some output channels of them: all threads
  // transform their inputs first.
  std::int64_t shared_units_ = 0;
};

}  // namespace weft::ops
