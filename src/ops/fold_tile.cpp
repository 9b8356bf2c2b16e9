#include "ops/fold_tile.h"

#include <algorithm>

namespace weft::ops {

namespace {

using std::int64_t;

// Runs that hold fewer are mostly overhead.
constexpr int64_t kShortFoldRun = 8;

}  // namespace

void lengthen_last(std::vector<WindowAxis>& axes) {
  int64_t longest = axes.back().image;
  if (longest >= kShortFoldRun) return;
  auto best = axes.end();
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    if (axis->plain() && axis->image > longest) {
      best = axis;
      longest = axis->image;
    }
  }
  if (best != axes.end()) std::rotate(best, best + 1, axes.end());
}

FoldSteps find_steps(const Contributors& contributors, const WindowAxis& x, const FoldTile& tile) {
  FoldSteps result;
  result.count = 0;
  int64_t planes = 0;
  each_step(contributors, x, tile, [&](const FoldStep& step) {
    if (result.count < kKeptSteps) result.kept[static_cast<std::size_t>(result.count)] = step;
    ++result.count;
    if (step.first) planes += step.planes;
  });
  result.all_phases = planes == tile.phases;
  return result;
}

bool set_terms(const FoldSteps& steps, kernels::FoldRows& rows) {
  using Rows = kernels::FoldRows;
  if (steps.count > kKeptSteps) return false;
  const int64_t alike = rows.phases <= Rows::kMaxPhases ? 1 : rows.phases;
  int64_t count = 0;
  for (int64_t phase = 0; phase < rows.phases; phase += alike) {
    for (int64_t i = 0; i < steps.count; ++i) {
      const FoldStep& step = steps.kept[static_cast<std::size_t>(i)];
      const int64_t end = step.plane + step.planes;
      if (end <= phase || step.plane >= phase + alike) continue;
      if (step.plane > phase || end < phase + alike) return false;
      if (count + step.term_count > Rows::kMaxTerms) return false;
      const int64_t offset = (phase - step.plane) * rows.from_plane;
      for (int64_t n = 0; n < step.term_count; ++n) {
        const FoldStep::Term& term = step.terms[static_cast<std::size_t>(n)];
        rows.terms[count++] = {offset + term.offset, term.begin, term.end};
      }
    }
    rows.term_end[phase] = count;
  }
  return true;
}

}  // namespace weft::ops
