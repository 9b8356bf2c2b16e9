#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "kernels/winograd/winograd.h"
#include "ops/convolution_plan.h"
#include "ops/split_plan.h"

namespace weft::ops {

// A FORWARD convolution of three dimensions by Winograd's algorithm (winograd.h) along the depth
// alone: for windows of three layers of many taps and few input channels, as first layers for
// videos and volumes have them, which are too few for WinogradConvolution.
//
//   out(m t + i) = sum over p of A(p, i) * sums(t, p)
//   sums(t, p)   = the plain convolution, in height and width, of
//                    sum over j of B(j, p) * in(m t - padding + j)  with
//                    sum over k of G(p, k) * filter(k)
//
// A tile of m = 4 layers takes 6 plain convolutions, not 12; one of 2 takes 4, not 6. Its rows are
// cut into blocks, whose layers and sums stay in the second-level cache. Sums are
// ConvolutionPlan's; for tiles of 4, which lose most, of short chains.
//
// A thread's memory is at most 16 MiB, besides that of the plain convolution.
class DepthConvolution final : public SplitPlan {
 public:
  // Whether the layout and sizes allow it.
  static bool suits(const ConvolutionParams& params, const PlanOptions& options,
                    const kernels::WinogradTile& tile);

  // Seconds that one core would take; infinite where this is not the way.
  static double seconds(const ConvolutionParams& params, const PlanOptions& options,
                        const kernels::WinogradTile& tile);

  // Only where it suits. `tile` has one column.
  DepthConvolution(const ConvolutionParams& params, const PlanOptions& options,
                   const kernels::WinogradTile& tile);

 private:
  // How the rows of a tile are cut, and lie in memory.
  struct Blocks {
    Blocks(const ConvolutionGeometry& geometry, const kernels::WinogradTile& tile);

    std::int64_t count() const noexcept { return tiles * row_blocks; }  // of an image

    std::int64_t tiles;
    std::int64_t rows;  // of outputs, a block
    std::int64_t row_blocks;
    std::int64_t in_rows;  // that a block reads
    std::int64_t gap;      // zeros before and after a row of the input, floats
    std::int64_t pitch;    // from row to row
    double bytes;          // of a block's layers and sums
  };

  // Rows of a tile, of a group of an image.
  struct Unit {
    std::int64_t image, group;
    std::int64_t first_layer;         // of outputs
    std::int64_t first_row, skipped;  // the same; those that the block before has
  };

  struct Slot {
    std::byte* plain;  // what the plain convolution asks for
    float* layers;     // [point][channel][row][column]
    float* lines;      // a row of all layers that a tile reads
    float* sums;       // [point][channel][row][column]
    float* result;     // of one channel; only where outputs are not stored at once
    float* bias;
  };

  static ConvolutionParams plain_of(const ConvolutionGeometry& geometry, const Blocks& blocks);

  bool is_safe(const kernels::SplitRange& x,
               const kernels::SplitRange& filter) const noexcept override;
  void pack_filter(const void* filter, std::byte* packed) const noexcept override;
  void pack_windows(const std::byte* filter, std::int64_t group, std::int64_t first_output,
                    std::byte* packed, kernels::SplitRange& range) const noexcept;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                 SharedRange* ranges) const noexcept override;

  Unit locate(std::int64_t index) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;
  void transform_layers(const RunArguments& arguments, const Unit& unit, const Slot& slot,
                        kernels::SplitRange& range) const noexcept;
  void store_channel(const RunArguments& arguments, const Unit& unit, std::int64_t channel,
                     const Slot& slot) const noexcept;
  // Windows of a point and group, as they are and packed.
  std::int64_t window_at(std::int64_t group, std::int64_t point) const noexcept;

  std::uint64_t plain_bytes() const noexcept {
    return base::round_up(plain_.workspace_size_in_bytes, base::kWorkspaceAlignment);
  }
  std::int64_t layer_floats() const noexcept {
    return geometry_.in_channels * blocks_.in_rows * blocks_.pitch;
  }
  std::int64_t channel_sums() const noexcept {
    return blocks_.rows * geometry_.axes[kWidth].out_size();
  }

  const kernels::WinogradKernels& kernels_;
  Blocks blocks_;
  ConvolutionPlan plain_;
  std::int64_t windows_bytes_;
  std::int64_t point_bytes_;
  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
