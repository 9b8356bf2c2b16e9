#include "elements.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "text.h"

namespace weft::cli {

namespace {

template <class T>
constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

// The number nearest to `value`, or nothing when that would make an infinity of a finite one.
template <class T>
std::optional<T> narrow_float(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    const Half result = half_from(value);
    if (std::isfinite(value) && !std::isfinite(result.value())) return std::nullopt;
    return result;
  } else {
    const T result = static_cast<T>(value);
    if (std::isfinite(value) && !std::isfinite(result)) return std::nullopt;
    return result;
  }
}

template <class T>
std::optional<T> read_element(const JsonNode& value) {
  if constexpr (is_float<T>) {
    const auto number = float_number(value);
    return number ? narrow_float<T>(*number) : std::nullopt;
  } else if constexpr (std::is_signed_v<T>) {
    const auto number = signed_number(value);
    if (!number || !std::in_range<T>(*number)) return std::nullopt;
    return static_cast<T>(*number);
  } else {
    const auto number = unsigned_number(value);
    if (!number || !std::in_range<T>(*number)) return std::nullopt;
    return static_cast<T>(*number);
  }
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, Half>) {
    return half_from(static_cast<double>(a.value()) + static_cast<double>(b.value()));
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;  // signed sums may not overflow
    return static_cast<T>(
        static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Half half_from(double value) {
  // Rounding to odd on the way to 24 bits keeps what the second rounding, to 11, has to know.
  float wide = static_cast<float>(value);
  if (static_cast<double>(wide) != value && !std::isnan(value)) {
    auto bits = std::bit_cast<std::uint32_t>(wide);
    if (std::fabs(static_cast<double>(wide)) > std::fabs(value)) --bits;
    wide = std::bit_cast<float>(bits | 1);
  }
  return {fp16_ieee_from_fp32_value(wide)};
}

std::string show(const JsonNode& value) {
  if (value.IsString()) return quote({value.GetString(), value.GetStringLength()});
  if (value.IsInt64()) return fmt::format("{}", value.GetInt64());
  if (value.IsUint64()) return fmt::format("{}", value.GetUint64());
  if (value.IsDouble()) return fmt::format("{}", value.GetDouble());
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsNull()) return "null";
  return value.IsArray() ? "an array" : "an object";
}

std::optional<std::int64_t> signed_number(const JsonNode& value) {
  if (value.IsInt64()) return value.GetInt64();
  if (!value.IsDouble()) return std::nullopt;
  const double number = value.GetDouble();
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it, doubles skip whole numbers
  if (std::fabs(number) > kExact || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::uint64_t> unsigned_number(const JsonNode& value) {
  if (value.IsUint64()) return value.GetUint64();
  const auto number = signed_number(value);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> float_number(const JsonNode& value) {
  if (value.IsNumber()) return value.GetDouble();
  if (!value.IsString()) return std::nullopt;
  const std::string_view text(value.GetString(), value.GetStringLength());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (equal_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (equal_ignoring_case(text, "inf")) return kInfinity;
  if (equal_ignoring_case(text, "-inf")) return -kInfinity;
  return std::nullopt;
}

bool store_element(const JsonNode& value, DataType type, std::byte* target) {
  bool fits = false;
  visit_type(type, [&]<class T>() {
    const std::optional<T> element = read_element<T>(value);
    if (element) std::memcpy(target, &*element, sizeof(T));
    fits = element.has_value();
  });
  return fits;
}

std::string element_rule(DataType type) {
  std::string rule;
  visit_type(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, Half>) {
      rule = "a number within +-65504";
    } else if constexpr (is_float<T>) {
      rule = fmt::format("a number within +-{}", std::numeric_limits<T>::max());
    } else {
      rule = fmt::format("a whole number from {} to {}", std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::max());
    }
    if constexpr (is_float<T>) rule += ", \"nan\", \"inf\" or \"-inf\"";
  });
  return fmt::format("{} ({})", rule, name(type));
}

void fill_sequence(DataType type, const std::byte* start, const std::byte* delta,
                   std::span<std::byte> target) {
  visit_type(type, [&]<class T>() {
    T value, step;
    std::memcpy(&value, start, sizeof(T));
    std::memcpy(&step, delta, sizeof(T));
    for (std::size_t i = 0; i < target.size(); i += sizeof(T)) {
      std::memcpy(target.data() + i, &value, sizeof(T));
      value = sum(value, step);
    }
  });
}

std::string element_text(DataType type, const std::byte* element) {
  std::string text;
  visit_type(type, [&]<class T>() {
    T value;
    std::memcpy(&value, element, sizeof(T));
    if constexpr (std::is_same_v<T, Half>) {
      // Five digits tell all float16 numbers apart; a float would show up to nine.
      text = fmt::format("{:.5g}", value.value());
    } else {
      text = fmt::format("{}", value);
    }
    if (text == "-nan") text = "nan";
  });
  return text;
}

}  // namespace weft::cli
