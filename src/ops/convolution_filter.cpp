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
  const auto& [d, h, w] = phases;
  const auto& axes = geometry_.axes;
  const std::int64_t taps = axes[0].taps_before(d.tap_class) * axes[1].window() * axes[2].window() +
                            d.taps * (axes[1].taps_before(h.tap_class) * axes[2].window() +
                                      h.taps * axes[2].taps_before(w.tap_class));
  return geometry_.in_channels * taps;
}

void PackedFilter::pack_panel(const void* filter, std::int64_t group, std::int64_t panel,
                              std::byte* packed) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t first_channel = panel * panel_rows_;
  const std::int64_t channels = std::min(panel_rows_, g.out_channels - first_channel);
  const auto& axes = g.axes;
  auto* to = reinterpret_cast<float*>(packed + flag_bytes_) +
             (group * panels_ + panel) * terms_ * panel_rows_;
  const auto* from =
      static_cast<const std::byte*>(filter) +
      (g.filter_origin + group * g.filter_group_stride + first_channel * g.filter_out_stride) *
          element_bytes_;
  bool finite = true;
  const auto pack_term = [&](std::int64_t channel, std::int64_t d, std::int64_t h, std::int64_t w) {
    const std::int64_t offset = channel * g.filter_in_stride + d * g.filter_strides[0] +
                                h * g.filter_strides[1] + w * g.filter_strides[2];
    load_(from + offset * element_bytes_, g.filter_out_stride, to, channels);
    finite = finite && std::all_of(to, to + channels, [](float x) { return std::isfinite(x); });
    std::fill(to + channels, to + panel_rows_, 0.0f);
    to += panel_rows_;
  };
  // Calls `body` for every tap of a class.
  const auto each_tap = [&axes](int axis, std::int64_t tap_class, const auto& body) {
    for (std::int64_t k = tap_class; k < axes[axis].window(); k += axes[axis].tap_step()) body(k);
  };
  for (std::int64_t cd = 0; cd < axes[0].class_count(); ++cd) {
    for (std::int64_t ch = 0; ch < axes[1].class_count(); ++ch) {
      for (std::int64_t cw = 0; cw < axes[2].class_count(); ++cw) {
        for (std::int64_t channel = 0; channel < g.in_channels; ++channel) {
          each_tap(0, cd, [&](std::int64_t d) {
            each_tap(1, ch, [&](std::int64_t h) {
              each_tap(2, cw, [&](std::int64_t w) { pack_term(channel, d, h, w); });
            });
          });
        }
      }
    }
  }
  packed[group * panels_ + panel] = finite ? std::byte{0} : std::byte{1};
}

}  // namespace weft::ops
