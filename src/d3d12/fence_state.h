#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/spinner.h"

namespace weft::d3d12 {

// For who waits for a signal or for work: longer would keep a processor from those who compute.
inline constexpr std::int64_t kSpinMicroseconds = 64;

// The value of a fence and who waits for it. Outlives the ID3D12Fence as long as a queue has to
// signal it or waits for it. Any thread.
class FenceState {
 public:
  explicit FenceState(std::uint64_t value) : value_(value) {}

  std::uint64_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  bool reached(std::uint64_t target) const noexcept { return value() >= target; }

  // Any value, also a smaller one.
  void signal(std::uint64_t value) noexcept;

  // UINT64_MAX from now on, whatever is signalled: the device was removed.
  void remove() noexcept;

  // Looks for a short while; true when the target is reached.
  bool spin(std::uint64_t target) noexcept;
  // Sleeps until the target is reached.
  void sleep(std::uint64_t target) noexcept;
  // Sets `woken`, which is 0, to 1 as soon as the target is reached: the value may be another again
  // by the time the thread runs.
  void sleep(std::uint64_t target, std::atomic<int>& woken) noexcept;

  // Calls `wake` once the target is reached: now, or on the thread that signals. It must not throw
  // and not come back to this fence. Throws std::bad_alloc.
  void when_reached(std::uint64_t target, std::function<void()> wake);

 private:
  struct Waiter {
    std::uint64_t target;
    std::function<void()> wake;
  };

  void set(std::uint64_t value) noexcept;

  std::atomic<std::uint64_t> value_;
  std::mutex mutex_;
  bool removed_ = false;
  std::vector<Waiter> waiters_;
  base::Spinner spinner_{kSpinMicroseconds};
};

}  // namespace weft::d3d12
