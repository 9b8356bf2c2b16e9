#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/activation/activation.h"
#include "kernels/gemm/gemm.h"
#include "kernels/rows/rows.h"
#include "ops/convolution_filter.h"
#include "ops/convolution_geometry.h"
#include "ops/plan_body.h"
#include "weft/convolution.h"

namespace weft::ops {

// A convolution as a matrix product that is never written out (implicit GEMM):
//
//   acc(o, p) = sum over k of filter(o, k) * patch(k, p)
//
// for the output channels o of a group, the positions p of a stride phase and k = (input channel,
// tap), in that order. Padding, stride, dilation, groups and phases end where patches are packed.
//
// The filter is packed in panels of panel_rows() output channels: [group][panel][tap
// class][k][row], behind one flag a panel that tells whether it holds an infinity or NaN. The work
// is cut into tiles of one image, group, phase, a few panels and a block of positions. Each tile
// has a slot of scratch memory: patches, sums and the list of row segments that make up its
// positions.
//
// Where a group has too few output channels to fill a panel, sums are formed row by row straight
// from the input instead (direct): same terms, same order, same bits. So they are where a filter is
// broadcast to such a size that it cannot be packed; its elements are then read one by one.
class ConvolutionPlan final : public PlanBody {
 public:
  ConvolutionPlan(const ConvolutionParams& params, const PlanOptions& options);

  void run(const RunArguments& arguments) const noexcept override;
  void prepare(const void* filter, void* prepared) const noexcept override;

  // For plans that do most of the work in another way and leave some images to this one.
  const ConvolutionGeometry& geometry() const noexcept { return geometry_; }
  std::uint64_t filter_size_in_bytes() const noexcept { return filter_.size_in_bytes(); }
  std::uint64_t slots_size_in_bytes() const noexcept { return slots_ * slot_bytes_; }
  void pack_filter(const void* filter, std::byte* packed) const noexcept;
  void run_image(const RunArguments& arguments, const std::byte* packed, std::int64_t image,
                 std::byte* slots) const noexcept;
  // Bias and activation for sums of one output channel (of all groups).
  void finish(const RunArguments& arguments, std::int64_t channel, float* sums,
              std::int64_t count) const noexcept;
  bool has_activation() const noexcept { return activation_.has_value(); }
  void activate(float* sums, std::int64_t count) const noexcept;  // without the bias

 private:
  // A run of positions along the last dimension; what a tile's positions consist of.
  struct Segment {
    std::int64_t d, h, w;  // position in the phase
    std::int64_t count;    // along w
    std::int64_t first;    // column of the tile
  };

  // One tile's place in the problem.
  struct Tile {
    std::int64_t image, group, first_panel, panel_count;
    std::array<Phase, kSpatial> phases;
    std::int64_t first_position, position_count;
    std::int64_t depth;         // terms a sum: input channels times taps
    std::int64_t class_offset;  // of the packed phase in a panel, in rows
    std::int64_t segment_count = 0;
  };

  // A slot's memory.
  struct Slot {
    float* patches;  // kDepthBlock rows of row_stride_
    float* sums;     // rows of row_stride_, a panel's rows together
    float* row;      // one input row, widened
    Segment* segments;
  };

  // A filter tap of one tile: where in the phase's taps, and its row in the packed panel.
  struct Term {
    std::int64_t channel, d, h, w;
  };

  void choose_tiles(const PlanOptions& options);
  Tile locate(std::int64_t tile_index) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;
  void list_segments(Tile& tile, Segment* segments) const noexcept;

  void compute_tile(const RunArguments& arguments, const std::byte* packed, Tile tile,
                    const Slot& slot) const noexcept;
  void multiply(const Tile& tile, const std::byte* input, const std::byte* packed,
                const Slot& slot) const noexcept;
  void pack_patch_row(const Tile& tile, const Term& term, const std::byte* input, const Slot& slot,
                      float* to) const noexcept;
  void sum_directly(const Tile& tile, const std::byte* input, const std::byte* filter,
                    const std::byte* packed, std::int64_t channel, const Slot& slot,
                    float* sums) const noexcept;
  // Of the element that a term multiplies by, from the filter's first.
  std::int64_t filter_offset(const Tile& tile, std::int64_t channel,
                             const Term& term) const noexcept;
  bool touches_padding(const Tile& tile) const noexcept;
  void store(const Tile& tile, std::int64_t channel, float* sums, std::byte* output,
             const Slot& slot) const noexcept;
  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::int64_t first,
                 std::int64_t count, std::byte* slots) const noexcept;

  void advance(Term& term, const Tile& tile) const noexcept;

  ConvolutionGeometry geometry_;
  DataType data_type_;
  std::int64_t element_bytes_;
  std::optional<Activation> activation_;
  const kernels::GemmKernel& gemm_;
  const kernels::RowKernels& rows_;
  kernels::ActivationRow activation_row_ = nullptr;
  kernels::ActivationRow scale_row_ = nullptr;  // of CLIP's ScaleBias
  bool filter_in_place_;                        // read where it lies, never packed
  bool direct_;
  PackedFilter filter_;

  std::int64_t panel_block_ = 0;     // panels a tile
  std::int64_t position_block_ = 0;  // positions a tile
  std::int64_t row_stride_ = 0;      // of patches and sums
  std::int64_t tile_count_ = 0;
  std::int64_t position_blocks_ = 0;  // a phase
  std::int64_t panel_blocks_ = 0;     // a group
  std::int64_t phase_count_ = 0;

  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
