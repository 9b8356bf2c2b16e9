#include "ops/fold_tile.h"

namespace weft::ops {

using std::int64_t;

bool set_terms(const FoldTile& tile, kernels::FoldRows& rows) {
  using Rows = kernels::FoldRows;
  if (tile.step_count > kKeptSteps) return false;
  const int64_t alike = rows.phases <= Rows::kMaxPhases ? 1 : rows.phases;
  int64_t count = 0;
  for (int64_t phase = 0; phase < rows.phases; phase += alike) {
    for (int64_t i = 0; i < tile.step_count; ++i) {
      const FoldStep& step = tile.steps[static_cast<std::size_t>(i)];
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
