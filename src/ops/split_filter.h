#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/rows/rows.h"
#include "kernels/split/split.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// The filter of a convolution as the matrix unit reads it, in bfloat16 parts:
//
//   [group][block of 32 output channels][tap class][block of 32 input channels, tap][parts x 32 x
//   32]
//
// behind the range of its numbers. Channels past the last are zero.
class SplitFilter {
 public:
  // Throws Error: out_of_memory when the packed size passes 2^63 bytes.
  SplitFilter(const ConvolutionGeometry& geometry, DataType type, kernels::LoadRow load,
              const kernels::SplitKernels& kernels);

  std::uint64_t size_in_bytes() const noexcept { return size_in_bytes_; }
  std::int64_t in_blocks() const noexcept { return in_blocks_; }    // a group
  std::int64_t out_blocks() const noexcept { return out_blocks_; }  // a group
  std::int64_t step() const noexcept { return step_; }  // elements of one tap of one input block

  // Packs on at most `slots` threads. `packed` is aligned as workspaces are.
  void pack(const void* filter, std::byte* packed, unsigned slots) const noexcept;

  // Where the taps of a phase start in an output block, in elements.
  std::int64_t class_offset(const std::array<Phase, kSpatial>& phases) const noexcept;

  const std::uint16_t* block(const std::byte* packed, std::int64_t group,
                             std::int64_t out_block) const noexcept {
    return reinterpret_cast<const std::uint16_t*>(packed + kHeaderBytes) +
           (group * out_blocks_ + out_block) * block_elements_;
  }

 private:
  static constexpr std::int64_t kHeaderBytes = 256;

  void pack_block(const std::byte* filter, std::int64_t group, std::int64_t out_block,
                  std::uint16_t* to, kernels::SplitRange& range) const noexcept;
  void pack_step(const std::byte* from, std::int64_t in_channels, std::int64_t out_channels,
                 std::uint16_t* to, kernels::SplitRange& range) const noexcept;

  const ConvolutionGeometry& geometry_;
  const kernels::SplitKernels& kernels_;
  kernels::LoadRow load_;
  std::int64_t element_bytes_;
  std::int64_t in_blocks_;
  std::int64_t out_blocks_;
  std::int64_t step_;
  std::int64_t block_elements_ = 0;
  std::uint64_t size_in_bytes_ = 0;
};

}  // namespace weft::ops
