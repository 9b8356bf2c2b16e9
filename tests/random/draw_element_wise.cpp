#include <vector>

#include "random/draw_tensor.h"

namespace weft::random_cases {

namespace {

using enum DataType;

// Types that a function takes, as weft/element_wise.h lists them.
std::vector<DataType> types_of(OperatorType function) {
  switch (function) {
    case OperatorType::element_wise_identity:
      return {float32, float16, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64};
    case OperatorType::element_wise_clip:
      return {float32, float16, int8, int16, int32, int64, uint8, uint16, uint32, uint64};
    case OperatorType::activation_relu:
      return {float32, float16, int8, int16, int32};
    case OperatorType::activation_shrink:
      return {float32, float16, int8, int16, int32, uint8, uint16, uint32};
    default:
      return {float32, float32, float16};
  }
}

}  // namespace

void draw_element_wise(Case& c, Dice& dice) {
  OperatorType function;
  if (dice.chance(0.3)) {
    function = dice.pick({OperatorType::element_wise_identity, OperatorType::element_wise_clip,
                          OperatorType::activation_relu, OperatorType::activation_shrink});
  } else {
    do {
      function = dice.pick(all_operator_types());
    } while (!is_activation(function));
  }
  const DataType type = dice.pick(types_of(function));
  const std::size_t rank = dice.between(1, 8);
  Dims sizes;
  const double budget = c.large ? 60'000 : 2'000;
  const std::uint32_t small_size = rank == 1 ? 300 : 8;
  for (std::uint32_t size = c.large ? 50 * small_size : small_size;;
       size = size > 2 ? size / 2 : 2) {
    sizes.clear();
    double elements = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      sizes.push_back(dice.mostly(1, size, 4 * size));
      elements *= sizes[d];
    }
    if (elements <= budget) break;
  }
  ElementWiseParams p;
  p.input = draw_tensor(c, dice, "inputs", type, sizes, Role::input);
  p.output = draw_tensor(c, dice, "outputs", type, sizes, Role::output);
  p.function = draw_activation(dice, function, type);
  c.traits.emplace("scale and bias", p.function.scale_bias ? "yes" : "no");
  c.params = std::move(p);
}

}  // namespace weft::random_cases
