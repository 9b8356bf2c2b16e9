#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/direct/direct.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

// A convolution with few output channels a group (depthwise, small groups, the last layer of an
// upscaler), summed straight from padded copies of input rows (kernels/direct/direct.h).
//
// A tile is a box of outputs of one image and some groups, all stride phases of it. For some
// groups at a time their input rows are copied once, widened and padded, into planes (AxisTaps)
// that stay in the cache; then every tap of every phase is a run of floats somewhere in them. Where
// vectors can be loaded with a mask, depthwise sums are formed from the input itself, and so are
// those over many input channels.
//
// A filter with infinities or NaN, which must not meet padding, is left to the general plan.
class DirectConvolution final : public PlanBody {
 public:
  // Whether it is expected to be faster than the other plans.
  static bool suits(const ConvolutionParams& params, const PlanOptions& options);

  DirectConvolution(const ConvolutionParams& params, const PlanOptions& options);

  void run(const RunArguments& arguments) const noexcept override;
  void prepare(const void* filter, void* prepared) const noexcept override;

 private:
  static constexpr std::int64_t kMaxBatch = 32;  // groups
  // Floats past the last plane that the last columns of its last row may read.
  static constexpr std::int64_t kPastPlanes = 2 * kernels::kDirectColumns;

  using Extent = std::array<std::int64_t, kSpatial>;

  // One stride phase: where its taps lie in the planes of a channel, from the first row of a tile.
  struct PhaseTaps {
    std::array<Phase, kSpatial> phases;
    std::vector<std::int64_t> taps;
    std::vector<kernels::DirectTerm> terms;  // the same in the order of their sums
    std::int64_t class_offset = 0;           // in the packed filter
    kernels::DirectWindow window;
    bool upwards = false;  // rows follow each other's taps from the last to the first
    bool joined = false;   // summed together with others
  };

  // All stride phases of the last two dimensions, for one of the first (kernels/direct/phases.h).
  struct JointPhases {
    // Where the factor of a tap and its user lies in a panel of the packed filter.
    struct Factor {
      std::int64_t row, rows_a_channel, channel;
    };
    // What is summed at a time: all phases, or each of them.
    struct Part {
      std::int64_t first;  // phase
      std::vector<kernels::DirectTap> taps;
      std::vector<Factor> factors;    // of one input channel
      std::int64_t first_factor = 0;  // of all channels, in those of a panel
    };

    Phase depth;
    std::vector<Part> parts;
    int doubling_shift = -1;  // as DirectDoubling has it; negative: not such sums
  };

  struct Tile {
    std::int64_t image, first_group, group_count;
    Extent first, size;  // positions in a phase
  };

  // Groups whose planes are there at once, and what is read after them.
  struct Batch {
    std::int64_t first, count;
    const char* next;
    std::int64_t next_bytes;
  };

  // Of the rows of the planes along one of the first two dimensions, row i of which is input
  // position first + i, those that lie inside the input.
  struct Inside {
    std::int64_t first, begin, end;
  };

  struct Slot {
    float* planes;
    float* sums;
  };

  void choose_tiles(const PlanOptions& options);
  kernels::DirectWindow window_of(const PhaseTaps& phase) const noexcept;
  void list_taps();
  void join_phases();
  JointPhases::Part joint_part(std::int64_t depth, std::int64_t first, std::int64_t count);
  void pack_all(const void* filter, std::byte* packed) const noexcept;
  void pack_joint(const std::byte* packed, float* to) const noexcept;
  Tile locate(std::int64_t index) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;

