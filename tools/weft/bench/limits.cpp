#include "bench/limits.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "bench/memory_traffic.h"
#include "bench/peaks.h"
#include "bench/tensors.h"

namespace weft::cli::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The most work a second that `threads` together do in any tenth of a tenth of a second.
// `work` does a bit (a millisecond or less) as thread t and returns how much it was.
double best_rate(unsigned threads, const std::function<double(unsigned)>& work) {
  constexpr int kTries = 10;
  constexpr double kTrySeconds = 0.01;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    std::barrier start(threads);
    std::vector<double> rates(threads);
    const auto one = [&](unsigned t) {
      start.arrive_and_wait();
      const auto begin = Clock::now();
      double done = 0;
      while (seconds_since(begin) < kTrySeconds) done += work(t);
      rates[t] = done / seconds_since(begin);
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(one, t);
    one(0);
    others.clear();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

double measure_copy(unsigned threads) {
  // A quarter of a near cache a buffer: long enough for streams, short enough to rotate.
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  const std::size_t pairs = Tensors::kRotationBytes / (2 * kBuffer);
  std::vector<Memory> memory(threads);
  std::vector<std::size_t> next(threads);
  for (Memory& each : memory) {
    each = huge_memory(2 * kBuffer * pairs);
    std::memset(each.bytes().data(), 1, each.bytes().size());
  }
  double best = 0;
  for (const Stores stores : {Stores::cached, Stores::streamed}) {
    best = std::max(best, best_rate(threads, [&](unsigned t) {
                      std::byte* const from = memory[t].bytes().data() + 2 * kBuffer * next[t];
                      copy_once(from, {from + kBuffer, kBuffer}, stores);
                      next[t] = (next[t] + 1) % pairs;
                      return 2.0 * kBuffer;
                    }));
  }
  return best;
}

}  // namespace

Limits measure_limits(Isa isa, unsigned threads) {
  constexpr std::uint64_t kRounds = 20'000;
  Limits limits{.isa = isa, .threads = threads};
  limits.fma_gflops =
      best_rate(threads, [&](unsigned) { return multiply_add_loop(isa, kRounds); }) / 1e9;
  if (isa == Isa::amx) {
    const double rate = best_rate(threads, [](unsigned) { return amx_loop(kRounds / 4); }) / 1e9;
    if (rate > 0) limits.amx_float32_gflops = rate / kFloat32Products;
  }
  limits.copy_gbytes = measure_copy(threads) / 1e9;
  return limits;
}

}  // namespace weft::cli::bench
