#pragma once

// Arithmetic on sizes that come from outside: nothing instead of a wrapped number.

#include <cstdint>
#include <optional>

namespace weft::base {

inline std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<std::uint64_t> add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

// Division that rounds toward minus infinity; b > 0.
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace weft::base
