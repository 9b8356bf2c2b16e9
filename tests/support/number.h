#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/data_type.h"

namespace weft::testing {

// Elements as numbers, for the judges: nothing here is the product's code.

// Wide enough for every integer type, signed or not.
using Integer = __int128;

// IEEE binary16 from its bits, exactly.
double half_to_double(std::uint16_t bits);

// The nearest binary16, ties to even; too large becomes infinity.
std::uint16_t double_to_half(double value);

bool is_float(DataType type);
bool is_signed(DataType type);

// One element. Reals are the three float types, integers the 8- to 64-bit ones.
double read_real(DataType type, const std::byte* at);
Integer read_integer(DataType type, const std::byte* at);
std::uint64_t read_bits(DataType type, const std::byte* at);

// Any type but 64-bit integers, which may lose their last bits.
double read_number(DataType type, const std::byte* at);

// Reals are rounded once; integers keep their low bits.
void write_real(DataType type, std::byte* at, double value);
void write_integer(DataType type, std::byte* at, Integer value);
void write_bits(DataType type, std::byte* at, std::uint64_t bits);

// `value` rounded to a float type, as a double; ties to even.
double round_to(DataType type, double value);

// Half the distance from 1 to the next number: what one rounding may cost, relatively.
double unit_roundoff(DataType type);

// The smallest and largest integer of a type, and its bits alone: x modulo 2^bits.
Integer lowest(DataType type);
Integer highest(DataType type);
std::uint64_t low_bits(DataType type, Integer value);

}  // namespace weft::testing
