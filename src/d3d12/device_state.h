#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "com/guard.h"
#include "com/log.h"
#include "d3d12/descriptor_table.h"
#include "d3d12/fence_state.h"
#include "d3d12/message_store.h"

namespace weft::d3d12 {

// What all objects of a device and its queue threads share; outlives the ID3D12Device while a queue
// thread still works. Any thread.
class DeviceState {
 public:
  // debug_layer: messages are stored, and fresh memory that need not be zero is not.
  explicit DeviceState(bool debug_layer) : debug_layer_(debug_layer) {}

  bool debug_layer() const noexcept { return debug_layer_; }
  MessageStore& messages() noexcept { return messages_; }
  DescriptorTable& descriptors() noexcept { return descriptors_; }

  // To the stored messages when the debug layer is on, and to the log.
  void report(const MessageKind& kind, std::string_view text) noexcept;
  void error(D3D12_MESSAGE_CATEGORY category, D3D12_MESSAGE_ID id, std::string_view text) noexcept {
    report({category, D3D12_MESSAGE_SEVERITY_ERROR, id}, text);
  }
  // Whether anybody would see a warning; looking for its cause can be saved otherwise.
  bool wants_warnings() const noexcept { return debug_layer_ || com::logs(com::Severity::warning); }
  void mute_log(bool mute) noexcept { muted_.store(mute, std::memory_order_relaxed); }
  bool log_is_muted() const noexcept { return muted_.load(std::memory_order_relaxed); }

  // S_OK, or why the device was removed.
  HRESULT removed_reason() const noexcept { return reason_.load(std::memory_order_acquire); }
  bool removed() const noexcept { return removed_reason() != S_OK; }
  // The first call counts. Reports the text; every fence becomes UINT64_MAX.
  void remove(HRESULT reason, D3D12_MESSAGE_ID id, std::string_view text) noexcept;

  // A fence of this device; also of a removed one. Throws std::bad_alloc.
  std::shared_ptr<FenceState> make_fence(std::uint64_t value);

  // The body of a method that returns an HRESULT. DXGI_ERROR_DEVICE_REMOVED when the device is
  // removed; every failure leaves a message that begins with the method.
  template <class Body>
  HRESULT answer(std::string_view method, const Body& body) noexcept {
    if (removed()) return DXGI_ERROR_DEVICE_REMOVED;
    return com::guard([&](HRESULT, std::string_view text) { report_failure(method, text); }, body);
  }
  void report_failure(std::string_view method, std::string_view text) noexcept;

  // Queue threads: adopted when their queue is released before its work is done, joined when they
  // have ended and the next one starts, or when the device goes.
  //
  // A thread tells that it waits for a fence, and that it has ended; when nobody is left who could
  // signal, join_threads() ends the waiting by removing the device.
  // `ended` becomes true as the last thing that the thread does.
  void adopt_thread(std::thread thread, std::shared_ptr<const std::atomic<bool>> ended) noexcept;
  void join_threads() noexcept;
  void thread_started();  // throws std::bad_alloc
  void thread_ended() noexcept;
  void sleep_until(FenceState& fence, std::uint64_t target) noexcept;

 private:
  struct Adopted {
    std::thread thread;
    std::shared_ptr<const std::atomic<bool>> ended;
  };
  struct Sleeper {
    FenceState* fence;
    std::uint64_t target;
    std::atomic<int> woken{0};

    bool has_cause_to_run() const noexcept {
      return woken.load(std::memory_order_acquire) != 0 || fence->reached(target);
    }
  };

  // The adopted threads that have ended, no longer adopted. Holds thread_mutex_. Throws
  // std::bad_alloc.
  std::vector<Adopted> take_ended();
  // Every running thread sleeps for something that has not come. Holds thread_mutex_.
  bool deadlocked() const noexcept;

  const bool debug_layer_;
  MessageStore messages_;
  DescriptorTable descriptors_;
  std::atomic<bool> muted_{false};
  std::atomic<HRESULT> reason_{S_OK};

  std::mutex fence_mutex_;
  std::vector<std::weak_ptr<FenceState>> fences_;

  std::mutex thread_mutex_;
  std::condition_variable thread_changed_;
  std::vector<Adopted> adopted_;
  std::size_t running_ = 0;
  std::vector<const Sleeper*> sleepers_;  // has room for every running thread
};

// E_NOTIMPL, with a message that names the method.
HRESULT report_not_offered(DeviceState& state, std::string_view interface_name,
                           std::string_view method) noexcept;

}  // namespace weft::d3d12
