#include "ops/traversal.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "ops/plan_body.h"

namespace weft::ops {

namespace {

using base::divide_up;
using std::int64_t;

// Elements of a tile: enough to hide the cost of starting one, few enough for many threads.
constexpr int64_t kTileElements = 16 << 10;

// A row in float32 and its source stay in the first-level cache while functions are applied.
constexpr int64_t kMaxRow = 2048;

// Rows and columns of a block that transposes: with 8-byte elements the lines that it touches on
// the strided side fill half of a 16 KiB first-level cache even where they share few sets.
constexpr int64_t kTransposeChunk = 64;

// Rows shorter than this are mostly overhead.
constexpr int64_t kShortInnerRow = 16;

}  // namespace

Traversal::Traversal(const Layout& input, const Layout& output) {
  std::vector<Dimension> dimensions;
  for (int d = 0; d < output.rank; ++d) {
    if (output.sizes[d] == 1) continue;
    dimensions.push_back({output.sizes[d], input.strides[d], output.strides[d]});
  }
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [](const Dimension& a, const Dimension& b) { return a.out > b.out; });
  std::vector<Dimension> merged;
  for (const Dimension& next : dimensions) {
    if (!merged.empty() && merged.back().in == next.in * next.size &&
        merged.back().out == next.out * next.size) {
      merged.back() = {merged.back().size * next.size, next.in, next.out};
    } else {
      merged.push_back(next);
    }
  }
  const auto take = [&](std::vector<Dimension>::iterator which) {
    const Dimension dimension = *which;
    merged.erase(which);
    return dimension;
  };
  bool transposes = false;
  if (!merged.empty()) x_ = take(merged.end() - 1);
  if (!merged.empty()) {
    const auto nearest =
        std::min_element(merged.begin(), merged.end(), [](const Dimension& a, const Dimension& b) {
          return (a.in == 0 ? INT64_MAX : a.in) < (b.in == 0 ? INT64_MAX : b.in);
        });
    transposes = nearest->in != 0 && nearest->in < x_.in;
    y_ = take(transposes ? nearest : merged.end() - 1);
    if (x_.size < kShortInnerRow && y_.size > x_.size) std::swap(x_, y_);
  }
  std::copy(merged.begin(), merged.end(), outer_.begin());
  outer_count_ = static_cast<int>(merged.size());

  transposes = transposes && std::min(x_.size, y_.size) >= kShortInnerRow;
  x_chunk_ = std::min(x_.size, transposes ? kTransposeChunk : kMaxRow);
  y_chunk_ = std::min(
      y_.size, transposes ? kTransposeChunk : std::max<int64_t>(kTileElements / x_chunk_, 1));
  blocks_ = divide_up(x_.size, x_chunk_) * divide_up(y_.size, y_chunk_);
  for (int d = 0; d < outer_count_; ++d) blocks_ *= outer_[d].size;
  blocks_per_tile_ = std::max<int64_t>(kTileElements / (x_chunk_ * y_chunk_), 1);
  tiles_ = divide_up(blocks_, blocks_per_tile_);
}

std::string Traversal::text(unsigned slots) const {
  return std::to_string(tiles_) + " tiles, rows of " + std::to_string(x_chunk_) + ", " +
         threads_text(slots);
}

Traversal::Block Traversal::at(int64_t block) const noexcept {
  const int64_t x_chunks = divide_up(x_.size, x_chunk_);
  const int64_t x = block % x_chunks * x_chunk_;
  block /= x_chunks;
  const int64_t y_chunks = divide_up(y_.size, y_chunk_);
  const int64_t y = block % y_chunks * y_chunk_;
  block /= y_chunks;
  Block result{x * x_.in + y * y_.in, x * x_.out + y * y_.out, std::min(y_chunk_, y_.size - y),
               std::min(x_chunk_, x_.size - x)};
  for (int d = outer_count_; d-- > 0;) {
    const int64_t o = block % outer_[d].size;
    block /= outer_[d].size;
    result.input += o * outer_[d].in;
    result.output += o * outer_[d].out;
  }
  return result;
}

}  // namespace weft::ops
