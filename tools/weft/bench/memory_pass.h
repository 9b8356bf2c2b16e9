#pragma once

#include <vector>

#include "bench/contender.h"

namespace weft::cli::bench {

// The limit of whatever moves data: reads the input of a task once and writes its output once, and
// does nothing else. Measured in turn with the others, in the same memory and with as many threads.
// Two ways: "cached" and "streamed" stores.
std::vector<Way> memory_passes(const Task& task);

}  // namespace weft::cli::bench
