#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <thread>

#include "base/cpu_quota.h"
#include "base/spinner.h"
#include "weft/info.h"

namespace weft {

unsigned default_thread_count() noexcept { return base::thread_count(); }

namespace base {

namespace {

// Those that the process may use. A thread may have been given fewer, the planning one too.
class Processors {
 public:
  Processors() noexcept : known_(sched_getaffinity(getpid(), sizeof allowed_, &allowed_) == 0) {}

  unsigned count() const noexcept {
    const unsigned count = known_ ? static_cast<unsigned>(CPU_COUNT(&allowed_)) : 0;
    return count > 0 ? count : std::max(std::thread::hardware_concurrency(), 1u);
  }
  void give_to(pthread_t thread) const noexcept {
    if (known_) pthread_setaffinity_np(thread, sizeof allowed_, &allowed_);
  }
  void remove(int processor) noexcept {
    if (CPU_COUNT(&allowed_) > 1) CPU_CLR(processor, &allowed_);
  }

 private:
  cpu_set_t allowed_;
  bool known_;
};

// As they were at first: what a program does to its own threads later is not for the helpers.
const Processors& processors() noexcept {
  static const Processors all;
  return all;
}

// One call of run_slots() that others may help with. Jobs are never freed: a thread that looks at
// one too late finds no slot, or helps whoever has it now.
class alignas(64) Job {
 public:
  // False where another call has it.
  bool claim() noexcept {
    return !claimed_.load(std::memory_order_relaxed) &&
           !claimed_.exchange(true, std::memory_order_acquire);
  }
  void post(unsigned slots, void (*work)(void*, unsigned), void* context) noexcept {
    work_ = work;
    context_ = context;
    state_.store((slots - 1) * kSlot, std::memory_order_seq_cst);
  }
  // After a call of work, which leaves nothing to begin. Waits for those who still work.
  void finish(Spinner& spinner) noexcept {
    state_.fetch_and(kHelpers, std::memory_order_relaxed);
    const auto done = [&] { return state_.load(std::memory_order_acquire) == 0; };
    if (!spinner.until(done)) {
      while (const std::uint32_t state = state_.load(std::memory_order_acquire)) state_.wait(state);
    }
    claimed_.store(false, std::memory_order_release);
  }

  bool open() const noexcept { return state_.load(std::memory_order_seq_cst) >= kSlot; }
  // Takes a slot; 0 where there is none.
  unsigned join() noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (state >= kSlot) {
      if (state_.compare_exchange_weak(state, state - kSlot + 1, std::memory_order_acquire)) {
        return state / kSlot;
      }
    }
    return 0;
  }
  void work(unsigned slot) noexcept {
    work_(context_, slot);
    state_.fetch_and(kHelpers, std::memory_order_relaxed);
    if (state_.fetch_sub(1, std::memory_order_release) == 1) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kSlot = 1 << 16;
  static constexpr std::uint32_t kHelpers = kSlot - 1;

  std::atomic<bool> claimed_{false};
  std::atomic<std::uint32_t> state_{0};  // free slots and, below them, helpers at work
  void (*work_)(void* context, unsigned slot) = nullptr;
  void* context_ = nullptr;
};

// A thread that stands on the processor of who calls it, asleep or behind him in the queue, would
// come when all is done: where processors share no cache that the kernel knows of, as in many
// virtual machines, it looks for no idle one. So the caller moves it off.
class Helper {
 public:
  void begin(pthread_t thread) noexcept {
    thread_ = thread;
    process_ = getpid();
  }
  // From the thread itself, often, and before it sleeps.
  void note_processor() noexcept {
    const int here = sched_getcpu();
    if (processor_.load(std::memory_order_relaxed) != here) {
      processor_.store(here, std::memory_order_release);
    }
    if (moved_.load(std::memory_order_relaxed) &&
        moved_.exchange(false, std::memory_order_acquire)) {
      processors().give_to(pthread_self());
    }
  }
  // From a caller who runs there, so that this thread does not, unless he is this thread. After a
  // fork it is another process's.
  void keep_off(int processor) noexcept {
    if (processor < 0 || processor_.load(std::memory_order_acquire) != processor) return;
    if (getpid() != process_ || pthread_equal(pthread_self(), thread_)) return;
    if (!processor_.compare_exchange_strong(processor, kOnItsWay)) return;
    Processors others = processors();
    others.remove(processor);
    others.give_to(thread_);
    moved_.store(true, std::memory_order_release);
  }

