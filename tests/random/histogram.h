#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "random/case.h"

namespace weft::random_cases {

// Counts what was drawn.
class Histogram {
 public:
  void add(const Case& c);

  // One group a trait, one line a value, with its count and its share of the group.
  std::string text() const;

 private:
  std::map<std::string, std::map<std::string, std::uint64_t>> groups_;
};

}  // namespace weft::random_cases