  void compute_tile(const RunArguments& arguments, const std::byte* packed, std::int64_t index,
                    const Slot& slot) const noexcept;
  Inside inside(const Tile& tile, int dimension) const noexcept;
  Inside band_rows(const Tile& tile, std::int64_t size, const PhaseTaps& phase) const noexcept;
  void find_next(const Tile& tile, const std::byte* group, std::int64_t count,
                 Batch& batch) const noexcept;
  void load_channels(const Tile& tile, const std::byte* channel, std::int64_t channels,
                     float* planes) const noexcept;
  void sum_phase(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                 const Batch& batch, const PhaseTaps& phase, const Slot& slot) const noexcept;
  static const kernels::DirectKernels& kernels_for(const ConvolutionGeometry& g, DataType type,
                                                   const PlanOptions& options) noexcept;
  bool suits_in_place() const noexcept;
  bool suits_run() const noexcept;
  bool suits_whole_planes() const noexcept;
  bool sums_runs() const noexcept;
  std::int64_t copied_floats() const noexcept;
  std::int64_t dense_bytes() const noexcept;
  void use_no_planes() noexcept;
  bool suits_channels() const noexcept;
  void choose_channel_tiles(std::int64_t wanted) noexcept;
  void sum_channels(const RunArguments& arguments, const std::byte* packed, std::int64_t index,
                    const Slot& slot) const noexcept;
  void sum_in_place(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                    const Batch& batch, float* copy) const noexcept;
  void multiply(kernels::DirectBlock& block, bool upwards) const noexcept;
  void sum_joint(const RunArguments& arguments, const float* factors, const Tile& tile,
                 std::int64_t group, const JointPhases& joint, const float* planes,
                 const float* next, float* scratch) const noexcept;
  bool may_double() const noexcept;
  void find_doubling(JointPhases& joint) const;
  void sum_doubling(const RunArguments& arguments, const float* factors, const Tile& tile,
                    std::int64_t group, const JointPhases& joint, const float* planes,
                    const float* next) const noexcept;
  // The first row of what the thread is likely to load after a group of a tile; null: nothing.
  const float* wanted_next(const std::byte* image, const Tile& tile, std::int64_t group,
                           std::int64_t index) const noexcept;
  // Where kernels do not apply all of it themselves.
  void activate_rows(float* first, std::int64_t rows, std::int64_t row_stride,
                     std::int64_t columns) const noexcept;
  float bias_of(const RunArguments& arguments, std::int64_t channel) const noexcept;
  bool has_non_finite(const std::byte* packed) const noexcept;
  Extent window_in_place() const noexcept;
  void put_columns_first(std::byte* packed) const noexcept;

  ConvolutionPlan general_;
  const ConvolutionGeometry& geometry_;
  DataType data_type_;
  std::int64_t element_bytes_;
  const kernels::DirectKernels& kernels_;
  void (*multiply_)(const kernels::DirectBlock& block) noexcept;
  const kernels::RowKernels& rows_;
  std::int64_t chain_;  // input channels; by_channels_ may have fewer
  PackedFilter filter_;

  // What the taps of all phases read: input positions t * in_step + [lowest, lowest + spread] along
  // the first two dimensions, elements t + [lowest, lowest + spread] of a plane along the last.
  Extent step_{};
  Extent lowest_{};
  Extent spread_{};
  std::vector<std::int64_t> remainders_;  // of the planes
  std::vector<PhaseTaps> phases_;
  std::vector<JointPhases> joint_;  // none: the phases are summed one by one
  std::array<PhaseRing, kSpatial> rings_{};
  Extent most_{};                   // positions of the largest phase
  Extent joined_sizes_{};           // outputs of all the joined phases
  std::int64_t joint_factors_ = 0;  // of a panel
  std::uint64_t joint_offset_ = 0;  // of all panels' factors, behind the packed filter
  std::uint64_t filter_bytes_ = 0;  // of both

  bool in_place_ = false;      // no planes
  bool whole_planes_ = false;  // in place, as rows
  bool by_channels_ = false;   // no planes, one chain of channels after the other
  // Of what is read in place (kernels/direct/in_place.h): elements around rows, bytes of the input
  // that may be read, channels that are copied at once.
  std::int64_t before_ = 0, after_ = 0, readable_ = 0, copied_ = 0;
  Extent box_{};  // outputs a tile, of one phase
  Extent boxes_{};
  std::int64_t group_block_ = 1;
  std::int64_t group_blocks_ = 1;
  Extent rows_of_{};                 // input rows along the first two dimensions; floats a row
  std::int64_t lead_ = 0;            // floats before a row
  std::int64_t plane_stride_ = 0;    // floats
  std::int64_t channel_stride_ = 0;  // floats
  std::int64_t group_floats_ = 0;    // of a group's planes
  std::int64_t batch_ = 1;           // groups whose planes are there at once
  std::int64_t sums_stride_ = 0;     // floats a row of sums
  std::int64_t tile_count_ = 0;
  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
