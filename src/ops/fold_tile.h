#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.h"
#include "base/fetch.h"
#include "kernels/fold/fold.h"
#include "ops/fold_contributors.h"
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

// That one position adds up, at most.
inline std::int64_t most_blocks(const WindowAxis& axis) {
  const std::int64_t reach = (axis.window.count - 1) * axis.window.step + 1;
  return std::min(axis.window.count, base::divide_up(reach, axis.block.step));
}

// That one row of the image adds up for each window element of x, or more than a kernel can.
// `axes`: all but x.
inline std::int64_t most_parts(std::span<const WindowAxis> axes) {
  std::int64_t parts = 1;
  for (const WindowAxis& axis : axes) {
    parts *= std::min(most_blocks(axis), kernels::FoldRows::kMaxParts + 1);
  }
  return parts;
}

// Parts of a whole as equal as they get.
inline std::int64_t even_chunk(std::int64_t whole, std::int64_t chunk) {
  return base::divide_up(whole, base::divide_up(whole, std::clamp<std::int64_t>(chunk, 1, whole)));
}

// An axis without windows may stand anywhere, as the order in which things are added is that of the
// window elements: a longer one than a short last one comes last.
void lengthen_last(std::vector<WindowAxis>& axes);

// Up to four terms for some phases, by their places in the columns.
struct FoldStep {
  using Term = kernels::FoldRows::Term;
  std::int64_t plane;  // the first of `planes` phases of the tile
  std::int64_t planes;
  bool first;  // to be added to them
  std::int64_t term_count;
  std::array<Term, kernels::FoldBox::kMaxTerms> terms;
};

// What tiles at one place along x add for each element of the other axes.
struct FoldSteps {
  std::array<FoldStep, kKeptSteps> kept;  // the first of them
  std::int64_t count;
  bool all_phases;  // have something to add
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
  std::int64_t x, count;  // indices
  const FoldSteps* steps;
  bool started;       // the lane at hand
  std::byte* sum;     // its
  FoldValues values;  // what is stored: sums, or columns that hold the tile as it is
  const std::byte* from;
  std::byte* to;
  std::int64_t ahead;  // to what the next tile reads; 0: not known
};

// Calls use(step) for everything that a tile adds for one element of all axes but x.
template <class Use>
void each_step(const Contributors& contributors, const WindowAxis& x, const FoldTile& t,
               const Use& use) {
  using std::int64_t;
  FoldStep step{};
  for (; step.plane < t.phases; step.plane += step.planes) {
    const int64_t phase = t.x_phase + step.plane;
    step.planes = contributors.alike(phase, t.phases - step.plane);
    step.first = true;
    step.term_count = 0;
    contributors.each(phase + t.x * x.block.step, t.count, [&](int64_t element, int64_t block) {
      FoldStep::Term& term = step.terms[static_cast<std::size_t>(step.term_count++)];
      term.begin = std::clamp<int64_t>(-block, 0, t.count);
      term.end = std::clamp(x.block.count - block, term.begin, t.count);
      term.offset = element * x.window.column_step + block * x.block.column_step;
      if (step.term_count < kernels::FoldBox::kMaxTerms) return;
      use(step);
      step.first = false;
      step.term_count = 0;
    });
    if (step.term_count != 0) use(step);
  }
}

// Of the place of a tile along x.
FoldSteps find_steps(const Contributors& contributors, const WindowAxis& x, const FoldTile& tile);

// What tiles read lies far apart, and so do the rows that they store: processors do not see it
// come. Windows 16x16 side by side on 3x224x224, in turns: 81 us, 112 without. This fetches what
// the next tile reads, a part of `phases` phases from `first` on at each row.
[[gnu::always_inline]] inline void fetch_columns(const FoldTile& t, std::int64_t row,
                                                 std::int64_t first, std::int64_t phases,
                                                 std::int64_t element_bytes) {
  const std::int64_t bytes = ((t.rows - 1) * t.values.row + t.count) * element_bytes;
  for (std::int64_t p = row * phases / t.rows; p < (row + 1) * phases / t.rows; ++p) {
    const std::int64_t place = (first + p) * t.values.plane + t.ahead;
    base::fetch_to_second_level(t.values.first + place * element_bytes, bytes);
  }
}

// The terms of rows.phases phases from a tile's steps; false where there are too many.
bool set_terms(const FoldSteps& steps, kernels::FoldRows& rows);

}  // namespace weft::ops
