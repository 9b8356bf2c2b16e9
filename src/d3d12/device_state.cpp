#include "d3d12/device_state.h"

#include <algorithm>
#include <iterator>

#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

com::Severity log_severity(D3D12_MESSAGE_SEVERITY severity) noexcept {
  if (severity <= D3D12_MESSAGE_SEVERITY_ERROR) return com::Severity::error;
  return severity == D3D12_MESSAGE_SEVERITY_WARNING ? com::Severity::warning : com::Severity::info;
}

}  // namespace

void DeviceState::report(const MessageKind& kind, std::string_view text) noexcept {
  if (!log_is_muted()) com::log(log_severity(kind.severity), text);
  if (debug_layer_) messages_.add(kind, text);
}

void DeviceState::report_failure(std::string_view method, std::string_view text) noexcept try {
  error(D3D12_MESSAGE_CATEGORY_STATE_CREATION, D3D12_MESSAGE_ID_UNKNOWN, join(method, ": ", text));
} catch (...) {  // out of memory: the HRESULT has to do
}

void DeviceState::remove(HRESULT reason, D3D12_MESSAGE_ID id, std::string_view text) noexcept {
  HRESULT none = S_OK;
  if (!reason_.compare_exchange_strong(none, reason)) return;
  // Before the fences: who was woken by one finds the message.
  error(D3D12_MESSAGE_CATEGORY_EXECUTION, id, text);
  const std::lock_guard lock(fence_mutex_);
  for (const auto& entry : fences_) {
    if (const auto fence = entry.lock()) fence->remove();
  }
}

std::shared_ptr<FenceState> DeviceState::make_fence(std::uint64_t value) {
  auto fence = std::make_shared<FenceState>(value);
  const std::lock_guard lock(fence_mutex_);
  std::erase_if(fences_, [](const auto& entry) { return entry.expired(); });
  fences_.push_back(fence);
  if (removed()) fence->remove();
  return fence;
}

void DeviceState::adopt_thread(std::thread thread,
                               std::shared_ptr<const std::atomic<bool>> ended) noexcept {
  try {
    const std::lock_guard lock(thread_mutex_);
    adopted_.reserve(adopted_.size() + 1);  // what throws, throws before the thread is moved
    adopted_.push_back({std::move(thread), std::move(ended)});
  } catch (...) {  // out of memory: it is still counted, so the device waits for its end
    thread.detach();
  }
}

std::vector<DeviceState::Adopted> DeviceState::take_ended() {
  const auto first = std::partition(adopted_.begin(), adopted_.end(), [](const Adopted& adopted) {
    return !adopted.ended->load(std::memory_order_acquire);
  });
  std::vector<Adopted> ended(std::make_move_iterator(first),
                             std::make_move_iterator(adopted_.end()));
  adopted_.erase(first, adopted_.end());
  return ended;
}

void DeviceState::thread_started() {
  std::vector<Adopted> ended;
  {
    const std::lock_guard lock(thread_mutex_);
    sleepers_.reserve(running_ + 1);
    ended = take_ended();
    ++running_;
  }
  for (Adopted& adopted : ended) adopted.thread.join();
}

void DeviceState::thread_ended() noexcept {
  const std::lock_guard lock(thread_mutex_);
  --running_;
  thread_changed_.notify_all();
}

void DeviceState::sleep_until(FenceState& fence, std::uint64_t target) noexcept {
  Sleeper sleeper{&fence, target};
  {
    const std::lock_guard lock(thread_mutex_);
    sleepers_.push_back(&sleeper);
    thread_changed_.notify_all();
  }
  fence.sleep(target, sleeper.woken);
  const std::lock_guard lock(thread_mutex_);
  std::erase(sleepers_, &sleeper);
  thread_changed_.notify_all();
}

bool DeviceState::deadlocked() const noexcept {
  return sleepers_.size() == running_ &&
         std::none_of(sleepers_.begin(), sleepers_.end(),
                      [](const Sleeper* sleeper) { return sleeper->has_cause_to_run(); });
}

void DeviceState::join_threads() noexcept {
  std::vector<Adopted> threads;
  bool hung = false;
  {
    std::unique_lock lock(thread_mutex_);
    threads.swap(adopted_);
    const auto is_this = [](const Adopted& adopted) {
      return adopted.thread.get_id() == std::this_thread::get_id();
    };
    // The last object was released by work that a queue thread dropped: that thread cannot wait
    // for itself, and others may wait for what it does next.
    if (std::any_of(threads.begin(), threads.end(), is_this)) {
      lock.unlock();
      for (Adopted& adopted : threads) adopted.thread.detach();
      return;
    }
    thread_changed_.wait(lock, [&] { return running_ == 0 || deadlocked(); });
    hung = running_ != 0;
  }
  if (hung) {
    remove(
        DXGI_ERROR_DEVICE_HUNG, D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT,
        "the last object of the device was released while a queue waits for a fence that nothing "
        "is left to signal");
  }
  for (Adopted& adopted : threads) adopted.thread.join();
}

HRESULT report_not_offered(DeviceState& state, std::string_view interface_name,
                           std::string_view method) noexcept {
  try {
    state.error(D3D12_MESSAGE_CATEGORY_MISCELLANEOUS, D3D12_MESSAGE_ID_UNKNOWN,
                join(interface_name, "::", method, ": the software device does not have it"));
  } catch (...) {  // out of memory: the HRESULT has to do
  }
  return E_NOTIMPL;
}

}  // namespace weft::d3d12
