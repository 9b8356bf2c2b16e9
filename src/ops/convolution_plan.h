#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/activation/activation.h"
#include "kernels/direct/direct.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/strips.h"
#include "kernels/gemm/windows.h"
#include "kernels/rows/rows.h"
#include "kernels/transpose/transpose.h"
#include "ops/activation.h"
#include "ops/axis_window.h"
#include "ops/convolution_filter.h"
#include "ops/convolution_geometry.h"
#include "ops/convolution_tiling.h"
#include "ops/lines_ahead.h"
#include "ops/plan_body.h"
#include "weft/convolution.h"

namespace weft::ops {

// A convolution as a matrix product that is never written out (implicit GEMM):
//
//   acc(p, o) = sum over k of patch(k, p) * filter(k, o)
//
// for the positions p of a stride phase, the output channels o of a group and k = (input channel,
// tap), in that order. Output channels lie along vectors: a term is a row of the packed filter
// times single numbers of the input, so any stride costs the same, nothing is rounded up to whole
// vectors of positions, and patches need not be built: a padded copy of the input rows of a tile
// serves all taps, and where nothing is padded the input itself does.
//
// The filter is packed in panels of a few vectors of output channels: [group][panel][tap
// class][k][channel], behind one flag a panel that tells whether it holds an infinity or NaN. The
// work is cut into tiles of one image, group, phase, a box of positions and a few panels; a tile
// computes all phases of the last dimension together where it can, so that its results are whole
// runs of the output. Positions that one product takes at a time, a strip, lie in a row, or go on
// in the next where rows are short. Taps that read nothing but padding are left out, strip by
// strip; where taps lie far apart, strips end with them, no padding is multiplied, and hardly any
// copied. Where that pays, with AVX2, what a strip reads is gathered first, term by term, to lie as
// products read it (convolution_gathered.cpp).
//
// Sums of few terms, whose way into rows of positions would take as long as their products, are
// formed across, in one chain: positions lie along vectors, single numbers of the filter are
// multiplied by runs of the input, and results are stored where they belong at once. With one tap
// the rows of a tile are one; where these do not lie well in the input, they are copied as strips
// of a few vectors, and so they are with AVX2, whose sums of float32 then are several chains, too
// (convolution_packed_strips.cpp). Where few output channels share a line of the input, each strip
// of it is read once, where it lies, for all of them. Where many input channels do, a slab of some
// of them is multiplied after the other, while the next one comes nearer in the order of memory.
// Windows of three columns are multiplied where they lie, if there are few output channels a group.
//
// Where a group has too few output channels otherwise, sums are formed row by row straight
// from the input instead (direct): same chains, same bits. So they are where a filter is
// broadcast to such a size that it cannot be packed, or a window is longer than any real one.
class ConvolutionPlan final : public PlanBody {
 public:
  // Short chains: only where nothing is padded.
  ConvolutionPlan(const ConvolutionParams& params, const PlanOptions& options,
                  SumChains chains = SumChains::as_usual);

  // Of a filter that is broadcast so far, which other plans would write out.
  static bool reads_filter_in_place(const ConvolutionParams& params, const PlanOptions& options);

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
  void finish(const RunArguments& arguments, std::int64_t channel, float* sums, std::int64_t count,
              bool add_bias = true) const noexcept;
  // What kernels make of sums, or null: nothing, or activate() does.
  const kernels::Ramp* ramp() const noexcept { return ramp_ ? ramp_->bent() : nullptr; }
  bool only_ramps() const noexcept { return ramp_.has_value(); }
  // Whether kernels may store their sums as results: activate() changes float32 where it lies.
  bool stores_sums() const noexcept { return data_type_ == DataType::float32 || only_ramps(); }
  void activate(float* sums, std::int64_t count) const noexcept;  // without the bias

 private:
  static constexpr std::int64_t kMaxMerged = 16;  // phases of the last dimension in one tile

  // One tile's place in the problem.
  struct Tile {
    std::int64_t index, box;
    std::int64_t image, group, first_panel, panel_count;
    std::array<Phase, kSpatial> phases;  // of the last dimension the first of those merged
    std::int64_t merged = 1;             // phases of the last dimension
    std::array<Phase, kMaxMerged> last;  // each of them
    std::array<std::int64_t, kSpatial> first, count;  // positions
    std::array<AxisWindow, kSpatial> windows;
    std::array<std::int64_t, kSpatial> element_strides;  // of what the terms read
    std::int64_t channel_stride;
    bool in_place;  // terms read the input itself
    const std::byte* input;
  };

