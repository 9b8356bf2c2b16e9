#include <algorithm>

#include "random/draw_tensor.h"

namespace weft::random_cases {

namespace {

// One spatial dimension; all sizes are at least 1 and the window fits the padded input.
struct Axis {
  std::uint32_t in, window, stride, dilation, start, end, output_padding, out;
};

Axis draw_axis(Dice& dice, bool forward, std::uint32_t usual_size, std::uint32_t largest_size) {
  Axis a{};
  a.window = dice.mostly(1, 3, 7);
  a.stride = dice.mostly(1, 3, 6);
  a.dilation = dice.mostly(1, 2, 5);
  a.start = dice.chance(0.4) ? 0 : dice.mostly(0, 2, 9);
  a.end = dice.chance(0.4) ? a.start : dice.mostly(0, 2, 9);
  a.output_padding = dice.chance(0.7) ? 0 : dice.between(1, 3);
  if (!forward && dice.chance(0.06)) {  // many phases that read the same inputs
    a.stride = dice.between(9, 20);
    a.window = a.stride * dice.between(1, 3);
    a.output_padding = 0;
  }
  a.in = dice.mostly(1, usual_size, largest_size);
  const std::uint32_t span = (a.window - 1) * a.dilation + 1;
  if (forward) {
    const std::uint32_t padding = a.start + a.end;
    if (a.in + padding < span) a.in = span - padding;
    a.out = (a.in + padding - span) / a.stride + 1 + a.output_padding;
  } else {
    const std::uint32_t full = (a.in - 1) * a.stride + span;
    a.out = std::max(full, a.start + a.end + 1) - a.start - a.end + a.output_padding;
    // Larger than the parameters give: within a stride, as clients do it, and beyond.
    if (dice.chance(0.2)) a.out += dice.between(0, a.stride - 1);
    if (dice.chance(0.07)) a.out += dice.between(a.stride, 2 * a.stride + 3);
  }
  return a;
}

std::string_view sign(std::uint32_t first, std::uint32_t second) {
  if (first == 0 && second == 0) return "none";
  return first == second ? "same on both sides" : "asymmetric";
}

void note(Case& c, const Axis& a, bool forward) {
  c.traits.emplace("convolution window", std::to_string(a.window));
  c.traits.emplace("convolution stride", std::to_string(a.stride));
  c.traits.emplace("convolution dilation", std::to_string(a.dilation));
  c.traits.emplace("convolution padding", sign(a.start, a.end));
  c.traits.emplace("convolution output padding", std::to_string(a.output_padding));
  if (forward) return;
  const std::int64_t full =
      std::int64_t{a.in - 1} * a.stride + std::int64_t{a.window - 1} * a.dilation + 1;
  const std::int64_t nominal = full - a.start - a.end + a.output_padding;
  const std::int64_t extra = std::int64_t{a.out} - nominal;
  c.traits.emplace("backward output", extra == 0         ? "nominal"
                                      : extra < a.stride ? "larger, within a stride"
                                                         : "larger by a stride or more");
}

struct Channels {
  std::uint32_t groups, in, out;  // a group each
};

Channels draw_channels(Dice& dice, bool large) {
  if (large && dice.chance(0.5)) return {1, dice.between(1, 200), dice.between(1, 200)};
  switch (dice.between(0, 7)) {
    case 0:  // depthwise
      return {dice.between(2, 9), 1, dice.mostly(1, 1, 3)};
    case 1:
    case 2:
      return {dice.between(2, 4), dice.between(1, 3), dice.between(1, 3)};
    case 3:
      return {1, dice.between(1, 40), dice.between(1, 40)};
    default:
      return {1, dice.mostly(1, 4, 20), dice.mostly(1, 4, 20)};
  }
}

struct Shape {
  std::uint32_t batch;
  Channels channels;
  std::vector<Axis> axes;
};

// Windows of one without padding, whose rows may be taken for one, along one long dimension; of
// many input channels some may be summed at a time.
Shape draw_long_rows(Dice& dice, std::size_t spatial) {
  const bool many = dice.chance(0.4);
  const std::uint32_t in = many ? dice.between(45, 160) : dice.mostly(1, 12, 70);
  Shape shape{1, {1, in, dice.between(1, many ? 12 : 30)}, {}};
  const std::size_t longest = dice.between(0, static_cast<std::uint32_t>(spatial) - 1);
  for (std::size_t d = 0; d < spatial; ++d) {
    Axis a{};
    a.window = a.dilation = 1;
    a.stride = dice.mostly(1, 2, 3);
    a.in = d == longest ? dice.between(100, many ? 400 : 1000) : dice.between(1, 4);
    a.out = (a.in - 1) / a.stride + 1;
    shape.axes.push_back(a);
  }
  return shape;
}

// Draws until it is small enough to be computed naively by the thousand.
Shape draw_shape(const Case& c, Dice& dice, bool forward) {
  const std::size_t spatial = dice.pick({1, 1, 2, 2, 2, 3});
  if (forward && dice.chance(0.04)) return draw_long_rows(dice, spatial);
  const double budget = c.large ? 2'000'000 : 15'000;
  for (std::uint32_t size = c.large ? 40 : 12;; size = std::max(size / 2, 1u)) {
    Shape shape{dice.mostly(1, 2, 4), draw_channels(dice, c.large), {}};
    const Channels& channels = shape.channels;
    double work = 1.0 * channels.groups * channels.in * channels.out * shape.batch;
    for (std::size_t d = 0; d < spatial; ++d) {
      const Axis a = draw_axis(dice, forward, size, spatial == 1 ? 8 * size : 2 * size);
      work *= 1.0 * a.out * a.window;
      shape.axes.push_back(a);
    }
    if (work <= budget) return shape;
  }
}

// Sizes of the four tensors and the parameters that come with each spatial dimension.
void set_shape(ConvolutionParams& p, const Shape& shape, bool forward, Dims& bias) {
  const Channels& channels = shape.channels;
  const std::uint32_t in_channels = channels.groups * channels.in;
  const std::uint32_t out_channels = channels.groups * channels.out;
  p.group_count = channels.groups;
  p.input.sizes = {shape.batch, in_channels};
  p.filter.sizes = forward ? Dims{out_channels, channels.in} : Dims{in_channels, channels.out};
  p.output.sizes = {shape.batch, out_channels};
  bias = {1, out_channels};
  for (const Axis& a : shape.axes) {
    p.input.sizes.push_back(a.in);
    p.filter.sizes.push_back(a.window);
    p.output.sizes.push_back(a.out);
    bias.push_back(1);
    p.strides.push_back(a.stride);
    p.dilations.push_back(a.dilation);
    p.start_padding.push_back(a.start);
    p.end_padding.push_back(a.end);
    p.output_padding.push_back(a.output_padding);
  }
}

void draw_fused_activation(Case& c, Dice& dice, ConvolutionParams& p) {
  if (dice.chance(0.5)) {
    c.traits.emplace("fused activation", "none");
    return;
  }
  OperatorType function;
  do {
    function = dice.pick(all_operator_types());
  } while (!is_fusable(function));
  p.fused_activation = draw_activation(dice, function, p.input.data_type);
  c.traits.emplace("fused activation", name(function));
}

void note(Case& c, const ConvolutionParams& p, const Channels& channels) {
  c.traits.emplace(
      "convolution",
      std::string(p.direction == ConvolutionDirection::forward ? "FORWARD" : "BACKWARD") +
          (p.mode == ConvolutionMode::convolution ? " CONVOLUTION" : " CROSS_CORRELATION"));
  c.traits.emplace("convolution groups", channels.groups == 1                    ? "1"
                                         : channels.in == 1 && channels.out == 1 ? "depthwise"
                                         : channels.in == 1 ? "depthwise, multiplied"
                                                            : "several");
  c.traits.emplace("convolution bias", p.bias ? "yes" : "no");
  c.traits.emplace("prepared filter", c.options.prepare_filter ? "yes" : "no");
}

}  // namespace

void draw_convolution(Case& c, Dice& dice) {
  ConvolutionParams p;
  const DataType type = dice.chance(0.7) ? DataType::float32 : DataType::float16;
  const bool forward = dice.chance(0.5);
  p.direction = forward ? ConvolutionDirection::forward : ConvolutionDirection::backward;
  p.mode = dice.chance(0.6) ? ConvolutionMode::cross_correlation : ConvolutionMode::convolution;
  const Shape shape = draw_shape(c, dice, forward);
  Dims bias;
  set_shape(p, shape, forward, bias);
  leave_out_defaults(dice, {&p.strides, &p.dilations}, 1);
  leave_out_defaults(dice, {&p.start_padding, &p.end_padding, &p.output_padding}, 0);
  p.input = draw_tensor(c, dice, "inputs", type, p.input.sizes, Role::input);
  p.filter = draw_tensor(c, dice, "inputs", type, p.filter.sizes, Role::input);
  if (dice.chance(0.5)) p.bias = draw_tensor(c, dice, "inputs", type, bias, Role::input);
  p.output = draw_tensor(c, dice, "outputs", type, p.output.sizes, Role::output);
  draw_fused_activation(c, dice, p);
  c.options.prepare_filter = dice.chance(0.3);
  for (const Axis& a : shape.axes) note(c, a, forward);
  note(c, p, shape.channels);
  c.params = std::move(p);
}

}  // namespace weft::random_cases
