#include "d3d12/fence_state.h"

#include <utility>

namespace weft::d3d12 {

void FenceState::signal(std::uint64_t value) noexcept {
  const std::lock_guard lock(mutex_);
  if (!removed_) set(value);
}

void FenceState::remove() noexcept {
  const std::lock_guard lock(mutex_);
  removed_ = true;
  set(UINT64_MAX);
}

void FenceState::set(std::uint64_t value) noexcept {
  value_.store(value, std::memory_order_release);
  for (std::size_t i = 0; i < waiters_.size();) {
    if (waiters_[i].target > value) {
      ++i;
      continue;
    }
    waiters_[i].wake();
    std::swap(waiters_[i], waiters_.back());
    waiters_.pop_back();
  }
}

bool FenceState::spin(std::uint64_t target) noexcept {
  return spinner_.until([&] { return reached(target); });
}

void FenceState::sleep(std::uint64_t target) noexcept {
  std::atomic<int> woken{0};
  sleep(target, woken);
}

void FenceState::sleep(std::uint64_t target, std::atomic<int>& woken) noexcept {
  try {
    when_reached(target, [&woken] {
      woken.store(1, std::memory_order_release);
      woken.notify_one();  // uses the address alone: the sleeper may be gone already
    });
  } catch (...) {  // out of memory for the entry in the list: look again and again instead
    while (!spin(target)) std::this_thread::yield();
    woken.store(1, std::memory_order_release);
    return;
  }
  woken.wait(0, std::memory_order_acquire);
}

void FenceState::when_reached(std::uint64_t target, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  if (reached(target)) {
    wake();
  } else {
    waiters_.push_back({target, std::move(wake)});
  }
}

}  // namespace weft::d3d12
