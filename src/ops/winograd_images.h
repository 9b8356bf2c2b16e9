#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/winograd/winograd.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// The images that a convolution is made of whose windows have the taps of a tile along rows and
// columns, or more, and are of whatever depth.
//
// A slice z of the output sums images of as many slices of the input as the window is deep, each
// with channels of the filter of its own, zeros outside of the volume. A window of more taps than a
// tile's is cut into several side by side, whose sums are added as those of channels: the last one
// is filled up with zeros. So, what is summed are channels
//
//   ((d * row_parts + i) * column_parts + j) * in_channels + c:
//
// channel c of slice z * step + offset(d) for part i, j of the window. Where taps lie apart, each
// row and column before the next tap begins an image of its own, of every so many rows and columns,
// whose taps are next to each other.
class WinogradImages {
 public:
  // Only what suits.
  WinogradImages(const ConvolutionGeometry& geometry, const kernels::WinogradTile& tile) noexcept;

  // Windows at stride 1, whose taps do not lie farther apart than the input is large; of one tap
  // along a side where the tile has but one.
  static bool suits(const ConvolutionGeometry& geometry,
                    const kernels::WinogradTile& tile) noexcept;

  std::int64_t count() const noexcept { return geometry_.batch * of_volume(); }
  std::int64_t volume(std::int64_t index) const noexcept { return index / of_volume(); }
  std::int64_t channels() const noexcept { return of_slice() * depth_.taps; }
  // Of one tap of the depth, and of one part of the window there.
  std::int64_t of_slice() const noexcept { return of_part() * windows_[1] * windows_[2]; }
  std::int64_t of_part() const noexcept { return geometry_.in_channels; }
  bool has_depth() const noexcept { return depth_.taps > 1; }
  // That a slice of the output sums at least, where any; less where windows are not filled, or many
  // outputs lack taps of rows and columns.
  double least_channels() const noexcept;

  // Of the largest image.
  std::int64_t out_rows() const noexcept { return every(1, geometry_.axes[1].out_size(), 0); }
  std::int64_t out_columns() const noexcept { return every(2, geometry_.axes[2].out_size(), 0); }
  std::int64_t in_columns() const noexcept { return every(2, geometry_.axes[2].in_size(), 0); }

  // Elements from one row or column, axis 1 or 2, to the next.
  std::int64_t in_stride(int axis) const noexcept {
    return geometry_.in_strides[axis] * steps_[axis];
  }
  std::int64_t out_stride(int axis) const noexcept {
    return geometry_.out_strides[axis] * steps_[axis];
  }

  struct Image {
    // Where it begins in the first channel of a volume, and there in the first slice of the input,
    // in elements from the tensor's first.
    std::int64_t out, in;
    std::int64_t first_slice;              // of the input, for the first tap
    std::int64_t begin_tap, end_tap;       // of the depth, whose slices are there
    std::int64_t first_row, first_column;  // of the input, where the first output's window starts
    std::int64_t in_rows, in_columns;      // none where taps meet nothing but padding
    std::int64_t out_rows, out_columns;    // one less, or as many as the largest image has
  };
  Image image(std::int64_t index) const noexcept;

  // Where a channel of a group, counted as above, begins in the input; none in the padding.
  std::optional<std::int64_t> channel(const Image& image, std::int64_t group,
                                      std::int64_t channel) const noexcept;
  // That a slice of the output sums, on average, without those in the padding.
  std::int64_t mean_channels() const noexcept;
  // The first tap that such a channel has along rows or columns, axis 1 or 2: as far after the
  // first of all are the inputs that it meets.
  std::int64_t first_tap(int axis, std::int64_t channel) const noexcept;
  // Where a tap of the filter lies for such a channel, i rows and j columns after its first, in
  // elements from filter_origin; none past the window. Taps ascend as the inputs that they meet.
  std::optional<std::int64_t> tap(std::int64_t channel, std::int64_t i,
                                  std::int64_t j) const noexcept;

 private:
  std::int64_t of_volume() const noexcept { return depth_.count * parts_[1] * parts_[2]; }
  // Of `size` rows or columns, those of an image that begins with number `first`.
  std::int64_t every(int axis, std::int64_t size, std::int64_t first) const noexcept;

  const ConvolutionGeometry& geometry_;
  Phase depth_;
  std::array<std::int64_t, kSpatial> steps_;    // from tap to tap
  std::array<std::int64_t, kSpatial> parts_;    // images side by side
  std::array<std::int64_t, kSpatial> taps_;     // of a tile
  std::array<std::int64_t, kSpatial> windows_;  // side by side
};

}  // namespace weft::ops
