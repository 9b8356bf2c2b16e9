#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/split/split.h"
#include "ops/convolution_plan.h"
#include "ops/shared_range.h"

namespace weft::ops {

// What all convolutions share that cannot take every number (on a matrix unit for bfloat16, or by
// Winograd's algorithm): a filter packed in their own way, and the general plan for the rest.
//
// An image whose numbers are not safe (infinities, NaN, tiny ones) is computed once more by the
// general plan: its bits depend on that image and the filter alone.
//
// The prepared filter is the plan's own, from its range on, followed by the general one.
class SplitPlan : public PlanBody {
 public:
  void run(const RunArguments& arguments) const noexcept final;
  void prepare(const void* filter, void* prepared) const noexcept final;

 protected:
  SplitPlan(const ConvolutionParams& params, const PlanOptions& options);

  // Sets the sizes of workspace and prepared memory from what a derived plan needs; what the slots
  // share lies behind them.
  void set_memory(const PlanOptions& options, std::uint64_t filter_bytes, unsigned slots,
                  std::uint64_t slot_bytes, std::uint64_t shared_bytes = 0);

  virtual void pack_filter(const void* filter, std::byte* packed) const noexcept = 0;
  // Whether numbers x can be multiplied with a filter; for the unit, products_are_safe().
  virtual bool is_safe(const kernels::SplitRange& x,
                       const kernels::SplitRange& filter) const noexcept {
    return kernels::products_are_safe(x, filter);
  }
  // Computes all images, each with the range of its numbers.
  virtual void run_tiles(const RunArguments& arguments, const std::byte* packed, std::byte* slots,
                         SharedRange* ranges) const noexcept = 0;

  // Of some blocks of 32 output channels of a group; 0 where there is none.
  void load_bias(const RunArguments& arguments, std::int64_t group, std::int64_t first_block,
                 std::int64_t blocks, float* bias) const noexcept;

  ConvolutionPlan general_;
  const ConvolutionGeometry& geometry_;
  DataType data_type_;
  std::int64_t element_bytes_;
  const kernels::RowKernels& rows_;
  bool plain_results_;  // but for a ramp
  bool all_products_;   // of the parts of float16

 private:
  std::uint64_t filter_bytes_ = 0;
};

// Whether float32 can take what Winograd's algorithm makes of numbers x and a filter: sums must not
// pass it.
constexpr bool transforms_are_safe(const kernels::SplitRange& x,
                                   const kernels::SplitRange& filter) noexcept {
  constexpr std::uint32_t kMost = (127u + 60u) << 23;  // 2^60
  return x.largest < kMost && filter.largest < kMost;
}

// Of all positions and taps of a dimension, the pairs that read the input.
std::int64_t pairs_inside(const ConvolutionAxis& axis) noexcept;

// Taps inside the input of an output with the fewest, but any; at least 1.
std::int64_t least_taps(const ConvolutionAxis& axis) noexcept;

// Whether sums of float16 have so few terms that all products of parts count: a chain of float32
// may err by 2^-24 of all its terms with each one, so that from 256 terms on an error of 2^-16 of a
// product is no larger.
bool needs_all_products(const ConvolutionGeometry& geometry) noexcept;

// Seconds that one core would take without the unit.
double general_seconds(const ConvolutionParams& params, const PlanOptions& options);

// Bytes of a packed filter that stay in the second-level cache.
inline constexpr double kFilterKept = 1 << 20;

// Significant parts of a number of a type.
std::int64_t split_parts(DataType type) noexcept;

}  // namespace weft::ops
