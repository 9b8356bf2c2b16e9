#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "ops/plan_body.h"
#include "ops/resample_axis.h"
#include "weft/resample.h"

namespace weft::ops {

// Most dimensions that the RESAMPLE operators have.
inline constexpr std::size_t kMaxResampleRank = 4;

// The dimensions as the loops see them: rows along the inner one, all others count rows.
//
// Dimensions that a single element stands for are gone, neighbours in memory that are copied
// without interpolation are merged, and the order is that of the output's memory. A tile is a chunk
// of the inner dimension (its tables are computed once) in some rows (they are used for all of
// them).
struct ResampleGeometry {
  // `params` has passed validation. Chunks have at most `max_chunk` elements.
  ResampleGeometry(const ResampleParams& params, std::int64_t max_chunk);

  std::vector<ResampleAxis> outer;  // slowest first
  ResampleAxis inner;
  std::int64_t rows = 1;
  std::int64_t chunk = 1;
  std::int64_t rows_per_tile = 1;
  std::int64_t tiles = 1;

  // Whether nothing is left but a copy.
  bool direct() const noexcept;

  // Takes the channels out of `outer` where they are the elements of the inner dimension's pixels,
  // without gaps in either tensor; how many they are, or 1.
  std::int64_t take_channels() noexcept;

  // "12 tiles of 32x512 elements, 2 threads", for people.
  std::string text(unsigned slots) const;

  struct Tile {
    std::int64_t first;  // of the inner dimension's output elements
    std::int64_t count;
    std::int64_t first_row;
    std::int64_t rows;
  };
  Tile tile(std::int64_t index) const noexcept;

  // Calls run_tile(tile, input, output, scratch) for all tiles, on as many threads as there are
  // slots.
  template <class RunTile>
  void run_tiles(const RunArguments& arguments, unsigned slots, std::int64_t slot_bytes,
                 const RunTile& run_tile) const noexcept {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    base::parallel_tiles_apart(slots, tiles, [&](std::int64_t index, unsigned slot) {
      run_tile(tile(index), from, to, arguments.workspace + slot * slot_bytes);
    });
  }

  // Calls rows(output offset, o, count) for rows of a tile that lie along the last outer dimension,
  // from its coordinate o on, and before it step(d, o) for each other outer dimension d whose
  // coordinate o is another than before. The offset is that of tile.first in the first row, in
  // elements.
  template <class Step, class Rows>
  void sweep(const Tile& tile, const Step& step, const Rows& rows) const noexcept {
    if (outer.empty()) return rows(tile.first * inner.output_stride, 0, 1);
    std::array<std::int64_t, kMaxResampleRank> o{};
    std::int64_t rest = tile.first_row;
    for (std::size_t d = outer.size(); d-- > 0;) {
      o[d] = rest % outer[d].output_size;
      rest /= outer[d].output_size;
      if (d + 1 < outer.size()) step(d, o[d]);
    }
    std::int64_t& last = o[outer.size() - 1];
    for (std::int64_t left = tile.rows; left > 0;) {
      std::int64_t offset = tile.first * inner.output_stride;
      for (std::size_t d = 0; d < outer.size(); ++d) offset += o[d] * outer[d].output_stride;
      const std::int64_t count = std::min(left, outer.back().output_size - last);
      rows(offset, last, count);
      left -= count;
      last = 0;
      for (std::size_t d = outer.size() - 1; left > 0 && d-- > 0;) {
        o[d] = o[d] + 1 < outer[d].output_size ? o[d] + 1 : 0;
        step(d, o[d]);
        if (o[d] != 0) break;
      }
    }
  }

  // Calls row(output offset) for each row of a tile, and before it step(d, o) for each outer
  // dimension d whose coordinate o is another than in the row before.
  template <class Step, class Row>
  void visit(const Tile& tile, const Step& step, const Row& row) const noexcept {
    sweep(tile, step, [&](std::int64_t offset, std::int64_t o, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (!outer.empty()) step(outer.size() - 1, o + i);
        row(offset + (outer.empty() ? 0 : i * outer.back().output_stride));
      }
    });
  }
};

// Output elements of a dimension that a plan keeps tables of.
inline constexpr std::int64_t kMaxTableEntries = std::int64_t{64} * 1024;

// find(o) for each output element o of an axis, found once for all runs of a plan, or nothing where
// there would be too much to keep: then it has to be found anew each time.
template <class Find>
auto axis_table(const ResampleAxis& axis, const Find& find) {
  std::vector<decltype(find(std::int64_t{}))> table;
  if (axis.output_size > kMaxTableEntries) return table;
  table.reserve(static_cast<std::size_t>(axis.output_size));
  for (std::int64_t o = 0; o < axis.output_size; ++o) table.push_back(find(o));
  return table;
}

// Divides a slot's scratch memory: take() says at which byte each part starts.
class ScratchLayout {
 public:
  template <class T>
  std::int64_t take(std::int64_t count) noexcept {
    constexpr std::int64_t kAlignment = 64;  // a cache line and the longest vector
    const std::int64_t start = bytes_;
    bytes_ +=
        (count * static_cast<std::int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return start;
  }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

// Bytes of a slot; the next one's memory is aligned as the first one's.
inline std::int64_t slot_bytes(const ScratchLayout& layout) noexcept {
  return static_cast<std::int64_t>(base::slot_bytes(static_cast<std::uint64_t>(layout.bytes())));
}

// The ways to compute the operators.
std::shared_ptr<PlanBody> nearest_plan(const ResampleParams& params, const PlanOptions& options);
std::shared_ptr<PlanBody> linear_plan(const ResampleParams& params, const PlanOptions& options);
// The linear plan of 8-bit integers without rounding, or null where that is not possible: more than
// two interpolated dimensions, weights of too many bits, rows with gaps.
std::shared_ptr<PlanBody> fixed_plan(const ResampleParams& params, const PlanOptions& options);
std::shared_ptr<PlanBody> antialias_plan(const ResampleParams& params, const PlanOptions& options);

}  // namespace weft::ops
