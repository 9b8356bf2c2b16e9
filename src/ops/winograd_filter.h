#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows/rows.h"
#include "kernels/split/split.h"
#include "kernels/winograd/winograd.h"
#include "ops/convolution_geometry.h"
#include "ops/winograd_images.h"

namespace weft::ops {

// The filter at the points of winograd.h, G g G^T, for the channels of WinogradImages:
//
//   [filter of WinogradImages][group][few blocks of 32 output channels][point][block][step of 32
//   input channels]
//
// and then in bfloat16 parts [part][32 outputs][32 inputs], or in float32 [32 inputs][32 outputs],
// behind the range of its numbers: the order in which it is read. Channels past the last are zero.
class WinogradFilter {
 public:
  // `few` blocks lie together; `kernels` take numbers apart, null: they stay as they are. Throws
  // Error: out_of_memory when the packed size passes 2^63 bytes.
  //
  // Numbers that are taken apart are packed times scale(), so that products of small ones stay
  // normal. The range is that of the filter as it was.
  WinogradFilter(const ConvolutionGeometry& geometry, const WinogradImages& images, DataType type,
                 kernels::LoadRow load, const kernels::SplitKernels* kernels,
                 const kernels::WinogradKernels& winograd, std::int64_t few);

  std::uint64_t size_in_bytes() const noexcept { return size_in_bytes_; }
  std::int64_t out_blocks() const noexcept { return out_blocks_; }  // a group
  std::int64_t steps() const noexcept { return steps_; }            // of 32 input channels
  std::int64_t few() const noexcept { return few_; }
  float scale() const noexcept { return kernels_ != nullptr ? 0x1p40f : 1; }

  // Packs on at most `slots` threads. `packed` is aligned as workspaces are.
  void pack(const void* filter, std::byte* packed, unsigned slots) const noexcept;

  // Of a group of a filter.
  std::int64_t number(std::int64_t filter, std::int64_t group) const noexcept {
    return filter * geometry_.groups + group;
  }
  // The first step of one block of such a number at one point.
  const std::byte* block(const std::byte* packed, std::int64_t number, std::int64_t out_block,
                         std::int64_t point) const noexcept {
    return packed + kHeaderBytes + offset(number, out_block, point);
  }
  std::int64_t block_bytes() const noexcept { return steps_ * step_bytes_; }

 private:
  static constexpr std::int64_t kHeaderBytes = 256;

  std::int64_t offset(std::int64_t number, std::int64_t out_block,
                      std::int64_t point) const noexcept;
  void pack_step(const std::byte* filter, std::int64_t number, std::int64_t out_block,
                 std::int64_t step, std::byte* packed, kernels::SplitRange& range) const noexcept;

  const ConvolutionGeometry& geometry_;
  const WinogradImages& images_;
  const kernels::SplitKernels* kernels_;
  kernels::LoadRow load_;
  std::int64_t element_bytes_;
  const kernels::WinogradKernels& winograd_;
  const kernels::WinogradTile& tile_;
  std::int64_t few_;
  std::int64_t out_blocks_;
  std::int64_t steps_;
  std::int64_t step_bytes_;
  std::uint64_t size_in_bytes_ = 0;
};

}  // namespace weft::ops
