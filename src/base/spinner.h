#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace weft::base {

// Looks for something for a short while before the thread goes to sleep: putting a thread to sleep
// and waking it costs more than a tiny dispatch. The while grows when looking paid off and shrinks
// when it did not, down to none: on a processor that both threads share, who looks keeps the other
// one from working. Now and then the longest is tried again, as a shorter one would not do: a
// thread that takes half a dispatch to wake comes when all is done, and has the other half to wait
// for the next. Any thread.
class Spinner {
 public:
  explicit constexpr Spinner(std::int64_t most_microseconds) noexcept
      : most_(most_microseconds), microseconds_(most_microseconds) {}

  // True as soon as ready() is; false when the while is over.
  template <class Ready>
  bool until(const Ready& ready) noexcept {
    if (ready()) return true;
    if (!several_processors()) return false;
    const std::int64_t usual = microseconds_.load(std::memory_order_relaxed);
    const std::int64_t microseconds = usual > 0 ? usual : trial();
    if (microseconds == 0) return false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    do {
      for (int i = 0; i < 32; ++i) {
        if (ready()) {
          microseconds_.store(std::min(2 * microseconds, most_), std::memory_order_relaxed);
          return true;
        }
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
    microseconds_.store(usual > kLeast ? usual / 2 : 0, std::memory_order_relaxed);
    return false;
  }

 private:
  static constexpr std::int64_t kLeast = 4;
  static constexpr std::uint32_t kSleepsBetweenTrials = 32;

  std::int64_t trial() noexcept {
    const std::uint32_t sleeps = sleeps_.fetch_add(1, std::memory_order_relaxed) + 1;
    return sleeps % kSleepsBetweenTrials == 0 ? most_ : 0;
  }

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

  const std::int64_t most_;
  std::atomic<std::int64_t> microseconds_;
  std::atomic<std::uint32_t> sleeps_{0};
};

}  // namespace weft::base
