#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "random/dice.h"
#include "weft/resample.h"

namespace weft::testing {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kMax = std::numeric_limits<float>::max();

// One dimension, as short as tests want to write it.
struct Line {
  float scale = 1;
  float input_pixel_offset = 0.5f;
  float output_pixel_offset = -0.5f;
};

// Resamples a row of numbers.
template <class T>
std::vector<T> resample_line(ResampleParams params, const Line& line, std::vector<T> input,
                             std::uint32_t output_size) {
  std::vector<T> output(output_size, T{77});
  params.scales = {line.scale};
  params.input_pixel_offsets = {line.input_pixel_offset};
  params.output_pixel_offsets = {line.output_pixel_offset};
  resample<T>({input, {static_cast<std::uint32_t>(input.size())}}, {output, {output_size}}, params);
  return output;
}

// Sizes around those of chunks and pieces, which the general random cases are too small for.
// Strides are packed, padded, permuted or (input) 0.
inline ResampleParams draw_long_resample(random_cases::Dice& dice) {
  ResampleParams p;
  p.type = OperatorType::resample3;
  const DataType type =
      dice.pick({DataType::float32, DataType::float16, DataType::int8, DataType::uint8});
  const auto length = [&] {
    return dice.pick(
        {1u, 15u, 16u, 17u, 255u, 511u, 512u, 513u, 1023u, 1024u, 1025u, 2500u, 5000u});
  };
  const std::uint32_t other = dice.between(1, 3);
  const bool inner_last = dice.chance(0.7);
  Dims in = {dice.between(1, 3), length()};
  Dims out = {other, length()};
  if (dice.chance(0.2)) out[1] = in[1];
  for (std::size_t d = 0; d < 2; ++d) {
    p.scales.push_back(static_cast<float>(out[d]) / static_cast<float>(in[d]));
    if (dice.chance(0.2)) p.scales[d] = dice.pick({1.0f, 0.001f, 0.3f, 40.0f, 1e-30f});
  }
  p.input_pixel_offsets = {0.5f, dice.pick({0.5f, 0.0f, 17.25f, -3.0f})};
  p.output_pixel_offsets = {-0.5f, dice.pick({-0.5f, 0.0f, 600.0f})};
  if (!inner_last) {
    for (Dims* sizes : {&in, &out}) std::reverse(sizes->begin(), sizes->end());
    for (auto* values : {&p.scales, &p.input_pixel_offsets, &p.output_pixel_offsets}) {
      std::reverse(values->begin(), values->end());
    }
  }
  p.input = {.data_type = type, .sizes = in};
  p.output = {.data_type = type, .sizes = out};
  const auto strides = [&](const Dims& sizes) {
    return dice.pick({Dims{}, Dims{sizes[1] + 2, 1}, Dims{1, sizes[0]}, Dims{2 * sizes[1], 2}});
  };
  p.input.strides = strides(in);
  if (dice.chance(0.1)) p.input.strides = {0, 1};
  p.output.strides = strides(out);
  return p;
}

}  // namespace weft::testing
