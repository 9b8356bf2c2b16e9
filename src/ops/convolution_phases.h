#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/rows/rows.h"
#include "kernels/transpose/transpose.h"
#include "ops/convolution_geometry.h"
#include "ops/convolution_packed.h"
#include "ops/plan_body.h"

namespace weft::ops {

// A BACKWARD convolution as a FORWARD one whose output channels are those of all stride phases: for
// large strides and few channels, as in an inverse STFT, where each phase alone would fill neither
// vectors nor the rows of its outputs; for windows that do not overlap, whose FORWARD convolution
// is a 1x1 layer, where PairsConvolution is not the way; and where Winograd's algorithm does best
// on all phases together.
//
//   out(n, o, u * stride - late + i) = convolved(n, o * phases + i, u)
//
// Only where all phases read the same inputs (PhaseRing), so that no weight is made up; results are
// convolved into the workspace, then interleaved. A sum has the bits that FORWARD gives it. Where
// windows do not overlap, an image is cut into blocks of rows, one thread each, whose results stay
// in its second-level cache. The workspace holds the results of a block a thread (a row of
// positions at least), or of one image, each at most 1 GiB, for Winograd's algorithm 64 MiB, and,
// if it is not prepared, a copy of the filter, besides what the FORWARD plan asks for.
class PhaseConvolution final : public PlanBody {
 public:
  // Where it does, no other way was faster on shapes of all kinds: 1.3 to 30 times the time of this
  // one on a matrix unit, 1.0 to 8 times with AVX-512.
  static bool suits(const ConvolutionParams& params, const PlanOptions& options);

  // The FORWARD convolution of one image, for which Winograd's algorithm may be the way; none where
  // phases do not read the same inputs, or their results are too many for a second trip.
  static std::optional<ConvolutionParams> as_forward(const ConvolutionParams& params);
  // What one core takes for all images, of which one takes so many seconds FORWARD.
  static double seconds(const ConvolutionParams& params, const ConvolutionParams& forward,
                        double forward_seconds);

  // Only where it suits, or there is such a convolution. `planner` plans the one of an image or
  // block.
  PhaseConvolution(const ConvolutionParams& params, const PlanOptions& options,
                   const ConvolutionPlanner& planner);

  void prepare(const void* filter, void* prepared) const noexcept override;
  void run(const RunArguments& arguments) const noexcept override;

 private:
  void arrange_filter(const void* filter, void* to) const noexcept;
  void arrange_block(const std::byte* filter, std::int64_t output, std::int64_t first,
                     std::int64_t count, std::byte* to) const noexcept;
  void repeat_bias(const void* bias, std::byte* to) const noexcept;
  // Positions [first, end) of depth and height, of all channels.
  struct Block {
    std::array<std::int64_t, 2> first, end;
    std::array<std::int64_t, 2> convolved;  // the first that there are results of
  };
  Block block_at(std::int64_t index) const noexcept;
  void interleave(const std::byte* convolved, const Block& block, std::byte* image) const noexcept;
  struct Part;
  std::array<Part, 3> parts_of(int dimension, std::int64_t first, std::int64_t end) const noexcept;
  // Of an output channel and depth, positions [first, first + count) of width.
  struct Rows {
    std::int64_t channel, depth, first, count;
  };
  void interleave_rows(const std::byte* convolved, const Block& block, const Rows& rows,
                       std::byte* image) const noexcept;

  ConvolutionGeometry geometry_;
  std::array<PhaseRing, kSpatial> rings_;
  std::array<std::int64_t, kSpatial> positions_;
  std::array<std::int64_t, 2> blocks_;        // of depth and height
  std::array<std::int64_t, kSpatial> block_;  // positions of each
  std::int64_t phases_;
  std::int64_t element_bytes_;
  kernels::CopyRow copy_;
  kernels::TransposeFunction transpose_;
  std::shared_ptr<const PlanBody> forward_;
  std::uint64_t filter_bytes_;
  std::uint64_t bias_bytes_;
  std::uint64_t convolved_bytes_;  // of a block
  std::uint64_t slot_bytes_;
  unsigned filter_slots_;
  std::int64_t run_;    // positions of a row that are interleaved at a time
  std::int64_t runs_;   // a row
  unsigned row_slots_;  // threads that interleave the rows of a block
  unsigned slots_;      // those that each take a block
};

}  // namespace weft::ops
