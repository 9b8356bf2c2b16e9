#include "random/fill.h"

#include <algorithm>
#include <cmath>

#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::random_cases {

namespace {

enum class Style { uniform, small_integers, many_magnitudes };

double special_real(Dice& dice, DataType type) {
  const double largest = type == DataType::float16 ? 65504 : 3.4e38;
  const double smallest = type == DataType::float16 ? 0x1p-24 : 0x1p-149;
  const double sign = dice.chance(0.5) ? 1 : -1;
  switch (dice.between(0, 5)) {
    case 0:
      return sign * HUGE_VAL;
    case 1:
      return std::copysign(std::nan(""), sign);
    case 2:
      return sign * largest;
    case 3:
      return sign * std::sqrt(largest);
    case 4:
      return sign * smallest * dice.between(1, 20);
    default:
      return sign * 0.0;
  }
}

double tiny_real(Dice& dice) {
  if (dice.chance(0.2)) return dice.chance(0.5) ? 0.0 : -0.0;
  return std::ldexp(dice.real(-1, 1), -72 - static_cast<int>(dice.between(0, 8)));
}

double plain_real(Dice& dice, Style style) {
  if (style == Style::small_integers) return dice.between(0, 8) - 4.0;
  const double x = dice.real(-1, 1);
  return style == Style::uniform ? x : std::ldexp(x, static_cast<int>(dice.between(0, 16)) - 8);
}

}  // namespace

testing::GuardedBuffer filled_input(const TensorDesc& desc, Values values, Dice dice,
                                    const testing::GuardedBuffer::Place& place) {
  const DataType type = desc.data_type;
  testing::GuardedBuffer result(testing::buffer_bytes(desc), place, dice.bits());
  std::fill_n(result.data(), result.size(), std::byte{0xff});
  const auto style = static_cast<Style>(dice.between(0, 2));
  testing::for_each_element(desc, [&](const testing::Coordinate&, std::int64_t at) {
    std::byte* element = result.data() + at;
    if (!testing::is_float(type)) {
      const bool small = style == Style::small_integers;
      testing::write_bits(type, element, small ? dice.between(0, 100) : dice.bits());
    } else if (values == Values::special && dice.chance(0.06)) {
      testing::write_real(type, element, special_real(dice, type));
    } else if (values == Values::tiny && type == DataType::float32) {
      testing::write_real(type, element, tiny_real(dice));
    } else {
      testing::write_real(type, element, plain_real(dice, style));
    }
  });
  result.remember();
  return result;
}

}  // namespace weft::random_cases
