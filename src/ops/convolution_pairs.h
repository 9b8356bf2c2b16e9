#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/pairs.h"
#include "kernels/rows/rows.h"
#include "ops/convolution_geometry.h"
#include "ops/plan_body.h"

namespace weft::ops {

// A BACKWARD convolution whose windows lie side by side, two columns wide, as those of U-Nets'
// layers that enlarge: every output is a product of one input position,
//
//   out(n, o, d * depths + i, h * heights + j, w * 2 + k)
//       = sum over c of in(n, c, d, h, w) * filter(c, o, i, j, k)
//
// A few strips of positions, copied once, are multiplied by the filter of a few output channels at
// one (i, j) after the other; both results of a position are interleaved in registers and stored
// where they belong (kernels/gemm/pairs.h).
//
// The workspace holds the copied strips of a tile a thread, at most a quarter of a core's
// second-level cache or else one strip, the places of their results, the bias of a group, and, if
// it is not prepared, a copy of the filter.
class PairsConvolution final : public PlanBody {
 public:
  // Whether it is expected to be faster than the other plans.
  static bool suits(const ConvolutionParams& params, const PlanOptions& options);

  PairsConvolution(const ConvolutionParams& params, const PlanOptions& options);

  void prepare(const void* filter, void* prepared) const noexcept override;
  void run(const RunArguments& arguments) const noexcept override;

 private:
  static constexpr std::int64_t kHalves = std::int64_t{2} * kernels::kGemmPairsVectors;

  // Some strips of the positions of all images, of one group of channels, and some panels.
  struct Tile {
    std::int64_t group, first_strip, strips, long_strips, first_panel, panels;
  };

  struct Slot {
    float* rows;  // [strip][input channel][column]
    kernels::GemmPairsPlace* places;
    float* bias;  // of the output channels of a group, each twice
  };

  void choose_tiles(const PlanOptions& options);
  void pack_panel(const void* filter, std::int64_t group, std::int64_t panel,
                  float* to) const noexcept;
  Tile locate(std::int64_t index) const noexcept;
  Slot slot_memory(std::byte* memory) const noexcept;
  void load_bias(const RunArguments& arguments, std::int64_t group, float* to) const noexcept;
  void load_strips(const Tile& tile, const std::byte* input, const Slot& slot) const noexcept;
  void load_rows(const std::byte* input, std::int64_t from, std::int64_t count,
                 float* to) const noexcept;
  void compute_tile(const RunArguments& arguments, const float* packed, std::int64_t index,
                    const Slot& slot) const noexcept;
  struct Position {
    std::int64_t image, depth, height, width;
  };
  Position position_of(std::int64_t index) const noexcept;
  void advance(Position& position, std::int64_t count) const noexcept;  // at most to the next row
  std::int64_t input_offset(const Position& position) const noexcept;
  std::int64_t output_offset(const Position& position) const noexcept;
  // From those of a group's first output on, the results of a panel's first channel.
  std::int64_t panel_offset(std::int64_t panel) const noexcept;
  std::int64_t channels_of(std::int64_t panel) const noexcept;
  // Of a strip; for the number of strips, that behind the last.
  std::int64_t first_position(std::int64_t strip) const noexcept {
    return (strip * (kernels::kGemmPairsVectors - 1) + std::min(strip, long_strips_)) * gemm_.lanes;
  }
  std::int64_t panel_floats() const noexcept {  // of the filter
    return geometry_.in_channels * 2 * panel_channels_;
  }
  std::int64_t bias_floats() const noexcept {  // of a group
    return channel_blocks_ * 2 * panel_channels_;
  }

  ConvolutionGeometry geometry_;
  DataType data_type_;
  std::int64_t element_bytes_;
  kernels::Ramp ramp_;
  const kernels::GemmKernel& gemm_;
  const kernels::RowKernels& rows_;
  std::array<std::int64_t, kSpatial> phases_;  // a position
  std::int64_t panel_channels_;                // of outputs, two rows each
  std::int64_t channel_blocks_;                // of so many channels, a panel for each (i, j)
  std::int64_t panels_;                        // a group
  std::int64_t half_;                          // columns
  std::int64_t columns_;                       // a long strip
  std::int64_t chain_;                         // input channels
  std::int64_t positions_;                     // of all images
  std::int64_t strips_, long_strips_;
  std::int64_t tile_strips_ = 1, tile_panels_ = 1;  // at most
  std::int64_t strip_blocks_ = 1, panel_blocks_ = 1;
  std::int64_t tile_count_ = 1;
  unsigned slots_ = 1;
  std::uint64_t filter_bytes_ = 0;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
