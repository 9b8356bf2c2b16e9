#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace weft::cli::bench {

// A rival's ratios over the shapes of one operator and number of threads: its time over Weft's.
struct Mean {
  std::string family;
  unsigned threads = 1;
  std::string peer;  // "onednn", or one of its ways that does not count: "onednn blocked"
  std::size_t shapes = 0;
  double ratio = 0;  // the geometric mean
  double least = 0;  // the smallest
  std::string least_shape = {};
};
std::vector<Mean> geometric_means(const std::vector<Row>& rows);

// What is printed for people: a heading, a line for each row as it is measured, the means.
void print_heading(const Limits& limits, const std::vector<PeerSlot>& peers);
void print_row(const Row& row);
void print_means(const std::vector<Mean>& means);

}  // namespace weft::cli::bench
