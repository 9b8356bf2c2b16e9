#include "ops/winograd_images.h"

#include <algorithm>
#include <cstdlib>

#include "base/checked.h"
#include "ops/axis_window.h"
#include "ops/split_plan.h"

namespace weft::ops {

namespace {

// Of larger windows not even the smallest block of tiles would stay in a cache.
constexpr std::int64_t kMostTaps = 64;

bool has_all_taps(const ConvolutionAxis& axis) {
  return axis.window() <= kMostTaps && axis.phase_count() == 1 &&
         axis.phase(0).taps == axis.window();
}

bool is_window(const ConvolutionAxis& axis, std::int64_t taps) {
  if (!has_all_taps(axis) || (axis.window() == 1) != (taps == 1)) return false;
  const Phase phase = axis.phase(0);
  return phase.in_step == 1 && phase.step == 1 &&
         (taps == 1 ||
          std::abs(phase.offset_step) <= std::max<std::int64_t>(axis.in_size() - 1, 1));
}

}  // namespace

bool WinogradImages::suits(const ConvolutionGeometry& geometry,
                           const kernels::WinogradTile& tile) noexcept {
  return has_all_taps(geometry.axes[0]) && is_window(geometry.axes[1], tile.row_taps) &&
         is_window(geometry.axes[2], tile.column_taps);
}

WinogradImages::WinogradImages(const ConvolutionGeometry& geometry,
                               const kernels::WinogradTile& tile) noexcept
    : geometry_(geometry),
      depth_(geometry.axes[0].phase(0)),
      taps_{1, tile.row_taps, tile.column_taps} {
  for (int axis = 0; axis < kSpatial; ++axis) {
    const ConvolutionAxis& of = geometry.axes[axis];
    steps_[axis] = taps_[axis] == 1 ? 1 : std::abs(of.phase(0).offset_step);
    parts_[axis] = std::min(steps_[axis], of.out_size());
    windows_[axis] = base::divide_up(of.window(), taps_[axis]);
  }
}

// Sums of fewer taps err less. At the edges there are always fewer; where taps lie far apart, in
// much of an image.
double WinogradImages::least_channels() const noexcept {
  constexpr double kEdges = 0.95;  // of all taps, that lie inside
  double inside = 1, windows = 1;
  for (const int axis : {1, 2}) {
    const ConvolutionAxis& of = geometry_.axes[axis];
    const auto out = static_cast<double>(of.out_size());
    windows *= static_cast<double>(of.window()) / static_cast<double>(taps_[axis]);
    if (steps_[axis] == 1 && windows_[axis] == 1) continue;
    inside *= static_cast<double>(pairs_inside(of)) / (static_cast<double>(of.window()) * out);
  }
  return static_cast<double>(geometry_.in_channels * least_taps(geometry_.axes[0])) * windows *
         std::min(inside / kEdges, 1.0);
}

std::int64_t WinogradImages::mean_channels() const noexcept {
  return base::divide_up(of_slice() * pairs_inside(geometry_.axes[0]), depth_.count);
}

std::int64_t WinogradImages::every(int axis, std::int64_t size, std::int64_t first) const noexcept {
  return base::divide_up(std::max<std::int64_t>(size - first, 0), steps_[axis]);
}

WinogradImages::Image WinogradImages::image(std::int64_t index) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t column = base::take_digit(index, parts_[2]);
  const std::int64_t row = base::take_digit(index, parts_[1]);
  const std::int64_t slice = base::take_digit(index, depth_.count);
  Image image{};
  image.out = index * g.out_batch_stride + slice * g.out_strides[0] + row * g.out_strides[1] +
              column * g.out_strides[2];
  image.out_rows = every(1, g.axes[1].out_size(), row);
  image.out_columns = every(2, g.axes[2].out_size(), column);
  // The input that the window of output `start` begins with: of which image, and where in it.
  const auto first_of = [&](int axis, std::int64_t start, std::int64_t& first) {
    const Phase phase = g.axes[axis].phase(0);
    const std::int64_t at = start + std::min(phase.offset(0), phase.offset(phase.taps - 1));
    first = base::floor_divide(at, steps_[axis]);
    return at - first * steps_[axis];
  };
  const std::int64_t in_row = first_of(1, row, image.first_row);
  const std::int64_t in_column = first_of(2, column, image.first_column);
  image.in_rows = every(1, g.axes[1].in_size(), in_row);
  image.in_columns = every(2, g.axes[2].in_size(), in_column);
  image.in = index * g.in_batch_stride + in_row * g.in_strides[1] + in_column * g.in_strides[2];
  image.first_slice = slice * depth_.in_step + depth_.first_offset;
  const auto taps = taps_inside(depth_, slice, 1, g.axes[0].in_size());
  image.begin_tap = taps[0];
  image.end_tap = taps[1];
  return image;
}

std::optional<std::int64_t> WinogradImages::channel(const Image& image, std::int64_t group,
                                                    std::int64_t channel) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t slice = image.first_slice + channel / of_slice() * depth_.offset_step;
  if (slice < 0 || slice >= g.axes[0].in_size()) return std::nullopt;
  return image.in + slice * g.in_strides[0] +
         (group * g.in_channels + channel % g.in_channels) * g.in_channel_stride;
}

std::int64_t WinogradImages::first_tap(int axis, std::int64_t channel) const noexcept {
  const std::int64_t part = channel / geometry_.in_channels;
  return (axis == 2 ? part : part / windows_[2]) % windows_[axis] * taps_[axis];
}

std::optional<std::int64_t> WinogradImages::tap(std::int64_t channel, std::int64_t i,
                                                std::int64_t j) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  std::int64_t offset =
      channel / of_slice() * g.filter_strides[0] + channel % g.in_channels * g.filter_in_stride;
  for (const int axis : {1, 2}) {
    const ConvolutionAxis& of = g.axes[axis];
    std::int64_t tap = first_tap(axis, channel) + (axis == 1 ? i : j);
    if (tap >= of.window()) return std::nullopt;
    if (of.phase(0).offset_step < 0) tap = of.window() - 1 - tap;
    offset += tap * g.filter_strides[axis];
  }
  return offset;
}

}  // namespace weft::ops
