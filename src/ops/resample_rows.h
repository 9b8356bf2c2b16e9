#pragma once

#include <vector>

#include "kernels/resample/resample.h"
#include "ops/resample_plan.h"

namespace weft::ops {

// The inner dimension's elements that a chunk of the output reads, relative to their row: a range,
// or, where that is much more than the chunk needs, two for each output element.
struct RowSource {
  std::int64_t start = 0;                 // offset of the first
  const std::int64_t* offsets = nullptr;  // of each, where they are not a range
  kernels::Picks picks = {};  // of those elements; no index: they are the output's, one by one
};

// The sources of all chunks, found once for all runs of a plan, or for each tile anew where there
// would be too much to keep.
class RowSources {
 public:
  // Most elements that a chunk reads, an output element.
  static constexpr std::int64_t kDense = 4;

  // `layout` is that of a slot.
  RowSources(const ResampleGeometry& geometry, ScratchLayout& layout);

  // Valid as long as this and the scratch memory are.
  RowSource of(const ResampleGeometry::Tile& tile, std::byte* scratch) const noexcept;

 private:
  // Tables of a chunk, to be filled.
  struct Tables {
    std::int32_t* index;
    float* t;
    std::int64_t* offsets;
  };
  RowSource fill(std::int64_t first, std::int64_t count, const Tables& tables) const noexcept;
  static std::int32_t reach(const Tables& tables, std::int64_t count, std::int64_t group) noexcept;

  ResampleAxis inner_;
  std::int64_t chunk_;
  std::vector<std::int32_t> index_;
  std::vector<float> t_;
  std::vector<std::int64_t> offsets_;
  std::vector<RowSource> chunks_;  // empty: not kept
  // Where the tables start in scratch memory.
  std::int64_t index_at_ = 0;
  std::int64_t t_at_ = 0;
  std::int64_t offsets_at_ = 0;
};

}  // namespace weft::ops
