#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/split/split.h"

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

}  // namespace weft::ops
