#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/range.h"

namespace weft::reference {

// What one output element has to be.
struct Expected {
  // Set: exactly these bits (copies and integers). Not set: a number of `range`.
  std::optional<std::uint64_t> bits;
  Range range;
  bool anything =
      false;  // the formula is undefined here (infinity / infinity), or overflowed on the way
};

inline Expected exact_bits(std::uint64_t bits) { return {.bits = bits, .range = {}}; }
inline Expected within(Range range) { return {.bits = {}, .range = range}; }

// One element for each of the output, in row-major order.
using ExpectedTensor = std::vector<Expected>;

// Whether the element at `at` is right: the bits, or low <= element <= high after both ends of the
// range have been rounded to the type (floats: to nearest, integers: toward zero).
bool accepts(const Expected& expected, DataType type, const std::byte* at);

// "0.25 .. 0.250001" and "0.25", for messages.
std::string text(const Expected& expected, DataType type);
std::string text_of_element(DataType type, const std::byte* at);

}  // namespace weft::reference
