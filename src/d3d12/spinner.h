#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace weft::d3d12 {

// Looks for something for a short while before the thread goes to sleep: putting a thread to sleep
// and waking it costs more than a tiny dispatch. The while grows when looking paid off and shrinks
// when it did not. Any thread.
class Spinner {
 public:
  // True as soon as ready() is; false when the while is over.
  template <class Ready>
  bool until(const Ready& ready) noexcept {
    if (ready()) return true;
    if (!several_processors()) return false;
    const std::int64_t microseconds = microseconds_.load(std::memory_order_relaxed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    do {
      for (int i = 0; i < 32; ++i) {
        if (ready()) {
          microseconds_.store(kMost, std::memory_order_relaxed);
          return true;
        }
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
    microseconds_.store(std::max(microseconds / 2, kLeast), std::memory_order_relaxed);
    return false;
  }

 private:
  static constexpr std::int64_t kLeast = 4;
  static constexpr std::int64_t kMost = 64;

  static bool several_processors() noexcept {
    static const bool several = std::thread::hardware_concurrency() > 1;
    return several;
  }

  static void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<std::int64_t> microseconds_{kMost};
};

}  // namespace weft::d3d12
