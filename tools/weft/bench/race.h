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
  unsigned rounds = 7;   // turns of each
  double seconds = 0.5;  // counted in all of them together, where calls are short enough
  unsigned threads = 1;
  std::size_t rotation = 1;  // calls after which a racer meets the same memory again
};

// Measures all of them in turns, round by round, so that a slow minute of the machine hits
// everybody.
//
// A turn begins with calls that do not count: four rotations, or as many as the time of a turn
// allows, or 20 ms where that is less. The last one in turn has filled the caches with what is his,
// or written past them; it takes two rotations until the tensors lie in the outer cache again
// (calls that move data take twice as long before), however many rivals share the time. Then come
// as many calls as the time allows, at least one.
//
// A way that turns out more than three times slower than the best of its owner has three turns
// only.
//
// With several threads there is a rest before each turn: the threads of OpenMP and TBB spin for a
// while when their work is done, and would take the core of the next in turn.
void race(std::vector<Racer>& racers, const RaceOptions& options);

}  // namespace weft::cli::bench
