#pragma once

#include <string>
#include <vector>

#include "bench/limits.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "weft/plan.h"

namespace weft::cli::bench {

// A rival's ratios over the shapes of one operator and number of threads: its time over Weft's.
struct Mean {
  std::string family = {};
  unsigned threads = 1;
  // "onednn"; or some of its ways: "onednn plain, direct", "onednn blocked".
  std::string rival = {};
  std::size_t shapes = 0;
  double ratio = 0;  // the geometric mean
  double least = 0;  // the smallest
  std::string least_shape = {};
};
std::vector<Mean> geometric_means(const std::vector<Row>& rows);

// Everything that one run of `weft bench` has found out.
struct Report {
  Machine machine = {};
  Isa isa = Isa::base;
  Winograd winograd = Winograd::accurate;
  Layout layout = Layout::packed;  // of Weft's tensors
  std::vector<PeerSlot> peers = {};
  std::vector<Limits> limits = {};  // one a number of threads
  std::vector<Row> rows = {};
  double other_load = 0;  // LoadMeter's word on the whole run
};

// One document: {"machine", "limits", "peers", "rows", "means"}.
void print_json(const Report& report);

}  // namespace weft::cli::bench
