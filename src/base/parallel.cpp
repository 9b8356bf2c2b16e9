#include "base/parallel.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "weft/info.h"

namespace weft {

unsigned default_thread_count() noexcept { return base::thread_count(); }

namespace base {

namespace {

tbb::task_arena& arena() {
  static tbb::task_arena instance;
  return instance;
}

}  // namespace

unsigned thread_count() noexcept {
  static const unsigned count = static_cast<unsigned>(tbb::info::default_concurrency());
  return count;
}

void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept {
  if (slots == 1) {
    work(context, 0);
    return;
  }
  // Isolated: a thread that waits here takes no task of the host program, whose own slots or locks
  // it might hold.
  arena().execute([&] {
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          0u, slots, [&](unsigned slot) { work(context, slot); }, tbb::simple_partitioner{});
    });
  });
}

}  // namespace base
}  // namespace weft
