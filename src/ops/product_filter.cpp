#include "ops/product_filter.h"

#include <algorithm>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/shared_range.h"
#include "weft/error.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::SplitRange;

namespace {

constexpr std::int64_t kNoTerm = INT64_MIN;

}  // namespace

ProductFilter::ProductFilter(const ConvolutionGeometry& geometry, DataType type,
                             kernels::LoadRow load, const kernels::SplitKernels& kernels,
                             const std::vector<std::int64_t>& order)
    : geometry_(geometry),
      kernels_(kernels),
      load_(load),
      element_bytes_(byte_size(type)),
      out_blocks_(base::divide_up(geometry.out_channels, kSplitBlock)),
      step_(kernels.parts * kernels::kSplitFilterPart) {
  // A class has at least one tap, so no more steps than taps times blocks of channels.
  const auto terms = base::multiply(geometry.in_channels + kSplitBlock, geometry.window());
  auto bytes = terms ? base::multiply(*terms, out_blocks_ * geometry.groups) : terms;
  if (bytes) bytes = base::multiply(*bytes, step_ * sizeof(std::uint16_t));
  if (!bytes || *bytes > INT64_MAX / 2) {
    throw Error(ErrorCode::out_of_memory, "CONVOLUTION: the packed filter passes 2^63 bytes");
  }
  class_steps_.push_back(0);
  std::vector<std::int64_t> taps;  // where there is an order
  geometry.each_tap_class([&](const auto& each_tap) {
    std::int64_t count = 0;
    each_tap([&](std::int64_t offset) {
      ++count;
      if (!order.empty()) taps.push_back(offset);
    });
    class_steps_.push_back(class_steps_.back() + steps(count));
  });
  for (const std::int64_t term : order) {
    const std::int64_t count = std::ssize(taps);
    offsets_.push_back(term < 0 ? kNoTerm
                                : term / count * geometry.filter_in_stride + taps[term % count]);
  }
  if (!order.empty()) class_steps_.back() = std::ssize(order) / kSplitBlock;
  size_in_bytes_ =
      base::round_up(kHeaderBytes + geometry.groups * out_blocks_ * class_steps_.back() * step_ * 2,
                     base::kWorkspaceAlignment);
}

const std::uint16_t* ProductFilter::block(const std::byte* packed, std::int64_t group,
                                          const std::array<Phase, kSpatial>& phases,
                                          std::int64_t out_block) const noexcept {
  std::int64_t index = 0;
  for (int d = 0; d < kSpatial; ++d) {
    index = index * geometry_.axes[d].class_count() + phases[d].tap_class;
  }
  const std::int64_t steps = class_steps_[index + 1] - class_steps_[index];
  return reinterpret_cast<const std::uint16_t*>(packed + kHeaderBytes) +
         ((group * class_steps_.back() + class_steps_[index]) * out_blocks_ + out_block * steps) *
             step_;
}

void ProductFilter::pack(const void* filter, std::byte* packed, unsigned slots) const noexcept {
  pack_with_range(packed, slots, geometry_.groups * out_blocks_,
                  [&](std::int64_t index, SplitRange& range) {
                    pack_block(static_cast<const std::byte*>(filter), index / out_blocks_,
                               index % out_blocks_, packed, range);
                  });
}

void ProductFilter::pack_block(const std::byte* filter, std::int64_t group, std::int64_t out_block,
                               std::byte* packed, SplitRange& range) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t first_out = out_block * kSplitBlock;
  const std::int64_t out_channels = std::min(kSplitBlock, g.out_channels - first_out);
  const std::byte* origin =
      filter + (g.filter_origin + group * g.filter_group_stride + first_out * g.filter_out_stride) *
                   element_bytes_;
  auto* const group_to = reinterpret_cast<std::uint16_t*>(packed + kHeaderBytes) +
                         group * class_steps_.back() * out_blocks_ * step_;
  std::size_t index = 0;
  g.each_tap_class([&](const auto& each_tap) {
    const std::int64_t steps = class_steps_[index + 1] - class_steps_[index];
    std::uint16_t* to =
        group_to + (class_steps_[index++] * out_blocks_ + out_block * steps) * step_;
    alignas(64) float rows[kSplitBlock * kSplitBlock] = {};
    std::int64_t term = 0;
    const auto finish_step = [&] {
      if (term < kSplitBlock) {
        std::fill(rows + term * kSplitBlock, std::end(rows), 0.0f);
      }
      kernels_.split_pixels(rows, kSplitBlock, kSplitBlock, to, kernels::kSplitFilterPart, range);
      to += step_;
      term = 0;
    };
    const auto add_term = [&](std::int64_t offset) {
      float* const row = rows + term * kSplitBlock;
      if (offset == kNoTerm) {
        std::fill_n(row, kSplitBlock, 0.0f);
      } else {
        load_(origin + offset * element_bytes_, g.filter_out_stride, row, out_channels);
      }
      if (++term == kSplitBlock) finish_step();
    };
    for (const std::int64_t offset : offsets_) add_term(offset);
    for (std::int64_t c = 0; offsets_.empty() && c < g.in_channels; ++c) {
      each_tap([&](std::int64_t tap) { add_term(c * g.filter_in_stride + tap); });
    }
    if (term > 0) finish_step();
  });
}

}  // namespace weft::ops
