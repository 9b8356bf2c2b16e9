#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/checked.h"
#include "kernels/fold/fold.h"
#include "ops/layout.h"
#include "ops/window_axes.h"

namespace weft::ops {

// What a tile adds is worked out once for all its rows, unless there is too much of it.
constexpr std::int64_t kKeptSteps = 16;

// The positions of an axis by phase: phase + index * step.
struct Phases {
  std::int64_t count;
  std::int64_t indices;  // of phase 0; others may have one less

  explicit Phases(const WindowAxis& axis)
      : count(std::min(axis.block.step, axis.image)), indices(base::divide_up(axis.image, count)) {}
};

// Parts of a whole as equal as they get.
inline std::int64_t even_chunk(std::int64_t whole, std::int64_t chunk) {
  return base::divide_up(whole, base::divide_up(whole, std::clamp<std::int64_t>(chunk, 1, whole)));
}

// Up to four terms for some phases, by their places in the columns.
struct FoldStep {
  using Term = kernels::FoldRows::Term;
  std::int64_t plane;  // the first of `planes` phases of the tile
  std::int64_t planes;
  bool first;  // to be added to them
  std::int64_t term_count;
  std::array<Term, kernels::FoldBox::kMaxTerms> terms;
};

// By phase, row and index.
struct FoldValues {
  const std::byte* first;  // null: not known yet
  std::int64_t plane;
  std::int64_t row;
};

struct FoldTile {
  std::array<std::int64_t, kMaxRank> position;  // on the outer axes
  std::int64_t lane, lanes;                     // on the axis of the lanes
  std::int64_t y_phase;
  std::int64_t y, rows;  // indices
  std::int64_t x_phase, phases;
  std::int64_t x, count;                   // indices
  std::array<FoldStep, kKeptSteps> steps;  // the first of them
  std::int64_t step_count;
  bool all_phases;    // have something to add
  bool started;       // the lane at hand
  std::byte* sum;     // its
  FoldValues values;  // what is stored: sums, or columns that hold the tile as it is
  const std::byte* from;
  std::byte* to;
};

}  // namespace weft::ops
