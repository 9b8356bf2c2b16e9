#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/rows/rows.h"
#include "kernels/split/product.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// The filter of a convolution as product.h reads it, in bfloat16 parts:
//
//   [group][tap class][block of 32 output channels][step of 32 terms][part][32 outputs][32 terms]
//
// behind the range of its numbers. The terms of a class are its (input channel, tap) in that order,
// or in one that is given; terms and channels past the last are zero.
class ProductFilter {
 public:
  // Throws Error: out_of_memory when the packed size passes 2^63 bytes. Where there is one class,
  // `order` may tell the term of each place of whole steps; -1: none.
  ProductFilter(const ConvolutionGeometry& geometry, DataType type, kernels::LoadRow load,
                const kernels::SplitKernels& kernels, const std::vector<std::int64_t>& order = {});

  std::uint64_t size_in_bytes() const noexcept { return size_in_bytes_; }
  std::int64_t out_blocks() const noexcept { return out_blocks_; }  // a group
  std::int64_t step() const noexcept { return step_; }              // elements

  // Packs on at most `slots` threads. `packed` is aligned as workspaces are.
  void pack(const void* filter, std::byte* packed, unsigned slots) const noexcept;

  // The first step of an output block, for the class of taps that the phases use.
  const std::uint16_t* block(const std::byte* packed, std::int64_t group,
                             const std::array<Phase, kSpatial>& phases,
                             std::int64_t out_block) const noexcept;

  std::int64_t steps(std::int64_t taps) const noexcept {
    if (!offsets_.empty()) return class_steps_.back();
    return (geometry_.in_channels * taps + kernels::kSplitBlock - 1) / kernels::kSplitBlock;
  }

 private:
  static constexpr std::int64_t kHeaderBytes = 256;

  void pack_block(const std::byte* filter, std::int64_t group, std::int64_t out_block,
                  std::byte* packed, kernels::SplitRange& range) const noexcept;

  const ConvolutionGeometry& geometry_;
  const kernels::SplitKernels& kernels_;
  kernels::LoadRow load_;
  std::int64_t element_bytes_;
  std::int64_t out_blocks_;
  std::int64_t step_;
  std::vector<std::int64_t> offsets_;      // of each place, where there is an order; -1: none
  std::vector<std::int64_t> class_steps_;  // before each class, of one output block
  std::uint64_t size_in_bytes_ = 0;
};

}  // namespace weft::ops
