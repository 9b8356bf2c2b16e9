#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ops/convolution_geometry.h"

namespace weft::ops {

// The images that a convolution by windows of 3 x 3 rows and columns, of whatever depth, is made
// of.
//
// A slice z of the output sums images of as many slices of the input as the window is deep, each
// with channels of the filter of its own: channel d * in_channels + c of what it sums is channel c
// of slice z * step + offset(d), zeros outside of the volume. Where taps lie apart, each row and
// column before the next tap begins an image of its own, of every so many rows and columns, whose
// taps are next to each other.
class WinogradImages {
 public:
  explicit WinogradImages(const ConvolutionGeometry& geometry) noexcept;

  // Windows of 3 x 3 at stride 1, whose taps do not lie farther apart than the input is large.
  static bool suits(const ConvolutionGeometry& geometry) noexcept;

  std::int64_t count() const noexcept { return geometry_.batch * of_volume(); }
  std::int64_t volume(std::int64_t index) const noexcept { return index / of_volume(); }
  std::int64_t channels() const noexcept { return geometry_.in_channels * depth_.taps; }
  bool has_depth() const noexcept { return depth_.taps > 1; }
  // That a slice of the output sums at least, where any; less where many outputs lack taps of rows
  // and columns.
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
  // The filter's first tap for such a channel, in elements from those of the first.
  std::int64_t filter_offset(std::int64_t channel) const noexcept;

 private:
  std::int64_t of_volume() const noexcept { return depth_.count * parts_[1] * parts_[2]; }
  // Of `size` rows or columns, those of an image that begins with number `first`.
  std::int64_t every(int axis, std::int64_t size, std::int64_t first) const noexcept;

  const ConvolutionGeometry& geometry_;
  Phase depth_;
  std::array<std::int64_t, kSpatial> steps_;  // from tap to tap
  std::array<std::int64_t, kSpatial> parts_;  // images side by side
};

}  // namespace weft::ops
