#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.h"
#include "kernels/resample/resample.h"

namespace weft::ops {

// What kernels::FixedPicks points to, for chunks of at most `most` numbers each; a number mixes
// elements that are `next` apart, by weights in units of 2^-shift.
class FixedTables {
 public:
  FixedTables(std::int64_t most, std::int64_t next, int shift)
      : entries_(base::divide_up(most, kGroup) * kGroup),
        next_(static_cast<std::int32_t>(next)),
        shift_(shift),
        pairs_(shift <= kernels::FixedPicks::kPairShift) {}

  // Of a chunk: whole groups.
  std::int64_t entries() const noexcept { return entries_; }

  // One more chunk, of rows of `row_count` elements. Its tables go on with copies of the last
  // number.
  void add(std::span<const std::int32_t> index, std::span<const std::int32_t> weights,
           std::int64_t row_count) {
    const auto copied = [&](auto numbers, std::int64_t i) {
      return numbers[std::min(static_cast<std::size_t>(i), numbers.size() - 1)];
    };
    const auto window = [&](std::int64_t i, std::int64_t group, std::int64_t elements) {
      std::int64_t start = std::max<std::int64_t>(row_count - elements, 0);
      for (std::int64_t k = i; k < i + group; ++k) {
        start = std::min<std::int64_t>(start, copied(index, k));
      }
      return static_cast<std::int32_t>(start);
    };
    const auto place = [](std::int32_t at) {
      return static_cast<std::uint16_t>(at % 2 * 0x800 + at / 2 % 64);
    };
    const auto bytes = [](std::int32_t low, std::int32_t high) {
      return static_cast<std::uint16_t>(high << 8 | low);
    };
    const auto end = [&](std::int64_t i) {
      return copied(index, i) + (copied(weights, i) > 0 ? next_ : 0);
    };
    std::int32_t one_start = 0;
    bool is_one = false;
    for (std::int64_t i = 0; i < entries_; ++i) {
      const std::int32_t first = copied(index, i);
      const std::int32_t weight = copied(weights, i);
      const std::int32_t second = end(i);
      if (i % 16 == 0) {
        one_start = window(i, 16, kNear);
        is_one = true;
        for (std::int64_t k = i; k < i + 16; ++k) is_one = is_one && end(k) - one_start < kNear;
        one_ = one_ && is_one;
      }
      index_.push_back(first);
      weights_.push_back(weight);
      short_weights_.push_back(static_cast<std::uint16_t>(weight));
      if (i % 4 == 0) starts_.push_back(is_one ? one_start : window(i, 4, kNear));
      if (i % 8 == 0) pair_starts_.push_back(window(i, 8, kNear));
      pairs_ = pairs_ && second - pair_starts_.back() < kNear;
      const std::int32_t pair_start = pair_starts_.back();
      pair_controls_.push_back(pairs_ ? bytes(first - pair_start, second - pair_start) : 0);
      pair_weights_.push_back(pairs_ ? bytes((1 << shift_) - weight, weight) : 0);
      near_ = near_ && second - starts_.back() < kNear;
      controls_.push_back(0x80808000u | static_cast<std::uint8_t>(first - starts_.back()));
      if (i % kGroup == 0) wide_starts_.push_back(window(i, kGroup, kWide));
      wide_ = wide_ && second - wide_starts_.back() < kWide;
      first_.push_back(place(first - wide_starts_.back()));
      second_.push_back(place(second - wide_starts_.back()));
    }
  }

  // All but what depends on the row: count, row_count, ahead and shift.
  kernels::FixedPicks picks(std::int64_t chunk) const noexcept {
    const std::int64_t from = chunk * entries_;
    kernels::FixedPicks picks;
    picks.index = index_.data() + from;
    picks.weights = weights_.data() + from;
    picks.next = next_;
    if (near_) {
      picks.starts = starts_.data() + from / 4;
      picks.controls = controls_.data() + from;
      picks.one_window = one_;
    }
    if (pairs_) {
      picks.pair_starts = pair_starts_.data() + from / 8;
      picks.pair_controls = pair_controls_.data() + from;
      picks.pair_weights = pair_weights_.data() + from;
    }
    if (wide_) {
      picks.wide_starts = wide_starts_.data() + from / kGroup;
      picks.first = first_.data() + from;
      picks.second = second_.data() + from;
      picks.short_weights = short_weights_.data() + from;
    }
    return picks;
  }

 private:
  static constexpr std::int64_t kGroup = kernels::FixedPicks::kGroup;
  static constexpr std::int64_t kNear = 16, kWide = 128;  // elements of a window

  std::int64_t entries_;
  std::int32_t next_;
  int shift_;
  bool near_ = true, one_ = true, pairs_, wide_ = true;  // such windows hold all that they have to
  std::vector<std::int32_t> index_, weights_, starts_, pair_starts_, wide_starts_;
  std::vector<std::uint32_t> controls_;
  std::vector<std::uint16_t> pair_controls_, pair_weights_, first_, second_, short_weights_;
};

}  // namespace weft::ops
