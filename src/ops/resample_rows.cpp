#include "ops/resample_rows.h"

namespace weft::ops {

using std::int64_t;

RowSources::RowSources(const ResampleGeometry& geometry, ScratchLayout& layout)
    : inner_(geometry.inner), chunk_(geometry.chunk) {
  if (inner_.direct) return;
  if (inner_.output_size > kMaxTableEntries) {
    index_at_ = layout.take<std::int32_t>(chunk_);
    t_at_ = layout.take<float>(chunk_);
    offsets_at_ = layout.take<int64_t>(2 * chunk_);
    return;
  }
  const auto size = static_cast<std::size_t>(inner_.output_size);
  index_.resize(size);
  t_.resize(size);
  offsets_.resize(2 * size);
  bool ranges = true;
  for (int64_t first = 0; first < inner_.output_size; first += chunk_) {
    const Tables tables{index_.data() + first, t_.data() + first, offsets_.data() + 2 * first};
    chunks_.push_back(fill(first, std::min(chunk_, inner_.output_size - first), tables));
    ranges = ranges && chunks_.back().offsets == nullptr;
  }
  if (ranges) std::vector<int64_t>().swap(offsets_);
}

RowSource RowSources::of(const ResampleGeometry::Tile& tile, std::byte* scratch) const noexcept {
  if (inner_.direct)
    return {
        tile.first * inner_.input_stride, nullptr, {.count = tile.count, .row_count = tile.count}};
  if (!chunks_.empty()) return chunks_[static_cast<std::size_t>(tile.first / chunk_)];
  return fill(tile.first, tile.count,
              {reinterpret_cast<std::int32_t*>(scratch + index_at_),
               reinterpret_cast<float*>(scratch + t_at_),
               reinterpret_cast<int64_t*>(scratch + offsets_at_)});
}

RowSource RowSources::fill(int64_t first, int64_t count, const Tables& tables) const noexcept {
  // Coordinates never decrease.
  const int64_t low = inner_.neighbors(first).index;
  const Neighbors last = inner_.neighbors(first + count - 1);
  const int64_t range = last.index - low + (last.t > 0 ? 2 : 1);
  const bool dense = range <= kDense * count;
  for (int64_t i = 0; i < count; ++i) {
    const Neighbors n = inner_.neighbors(first + i);
    tables.t[i] = n.t;
    if (dense) {
      tables.index[i] = static_cast<std::int32_t>(n.index - low);
    } else {
      tables.index[i] = static_cast<std::int32_t>(2 * i);
      tables.offsets[2 * i] = n.index * inner_.input_stride;
      tables.offsets[2 * i + 1] = (n.t > 0 ? n.index + 1 : n.index) * inner_.input_stride;
    }
  }
  kernels::Picks picks{tables.index,
                       tables.t,
                       count,
                       dense ? range : 2 * count,
                       reach(tables, count, 8),
                       reach(tables, count, 16)};
  if (count > 24) {
    picks.step = tables.index[24] - tables.index[16];
    picks.same_end = 24;
    while (picks.same_end < count && tables.t[picks.same_end] == tables.t[picks.same_end - 8] &&
           tables.index[picks.same_end] - tables.index[picks.same_end - 8] == picks.step) {
      ++picks.same_end;
    }
  }
  picks.doubles = count == inner_.output_size && inner_.doubles();
  return {dense ? low * inner_.input_stride : 0, dense ? nullptr : tables.offsets, picks};
}

std::int32_t RowSources::reach(const Tables& tables, int64_t count, int64_t group) noexcept {
  std::int32_t most = 0;
  for (int64_t first = 0; first < count; first += group) {
    const int64_t last = std::min(first + group, count) - 1;
    most = std::max(most, tables.index[last] + (tables.t[last] > 0 ? 2 : 1) - tables.index[first]);
  }
  return most;
}

}  // namespace weft::ops
