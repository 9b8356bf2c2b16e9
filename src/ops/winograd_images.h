#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/winograd/winograd.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// The images that a convolution is made of whose windows have the taps of a tile along rows and
// columns, or more, and are of whatever depth.
//
// What an image of the output sums are channels
//
//   ((d * row_parts + i) * column_parts + j) * in_channels + c:
//
// channel c of an image of the input, with part i, j of the window at d. Of the depth, d is a tap:
// it meets slice z * step + offset(d), zeros outside of the volume. A window of more taps than a
// tile's has several parts, of as many taps each, the last filled up with zeros: a single tap of
// three is the middle one, whose numbers are zeros at two points. With a stride, each remainder of
// the taps by it has parts of its own: it meets every so many rows and columns of the input, the
// image of that remainder. Where taps lie apart, each row and column before the next tap begins an
// image of its own, in the input and in the output. So does each stride phase of BACKWARD in the
// output, with a filter of its own: the taps of that phase.
class WinogradImages {
 public:
  // Only what suits.
  WinogradImages(const ConvolutionGeometry& geometry, const kernels::WinogradTile& tile);

  // Windows with a stride or taps that lie apart, but no farther than the input is large, or with
  // neither; of one tap along a side where the tile has but one. No output padding with a stride.
  static bool suits(const ConvolutionGeometry& geometry,
                    const kernels::WinogradTile& tile) noexcept;

  std::int64_t count() const noexcept { return geometry_.batch * of_volume(); }
  std::int64_t volume(std::int64_t index) const noexcept { return index / of_volume(); }
  std::int64_t channels() const noexcept { return of_slice() * depth_.taps; }
  // Of one tap of the depth, and of one part of the window there.
  std::int64_t of_slice() const noexcept { return of_part() * rows_.parts() * columns_.parts(); }
  std::int64_t of_part() const noexcept { return geometry_.in_channels; }
  bool has_depth() const noexcept { return depth_.taps > 1; }
  std::int64_t filters() const noexcept {
    return static_cast<std::int64_t>(rows_.phases.size() * columns_.phases.size());
  }
  // Whether the taps of all parts, along rows and along columns, are the window's, or more than
  // three quarters of them are; or, of a stride's remainders, such as two taps and a single one,
  // just as many.
  bool is_whole() const noexcept;
  bool is_filled() const noexcept;
  bool is_just_filled() const noexcept;
  bool is_strided() const noexcept { return rows_.stride > 1 || columns_.stride > 1; }
  // That a slice of the output sums, on average, without those in the padding.
  std::int64_t mean_channels() const noexcept;
  // That it sums at least, where any; less where windows are not filled, or many outputs lack taps
  // of rows and columns.
  double least_channels() const noexcept;

  // Whether the numbers of a filter are zeros at a point for such a channel, as a part has no tap
  // that counts there.
  bool vanishes(std::int64_t filter, std::int64_t channel, std::int64_t point) const noexcept;
  // Of all channels at all points, those of which that is not so.
  double share_of_products() const noexcept;

  // Of the largest image.
  std::int64_t out_rows() const noexcept;
  std::int64_t out_columns() const noexcept;

  // Elements from one row or column to the next.
  std::int64_t in_row_stride() const noexcept { return geometry_.in_strides[1] * rows_.in_step; }
  std::int64_t in_column_stride() const noexcept {
    return geometry_.in_strides[2] * columns_.in_step;
  }
  std::int64_t out_row_stride() const noexcept { return geometry_.out_strides[1] * rows_.out_step; }
  std::int64_t out_column_stride() const noexcept {
    return geometry_.out_strides[2] * columns_.out_step;
  }

  // Of the output.
  struct Image {
    std::int64_t out;  // where it begins in the first channel, in elements from the tensor's first
    std::int64_t volume;
    std::int64_t filter;
    std::int64_t row, column;         // its number, of those side by side
    std::int64_t rows, columns;       // one less, or as many as the largest image has
    std::int64_t first_slice;         // of the input, for the first tap
    std::int64_t begin_tap, end_tap;  // of the depth, whose slices are there
  };
  Image image(std::int64_t index) const noexcept;

  // What such an image sums, one channel of a group.
  struct Input {
    std::int64_t first;                    // element of the image's first
    std::int64_t first_row, first_column;  // where the first output's window starts
    std::int64_t rows, columns;            // none where taps meet nothing but padding
  };
  Input input(const Image& image, std::int64_t group, std::int64_t channel) const noexcept;
  // Where a tap of a filter lies for such a channel, i rows and j columns after its first, in
  // elements from filter_origin; none past the window. Taps ascend as the inputs that they meet.
  std::optional<std::int64_t> tap(std::int64_t filter, std::int64_t channel, std::int64_t i,
                                  std::int64_t j) const noexcept;

 private:
  // Rows or columns.
  struct Axis {
    std::int64_t in_step, out_step;  // of the tensors, from one of an image to the next
    std::int64_t images;             // of the output, side by side
    std::int64_t outputs;            // of a tile
    std::int64_t taps;               // of a tile
    std::int64_t stride;             // from tap to tap of a part, among all
    std::int64_t distance;           // of the inputs that two taps meet
    std::int64_t tap_step;           // of the filter, from tap to tap of a phase
    std::vector<Phase> phases;       // of which an image has the one of its number, or all the same
    std::vector<std::int64_t> firsts;  // of each part, the first tap, among all and before them

    Axis(const ConvolutionAxis& axis, std::int64_t tile_outputs, std::int64_t tile_taps);
    std::int64_t points() const noexcept { return outputs + taps - 1; }
    std::int64_t parts() const noexcept { return static_cast<std::int64_t>(firsts.size()); }
    // Number `tap` of a part's taps, among those of a phase; none past the window.
    std::optional<std::int64_t> tap(const Phase& phase, std::int64_t part,
                                    std::int64_t tap) const noexcept;
    // Whether such a part is nothing but zeros at a point.
    bool vanishes(std::int64_t phase, std::int64_t part, std::int64_t point) const noexcept;
    double share_of_products() const noexcept;
    // Of all parts, the taps that are a window's of so many.
    double filled(std::int64_t window) const noexcept;
    std::int64_t filter(std::int64_t image) const noexcept { return phases.size() > 1 ? image : 0; }
    std::int64_t size(const ConvolutionAxis& axis, std::int64_t image) const noexcept;
    std::int64_t start(std::int64_t image) const noexcept {
      return phases.size() > 1 ? phases[image].start : image;
    }
  };
  struct Parts {
    std::int64_t row, column;
  };
  Parts parts(std::int64_t channel) const noexcept;
  std::int64_t of_volume() const noexcept { return depth_.count * rows_.images * columns_.images; }

  const ConvolutionGeometry& geometry_;
  Phase depth_;
  Axis rows_, columns_;
};

}  // namespace weft::ops
