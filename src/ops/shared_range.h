#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/parallel.h"
#include "kernels/split/product.h"

namespace weft::ops {

// A SplitRange that several threads widen.
class SharedRange {
 public:
  void add(const kernels::SplitRange& range) noexcept {
    widen(largest_, range.largest, [](auto now, auto by) { return by > now; });
    widen(smallest_, range.smallest, [](auto now, auto by) { return by < now; });
  }

  kernels::SplitRange get() const noexcept {
    return {largest_.load(std::memory_order_relaxed), smallest_.load(std::memory_order_relaxed)};
  }

 private:
  template <class Wider>
  static void widen(std::atomic<std::uint32_t>& value, std::uint32_t by,
                    const Wider& wider) noexcept {
    std::uint32_t now = value.load(std::memory_order_relaxed);
    while (wider(now, by) && !value.compare_exchange_weak(now, by, std::memory_order_relaxed)) {
    }
  }

  std::atomic<std::uint32_t> largest_{0};
  std::atomic<std::uint32_t> smallest_{UINT32_MAX};
};

// Nothing to do beside products, and no number seen.
inline kernels::ProductSide nothing_aside() {
  kernels::ProductSide side{};
  std::fill(std::begin(side.range.smallest), std::end(side.range.smallest), UINT32_MAX);
  return side;
}

inline void widen(kernels::SplitRange& range, const kernels::LaneRange& by) {
  const kernels::SplitRange halves =
      kernels::range_of_halves(*std::max_element(by.largest_half, std::end(by.largest_half)));
  range.largest = std::max(
      {range.largest, halves.largest, *std::max_element(by.largest, std::end(by.largest))});
  range.smallest = std::min(
      {range.smallest, halves.smallest, *std::min_element(by.smallest, std::end(by.smallest))});
}

inline void widen(kernels::SplitRange& range, const float* numbers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(numbers[i]) & 0x7fffffffu;
    range.largest = std::max(range.largest, bits);
    range.smallest = std::min(range.smallest, bits - 1);
  }
}

// A filter packed for the matrix unit starts with the range of its numbers.
inline kernels::SplitRange stored_range(const std::byte* packed) noexcept {
  kernels::SplitRange result;
  std::memcpy(&result, packed, sizeof result);
  return result;
}

// Calls pack_block(block, range) for every block of a filter on at most `slots` threads, then
// stores the range of all.
template <class PackBlock>
void pack_with_range(std::byte* packed, unsigned slots, std::int64_t blocks,
                     const PackBlock& pack_block) noexcept {
  SharedRange shared;
  base::parallel_tiles(slots, blocks, [&](std::int64_t block, unsigned) {
    kernels::SplitRange range;
    pack_block(block, range);
    shared.add(range);
  });
  const kernels::SplitRange all = shared.get();
  std::memcpy(packed, &all, sizeof all);
}

}  // namespace weft::ops
