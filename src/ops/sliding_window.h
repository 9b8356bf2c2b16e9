#pragma once

#include <vector>

#include "weft/fold.h"
#include "weft/operator_type.h"
#include "weft/unfold.h"

namespace weft::ops {

// The parameters of UNFOLD and FOLD, named by what the tensors hold instead of by direction: both
// operators relate an image to the columns of its windows and share every rule.
//
// image    (N, C, spatial...)  UNFOLD's input, FOLD's output; all padding is around it
// columns  (N, C * W, B)       UNFOLD's output, FOLD's input; leading ones are allowed up to the
//                              image's rank
//
// Refers to the params it was made from.
struct SlidingWindow {
  OperatorType type;
  const TensorDesc& image;
  const TensorDesc& columns;
  const Dims& window_sizes;
  const Dims& strides;
  const Dims& dilations;
  const Dims& start_padding;
  const Dims& end_padding;

  std::size_t spatial_count() const noexcept { return window_sizes.size(); }
};

SlidingWindow sliding_window(const UnfoldParams& params) noexcept;
SlidingWindow sliding_window(const FoldParams& params) noexcept;

// Every broken rule.
std::vector<Violation> validate(const SlidingWindow& window);

// Sizes (N, C * W, B) of the columns, from everything but window.columns. Throws Error.
Dims column_sizes(const SlidingWindow& window);

// Columns without the dimensions before those three, which have one element, and with their
// strides.
TensorDesc last_three(const TensorDesc& columns);

}  // namespace weft::ops
