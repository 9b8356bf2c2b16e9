#include <algorithm>
#include <cmath>
#include <limits>

#include "random/draw_tensor.h"

namespace weft::random_cases {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr DataType kResampleTypes[] = {DataType::float32, DataType::float32, DataType::float16,
                                       DataType::int8, DataType::uint8};

float draw_scale(Case& c, Dice& dice, std::uint32_t in, std::uint32_t out) {
  const float ratio = static_cast<float>(out) / static_cast<float>(in);
  const auto note = [&](const char* kind, float scale) {
    c.traits.emplace("resample scale", kind);
    return scale;
  };
  switch (dice.between(0, 9)) {
    case 0:
      return note("1", 1);
    case 1:
      return note("power of two", dice.pick({0.125f, 0.25f, 0.5f, 2.0f, 4.0f}));
    case 2:
      return note("less than 1, any", dice.real(0.05, 1));
    case 3:
      return note("more than 1, any", dice.real(1, 6));
    case 4:
      if (dice.chance(0.5)) break;
      return note("extreme", dice.pick({0.0f, kInfinity, kMax, 1e-30f, 1e-42f, 1e30f, 1e-3f}));
    case 5:
      if (in <= 1 || out <= 1) break;
      return note("corners aligned", static_cast<float>(out - 1) / static_cast<float>(in - 1));
    default:
      break;
  }
  return note("ratio of the sizes", ratio);
}

float draw_offset(Case& c, Dice& dice, float usual) {
  const auto note = [&](const char* kind, float offset) {
    c.traits.emplace("resample offset", kind);
    return offset;
  };
  switch (dice.between(0, 7)) {
    case 0:
    case 1:
      return note("0", 0);
    case 2:
      return note("any", dice.real(-3, 3));
    case 3:
      return note("a half away from usual", usual + dice.pick({-0.5f, 0.5f}));
    case 4:
      if (dice.chance(0.7)) break;
      return note("extreme", dice.pick({-1e10f, 1e10f, 1e-30f, 1e30f, -kMax}));
    default:
      break;
  }
  return note("0.5 or -0.5", usual);
}

}  // namespace

void draw_resample(Case& c, Dice& dice) {
  ResampleParams p;
  p.type = dice.pick({OperatorType::resample, OperatorType::resample1, OperatorType::resample2,
                      OperatorType::resample2, OperatorType::resample3, OperatorType::resample3});
  const bool has_offsets = p.type != OperatorType::resample;
  const bool has_direction = p.type == OperatorType::resample2 || p.type == OperatorType::resample3;
  const DataType type = dice.pick(kResampleTypes);
  const std::size_t rank = dice.between(1, 4);
  const bool linear = dice.chance(0.6);
  if (linear) {
    p.interpolation_mode = InterpolationMode::linear;
  } else if (has_direction && dice.chance(0.5)) {
    p.rounding_direction = AxisDirection::decreasing;
  }
  p.antialiased = linear && p.type == OperatorType::resample3 && dice.chance(0.6);

  const double budget = c.large ? 300'000 : 4'000;
  Dims input;
  Dims output;
  const std::uint32_t small_size = rank == 1 ? 64 : 12;
  for (std::uint32_t size = c.large ? 40 * small_size : small_size;;
       size = std::max(size / 2, 2u)) {
    input.clear();
    output.clear();
    double work = linear ? 1 << rank : 1;
    double pixels = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      input.push_back(dice.mostly(1, size, 3 * size));
      output.push_back(dice.chance(0.2) ? input[d] : dice.mostly(1, size, 3 * size));
      work *= output[d];
      pixels *= input[d];
    }
    if (work <= budget && pixels <= budget) break;
  }
  const bool offsets_given = has_offsets && dice.chance(0.8);
  for (std::size_t d = 0; d < rank; ++d) {
    // Dimensions that are not scaled are what batch and channels usually are.
    if (d + 2 < rank && dice.chance(0.7)) {
      output[d] = input[d];
      p.scales.push_back(1);
      c.traits.emplace("resample scale", "1");
    } else {
      p.scales.push_back(draw_scale(c, dice, input[d], output[d]));
    }
    if (offsets_given) {
      p.input_pixel_offsets.push_back(draw_offset(c, dice, 0.5f));
      p.output_pixel_offsets.push_back(draw_offset(c, dice, -0.5f));
    }
  }
  p.input = draw_tensor(c, dice, "inputs", type, input, Role::input);
  p.output = draw_tensor(c, dice, "outputs", type, output, Role::output);

  c.traits.emplace("resample mode", p.antialiased    ? "LINEAR, antialiased"
                                    : linear         ? "LINEAR"
                                    : !has_direction ? "NEAREST_NEIGHBOR"
                                    : p.rounding_direction == AxisDirection::decreasing
                                        ? "NEAREST_NEIGHBOR DECREASING"
                                        : "NEAREST_NEIGHBOR INCREASING");
  c.params = std::move(p);
}

}  // namespace weft::random_cases
