#include "conformance/compare.h"

#include <cmath>
#include <sstream>

#include "support/guarded_buffer.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::conformance {

namespace {

// Exact for every type: long double holds 64-bit integers.
long double value_at(DataType type, const std::byte* element) {
  if (testing::is_float(type)) return testing::read_real(type, element);
  return static_cast<long double>(testing::read_integer(type, element));
}

bool within(long double result, long double expected, const Case& test) {
  if (std::isnan(expected)) return std::isnan(result);
  if (std::isinf(expected) || std::isinf(result)) return result == expected;
  return std::abs(result - expected) <= test.atol + test.rtol * std::abs(expected);
}

}  // namespace

std::vector<std::byte> filled_output(const Case& test) {
  std::vector<std::byte> bytes(test.output.bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + 91);
  return bytes;
}

std::string difference(const Case& test, std::span<const std::byte> initial,
                       std::span<const std::byte> result) {
  if (result.size() != initial.size()) return "the result has another size";
  const TensorDesc& desc = test.output.desc;
  std::size_t wrong = 0;
  std::size_t count = 0;
  std::ostringstream first;
  testing::for_each_element(desc, [&](const testing::Coordinate&, std::int64_t at) {
    const long double expected = value_at(desc.data_type, test.output.bytes.data() + at);
    const long double value = value_at(desc.data_type, result.data() + at);
    if (!within(value, expected, test) && wrong++ == 0) {
      first << "element " << count << " (byte " << at << ") is " << value << ", must be "
            << expected << " +- " << test.atol + test.rtol * std::abs(expected);
    }
    ++count;
  });
  if (wrong != 0) {
    return std::to_string(wrong) + " of " + std::to_string(count) + " elements: " + first.str();
  }
  const testing::ByteMarks addressed = testing::addressed_bytes(desc);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!addressed[i] && result[i] != initial[i]) {
      return "byte " + std::to_string(i) + " was written, where no element lies";
    }
  }
  return {};
}

}  // namespace weft::conformance
