#include "bench/limit_passes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "bench/memory_traffic.h"
#include "bench/peaks.h"

namespace weft::cli::bench {

namespace {

// Holds threads until all have come. They spin: a call may take less time than to wake up.
class SpinBarrier {
 public:
  explicit SpinBarrier(unsigned count) : count_(count) {}
  void wait() {
    const unsigned turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == count_) {
      arrived_ = 0;
      turn_.fetch_add(1);
      return;
    }
    // With fewer cores than threads, the others have to run.
    for (unsigned spins = 0; turn_.load() == turn; ++spins) {
      if (spins > 10'000) std::this_thread::yield();
    }
  }

 private:
  unsigned count_;
  std::atomic<unsigned> arrived_ = 0, turn_ = 0;
};

// Microseconds of each call, from when all threads begin until all are done. `prepare` does what
// comes before a call, `pass` one thread's part of it.
std::vector<double> time_calls(unsigned threads, std::size_t calls,
                               const std::function<void(std::size_t call)>& prepare,
                               const std::function<void(std::size_t call, unsigned thread)>& pass) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> result(calls);
  SpinBarrier barrier(threads);
  const auto work = [&](unsigned thread) {
    for (std::size_t call = 0; call < calls; ++call) {
      if (thread == 0) prepare(call);
      barrier.wait();
      const auto start = Clock::now();
      pass(call, thread);
      barrier.wait();
      if (thread != 0) continue;
      result[call] = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    }
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  return result;
}

class MemoryPass : public Contender {
 public:
  MemoryPass(const Task& task, Stores stores)
      : tensors_(task.tensors), threads_(task.threads), stores_(stores) {}

  std::vector<double> time(std::size_t calls) override {
    auto result = time_calls(
        threads_, calls, [](std::size_t) {},
        [&](std::size_t call, unsigned thread) { pass(thread, (next_ + call) % tensors_.sets()); });
    next_ = (next_ + calls) % tensors_.sets();
    return result;
  }

  void compute() override {}

 private:
  // This thread's share of a tensor, in whole lines.
  template <class Bytes>
  Bytes share(Bytes all, unsigned thread) const {
    constexpr std::size_t kLine = 64;
    const std::size_t part = (all.size() / threads_ + kLine - 1) / kLine * kLine;
    const std::size_t begin = std::min(all.size(), part * thread);
    return all.subspan(
        begin, thread + 1 == threads_ ? all.size() - begin : std::min(part, all.size() - begin));
  }

  // Reads and writes by turns, as one who computes does.
  void pass(unsigned thread, std::size_t set) const {
    const auto input = tensors_.input(set);
    const auto in =
        share(std::span(static_cast<const std::byte*>(input.data), input.size_in_bytes), thread);
    const auto out = share(tensors_.output_elements(set), thread);
    constexpr std::size_t kPiece = 16384;
    const std::size_t pieces = std::max(in.size(), out.size()) / kPiece + 1;
    const auto piece = [&](auto all, std::size_t i) {
      const std::size_t size = (all.size() / pieces / 64 + 1) * 64;
      const std::size_t begin = std::min(all.size(), i * size);
      return all.subspan(begin, std::min(size, all.size() - begin));
    };
    for (std::size_t i = 0; i < pieces; ++i) {
      read_once(piece(in, i));
      write_once(piece(out, i), stores_);
    }
  }

  const Tensors& tensors_;
  unsigned threads_;
  Stores stores_;
  std::size_t next_ = 0;
};

// Bits of work of a few microseconds each, so many a thread that the last ones do not matter.
class Loops : public OperationsPass {
 public:
  Loops(unsigned threads, std::function<double()> bit)
      : threads_(threads), bit_(std::move(bit)), bit_operations_(bit_()) {}

  double operations() const override { return bits() * bit_operations_; }

  std::vector<double> time(std::size_t calls) override {
    std::atomic<unsigned> taken = 0;
    return time_calls(
        threads_, calls, [&](std::size_t) { taken = 0; },
        [&](std::size_t, unsigned) {
          while (taken.fetch_add(1) < bits()) bit_();
        });
  }

  void compute() override {}

 private:
  unsigned bits() const { return 64 * threads_; }

  unsigned threads_;
  std::function<double()> bit_;  // returns how many operations it has done
  double bit_operations_;
};

}  // namespace

std::vector<Way> memory_passes(const Task& task) {
  std::vector<Way> result;
  result.push_back({"cached", true, std::make_unique<MemoryPass>(task, Stores::cached)});
  result.push_back({"streamed", true, std::make_unique<MemoryPass>(task, Stores::streamed)});
  return result;
}

std::unique_ptr<OperationsPass> multiply_add_pass(unsigned threads, Isa isa) {
  constexpr std::uint64_t kRounds = 1000;
  return std::make_unique<Loops>(threads, [isa] { return multiply_add_loop(isa, kRounds); });
}

std::unique_ptr<OperationsPass> amx_pass(unsigned threads) {
  constexpr std::uint64_t kRounds = 250;
  return std::make_unique<Loops>(threads, [] { return amx_loop(kRounds); });
}

}  // namespace weft::cli::bench
