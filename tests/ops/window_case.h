#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/guard_page.h"
#include "support/tensor_walk.h"
#include "weft/fold.h"
#include "weft/unfold.h"

namespace weft::testing {

// Params of UNFOLD or FOLD, named by what the tensors hold.
struct WindowCase {
  TensorDesc image = {};
  TensorDesc columns = {};
  Dims window_sizes = {};
  Dims strides = {};
  Dims dilations = {};
  Dims start_padding = {};
  Dims end_padding = {};

  UnfoldParams unfold() const;
  FoldParams fold() const;
  Dims block_counts() const;
  std::string text() const;

  void add_dimension(std::uint32_t window, std::uint32_t stride, std::uint32_t dilation,
                     std::uint32_t start, std::uint32_t end);
  // From the image's sizes and the dimensions; false where that are more elements than a test
  // needs.
  bool set_columns();
};

// Any type, 1 to 6 spatial dimensions, a few thousand elements; now and then padding, dilation and
// stride near 2^32. Tensors are packed, permuted, or have gaps; the input may repeat itself.
WindowCase random_window_case(std::mt19937_64& engine, bool columns_are_output);

// Packed tensors of any type with windows of up to 40 elements and strides of up to 40, in the last
// dimension up to a hundred: patches, overlapping tiles, frames of a signal.
WindowCase random_distant_windows(std::mt19937_64& engine);

// Calls f(byte in the columns, byte in the image, or -1 in the padding) for each element of the
// columns, window elements in row-major order outside, blocks inside.
template <class Function>
void for_each_window_element(const WindowCase& c, Function f) {
  const std::size_t spatial = c.window_sizes.size();
  const Dims blocks = c.block_counts();
  const std::size_t row = c.columns.sizes.size() - 2;
  const std::uint32_t image_bytes = byte_size(c.image.data_type);
  std::int64_t elements = 1;
  for (const std::uint32_t size : c.window_sizes) elements *= size;
  Coordinate nc;
  do {
    Coordinate w;
    do {
      Coordinate column;
      if (row > 0) column[row - 1] = nc[0];
      column[row] = nc[1] * elements + row_major(w, c.window_sizes);
      Coordinate b;
      do {
        column[row + 1] = row_major(b, blocks);
        Coordinate x = nc;
        bool inside = true;
        for (std::size_t d = 0; d < spatial; ++d) {
          x[d + 2] = b[d] * c.strides[d] + w[d] * c.dilations[d] - std::int64_t{c.start_padding[d]};
          inside = inside && x[d + 2] >= 0 && x[d + 2] < std::int64_t{c.image.sizes[d + 2]};
        }
        f(element_offset(c.columns, column) * image_bytes,
          inside ? element_offset(c.image, x) * image_bytes : -1);
      } while (next(b, blocks));
    } while (next(w, c.window_sizes));
  } while (next(nc, std::span(c.image.sizes).first(2)));
}

}  // namespace weft::testing
