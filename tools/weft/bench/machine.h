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

// How much of the processors other programs (and other virtual machines on the same ones) take:
// with that, figures say little.
class LoadMeter {
 public:
  LoadMeter();

  // Share of the processors' time since construction that was neither idle nor used by this process
  // and by the children that it has waited for; 0 to 1. 0 where the system does not say.
  double others() const;

 private:
  struct Times {
    double all = 0, busy = 0, own = 0;  // seconds
  };
  static Times now();

  Times start_;
};

}  // namespace weft::cli::bench
