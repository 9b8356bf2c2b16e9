#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/isa.h"

namespace weft::cli::bench {

struct SweepOptions {
  Isa max_isa = Isa::base;
  std::uint64_t largest_bytes = std::uint64_t{4} << 30;  // of an output
  double seconds = 0.1;  // that count at each size, where calls are short enough
};

struct SweepPoint {
  double output_bytes = 0;
  double bytes = 0;  // of input and output
  double us = 0;     // median of a call

  double gbytes() const { return bytes / us / 1e3; }
};

// How the time of one operator grows.
struct SweepCurve {
  std::string name;  // "FOLD 3x3, 64x64"
  unsigned threads = 1;
  std::vector<SweepPoint> points;  // by size
};

// Measures each operator that moves data at output sizes of 1 KiB, 2 KiB, ... as far as `options`
// and the memory of the machine allow: window operators and RESAMPLE2 on channels of 64x64 elements
// and on one image of equal sides, and two functions of one number. The tensors stay where they
// are, so that small ones are found in the caches. Calls step(name) before each of at most
// sweep_steps() measurements.
std::vector<SweepCurve> sweep(const SweepOptions& options, unsigned threads,
                              const std::function<void(std::string_view)>& step);
std::size_t sweep_steps(const SweepOptions& options);

// As an SVG picture: bytes of the output against bytes moved a second, both logarithmic, for each
// number of threads.
std::string sweep_svg(const std::vector<SweepCurve>& curves, const std::string& title);

// As a table, a line a size; as one JSON document {"sweep": [{"operator", "threads", "points":
// [{"output_bytes", "bytes", "median_us"}]}]}.
void print_sweep(const std::vector<SweepCurve>& curves);
void print_sweep_json(const std::vector<SweepCurve>& curves);

}  // namespace weft::cli::bench
