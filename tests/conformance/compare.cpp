#include "conformance/compare.h"

#include <cmath>
#include <sstream>

namespace weft::conformance {

namespace {

bool within(long double result, long double expected, const Case& test) {
  if (std::isnan(expected)) return std::isnan(result);
  if (std::isinf(expected) || std::isinf(result)) return result == expected;
  return std::abs(result - expected) <= test.atol + test.rtol * std::abs(expected);
}

}  // namespace

std::vector<std::byte> filled_output(const Case& test) {
  std::vector<std::byte> bytes(test.output.total_size_in_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + 91);
  return bytes;
}

std::string difference(const Case& test, std::span<const std::byte> initial,
                       std::span<const std::byte> result) {
  const Tensor& tensor = test.output;
  const std::size_t element_bytes = tensor.type.bytes;
  if (result.size() != initial.size()) return "the result has another size";

  std::vector<bool> addressed(result.size(), false);
  std::size_t wrong = 0;
  std::size_t count = 0;
  std::ostringstream first;
  tensor.for_each_element([&](std::uint64_t offset) {
    const std::size_t at = offset * element_bytes;
    for (std::size_t b = 0; b < element_bytes; ++b) addressed[at + b] = true;
    const long double expected = element_value(tensor.type, tensor.bytes.data() + at);
    const long double value = element_value(tensor.type, result.data() + at);
    if (!within(value, expected, test) && wrong++ == 0) {
      first << "element " << count << " (offset " << offset << ") is " << value << ", must be "
            << expected << " +- " << test.atol + test.rtol * std::abs(expected);
    }
    ++count;
  });
  if (wrong != 0) {
    return std::to_string(wrong) + " of " + std::to_string(count) + " elements: " + first.str();
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!addressed[i] && result[i] != initial[i]) {
      return "byte " + std::to_string(i) + " was written, where no element lies";
    }
  }
  return {};
}

}  // namespace weft::conformance
