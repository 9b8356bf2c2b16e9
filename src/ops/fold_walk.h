#pragma once

#include <cstdint>
#include <vector>

namespace weft::ops {

// The way of tiles through the columns: they follow each other along the first of some dimensions,
// then along the second.
class FoldWalk {
 public:
  void add(std::int64_t tiles, std::int64_t column_step) { steps_.push_back({tiles, column_step}); }

  // From what a tile reads to what the next one does; 0 where that is not known.
  std::int64_t ahead(std::int64_t tile) const noexcept {
    std::int64_t elements = 0;
    for (const Step& step : steps_) {
      if (tile % step.tiles + 1 < step.tiles) return elements + step.column_step;
      elements -= (step.tiles - 1) * step.column_step;
      tile /= step.tiles;
    }
    return 0;
  }

 private:
  struct Step {
    std::int64_t tiles;
    std::int64_t column_step;
  };
  std::vector<Step> steps_;
};

}  // namespace weft::ops
