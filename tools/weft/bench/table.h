#pragma once

#include <vector>

#include "bench/report.h"

namespace weft::cli::bench {

// What is printed for people: who takes part, a heading for each number of threads, a line for each
// row as it is measured, the means.
void print_field(const Report& report);
void print_heading(const Limits& limits, const std::vector<PeerSlot>& peers);
void print_row(const Row& row);
void print_means(const std::vector<Mean>& means);
void print_load(const Report& report);  // a warning, where the machine was not quiet

}  // namespace weft::cli::bench
