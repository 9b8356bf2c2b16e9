#pragma once

#include <fp16.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "json_memory.h"
#include "weft/data_type.h"

namespace weft::cli {

// A float16 as its bits.
struct Half {
  std::uint16_t bits = 0;
  float value() const { return fp16_ieee_to_fp32_value(bits); }
  bool operator==(const Half&) const = default;
};

// Rounds to nearest, ties to even, in one step.
Half half_from(double value);

// Calls `f.template operator()<T>()` with the C++ type of a data type; false for the types that
// have none (UNKNOWN, UINT4, INT4).
template <class F>
bool visit_type(DataType type, F&& f) {
  switch (type) {
    case DataType::float32:
      return f.template operator()<float>(), true;
    case DataType::float16:
      return f.template operator()<Half>(), true;
    case DataType::float64:
      return f.template operator()<double>(), true;
    case DataType::uint8:
      return f.template operator()<std::uint8_t>(), true;
    case DataType::uint16:
      return f.template operator()<std::uint16_t>(), true;
    case DataType::uint32:
      return f.template operator()<std::uint32_t>(), true;
    case DataType::uint64:
      return f.template operator()<std::uint64_t>(), true;
    case DataType::int8:
      return f.template operator()<std::int8_t>(), true;
    case DataType::int16:
      return f.template operator()<std::int16_t>(), true;
    case DataType::int32:
      return f.template operator()<std::int32_t>(), true;
    case DataType::int64:
      return f.template operator()<std::int64_t>(), true;
    default:
      return false;
  }
}

// A JSON value as messages show it: "1.5", "\"text\"", "an array".
std::string show(const JsonNode& value);

// Numbers of JSON, read without loss: a whole number may be written 3, 3.0 or 3e0; a float may be
// one of the strings "nan", "inf", "-inf". Nothing where `value` is something else or does not fit.
std::optional<std::int64_t> signed_number(const JsonNode& value);
std::optional<std::uint64_t> unsigned_number(const JsonNode& value);
std::optional<double> float_number(const JsonNode& value);

// Writes `value` as one element of `type` to `target`. Returns whether it fits.
bool store_element(const JsonNode& value, DataType type, std::byte* target);

// What store_element() takes: "a whole number from 0 to 255 (UINT8)".
std::string element_rule(DataType type);

// Fills `target` with start, start + delta, (start + delta) + delta, ..., each sum in `type`:
// integers wrap, floats round.
void fill_sequence(DataType type, const std::byte* start, const std::byte* delta,
                   std::span<std::byte> target);

// The shortest text that reads back as the same element: "0.1", "-3", "nan".
std::string element_text(DataType type, const std::byte* element);

}  // namespace weft::cli
