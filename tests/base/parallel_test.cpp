#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "weft/info.h"

namespace weft::base {
namespace {

// Counts the calls for each tile and watches that a slot is never in two of them at once.
class Watch {
 public:
  Watch(unsigned slots, std::int64_t tiles)
      : calls_(static_cast<std::size_t>(tiles)), busy_(slots) {}

  void operator()(std::int64_t tile, unsigned slot) {
    if (slot >= busy_.size()) {
      wrong_slot_ = true;
      return;
    }
    if (busy_[slot].exchange(true)) shared_slot_ = true;
    ++calls_[static_cast<std::size_t>(tile)];
    for (int i = 0; i < 20; ++i) std::atomic_thread_fence(std::memory_order_seq_cst);
    busy_[slot] = false;
  }

  void expect_each_tile_once() const {
    EXPECT_FALSE(wrong_slot_);
    EXPECT_FALSE(shared_slot_);
    for (std::size_t i = 0; i < calls_.size(); ++i) ASSERT_EQ(calls_[i], 1) << "tile " << i;
  }

 private:
  std::vector<std::atomic<int>> calls_;
  std::vector<std::atomic<bool>> busy_;
  std::atomic<bool> wrong_slot_ = false;
  std::atomic<bool> shared_slot_ = false;
};

void run_watched(unsigned slots, std::int64_t tiles) {
  Watch watch(slots, tiles);
  parallel_tiles(slots, tiles, [&](std::int64_t tile, unsigned slot) { watch(tile, slot); });
  watch.expect_each_tile_once();

  Watch apart(slots, tiles);
  parallel_tiles_apart(slots, tiles, [&](std::int64_t tile, unsigned slot) { apart(tile, slot); });
  apart.expect_each_tile_once();
}

// The first tiles in order, then those of the parts; each slot knows its tile before.
TEST(ParallelParts, KnowsTheTileBefore) {
  for (const unsigned slots : {1u, 2u, 3u, 40u}) {
    for (const std::int64_t together : {0, 1, 5, 100}) {
      SCOPED_TRACE(std::to_string(slots) + " slots, " + std::to_string(together) + " together");
      Watch watch(slots, 100);
      std::vector<std::int64_t> last(slots, -1);
      std::atomic<int> wrong = 0;
      parallel_parts(slots, 100, together,
                     [&](std::int64_t tile, unsigned slot, std::int64_t previous) {
                       watch(tile, slot);
                       if (previous != last[slot]) ++wrong;
                       if (tile < together && previous > tile) ++wrong;
                       last[slot] = tile;
                     });
      watch.expect_each_tile_once();
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(ParallelTiles, CallsForEachTileOnce) {
  for (const unsigned slots : {1u, 2u, 3u, 8u, 64u}) {
    for (const std::int64_t tiles : {0, 1, 2, 7, 64, 1000}) {
      SCOPED_TRACE(std::to_string(slots) + " slots, " + std::to_string(tiles) + " tiles");
      run_watched(slots, tiles);
    }
  }
}

#if defined(__SSE2__)

TEST(ParallelTiles, TheCallersFloatingPointModeChangesNoBit) {
  const auto products = [](unsigned slots) {
    std::vector<float> result(64);
    parallel_tiles(slots, 64, [&](std::int64_t tile, unsigned) {
      volatile float small = 1e-38f;
      result[static_cast<std::size_t>(tile)] = small * 0.01f;
    });
    return result;
  };
  const std::vector<float> expected = products(1);
  EXPECT_GT(expected[0], 0);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush denormals to zero, take them as zero
  for (const unsigned slots : {1u, 2u, 7u}) EXPECT_EQ(products(slots), expected) << slots;
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u) << "the caller's mode is given back";
  _mm_setcsr(before);
}

#endif

TEST(ParallelTiles, OneSlotRunsOnTheCallingThreadInOrder) {
  std::vector<std::int64_t> order;
  const auto caller = std::this_thread::get_id();
  parallel_tiles(1, 5, [&](std::int64_t tile, unsigned slot) {
    EXPECT_EQ(slot, 0u);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(tile);
  });
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelTiles, MayBeNested) {
  constexpr std::int64_t kOuter = 12;
  std::vector<std::atomic<std::int64_t>> sums(kOuter);
  parallel_tiles(4, kOuter, [&](std::int64_t outer, unsigned) {
    parallel_tiles(3, 50, [&](std::int64_t inner, unsigned) {
      sums[static_cast<std::size_t>(outer)] += inner + 1;
    });
  });
  for (const auto& sum : sums) EXPECT_EQ(sum, 50 * 51 / 2);
}

TEST(ParallelTiles, MayBeCalledFromManyThreadsAtOnce) {
  std::vector<std::thread> hosts;
  hosts.reserve(16);
  for (int host = 0; host < 16; ++host) {
    hosts.emplace_back([] {
      for (int i = 0; i < 20; ++i) run_watched(4, 100);
    });
  }
  for (std::thread& host : hosts) host.join();
}

TEST(ParallelTiles, EveryTileIsDoneOnReturn) {
  std::vector<int> plain(5000, 0);  // no atomics: the return orders all writes before it
  parallel_tiles(8, 5000, [&](std::int64_t tile, unsigned) {
    plain[static_cast<std::size_t>(tile)] = static_cast<int>(tile);
  });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(plain[static_cast<std::size_t>(i)], i);
}

TEST(ParallelTiles, OneSlotDoesTheTilesOfOthersThatDoNotCome) {
  // All threads but this one are held elsewhere.
  std::atomic<bool> held{true};
  std::atomic<unsigned> holding{0};
  std::thread host([&] {
    parallel_tiles(64, 64, [&](std::int64_t, unsigned) {
      ++holding;
      while (held) std::this_thread::yield();
    });
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (holding < thread_count() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(holding, thread_count());
  run_watched(7, 100);
  held = false;
  host.join();
}

std::vector<pid_t> helpers() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    if (std::getline(std::ifstream(task.path() / "comm"), name) && name == "weft") {
      found.push_back(std::stoi(task.path().filename()));
    }
  }
  return found;
}

void allow(const std::vector<pid_t>& threads, const cpu_set_t& processors) {
  for (const pid_t thread : threads) sched_setaffinity(thread, sizeof processors, &processors);
}

cpu_set_t only(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

// Where a helper stood when it took its slot, while the caller worked; -1 where none came.
int processor_of_helper() {
  std::atomic<int> processor{-1};
  run_slots(
      2,
      [](void* context, unsigned slot) {
        auto& there = *static_cast<std::atomic<int>*>(context);
        if (slot != 0) {
          there = sched_getcpu();
          return;
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        while (there == -1 && std::chrono::steady_clock::now() < end) {
        }
      },
      &processor);
  return processor;
}

TEST(RunSlots, AHelperOnTheProcessorOfItsCallerGoesElsewhere) {
  if (thread_count() < 2) GTEST_SKIP() << "needs two processors";
  start_threads();
  const pid_t caller = getpid();
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(caller, sizeof all, &all), 0);

  int here = 0;
  while (!CPU_ISSET(here, &all)) ++here;
  int other = here + 1;
  while (!CPU_ISSET(other, &all)) ++other;

  constexpr int kTimes = 20;
  int elsewhere = 0;
  for (int i = 0; i < kTimes; ++i) {
    allow(helpers(), only(here));
    allow({caller}, only(other));
    processor_of_helper();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // helpers are asleep now, here
    allow(helpers(), all);
    allow({caller}, only(here));
    const int there = processor_of_helper();
    if (there != here && there != -1) ++elsewhere;
  }
  allow({caller}, all);
  EXPECT_GE(elsewhere, kTimes * 3 / 4);
}

// A process that was forked has no threads but the one that forked.
TEST(ParallelTiles, WorksAfterAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow forks of several threads";
#endif
  run_watched(4, 100);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    run_watched(4, 100);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Other threads look for work for a fraction of a millisecond, not for ever.
TEST(ParallelTiles, ThreadsWithoutWorkSleep) {
  run_watched(thread_count() + 1, 1000);
  const auto cpu_seconds = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_seconds() - before, 0.05);
}

TEST(ThreadCount, IsAtLeastOne) {
  EXPECT_GE(thread_count(), 1u);
  EXPECT_EQ(default_thread_count(), thread_count());
}

}  // namespace
}  // namespace weft::base
