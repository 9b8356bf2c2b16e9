#include "ops/winograd_filter.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/fetch.h"
#include "kernels/winograd/winograd.h"
#include "ops/shared_range.h"
#include "weft/error.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::kWinogradTaps;
using kernels::SplitRange;

namespace {

constexpr kernels::WinogradTile kLargestTile{4, 4};

}  // namespace

WinogradFilter::WinogradFilter(const ConvolutionGeometry& geometry, const WinogradImages& images,
                               DataType type, kernels::LoadRow load,
                               const kernels::SplitKernels* kernels,
                               const kernels::WinogradKernels& winograd, std::int64_t few)
    : geometry_(geometry),
      images_(images),
      kernels_(kernels),
      load_(load),
      element_bytes_(byte_size(type)),
      winograd_(winograd),
      tile_(winograd.tile),
      few_(few),
      out_blocks_(base::divide_up(geometry.out_channels, kSplitBlock)),
      steps_(base::divide_up(images.channels(), kSplitBlock)),
      step_bytes_(kSplitBlock * kSplitBlock * (kernels != nullptr ? kernels->parts * 2 : 4)) {
  auto bytes = base::multiply(images.filters() * geometry.groups * out_blocks_, steps_);
  if (bytes) bytes = base::multiply(*bytes, tile_.points() * step_bytes_);
  if (!bytes || *bytes > INT64_MAX / 2) {
    throw Error(ErrorCode::out_of_memory, "CONVOLUTION: the packed filter passes 2^63 bytes");
  }
  size_in_bytes_ = base::round_up(kHeaderBytes + *bytes, base::kWorkspaceAlignment);
}

std::int64_t WinogradFilter::offset(std::int64_t number, std::int64_t out_block,
                                    std::int64_t point) const noexcept {
  const std::int64_t first = out_block / few_ * few_;
  const std::int64_t together = std::min(few_, out_blocks_ - first);
  const std::int64_t block_points =
      (number * out_blocks_ + first) * tile_.points() + point * together + out_block - first;
  return block_points * steps_ * step_bytes_;
}

void WinogradFilter::pack(const void* filter, std::byte* packed, unsigned slots) const noexcept {
  pack_with_range(packed, slots, images_.filters() * geometry_.groups * out_blocks_ * steps_,
                  [&](std::int64_t index, SplitRange& range) {
                    const std::int64_t block = index / steps_;
                    pack_step(static_cast<const std::byte*>(filter), block / out_blocks_,
                              block % out_blocks_, index % steps_, packed, range);
                  });
}

void WinogradFilter::pack_step(const std::byte* filter, std::int64_t number, std::int64_t out_block,
                               std::int64_t step, std::byte* packed,
                               SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t group = number % g.groups;
  const std::int64_t first_out = out_block * kSplitBlock;
  const std::int64_t first_in = step * kSplitBlock;
  const std::int64_t outputs = std::min(kSplitBlock, g.out_channels - first_out);
  const std::int64_t inputs = std::min(kSplitBlock, images_.channels() - first_in);
  const std::byte* from =
      filter + (g.filter_origin + group * g.filter_group_stride + first_out * g.filter_out_stride) *
                   element_bytes_;
  // A line between points keeps them out of each other's cache sets.
  alignas(64) float rows[kLargestTile.points()][kSplitBlock * kSplitBlock + base::kLineFloats];
  for (std::int64_t p = 0; p < tile_.points(); ++p) {
    std::fill(rows[p] + inputs * kSplitBlock, std::end(rows[p]), 0.0f);
  }
  std::optional<std::int64_t> taps[kWinogradTaps][kWinogradTaps];
  float window[kWinogradTaps][kWinogradTaps][kSplitBlock] = {};  // no tap: zero
  for (std::int64_t c = 0; c < inputs; ++c) {
    for (std::int64_t i = 0; i < tile_.row_taps; ++i) {
      for (std::int64_t j = 0; j < tile_.column_taps; ++j) {
        std::optional<std::int64_t>& tap = taps[i][j];
        if (c == 0 || (first_in + c) % images_.of_part() == 0) {
          tap = images_.tap(number / g.groups, first_in + c, i, j);
          if (!tap) std::fill_n(window[i][j], outputs, 0.0f);
        } else if (tap) {
          *tap += g.filter_in_stride;
        }
        if (!tap) continue;
        load_(from + *tap * element_bytes_, g.filter_out_stride, window[i][j], outputs);
        widen(range, window[i][j], outputs);
      }
    }
    winograd_.transform_window({.window = window,
                                .scale = scale(),
                                .to = rows[0] + c * kSplitBlock,
                                .point_stride = std::size(rows[0])});
  }
  for (std::int64_t p = 0; p < tile_.points(); ++p) {
    std::byte* to = packed + kHeaderBytes + offset(number, out_block, p) + step * step_bytes_;
    if (kernels_ == nullptr) {
      std::memcpy(to, rows[p], step_bytes_);
      continue;
    }
    SplitRange ignored;
    kernels_->split_pixels(rows[p], kSplitBlock, kSplitBlock, reinterpret_cast<std::uint16_t*>(to),
                           kernels::kSplitFilterPart, ignored);
  }
}

}  // namespace weft::ops
