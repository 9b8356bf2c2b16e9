#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/split/split.h"
#include "ops/axis_taps.h"
#include "ops/split_filter.h"
#include "ops/split_plan.h"
#include "ops/tile_shares.h"

namespace weft::ops {

// A convolution on a matrix unit for bfloat16, with every number split into parts (split.h).
//
// The input of a tile is split into pixels of 32 channels, padding included, one plane for each
// remainder of the position by the stride: then a filter tap is the same run of pixels a fixed
// distance away, whatever the stride. Pixels run over the rows of a band as one line, so that small
// images waste little; a row's last few pixels, which belong to no output, are computed and
// dropped. Where they would be many there is a plane for each tap of a row, without such pixels.
//
// The terms of a sum are added in the order input channel block, tap, channel pair, whatever the
// tiles.
//
// A thread's memory is at most 4 MiB, whatever the size of the image.
class SplitConvolution final : public SplitPlan {
 public:
  // Seconds that one core would take; infinite where this is not the way.
  static double seconds(const ConvolutionParams& params, const PlanOptions& options);

  SplitConvolution(const ConvolutionParams& params, const PlanOptions& options);

 private:
  struct Tile {
    std::int64_t image, group, first_out_block, out_blocks, first_row, rows;
    std::array<Phase, kSpatial> phases;
    std::array<Phase, kSpatial> inputs;      // that are split: of these phases, or of all
    std::int64_t pitch;                      // pixels a row of a plane
    std::int64_t plane_size;                 // pixels
    std::int64_t part_stride, block_stride;  // elements
  };

  struct Slot {
    std::uint16_t* pixels;
    float* rows;  // 32 channels of kChunk pixels, widened
    float* acc;
    float* sums;  // 32 output channels of line_ pixels, where results are not plain
    float* bias;
    std::int64_t* taps;
  };

  static constexpr std::int64_t kChunk = 64;

  // Of the second-level cache, with what is fetched ahead.
  static constexpr std::int64_t kAheadBytes = 1280 << 10;

  // Windows and phases of few taps, as BACKWARD has them, have many channels in one chain of sums:
  // so short a chain halves the error, for a hundredth of the time.
  static constexpr std::int64_t kFewTaps = 4;
  static constexpr std::int64_t kShortChain = 3;  // blocks of channels

  void pack_filter(const void* filter, std::byte* packed) const noexcept override;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                 SharedRange* ranges) const noexcept override;

  static bool columns_lie_apart(const ConvolutionGeometry& geometry, const Phase& inputs) noexcept;
  AxisTaps planes_of(int axis, const Phase& inputs) const noexcept {
    return axis == 2 && columns_apart_ ? AxisTaps::apart(inputs) : AxisTaps(inputs);
  }
  void choose_sharing();
  void choose_tiles(const PlanOptions& options);
  bool keeps_pixels() const noexcept { return split_group_ == filter_.in_blocks(); }
  bool multiplies_at_once() const noexcept { return block_group_ == filter_.in_blocks(); }
  TileShares cut(std::int64_t bands, unsigned threads) const noexcept;
  std::int64_t fullest_bands(std::int64_t least, std::int64_t most,
                             std::int64_t pitch) const noexcept;
  std::int64_t best_bands(std::int64_t least, std::int64_t pitch) const noexcept;
  Tile locate(const TileShares::Share& share) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;

  void compute_tile(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Slot& slot, bool has_pixels, SharedRange& range) const noexcept;
  void multiply_phases(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                       const AxisTaps& h, const AxisTaps& w, std::int64_t first_block,
                       std::int64_t block_count, const Slot& slot,
                       const std::uint16_t* next_phase) const noexcept;
  void split_blocks(const Tile& tile, const AxisTaps& h, const AxisTaps& w, const std::byte* input,
                    std::int64_t first_block, std::int64_t block_count, const Slot& slot,
                    kernels::SplitRange& range) const noexcept;
  void split_row(const Tile& tile, const AxisTaps& w, int plane, const std::byte* row,
                 std::int64_t channels, std::uint16_t* to, const Slot& slot,
                 kernels::SplitRange& range) const noexcept;
  int whole_plane(const Tile& tile, const AxisTaps& w) const noexcept;
  void shift_row(const Tile& tile, const std::uint16_t* from, std::int64_t shift,
                 std::uint16_t* to) const noexcept;
  kernels::SplitResult result_of(const RunArguments& arguments, const Tile& tile,
                                 std::int64_t out_block, std::int64_t first, const float* acc,
                                 const float* bias) const noexcept;
  void store(const RunArguments& arguments, const Tile& tile, std::int64_t out_block,
             float* sums) const noexcept;
  std::byte* output_of(const RunArguments& arguments, const Tile& tile,
                       std::int64_t channel) const noexcept;

  const kernels::SplitKernels& kernels_;
  SplitFilter filter_;

  // With one step of all inputs: all offsets of all phases' taps. Phases then share split pixels.
  bool shares_pixels_ = false;
  std::array<Phase, kSpatial> all_inputs_{};
  bool columns_apart_ = false;  // a plane for each tap of a row
  std::int64_t band_rows_ = 0;
  std::int64_t bands_ = 0;
  std::int64_t block_group_ = 0;     // input channel blocks that are multiplied at a time
  std::int64_t split_group_ = 0;     // and split, all of them or as many
  bool stores_blocks_ = false;       // straight from the sums
  bool fetch_ahead_ = false;         // filters that the second-level cache does not keep
  std::int64_t line_ = 0;            // pixels of a tile, rounded up
  TileShares shares_;                // all bands
  std::int64_t pixel_elements_ = 0;  // of a slot
  std::int64_t acc_elements_ = 0;
  std::int64_t most_taps_ = 0;
  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