  // Some positions of one row, or of some that are joined, and one phase; and the terms of their
  // sums.
  struct Strip {
    const kernels::GemmTerm* terms;
    std::int64_t depth;
    std::int64_t a;                  // floats from the first element of the tile's input
    std::int64_t source = 0;         // of what is copied there first, the same
    std::int64_t acc;                // floats from the first sum of a panel
    kernels::GemmFunction function;  // across: of a full panel
    const std::int64_t* offsets;     // of positions that are not all in one row
    std::int32_t count;
    std::int32_t taps;  // of a channel
    std::int16_t phase;
    bool all_taps;  // so that terms follow each other in the filter
    bool padded_before = false, padded_after = false;  // as GemmTile has them
  };

  static constexpr std::int64_t kStripsTogether = 64;

  // Strips across, those that are alike together.
  struct StripGroups {
    struct Group {
      const Strip* like;
      std::span<const kernels::GemmPlace> places;  // kGemmPlacesAhead more follow
      float* packed;                               // room for what they read, or null
    };
    std::int64_t count;
    std::array<Group, kStripsTogether> groups;
    std::array<kernels::GemmPlace, kStripsTogether*(1 + kernels::kGemmPlacesAhead)> places;
  };

  // What strips share a list of terms for: a phase and the taps that are not all padding.
  struct TermRange {
    std::int64_t phase;
    std::array<std::array<std::int64_t, 2>, kSpatial> taps;
    bool operator==(const TermRange& other) const noexcept {  // one by one: no call of memcmp()
      bool same = phase == other.phase;
      for (int d = 0; d < kSpatial; ++d) {
        same &= taps[d][0] == other.taps[d][0] && taps[d][1] == other.taps[d][1];
      }
      return same;
    }
  };

  // Lists of the terms that strips of a tile share.
  struct TermLists {
    explicit TermLists(std::int64_t phases) noexcept : reserved(phases) {}
    std::array<TermRange, kMaxMerged + kMostTermLists> ranges;
    std::array<std::int64_t, kMaxMerged + kMostTermLists> depths;
    std::int64_t count = 0;
    std::int64_t reserved;  // lists of all terms, one a phase, that may still be needed
    std::array<bool, kMaxMerged> has_all{};
  };

  static constexpr std::int64_t kBlockPositions = 64;
  static constexpr std::int64_t kChannelsTogether = 16;  // whose rows are cut into strips

  // A slot's memory.
  struct Slot {
    float* planes;      // padded input rows of a block of channels
    float* line;        // joined rows of one channel
    std::int64_t* box;  // whose strips the planes hold; of slabs, the tile whose first slab is near
    float* sums;        // [panel][position][channel], positions in the order of the output; of
                        // float16 across, where stored later, and of the last strip of slabs: a
                        // strip's, [channel][position]
    float* bias;        // of a panel
    float* block;       // kBlockPositions results of a panel on their way to a type or stride
    float* row;         // one input row, widened; of strips with one tap, of some channels
    float* row_sums;
    float* row_chain;  // of a chain that is not the first
    float* packed;     // strips across, [strip][term][position]
    float* kept;       // their sums of some chains, [panel][strip][channel][position]
    kernels::GemmTerm* terms;
    Strip* strips;
    std::int64_t* offsets;  // of strips that go on in the next row
  };

  // Where the results of a panel go. Those of a tile's row have a pitch of so many sums; `joined`:
  // rows that follow each other in the output too are one.
  struct Results {
    std::byte* to;
    std::int64_t channels, pitch, length, stride, row_stride, layer_stride;
    bool joined;
  };

  // From channel to channel of the planes: an odd number of cache lines, so that they do not share
  // cache sets. Single numbers are a row of all channels.
  static constexpr std::int64_t kRowOfChannels = 1;
  static std::int64_t plane_stride(std::int64_t floats) noexcept {
    return floats == 1 ? kRowOfChannels : ((floats + 15) / 16 | 1) * 16;
  }

  void choose_phases();
  void choose_boxes_across(unsigned threads);
  bool writes_planes() const noexcept;
  std::int64_t choose_panel_block(std::int64_t tiles, std::int64_t threads,
                                  std::int64_t largest) const noexcept;
  std::int64_t choose_joined(int dimension, std::int64_t part, std::int64_t inner,
                             std::int64_t threads) const noexcept;
  Tile join_rows(const Tile& tile) const noexcept;
  void pack_joined(const Tile& tile, const Slot& slot) const noexcept;
  const std::byte* input_of(const RunArguments& arguments, const Tile& tile) const noexcept;
  const std::byte* next_input(const RunArguments& arguments, const Tile& tile) const noexcept;
  void choose_memory(unsigned threads);
  std::int64_t offset_count() const noexcept {
    return tiling_.wraps ? tiling_.strip * tiling_.strip : 0;
  }
  Tile locate(std::int64_t index) const noexcept;
  Slot slot_memory(std::byte* slots, unsigned slot) const noexcept;
  // Loading rows writes whole vectors.
  std::int64_t row_floats() const noexcept {
    const std::int64_t rows = one_tap_ ? kChannelsTogether : 1;
    return rows * tiling_.box[kSpatial - 1] + kernels::kDirectColumns;
  }
  std::int64_t merged_phases() const noexcept { return merges_ ? merged_ : 1; }

