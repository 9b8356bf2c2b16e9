#pragma once

#include <cstdint>

namespace weft::kernels {

// A row of `count` positions as equal strips of at most `most`: how many, and each one's size.
struct Strips {
  std::int64_t count, short_size, long_count;
  constexpr Strips(std::int64_t positions, std::int64_t most) noexcept
      : count((positions + most - 1) / most),
        short_size(count > 0 ? positions / count : 0),
        long_count(count > 0 ? positions % count : 0) {}
  constexpr std::int64_t size(std::int64_t i) const noexcept {
    return short_size + (i < long_count ? 1 : 0);
  }
};

}  // namespace weft::kernels
