#include "ops/split_filter.h"

#include <algorithm>
#include <cstring>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/shared_range.h"
#include "weft/error.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitRange;

SplitFilter::SplitFilter(const ConvolutionGeometry& geometry, DataType type, kernels::LoadRow load,
                         const kernels::SplitKernels& kernels)
    : geometry_(geometry),
      kernels_(kernels),
      load_(load),
      element_bytes_(byte_size(type)),
      in_blocks_(base::divide_up(geometry.in_channels, kSplitBlock)),
      out_blocks_(base::divide_up(geometry.out_channels, kSplitBlock)),
      step_(kernels.parts * kernels::kSplitFilterPart) {
  const auto steps = base::multiply(in_blocks_ * out_blocks_ * geometry.groups, geometry.window());
  const auto bytes = steps ? base::multiply(*steps, step_ * sizeof(std::uint16_t)) : steps;
  if (!bytes || *bytes > INT64_MAX / 2) {
    throw Error(ErrorCode::out_of_memory, "CONVOLUTION: the packed filter passes 2^63 bytes");
  }
  block_elements_ = in_blocks_ * geometry.window() * step_;
  size_in_bytes_ = base::round_up(*bytes + kHeaderBytes, base::kWorkspaceAlignment);
}

std::int64_t SplitFilter::class_offset(const std::array<Phase, kSpatial>& phases) const noexcept {
  return in_blocks_ * step_ * geometry_.taps_before(phases);
}

void SplitFilter::pack(const void* filter, std::byte* packed, unsigned slots) const noexcept {
  pack_with_range(packed, slots, geometry_.groups * out_blocks_,
                  [&](std::int64_t index, SplitRange& range) {
                    const std::int64_t group = index / out_blocks_;
                    const std::int64_t out_block = index % out_blocks_;
                    pack_block(static_cast<const std::byte*>(filter), group, out_block,
                               const_cast<std::uint16_t*>(block(packed, group, out_block)), range);
                  });
}

void SplitFilter::pack_block(const std::byte* filter, std::int64_t group, std::int64_t out_block,
                             std::uint16_t* to, SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t first_out = out_block * kSplitBlock;
  const std::int64_t out_channels = std::min(kSplitBlock, g.out_channels - first_out);
  const std::int64_t origin =
      g.filter_origin + group * g.filter_group_stride + first_out * g.filter_out_stride;
  g.each_tap_class([&](const auto& each_tap) {
    for (std::int64_t block = 0; block < in_blocks_; ++block) {
      const std::int64_t first_in = block * kSplitBlock;
      const std::int64_t in_channels = std::min(kSplitBlock, g.in_channels - first_in);
      each_tap([&](std::int64_t tap_offset) {
        const std::int64_t offset = origin + first_in * g.filter_in_stride + tap_offset;
        pack_step(filter + offset * element_bytes_, in_channels, out_channels, to, range);
        to += step_;
      });
    }
  });
}

void SplitFilter::pack_step(const std::byte* from, std::int64_t in_channels,
                            std::int64_t out_channels, std::uint16_t* to,
                            SplitRange& range) const noexcept {
  alignas(64) float rows[kSplitBlock * kSplitBlock];
  if (in_channels < kSplitBlock || out_channels < kSplitBlock) std::memset(rows, 0, sizeof rows);
  for (std::int64_t c = 0; c < in_channels; ++c) {
    load_(from + c * geometry_.filter_in_stride * element_bytes_, geometry_.filter_out_stride,
          rows + c * kSplitBlock, out_channels);
  }
  kernels_.split_filter(rows, to, range);
}

}  // namespace weft::ops
