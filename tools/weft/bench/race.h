#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/contender.h"

namespace weft::cli::bench {

// Microseconds a call.
struct Timing {
  double median_us = 0;
  double min_us = 0;
};

// One of those measured together. Those who share an owner are ways of one library.
struct Racer {
  Contender* contender = nullptr;
  std::size_t owner = 0;
  std::vector<double> times = {};
  std::string failure = {};  // why it takes no part any more: what Unavailable said

  Timing timing() const;  // of one that has not failed
};

struct RaceOptions {
  unsigned rounds = 9;   // at least so many turns each
  double seconds = 0.5;  // spent on all of them together, where their calls are short enough
  unsigned threads = 1;  // for what has to rest between turns
};

// Measures all of them in turns, round by round, so that a slow minute of the machine hits
// everybody. A turn is one call that is not counted, and as many others as the time allows, at
// least one. A way that turns out more than three times slower than the best of its owner takes
// part in three rounds only.
//
// With several threads there is a rest before each turn: the threads of OpenMP and TBB spin for a
// while when their work is done, and would take the core of the next in turn.
void race(std::vector<Racer>& racers, const RaceOptions& options);

}  // namespace weft::cli::bench
