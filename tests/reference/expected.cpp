#include "reference/expected.h"

#include <cmath>
#include <cstdio>

#include "support/number.h"

namespace weft::reference {

namespace {

std::string digits(double x) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.9g", x);
  return buffer;
}

}  // namespace

bool accepts(const Expected& expected, DataType type, const std::byte* at) {
  if (expected.anything) return true;
  if (expected.bits) return testing::read_bits(type, at) == *expected.bits;
  const Range& range = expected.range;
  if (!testing::is_float(type)) {
    const auto got = static_cast<double>(testing::read_integer(type, at));
    return std::trunc(range.low) <= got && got <= std::trunc(range.high);
  }
  const double got = testing::read_real(type, at);
  if (range.may_overflow && !std::isfinite(got)) return true;
  if (range.is_nan()) return std::isnan(got);
  return testing::round_to(type, range.low) <= got && got <= testing::round_to(type, range.high);
}

std::string text(const Expected& expected, DataType type) {
  if (expected.anything) return "anything";
  if (expected.bits) {
    std::byte element[8];
    testing::write_bits(type, element, *expected.bits);
    return "exactly " + text_of_element(type, element);
  }
  return digits(expected.range.low) + " .. " + digits(expected.range.high) +
         (expected.range.may_overflow ? " or not finite" : "");
}

std::string text_of_element(DataType type, const std::byte* at) {
  char bits[32];
  std::snprintf(bits, sizeof bits, " (bits 0x%llx)",
                static_cast<unsigned long long>(testing::read_bits(type, at)));
  if (testing::is_float(type)) return digits(testing::read_real(type, at)) + bits;
  const testing::Integer value = testing::read_integer(type, at);
  return (value < 0 ? std::to_string(static_cast<long long>(value))
                    : std::to_string(static_cast<unsigned long long>(value))) +
         bits;
}

}  // namespace weft::reference
