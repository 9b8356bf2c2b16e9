#include "d3d12/queue_thread.h"

#include <utility>

#include "d3d12/executor.h"

namespace weft::d3d12 {

QueueThread::QueueThread(std::shared_ptr<DeviceState> state)
    : shared_(std::make_shared<Shared>(std::move(state))) {
  shared_->state->thread_started();
  try {
    thread_ = std::thread([shared = shared_] {
      run(*shared);
      shared->state->thread_ended();
      shared->ended->store(true, std::memory_order_release);
    });
  } catch (...) {
    shared_->state->thread_ended();
    throw;
  }
}

QueueThread::~QueueThread() {
  bool idle = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ending = true;
    shared_->has_jobs.store(true, std::memory_order_release);
    idle = shared_->jobs.empty() && !shared_->working;
    shared_->posted.notify_one();
  }
  if (idle) {
    thread_.join();
  } else {
    shared_->state->adopt_thread(std::move(thread_), shared_->ended);
  }
}

void QueueThread::post(Job job) {
  bool sleeping = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->jobs.push_back(std::move(job));
    shared_->has_jobs.store(true, std::memory_order_release);
    sleeping = shared_->sleeping;
  }
  // Outside the lock, which the woken thread takes first of all.
  if (sleeping) shared_->posted.notify_one();
}

bool QueueThread::take(Shared& shared, std::vector<Job>& jobs) {
  std::unique_lock lock(shared.mutex);
  shared.working = false;
  shared.sleeping = true;
  shared.posted.wait(lock, [&] { return shared.ending || !shared.jobs.empty(); });
  shared.sleeping = false;
  shared.working = true;
  jobs.swap(shared.jobs);
  shared.has_jobs.store(shared.ending, std::memory_order_relaxed);
  return !jobs.empty();
}

void QueueThread::run(Shared& shared) noexcept {
  Executor executor(*shared.state);
  base::Spinner spinner(kSpinMicroseconds);
  std::vector<Job> jobs;
  for (;;) {
    spinner.until([&] { return shared.has_jobs.load(std::memory_order_acquire); });
    if (!take(shared, jobs)) return;
    for (Job& taken : jobs) {
      // Gone before the next one, a fence's signal perhaps, is begun: whoever that wakes finds
      // everything released.
      const Job job = std::exchange(taken, {});
      if (const auto* execution = std::get_if<Execution>(&job)) {
        executor.execute(execution->submissions);
      } else if (const auto* signal = std::get_if<FenceSignal>(&job)) {
        signal->fence->signal(signal->value);
      } else if (const auto* wait = std::get_if<FenceWait>(&job)) {
        if (!wait->fence->spin(wait->value)) shared.state->sleep_until(*wait->fence, wait->value);
      }
    }
    jobs.clear();
  }
}

}  // namespace weft::d3d12
