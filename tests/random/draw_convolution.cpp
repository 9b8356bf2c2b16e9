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
  if (dice.chance(0.03)) a.window = dice.between(8, 40);
  if (dice.chance(0.05)) a.start = (a.window - 1) * a.dilation + dice.between(1, 6);
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

std::string_view padding_kind(const Axis& a) {
  if (std::max(a.start, a.end) > (a.window - 1) * a.dilation + 1) return "longer than the window";
  if (a.start == 0 && a.end == 0) return "none";
  return a.start == a.end ? "same on both sides" : "asymmetric";
}

void note(Case& c, const Axis& a, bool forward) {
  c.traits.emplace("convolution window", a.window > 7 ? "long" : std::to_string(a.window));
  c.traits.emplace("convolution stride", std::to_string(a.stride));
  c.traits.emplace("convolution dilation", std::to_string(a.dilation));
  c.traits.emplace("convolution padding", padding_kind(a));
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

// BACKWARD windows of one that crop one dimension and leave the others whole.
Shape draw_cropped(Dice& dice, std::size_t spatial) {
  Shape shape{dice.mostly(1, 2, 4), {1, dice.mostly(1, 8, 70), dice.mostly(1, 8, 40)}, {}};
  for (std::size_t d = 0; d < spatial; ++d) {
    Axis a{};
    a.window = a.stride = a.dilation = 1;
    a.in = a.out = dice.mostly(1, 9, 40);
    shape.axes.push_back(a);
  }
  Axis& cropped = shape.axes[dice.between(0, static_cast<std::uint32_t>(spatial) - 1)];
  cropped.start = dice.between(0, cropped.in - 1);
  cropped.end = dice.between(0, cropped.in - 1 - cropped.start);
  cropped.out -= cropped.start + cropped.end;
  return shape;
}

// A channel a group, wide windows, and rows that are hardly wider than their padding.
Shape draw_narrow_depthwise(Dice& dice, std::size_t spatial) {
  Shape shape{dice.mostly(1, 2, 4), {dice.mostly(2, 9, 70), 1, 1}, {}};
  for (std::size_t d = 0; d < spatial; ++d) {
    const std::uint32_t window = dice.between(2, 9);
    const std::uint32_t padding = dice.between(0, window);
    Axis a{};
    a.in = dice.between(1, d + 1 == spatial ? 6 : 10);
    a.window = window;
    a.stride = dice.mostly(1, 1, 2);
    a.dilation = dice.mostly(1, 1, 2);
    a.start = padding;
    a.end = dice.chance(0.5) ? padding : dice.between(0, window);
    const std::uint32_t span = (window - 1) * a.dilation + 1;
    if (a.in + a.start + a.end < span) a.end = span - a.in - a.start;
    a.out = (a.in + a.start + a.end - span) / a.stride + 1;
    shape.axes.push_back(a);
  }
  return shape;
}

double multiply_adds(const Shape& shape, bool forward) {
  const Channels& channels = shape.channels;
  double result = 1.0 * channels.groups * channels.in * channels.out * shape.batch;
  for (const Axis& a : shape.axes) result *= 1.0 * a.window * (forward ? a.out : a.in);
  return result;
}

// As networks have them: what most of the ways to compute one are there for.
Shape draw_layer(Dice& dice, bool forward) {
  constexpr double kMost = 2e7;
  Shape shape;
  do {
    shape = {dice.mostly(1, 1, 5), {}, {}};
    std::size_t spatial = dice.pick({1, 2, 2, 2, 2, 2, 2, 3});
    std::uint32_t window = dice.pick({1u, 1u, 3u, 3u, 3u, 3u, 5u, 7u});
    std::uint32_t stride = dice.mostly(1, 1, 3);
    std::uint32_t size = dice.between(5, 40);
    const auto channels = [&] {
      return dice.chance(0.5) ? 16 * dice.between(1, 8) : dice.between(5, 140);
    };
    switch (dice.between(0, 7)) {
      case 0:  // an image, or what becomes one
        shape.channels = {1, dice.between(1, 4), channels()};
        if (!forward) std::swap(shape.channels.in, shape.channels.out);
        window = dice.between(3, 11);
        stride = dice.between(1, 4);
        size = dice.between(20, 70);
        break;
      case 1:
        shape.channels = {channels(), 1, 1};
        window = dice.mostly(2, 7, 31);
        size = dice.between(5, 120);
        if (dice.chance(0.3)) {  // video
          spatial = 3;
          window = dice.pick({3u, 5u});
          stride = 1;
        }
        break;
      case 4:  // sound
        shape.channels = dice.chance(0.5) ? Channels{channels(), 1, 1}
                                          : Channels{1, dice.between(1, 4), dice.between(1, 40)};
        spatial = 1;
        window = dice.between(3, 80);
        size = dice.between(100, 600);
        break;
      case 2:
        shape.channels = {dice.between(2, 8), dice.between(4, 40), dice.between(4, 40)};
        break;
      case 3:
        shape.channels = {1, channels(), dice.between(1, 8)};
        break;
      default:
        shape.channels = {1, channels(), channels()};
    }
    const std::uint32_t padding = dice.chance(0.7) ? window / 2 : dice.between(0, window - 1);
    const bool apart = !forward && dice.chance(0.3);  // windows side by side, to enlarge
    if (apart) window = stride = dice.mostly(2, 2, 4);
    const bool one_row = dice.chance(0.1);
    for (std::size_t d = 0; d < spatial; ++d) {
      Axis a{};
      const bool flat = one_row && d + 1 < spatial;
      a.window = flat ? 1 : window;
      a.stride = flat ? 1 : stride;
      a.dilation = 1;
      a.start = a.end = flat ? 0 : padding;
      a.in = dice.chance(0.5) ? size : dice.between(size / 2, size);
      if (forward) {
        a.in = std::max(a.in, a.window);
        a.out = (a.in + 2 * a.start - a.window) / a.stride + 1;
      } else {
        const std::uint32_t whole = (a.in - 1) * a.stride + a.window;
        a.start = a.end = apart ? 0 : std::min(a.start, (whole - 1) / 2);
        a.out = whole - 2 * a.start + (apart ? 0 : dice.between(0, a.stride - 1));
      }
      shape.axes.push_back(a);
    }
  } while (multiply_adds(shape, forward) > kMost);
  return shape;
}

// Draws until it is small enough to be computed naively by the thousand.
Shape draw_shape(const Case& c, Dice& dice, bool forward) {
  if (c.layer) return draw_layer(dice, forward);
  const std::size_t spatial = dice.pick({1, 1, 2, 2, 2, 3});
  if (forward && dice.chance(0.04)) return draw_long_rows(dice, spatial);
  if (forward && dice.chance(0.04))
    return draw_narrow_depthwise(dice, std::min<std::size_t>(spatial, 2));
  if (!forward && dice.chance(0.08)) return draw_cropped(dice, spatial);
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
  // Kernels apply these to sums in registers.
  OperatorType function =
      dice.pick({OperatorType::activation_relu, OperatorType::activation_leaky_relu,
                 OperatorType::element_wise_clip});
  if (dice.chance(0.6)) {
    do {
      function = dice.pick(all_operator_types());
    } while (!is_fusable(function));
  }
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
  c.traits.emplace("convolution sizes", c.layer ? "a layer" : "any");
  c.traits.emplace("strict", c.options.strict ? "yes" : "no");
  c.traits.emplace("prepared filter", c.options.prepare_filter ? "yes" : "no");
}

}  // namespace

