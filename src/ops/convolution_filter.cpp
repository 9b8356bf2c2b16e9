#include "ops/convolution_filter.h"

#include <algorithm>
#include <cmath>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "weft/error.h"

namespace weft::ops {

PackedFilter::PackedFilter(const ConvolutionGeometry& geometry, DataType type,
                           kernels::LoadRow load, std::int64_t panel_rows)
    : geometry_(geometry),
      element_bytes_(byte_size(type)),
      load_(load),
      panel_rows_(panel_rows),
      panels_(base::divide_up(geometry.out_channels, panel_rows)),
      terms_(geometry.in_channels * geometry.window()),
      flag_bytes_(static_cast<std::int64_t>(base::round_up(geometry.groups * panels_, 64))) {
  // A tensor has less than 2^32 elements, so neither factor overflows; their product may.
  const auto rows = base::multiply(geometry.groups * panels_, terms_);
  const auto bytes = rows ? base::multiply(*rows, panel_rows_ * sizeof(float)) : rows;
  if (!bytes || *bytes > INT64_MAX / 2) {
    throw Error(ErrorCode::out_of_memory, "CONVOLUTION: the packed filter passes 2^63 bytes");
  }
  size_in_bytes_ = base::round_up(*bytes + flag_bytes_, base::kWorkspaceAlignment);
}

void PackedFilter::pack(const void* filter, std::byte* packed, unsigned slots) const noexcept {
  base::parallel_tiles(slots, geometry_.groups * panels_, [&](std::int64_t index, unsigned) {
    pack_panel(filter, index / panels_, index % panels_, packed);
  });
}

std::int64_t PackedFilter::class_offset(const std::array<Phase, kSpatial>& phases) const noexcept {
  return geometry_.in_channels * geometry_.taps_before(phases);
}

void PackedFilter::pack_panel(const void* filter, std::int64_t group, std::int64_t panel,
                              std::byte* packed) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t first_channel = panel * panel_rows_;
  const std::int64_t channels = std::min(panel_rows_, g.out_channels - first_channel);
  auto* to = reinterpret_cast<float*>(packed + flag_bytes_) +
             (group * panels_ + panel) * terms_ * panel_rows_;
  const auto* from =
      static_cast<const std::byte*>(filter) +
      (g.filter_origin + group * g.filter_group_stride + first_channel * g.filter_out_stride) *
          element_bytes_;
  bool finite = true;
  g.each_tap_class([&](const auto& each_tap) {
    for (std::int64_t channel = 0; channel < g.in_channels; ++channel) {
      each_tap([&](std::int64_t tap_offset) {
        const std::int64_t offset = channel * g.filter_in_stride + tap_offset;
        load_(from + offset * element_bytes_, g.filter_out_stride, to, channels);
        finite = finite && std::all_of(to, to + channels, [](float x) { return std::isfinite(x); });
        std::fill(to + channels, to + panel_rows_, 0.0f);
        to += panel_rows_;
      });
    }
  });
  packed[group * panels_ + panel] = finite ? std::byte{0} : std::byte{1};
}

}  // namespace weft::ops
