#pragma once

#include <string>

#include "bench/report.h"

namespace weft::cli::bench {

// The report as an SVG picture, for each number of threads a pair:
//
//   roofline  operations a byte against operations a second, both logarithmic: the roofs of memory,
//             multiply-adds and the matrix unit, a numbered dot for each shape that computes
//             something, a ring for its fastest rival
//   bars      share of the limit that Weft reaches on each shape, and ticks for the rivals
std::string plot_svg(const Report& report);

}  // namespace weft::cli::bench
