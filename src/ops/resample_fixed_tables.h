#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.h"
#include "kernels/resample/resample.h"

namespace weft::ops {

// What kernels::FixedPicks points to, for chunks of at most `most` numbers each; a number mixes
// elements that are `next` apart.
class FixedTables {
 public:
  FixedTables(std::int64_t most, std::int64_t next)
      : entries_(base::divide_up(most, kGroup) * kGroup), next_(static_cast<std::int32_t>(next)) {}

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
    for (std::int64_t i = 0; i < entries_; ++i) {
      const std::int32_t first = copied(index, i);
      const std::int32_t weight = copied(weights, i);
      const std::int32_t second = first + (weight > 0 ? next_ : 0);
      index_.push_back(first);
      weights_.push_back(weight);
      short_weights_.push_back(static_cast<std::uint16_t>(weight));
      if (i % 4 == 0) starts_.push_back(window(i, 4, kNear));
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
  bool near_ = true, wide_ = true;  // such windows hold all that they have to
  std::vector<std::int32_t> index_, weights_, starts_, wide_starts_;
  std::vector<std::uint32_t> controls_;
  std::vector<std::uint16_t> first_, second_, short_weights_;
};

}  // namespace weft::ops
