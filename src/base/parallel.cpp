#include "base/parallel.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/thread_order.h"
#include "weft/info.h"

namespace weft {

unsigned default_thread_count() noexcept { return base::thread_count(); }

namespace base {

namespace {

tbb::task_arena& arena() {
  static tbb::task_arena instance;
  return instance;
}

// Isolated: a thread that waits here takes no task of the host program, whose own slots or locks it
// might hold.
template <class Body>
void spread(unsigned slots, const Body& body) {
  ThreadOrder start;
  ThreadOrder end;
  const auto ordered = [&](unsigned slot) {
    start.after();
    body(slot);
    end.before();
  };
  start.before();
  arena().execute([&] {
    tbb::this_task_arena::isolate(
        [&] { tbb::parallel_for(0u, slots, ordered, tbb::simple_partitioner{}); });
  });
  end.after();
}

}  // namespace

unsigned thread_count() noexcept {
  static const unsigned count = static_cast<unsigned>(tbb::info::default_concurrency());
  return count;
}

void start_threads() {
  static const bool started = [] {
    std::atomic<unsigned> done{0};
    spread(thread_count(), [&](unsigned) { done.fetch_add(1, std::memory_order_relaxed); });
    return true;
  }();
  static_cast<void>(started);
}

void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept {
  const auto call = [&](unsigned slot) {
    const DefaultFloatMode mode;
    work(context, slot);
  };
  try {
    spread(slots, call);
  } catch (...) {
    // The threads that had started are done by now.
    call(0);
  }
}

}  // namespace base
}  // namespace weft
