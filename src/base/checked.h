#pragma once

// Arithmetic on sizes that come from outside: nothing instead of a wrapped number.

#include <cstdint>
#include <optional>
#include <utility>

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

struct Portion {
  std::int64_t first, count;
};

// Number i of the portions that `whole` is cut into, one after the other, whose sizes differ by one
// at most.
inline Portion portion_of(std::int64_t whole, std::int64_t portions, std::int64_t i) noexcept {
  const std::int64_t first = whole * i / portions;
  return {first, whole * (i + 1) / portions - first};
}

// The lowest digit of a number whose digits have different bases, taken off it: an index of what
// lies in order becomes a place in each dimension.
inline std::int64_t take_digit(std::int64_t& number, std::int64_t base) noexcept {
  const std::int64_t digit = number % base;
  number /= base;
  return digit;
}

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

// Division that rounds toward minus infinity; b > 0.
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

// x with a * x = 1 modulo m, 0 <= x < m. a and m have no common divisor; m >= 1.
inline std::int64_t inverse_modulo(std::int64_t a, std::int64_t m) noexcept {
  std::int64_t b = m, x = 1, y = 0;
  while (b != 0) {
    const std::int64_t quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    x = std::exchange(y, x - quotient * y);
  }
  return (x % m + m) % m;
}

}  // namespace weft::base
