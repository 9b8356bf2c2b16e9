#include "random/histogram.h"

#include <cstdio>

namespace weft::random_cases {

void Histogram::add(const Case& c) {
  for (const auto& [trait, value] : c.traits) ++groups_[trait][value];
}

std::string Histogram::text() const {
  std::string result;
  for (const auto& [trait, values] : groups_) {
    std::uint64_t total = 0;
    for (const auto& [value, count] : values) total += count;
    result += trait + "\n";
    for (const auto& [value, count] : values) {
      char line[96];
      std::snprintf(line, sizeof line, "  %-36s %9llu  %5.1f%%\n", value.c_str(),
                    static_cast<unsigned long long>(count),
                    100.0 * static_cast<double>(count) / static_cast<double>(total));
      result += line;
    }
  }
  return result;
}

}  // namespace weft::random_cases
