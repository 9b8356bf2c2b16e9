#include "support/number.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace weft::testing {

double half_to_double(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  }
  // Powers of two are divided exactly.
  if (exponent == 0) return sign * fraction / (1 << 24);
  const int significand = 1024 + fraction;
  return sign * (exponent < 25 ? significand / static_cast<double>(1 << (25 - exponent))
                               : significand * (1 << (exponent - 25)));
}

std::uint16_t double_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Subnormals lie 2^-24 apart, as do the numbers of the first binade.
  int exponent = magnitude == 0 ? -14 : std::ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  // nearbyint rounds ties to even in the default rounding mode; 2048 carries into the exponent.
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + steps));
}

bool is_float(DataType type) {
  return type == DataType::float16 || type == DataType::float32 || type == DataType::float64;
}

bool is_signed(DataType type) {
  return type == DataType::int8 || type == DataType::int16 || type == DataType::int32 ||
         type == DataType::int64;
}

std::uint64_t read_bits(DataType type, const std::byte* at) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, byte_size(type));  // little-endian
  return bits;
}

void write_bits(DataType type, std::byte* at, std::uint64_t bits) {
  std::memcpy(at, &bits, byte_size(type));
}

double read_real(DataType type, const std::byte* at) {
  if (type == DataType::float16) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return half_to_double(bits);
  }
  if (type == DataType::float32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Integer read_integer(DataType type, const std::byte* at) {
  Integer value = read_bits(type, at);
  if (is_signed(type) && value > highest(type)) value -= Integer{1} << bit_size(type);
  return value;
}

double read_number(DataType type, const std::byte* at) {
  return is_float(type) ? read_real(type, at) : static_cast<double>(read_integer(type, at));
}

void write_real(DataType type, std::byte* at, double value) {
  if (type == DataType::float16) {
    const std::uint16_t bits = double_to_half(value);
    std::memcpy(at, &bits, sizeof bits);
    return;
  }
  if (type == DataType::float32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof narrow);
    return;
  }
  std::memcpy(at, &value, sizeof value);
}

void write_integer(DataType type, std::byte* at, Integer value) {
  write_bits(type, at, low_bits(type, value));
}

double round_to(DataType type, double value) {
  if (type == DataType::float16) return half_to_double(double_to_half(value));
  return type == DataType::float32 ? double{static_cast<float>(value)} : value;
}

double unit_roundoff(DataType type) {
  if (type == DataType::float16) return 0x1p-11;
  return type == DataType::float32 ? 0x1p-24 : 0x1p-53;
}

Integer lowest(DataType type) {
  return is_signed(type) ? -(Integer{1} << (bit_size(type) - 1)) : Integer{0};
}

Integer highest(DataType type) {
  return (Integer{1} << (bit_size(type) - (is_signed(type) ? 1 : 0))) - 1;
}

std::uint64_t low_bits(DataType type, Integer value) {
  const Integer modulus = Integer{1} << bit_size(type);
  return static_cast<std::uint64_t>(((value % modulus) + modulus) % modulus);
}

}  // namespace weft::testing
