#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

// What `weft bench` is asked for.
struct BenchOptions {
  std::string shapes, op, data_type, max_isa, layout = "packed", plot, sweep;
  std::vector<std::string> only, peers = {"onednn", "torch", "opencv"};
  std::vector<unsigned> threads = {1};
  bool allow_winograd = false, no_winograd = false;
  unsigned rounds = 7;
  double seconds = 0.5;
  std::uint64_t sweep_to = std::uint64_t{4} << 30;
};
int run_bench(const BenchOptions& options, bool json);

}  // namespace weft::cli