void draw_convolution(Case& c, Dice& dice) {
  ConvolutionParams p;
  const DataType type = dice.chance(0.7) ? DataType::float32 : DataType::float16;
  c.layer = dice.chance(0.12);
  c.packed = c.layer && dice.chance(0.7);
  if (c.layer && dice.chance(0.7)) c.options.max_isa.reset();
  const bool forward = dice.chance(c.layer ? 0.7 : 0.5);
  p.direction = forward ? ConvolutionDirection::forward : ConvolutionDirection::backward;
  p.mode = dice.chance(0.6) ? ConvolutionMode::cross_correlation : ConvolutionMode::convolution;
  const Shape shape = draw_shape(c, dice, forward);
  // So that a case takes no longer than others.
  c.checked_every = static_cast<std::int64_t>(multiply_adds(shape, forward) / 200'000) | 1;
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
  c.options.strict = dice.chance(0.06);
  c.options.winograd =
      dice.pick({Winograd::never, Winograd::accurate, Winograd::accurate, Winograd::allowed});
  // What Winograd's algorithm loses goes with all taps of a tile, the bound of a sum with those
  // that read the input. Where all channels have the same taps, these may be far smaller.
  const Dims& strides = p.filter.strides;
  if (!strides.empty() && strides[0] == 0 && strides[1] == 0) c.options.winograd = Winograd::never;
  for (const Axis& a : shape.axes) note(c, a, forward);
  note(c, p, shape.channels);
  c.params = std::move(p);
}

}  // namespace weft::random_cases