  void run_tiles(const RunArguments& arguments, const std::byte* packed, std::int64_t first,
                 std::int64_t count, std::byte* slots) const noexcept;
  void compute_tile(const RunArguments& arguments, const std::byte* packed, Tile& tile,
                    const Slot& slot) const noexcept;
  void lay_out(Tile& tile) const noexcept;
  void pack_planes(const Tile& tile, std::int64_t first_channel, std::int64_t channels,
                   const Slot& slot) const noexcept;
  void pack_runs(const Tile& tile, float* planes) const noexcept;
  void pack_rows(const Tile& tile, const std::byte* from, std::int64_t row_count,
                 float* to) const noexcept;
  void pack_row(const Tile& tile, const std::byte* channel, std::int64_t d, std::int64_t h,
                bool fetches, float* to) const noexcept;
  void pack_strips(const Tile& tile, std::int64_t first_channel, std::int64_t channels,
                   const Slot& slot) const noexcept;
  void pad_plane(const Tile& tile, const float* from, float* to) const noexcept;
  std::int64_t list_strips(const Tile& tile, std::int64_t channels,
                           const Slot& slot) const noexcept;
  static TermRange all_taps(const Tile& tile, std::int64_t phase) noexcept;
  std::int64_t list_of(TermRange range, const Tile& tile, std::int64_t channels, const Slot& slot,
                       TermLists& lists) const noexcept;
  std::int64_t list_gathered(const Tile& tile, std::int64_t channels,
                             const Slot& slot) const noexcept;
  void gather_strips(const Tile& tile, const float* from, std::int64_t strips,
                     const Slot& slot) const noexcept;
  bool leaves_out_padding(const Tile& tile) const noexcept;
  bool reads_padded_rows() const noexcept;
  void list_offsets(const Tile& tile, std::int64_t* offsets) const noexcept;
  std::int64_t list_terms(const Tile& tile, const TermRange& range, std::int64_t channels,
                          kernels::GemmTerm* terms) const noexcept;
  void multiply(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                const Slot& slot) const noexcept;
  void multiply_across(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                       const Slot& slot) const noexcept;
  void multiply_strips(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                       const float* input, const Slot& slot) const noexcept;
  std::int64_t near_strips() const noexcept;
  bool fetches_sums(const Tile& joined) const noexcept;
  void multiply_packed(const RunArguments& arguments, const std::byte* packed, const Tile& given,
                       const float* input, const Slot& slot) const noexcept;
  std::int64_t strips_to_pack() const noexcept;
  bool packs_strips(const Tile& tile) const noexcept;
  kernels::GemmStripsFunction strips_function(const Strip& like, const kernels::GemmStrips& product,
                                              std::int64_t outputs) const noexcept;
  // Of a strip across, at a time.
  std::int64_t terms_to_pack() const noexcept {
    return joined_ ? chain_ : geometry_.in_channels * most_taps(geometry_);
  }
  std::int64_t packed_floats() const noexcept {
    if (tiling_.gathers) {
      const std::int64_t terms = tiling_.channel_block * most_taps(geometry_);
      return one_tap_ ? 0
                      : terms * tiling_.box_positions() * merged_phases() + kernels::kDirectColumns;
    }
    return strips_apart_ ? 0 : packed_strips_ * terms_to_pack() * vectors_ * gemm_.lanes;
  }
  std::int64_t kept_floats() const noexcept {
    return joined_ && chain_ < geometry_.in_channels
               ? packed_strips_ * tiling_.panel_block * filter_.panel_rows() * tiling_.strip
               : 0;
  }
  void place_packed(StripGroups& groups, float* packed) const noexcept;
  std::int64_t copied_stride() const noexcept {
    return plane_stride(near_strips() * tiling_.strip);
  }
  void multiply_near_strips(const RunArguments& arguments, const std::byte* packed,
                            const Tile& tile, const Slot& slot) const noexcept;
  static void group_strips(std::span<const Strip> strips, std::int64_t first, std::int64_t end,
                           std::int64_t origin, StripGroups& groups) noexcept;
  void multiply_slabs(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                      const Slot& slot) const noexcept;
  void multiply_windows(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                        const Slot& slot) const noexcept;
  std::byte* first_output(const RunArguments& arguments, const Tile& tile) const noexcept;
  // Of the outputs of a tile.
  std::int64_t channel_count(const Tile& tile) const noexcept {
    const std::int64_t rows = filter_.panel_rows();
    return std::min(tile.panel_count * rows, geometry_.out_channels - tile.first_panel * rows);
  }
  void load_bias(const RunArguments& arguments, const Tile& tile, std::int64_t first_panel,
                 std::int64_t panels, float* bias) const noexcept;
  void load_channel_bias(const RunArguments& arguments, std::int64_t first, std::int64_t channels,
                         float* bias) const noexcept;  // channels of all groups
  Results results_of(const RunArguments& arguments, const Tile& tile,
                     std::int64_t panel) const noexcept;
  LinesAhead results_ahead(const RunArguments& arguments, const Tile& tile, std::int64_t panel,
                           std::int64_t strips) const noexcept;
  LinesAhead input_ahead(const Tile& tile, std::int64_t first_channel, std::int64_t channels,
                         std::int64_t strips) const noexcept;
  std::int64_t stride_at_once(const Tile& tile) const noexcept;
  LinesAhead next_tile_ahead(const RunArguments& arguments, const Tile& tile,
                             std::int64_t strips) const noexcept;
  void store_panel(const RunArguments& arguments, const Tile& tile, std::int64_t panel, float* sums,
                   const Slot& slot) const noexcept;
  void store_run(const float* sums, std::int64_t count, std::int64_t channels, std::byte* to,
                 std::int64_t stride, const Slot& slot) const noexcept;