 private:
  static constexpr int kOnItsWay = -2;  // sched_getcpu() may give -1

  pthread_t thread_{};
  pid_t process_ = 0;
  std::atomic<int> processor_{kOnItsWay};
  std::atomic<bool> moved_{false};
};

// Who ends a tile first has about so long to wait for the others, and for the next job.
constexpr std::int64_t kTileMicroseconds = 256;

// Threads that take slots of all jobs, one fewer than the processors. They look for the next job
// for a while before they sleep: one layer follows another, and waking a thread takes longer than
// many a layer. Who calls works too and waits for nobody who has not begun, so that nothing hangs
// on whether a thread comes: where none could be started, or after a fork, runs have one thread.
class Team {
 public:
  // The threads live as long as the process.
  void start() noexcept {
    if (sem_init(&calls_, 0, 0) != 0) return;
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (unsigned i = 1; i < thread_count() && i <= helpers_.size(); ++i) {
        Helper& helper = helpers_[i - 1];
        std::thread thread([this, &helper] { attend(helper); });
        pthread_setname_np(thread.native_handle(), "weft");
        processors().give_to(thread.native_handle());
        thread.detach();
      }
    } catch (const std::exception&) {  // then without the rest
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void run(unsigned slots, void (*work)(void*, unsigned), void* context) noexcept {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(), [](Job& j) { return j.claim(); });
    if (job == jobs_.end()) return work(context, 0);
    job->post(slots, work, context);
    call(std::min(slots, thread_count()) - 1);
    work(context, 0);
    job->finish(waiting_);
  }

 private:
  // So many helpers shall be on their way or have nothing to do.
  void call(unsigned wanted) noexcept {
    unsigned idle = idle_.load(std::memory_order_seq_cst);
    if (idle < wanted) {
      const int here = sched_getcpu();
      for (unsigned i = 1; i < thread_count() && i <= helpers_.size(); ++i) {
        helpers_[i - 1].keep_off(here);
      }
    }
    while (idle < wanted) {
      if (!idle_.compare_exchange_weak(idle, idle + 1, std::memory_order_seq_cst)) continue;
      sem_post(&calls_);
      ++idle;
    }
  }

  void attend(Helper& helper) noexcept {
    Spinner spinner(kTileMicroseconds);
    helper.begin(pthread_self());
    for (;;) {
      helper.note_processor();
      if (sem_wait(&calls_) == 0) help(helper, spinner);
    }
  }

  void help(Helper& helper, Spinner& spinner) noexcept {
    const auto see_job = [&] {
      helper.note_processor();
      return any_open();
    };
    helper.note_processor();
    for (;;) {
      do {
        help_once();
      } while (spinner.until(see_job));
      idle_.fetch_sub(1, std::memory_order_seq_cst);
      // A call that still counted on this thread has posted its job before.
      if (!any_open()) return;
      idle_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void help_once() noexcept {
    for (Job& job : jobs_) {
      if (!job.open()) continue;
      idle_.fetch_sub(1, std::memory_order_relaxed);
      if (const unsigned slot = job.join()) job.work(slot);
      idle_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  bool any_open() const noexcept {
    return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.open(); });
  }

  std::array<Helper, CPU_SETSIZE> helpers_;
  std::array<Job, 16> jobs_;  // calls beyond have one thread
  std::atomic<unsigned> idle_{0};
  sem_t calls_{};
  Spinner waiting_{kTileMicroseconds};
};

constinit Team team;

}  // namespace

unsigned thread_count() noexcept {
  static const unsigned count = [] {
    const unsigned all = processors().count();
    try {
      const unsigned quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
      return quota == 0 ? all : std::min(all, quota);
    } catch (const std::exception&) {
      return all;
    }
  }();
  return count;
}

void start_threads() noexcept {
  static const bool started = (team.start(), true);
  static_cast<void>(started);
}

void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept {
  start_threads();
  struct Call {
    void (*work)(void*, unsigned);
    void* context;
  } call{work, context};
  team.run(
      slots,
      [](void* pointer, unsigned slot) {
        const DefaultFloatMode mode;
        const Call& c = *static_cast<Call*>(pointer);
        c.work(c.context, slot);
      },
      &call);
}

}  // namespace base
}  // namespace weft
