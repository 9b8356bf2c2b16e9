#include "bench/contender.h"

#include <chrono>

namespace weft::cli::bench {

std::vector<double> LocalContender::time(std::size_t calls) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> result;
  result.reserve(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    run(next_);
    result.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    next_ = (next_ + 1) % sets_;
  }
  return result;
}

}  // namespace weft::cli::bench