  // Row by row, without panels.
  void sum_rows(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
                std::int64_t channel, const Slot& slot) const noexcept;
  void sum_row(const RunArguments& arguments, const std::byte* packed, const Tile& tile,
               const std::array<Phase, kSpatial>& phases, std::int64_t channel,
               const std::array<std::int64_t, kSpatial>& position, std::int64_t count,
               const Slot& slot) const noexcept;
  bool touches_padding(const Tile& tile) const noexcept;
  bool adds_to_bias(const std::array<Phase, kSpatial>& phases) const noexcept;
  float bias_of(const RunArguments& arguments, std::int64_t channel) const noexcept;

  ConvolutionGeometry geometry_;
  DataType data_type_;
  std::int64_t element_bytes_;
  std::optional<Activation> activation_;
  std::optional<kernels::Ramp> ramp_;  // where that is all it does
  const kernels::GemmKernel& gemm_;
  const kernels::RowKernels& rows_;
  kernels::LoadDirectRows load_rows_;
  kernels::TransposeFunction transpose_;  // of float32
  kernels::ActivationRow activation_row_ = nullptr;
  kernels::ActivationRow scale_row_ = nullptr;  // of CLIP's ScaleBias
  bool filter_in_place_;                        // read where it lies, never packed
  bool direct_;
  SumChains chains_;
  bool best_across_;      // is_best_across(), and chains are as usual
  bool windows_;          // of suits_windows(), across, where the input lies
  bool across_;           // positions lie along vectors, not output channels
  bool one_chain_;        // all terms of a sum are
  std::int64_t chain_;    // input channels
  bool joined_;           // and those of all rows of a tile are one row
  bool slabs_;            // that is multiplied by some channels after the others
  bool strips_first_;     // whose strips pass by all panels, one strip after the other
  bool copies_strips_;    // each copied first
  bool strips_apart_;     // that is copied, strip by strip
  bool adds_to_bias_;     // the last terms of a short sum, a chain of their own
  std::int64_t vectors_;  // of a tile of products
  PackedFilter filter_;

  std::int64_t packed_strips_ = 0;  // across, copied at a time to lie as products read them

  bool one_tap_ = false;  // of each phase: nothing overlaps, strips are packed one after the other
  bool phases_alike_ = false;  // one tap each, and what one of them has packed serves all
  bool merges_ = false;        // the strided phases of the last dimension are computed together
  std::int64_t merged_ = 1;
  std::array<std::int64_t, 2> merged_offsets_{};       // lowest and highest of all their taps
  std::array<std::int64_t, kSpatial> phase_counts_{};  // merged ones count once

  ConvolutionTiling tiling_;
  bool padded_rows_ = false;  // are read where they lie, for all outputs of a row
  std::int64_t tile_count_ = 0;
  std::int64_t plane_floats_ = 0;  // of a slot
  std::int64_t line_floats_ = 0;
  std::int64_t panel_floats_ = 0;  // sums of a panel
  std::int64_t list_terms_ = 0;    // terms of the longest list
  std::int64_t list_count_ = 0;
  std::int64_t strip_count_ = 0;

  unsigned slots_ = 1;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace weft::ops
