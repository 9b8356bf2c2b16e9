#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/checked.h"
#include "ops/sliding_window.h"

namespace weft::ops {

// One of the two numbers that choose a position on an axis: which block, or which window element.
struct Digit {
  std::int64_t count;
  std::int64_t step;         // in positions of the image
  std::int64_t column_step;  // in elements of the columns; 0 when there is only one
};

// One dimension of the image and how the columns hold it:
//
//   position = block * block.step + element * window.step - start     in [0, image), or padding
//
// Batch and channels are such axes too, with windows of one element.
struct WindowAxis {
  std::int64_t image;       // number of positions
  std::int64_t image_step;  // in elements of the image
  std::int64_t start;       // padding before position 0
  Digit window;
  Digit block;
  bool overlaps = false;  // whether windows begin before the one before them ends

  // Whether block and position are the same number.
  bool plain() const noexcept {
    return window.count == 1 && block.step == 1 && start == 0 && block.count == image;
  }
};

// N, C and the spatial dimensions, without those of size one, neighbours merged where memory allows
// it: in a 1x1 window everything becomes one long axis. At least one axis, at most kMaxRank.
// The params have passed validation.
std::vector<WindowAxis> window_axes(const SlidingWindow& window);

// The indices i of a digit with begin <= position + i * step < end, where `position` belongs to
// i = 0. Empty: begin == end.
struct IndexRange {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t size() const noexcept { return end - begin; }
};
inline IndexRange indices_within(const Digit& digit, std::int64_t position, std::int64_t begin,
                                 std::int64_t end) noexcept {
  const auto first_from = [&](std::int64_t bound) {
    const std::int64_t distance = std::max<std::int64_t>(bound - position, 0);
    // Most steps are 1, and a division costs as much as copying a short row.
    const std::int64_t index = digit.step == 1 ? distance : base::divide_up(distance, digit.step);
    return std::min(index, digit.count);
  };
  return {first_from(begin), first_from(end)};
}

}  // namespace weft::ops
