#pragma once

#include <cstdint>
#include <string>

namespace weft::cli::bench {

// What figures have to be read with.
struct Machine {
  std::string processor;  // "Intel(R) Xeon(R) Processor"; "unknown" where the system does not say
  unsigned cores = 0;     // that this process may use
  std::uint64_t l2_bytes = 0, l3_bytes = 0;  // 0: not known
};

Machine this_machine();

}  // namespace weft::cli::bench
