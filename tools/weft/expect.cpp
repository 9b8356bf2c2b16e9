#include "expect.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "elements.h"

namespace weft::cli {

namespace {

// Floats of all widths are exact in double.
template <class T>
double widen(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<double>(value.value());
  } else {
    return static_cast<double>(value);
  }
}

// |a - b| without overflow; exact for integers.
template <class T>
auto distance(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto x = static_cast<Unsigned>(a);
    const auto y = static_cast<Unsigned>(b);
    return static_cast<std::uint64_t>(static_cast<Unsigned>(a > b ? x - y : y - x));
  } else {
    return std::fabs(widen(a) - widen(b));
  }
}

template <class T>
bool within(T result, T expected, const Tolerance& tolerance) {
  if constexpr (std::is_integral_v<T>) {
    if (result == expected) return true;
  } else {
    const double a = widen(result);
    const double b = widen(expected);
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    // An infinite or missing number is not near any other, whatever the tolerance.
    if (!std::isfinite(a) || !std::isfinite(b)) return false;
  }
  const double allowed = tolerance.atol + tolerance.rtol * std::fabs(widen(expected));
  return static_cast<long double>(distance(result, expected)) <= static_cast<long double>(allowed);
}

}  // namespace

Comparison compare(DataType type, std::span<const std::byte> results,
                   std::span<const std::byte> expected, const Tolerance& tolerance) {
  Comparison comparison;
  visit_type(type, [&]<class T>() {
    comparison.element_count = expected.size() / sizeof(T);
    for (std::uint64_t i = 0; i < comparison.element_count; ++i) {
      T got, want;
      std::memcpy(&got, results.data() + i * sizeof(T), sizeof(T));
      std::memcpy(&want, expected.data() + i * sizeof(T), sizeof(T));
      if (within(got, want, tolerance)) continue;
      if (comparison.wrong_count++ > 0) continue;
      std::string difference = fmt::format("{}", distance(got, want));
      if (difference == "-nan") difference = "nan";
      comparison.first_wrong = {i, element_text(type, results.data() + i * sizeof(T)),
                                element_text(type, expected.data() + i * sizeof(T)), difference};
    }
  });
  return comparison;
}

}  // namespace weft::cli
