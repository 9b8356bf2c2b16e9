#pragma once

#include <array>
#include <cstdint>

#include "kernels/unfold/unfold.h"
#include "ops/layout.h"
#include "ops/window_axes.h"

namespace weft::ops {

// What one axis adds to a place in both tensors, x and y at the start of the tile's part.
struct UnfoldAxisPlace {
  std::array<std::int64_t, 2> digits;  // by role; 0 for x and y
  std::int64_t from;
  std::int64_t to;
  bool inside;
};

// Where a tile stands.
struct UnfoldCursor {
  std::array<UnfoldAxisPlace, kMaxRank> axes;
  kernels::UnfoldRectangle k;
  std::int64_t y;  // the first row of the tile's part of each plane
  std::int64_t x;
  std::int64_t plane;
};

// A part of a plane: where it begins in both tensors, and whether that is inside the image.
struct UnfoldPlace {
  std::int64_t from;
  std::int64_t to;
  bool inside;
};
struct UnfoldPart {
  kernels::UnfoldRectangle k;
  UnfoldPlace place;
};

}  // namespace weft::ops
