#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contender.h"
#include "bench/layout.h"
#include "bench/limits.h"
#include "bench/race.h"

namespace weft::cli::bench {

struct WayResult {
  std::string name;
  bool counts = true;
  Timing timing = {};
  double rms_error = 0;
};

// A rival on one shape: all of its ways, and the fastest of those that count. None where it does
// not have the operator.
struct PeerResult {
  std::string name;
  bool ready = true;  // installed, and not broken down before
  std::vector<WayResult> ways = {};

  const WayResult* best() const;
  const WayResult* way(std::string_view name) const;
};

// What was measured of one shape with a number of threads.
struct Row {
  const Shape* shape = nullptr;
  unsigned threads = 1;
  std::string algorithm = {}, isa = {};
  Dims input_strides = {}, output_strides = {};  // Weft's; empty: packed
  Timing weft = {};
  double rms_error = 0;
  double memory_us = 0;               // to read the input and write the output
  double fma_us = 0;                  // for the operations, as multiply-adds in registers
  std::optional<double> amx_us = {};  // likewise in the matrix unit; convolutions only
  std::vector<PeerResult> peers = {};
  std::vector<std::string> disagreements = {};  // who differs from whom, where

  // The larger of the time that operations take at the limit of multiply-adds and of the time that
  // the operands take; the matrix unit and Winograd can pass it.
  double limit_us() const { return std::max(memory_us, fma_us); }
  bool memory_bound() const { return memory_us >= fma_us; }
};

struct MeasureOptions {
  std::optional<Isa> max_isa = {};
  RaceOptions race = {};
  Layout layout = Layout::packed;  // of Weft's tensors; the task's are packed
};

// Checks everybody's result, then races them. A peer that breaks down is closed, with the reason as
// its status. Throws weft::Error, std::bad_alloc.
Row measure(const Task& task, const Limits& limits, std::vector<PeerSlot>& peers,
            const MeasureOptions& options);

}  // namespace weft::cli::bench
