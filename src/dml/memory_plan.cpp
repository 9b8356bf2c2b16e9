#include "dml/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "weft/error.h"

namespace weft::dml {

namespace {

[[noreturn]] void fail_too_large() {
  throw Error(ErrorCode::out_of_memory,
              "the tensors need more than 2^63 bytes of temporary or persistent resource");
}

bool meet(const Lifetime& a, const Lifetime& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// Places pieces one after the other among those that are placed already.
class Placer {
 public:
  explicit Placer(std::span<Lifetime> pieces) : pieces_(pieces) {}

  std::uint64_t height() const { return height_; }

  void lowest(std::size_t index) {
    std::vector<Range> around = neighbours(index);
    std::sort(around.begin(), around.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::uint64_t offset = 0;
    for (const Range& other : around) {
      if (offset + pieces_[index].size_in_bytes <= other.begin) break;
      offset = std::max(offset, other.end);
    }
    put(index, offset);
  }

  // As high as possible below `top`; where it does not fit there, lowest().
  void highest(std::size_t index, std::uint64_t top) {
    std::vector<Range> around = neighbours(index);
    std::sort(around.begin(), around.end(),
              [](const Range& a, const Range& b) { return a.end > b.end; });
    const std::uint64_t size = pieces_[index].size_in_bytes;
    std::uint64_t end = top;
    for (const Range& other : around) {
      if (other.end + size <= end) break;
      end = std::min(end, other.begin);
    }
    if (end < size) return lowest(index);
    put(index, end - size);
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  // Where the placed pieces lie that live while this one does.
  std::vector<Range> neighbours(std::size_t index) const {
    std::vector<Range> result;
    for (const std::size_t other : placed_) {
      const Lifetime& piece = pieces_[other];
      if (!meet(pieces_[index], piece)) continue;
      result.push_back({piece.offset_in_bytes, piece.offset_in_bytes + piece.size_in_bytes});
    }
    return result;
  }

  void put(std::size_t index, std::uint64_t offset) {
    pieces_[index].offset_in_bytes = offset;
    height_ = std::max(height_, offset + pieces_[index].size_in_bytes);
    placed_.push_back(index);
  }

  std::span<Lifetime> pieces_;
  std::vector<std::size_t> placed_;
  std::uint64_t height_ = 0;
};

// Pieces that outlive their step lie at the two ends in turn, so that those of a chain, of which
// two live at a time, never cut the free memory between them in pieces; what lives for one step
// goes in between.
std::uint64_t place_at_both_ends(std::span<Lifetime> pieces, std::uint64_t top) {
  Placer placer(pieces);
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_short = [&](std::size_t i) { return pieces[i].first_step == pieces[i].last_step; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_short(a) != is_short(b)) return is_short(b);
    return pieces[a].first_step < pieces[b].first_step;
  });
  bool low = true;
  for (const std::size_t i : order) {
    if (is_short(i) || low) {
      placer.lowest(i);
    } else {
      placer.highest(i, top);
    }
    low = !low;
  }
  return placer.height();
}

std::uint64_t place_largest_first(std::span<Lifetime> pieces) {
  Placer placer(pieces);
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pieces[a].size_in_bytes > pieces[b].size_in_bytes;
  });
  for (const std::size_t i : order) placer.lowest(i);
  return placer.height();
}

}  // namespace

std::uint64_t aligned_size(std::uint64_t size_in_bytes) {
  if (size_in_bytes > INT64_MAX - kMemoryAlignment) fail_too_large();
  return (size_in_bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

std::uint64_t widest_cut(std::span<const Lifetime> lifetimes) {
  // A cut can only be widest where a piece begins.
  std::uint64_t widest = 0;
  for (const Lifetime& at : lifetimes) {
    std::uint64_t cut = 0;
    for (const Lifetime& piece : lifetimes) {
      if (piece.first_step <= at.first_step && at.first_step <= piece.last_step) {
        cut += aligned_size(piece.size_in_bytes);
      }
    }
    widest = std::max(widest, cut);
  }
  return widest;
}

std::uint64_t plan_memory(std::span<Lifetime> lifetimes) {
  std::uint64_t sum = 0;
  for (Lifetime& piece : lifetimes) {
    piece.size_in_bytes = aligned_size(piece.size_in_bytes);
    if (__builtin_add_overflow(sum, piece.size_in_bytes, &sum) || sum > INT64_MAX) {
      fail_too_large();
    }
  }
  const std::uint64_t least = widest_cut(lifetimes);
  const std::uint64_t at_both_ends = place_at_both_ends(lifetimes, least);
  if (at_both_ends == least) return least;
  const std::uint64_t largest_first = place_largest_first(lifetimes);
  if (largest_first <= at_both_ends) return largest_first;
  return place_at_both_ends(lifetimes, least);
}

}  // namespace weft::dml
