#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "d3d12/commands.h"
#include "d3d12/device_state.h"

namespace weft::d3d12 {

// The thread of one command queue: does what is posted, in order.
class QueueThread {
 public:
  // Throws std::bad_alloc, std::system_error.
  explicit QueueThread(std::shared_ptr<DeviceState> state);
  // Work that was posted is still done: the thread ends by itself after it, and the device waits
  // for it when it goes.
  ~QueueThread();
  QueueThread(const QueueThread&) = delete;
  QueueThread& operator=(const QueueThread&) = delete;

  // All throw std::bad_alloc.
  void execute(std::vector<Submission> submissions) { post(Execution{std::move(submissions)}); }
  void signal(std::shared_ptr<FenceState> fence, std::uint64_t value) {
    post(FenceSignal{std::move(fence), value});
  }
  void wait(std::shared_ptr<FenceState> fence, std::uint64_t value) {
    post(FenceWait{std::move(fence), value});
  }

 private:
  struct Execution {
    std::vector<Submission> submissions;
  };
  struct FenceSignal {
    std::shared_ptr<FenceState> fence;
    std::uint64_t value;
  };
  struct FenceWait {
    std::shared_ptr<FenceState> fence;
    std::uint64_t value;
  };
  using Job = std::variant<std::monostate, Execution, FenceSignal, FenceWait>;

  // Outlives the QueueThread until the thread has ended.
  struct Shared {
    explicit Shared(std::shared_ptr<DeviceState> device) : state(std::move(device)) {}

    std::shared_ptr<DeviceState> state;
    std::mutex mutex;
    std::condition_variable posted;
    std::vector<Job> jobs;
    bool sleeping = false;  // the thread needs to be notified
    bool working = false;   // the thread has taken jobs and is not done with them
    bool ending = false;    // no more jobs will come
    const std::shared_ptr<std::atomic<bool>> ended = std::make_shared<std::atomic<bool>>(false);
    std::atomic<bool> has_jobs{false};  // or ending; what the thread looks at before it sleeps
  };

  void post(Job job);
  static void run(Shared& shared) noexcept;
  // False when there are no more and will be none.
  static bool take(Shared& shared, std::vector<Job>& jobs);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace weft::d3d12
