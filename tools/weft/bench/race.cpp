#include "bench/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace weft::cli::bench {

namespace {

// Threads of OpenMP (libgomp) spin for 300,000 steps before they sleep: 3 to 4 ms were measured.
constexpr auto kRest = std::chrono::milliseconds(6);

// Calls longer than this find the caches full of their own data whatever ran before.
constexpr double kLongCallUs = 20'000;
constexpr std::size_t kMostCalls = 1000;

std::size_t calls_for(double turn_us, double call_us) {
  const double calls = turn_us / std::max(call_us, 0.1);
  return static_cast<std::size_t>(std::clamp(calls, 1.0, double{kMostCalls}));
}

// Microseconds of each call of a turn; none, with the reason kept, where the racer breaks down.
std::vector<double> turn(Racer& racer, std::size_t uncounted, std::size_t calls, bool rest) {
  if (!racer.failure.empty()) return {};
  if (rest) std::this_thread::sleep_for(kRest);
  try {
    if (uncounted > 0) racer.contender->time(uncounted);
    return racer.contender->time(calls);
  } catch (const Unavailable& error) {
    racer.failure = error.what();
    return {};
  }
}

// The least time of a few calls: cold code and the first touch of each set's memory, which may take
// fifty times as long, left out where that does not take long.
double first_estimate(Racer& racer, bool rest, std::size_t rotation) {
  double best = std::numeric_limits<double>::max();
  const auto try_calls = [&](std::size_t calls) {
    for (const double time : turn(racer, 0, calls, rest)) best = std::min(best, time);
  };
  try_calls(2);
  if (best < kLongCallUs) try_calls(std::min(2 * rotation, calls_for(kLongCallUs, best)));
  return best;
}

}  // namespace

Timing Racer::timing() const {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {median, sorted.front()};
}

void race(std::vector<Racer>& racers, const RaceOptions& options) {
  constexpr unsigned kRoundsOfTheSlow = 3;
  const bool rest = options.threads > 1;
  std::vector<double> estimate(racers.size()),
      best(racers.size(), std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < racers.size(); ++i) {
    estimate[i] = first_estimate(racers[i], rest, options.rotation);
    best[racers[i].owner] = std::min(best[racers[i].owner], estimate[i]);
  }
  const double turn_us =
      options.seconds * 1e6 / static_cast<double>(racers.size() * options.rounds);
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (std::size_t place = 0; place < racers.size(); ++place) {
      const std::size_t i = (place + round) % racers.size();  // nobody always follows the same one
      Racer& racer = racers[i];
      if (estimate[i] > 3 * best[racer.owner] && round >= kRoundsOfTheSlow) continue;
      const std::size_t calls = calls_for(turn_us, estimate[i]);
      const std::size_t warm = std::max(calls, calls_for(kLongCallUs, estimate[i]));
      const std::size_t uncounted =
          estimate[i] < kLongCallUs ? std::min(warm, 4 * options.rotation) : 0;
      const auto times = turn(racer, uncounted, calls, rest);
      racer.times.insert(racer.times.end(), times.begin(), times.end());
    }
  }
}

}  // namespace weft::cli::bench
