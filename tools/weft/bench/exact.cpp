#include "bench/exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <variant>

#include "elements.h"

namespace weft::cli::bench {

namespace {

using Index = std::array<std::int64_t, 8>;

Index coordinate(std::size_t element, const Dims& sizes) {
  Index result = {};
  for (std::size_t d = sizes.size(); d-- > 0; element /= sizes[d]) {
    result[d] = static_cast<std::int64_t>(element % sizes[d]);
  }
  return result;
}

// Steps through all positions of a window, last dimension fastest; false after the last.
bool next(Index& at, const Dims& window, std::size_t offset = 0) {
  for (std::size_t d = window.size(); d-- > offset;) {
    if (++at[d - offset] < window[d]) return true;
    at[d - offset] = 0;
  }
  return false;
}

std::int64_t product(const Dims& sizes, std::size_t from) {
  std::int64_t result = 1;
  for (std::size_t d = from; d < sizes.size(); ++d) result *= sizes[d];
  return result;
}

double element(DataType type, ConstBuffer buffer, std::int64_t index) {
  const auto* const data = static_cast<const std::byte*>(buffer.data);
  double result = 0;
  visit_type(type, [&]<class T>() {
    T value;
    std::memcpy(&value, data + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, Half>) {
      result = value.value();
    } else {
      result = static_cast<double>(value);
    }
  });
  return result;
}

// Integers wrap around, as the operator's do.
double wrapped(DataType type, double value) {
  visit_type(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<double>(static_cast<T>(static_cast<std::int64_t>(value)));
    }
  });
  return value;
}

// Where tap k of output position y reads the input of a convolution; negative: nowhere.
std::int64_t source(const ConvolutionParams& p, std::size_t d, std::int64_t y, std::int64_t k) {
  const std::int64_t stride = p.strides[d], dilation = p.dilations[d], start = p.start_padding[d];
  const std::int64_t size = p.input.sizes[d + 2];
  std::int64_t x = 0;
  if (p.direction == ConvolutionDirection::forward) {
    x = y * stride + k * dilation - start;
  } else {
    x = y - k * dilation + start;
    if (x % stride != 0) return -1;
    x /= stride;
  }
  return x < size ? x : -1;
}

double exact(const ConvolutionParams& p, const Tensors& tensors, std::size_t position) {
  const DataType type = p.input.data_type;
  const Index at = coordinate(position, p.output.sizes);
  const std::size_t spatial = p.strides.size();
  const bool backward = p.direction == ConvolutionDirection::backward;
  const std::int64_t ci = p.input.sizes[1] / p.group_count, co = p.output.sizes[1] / p.group_count;
  const std::int64_t group = at[1] / co, pixels = product(p.input.sizes, 2);
  const std::int64_t taps = product(p.filter.sizes, 2);
  const double bias = p.bias ? element(type, tensors.bias(), at[1]) : 0;
  double sum = 0;
  Index k = {};
  bool in_output = true;
  for (std::size_t d = 0; d < spatial; ++d) {
    in_output = in_output && at[d + 2] + p.output_padding[d] < p.output.sizes[d + 2];
  }
  std::int64_t tap = 0;
  do {
    std::int64_t pixel = 0;
    for (std::size_t d = 0; d < spatial && pixel >= 0; ++d) {
      const std::int64_t x = source(p, d, at[d + 2], k[d]);
      pixel = x < 0 ? -1 : pixel * p.input.sizes[d + 2] + x;
    }
    const std::int64_t filter_tap =
        p.mode == ConvolutionMode::cross_correlation ? tap : taps - 1 - tap;
    for (std::int64_t c = 0; in_output && pixel >= 0 && c < ci; ++c) {
      const std::int64_t channel = group * ci + c;
      const std::int64_t filter = backward ? channel * co + at[1] % co : at[1] * ci + c;
      sum +=
          element(type, tensors.input(0), (at[0] * p.input.sizes[1] + channel) * pixels + pixel) *
          element(type, tensors.filter(), filter * taps + filter_tap);
    }
    ++tap;
  } while (next(k, p.filter.sizes, 2));
  return p.fused_activation ? std::max(0.0, sum + bias) : sum + bias;
}

// Blocks along dimension d of an image that windows move over.
template <class Params>
std::int64_t blocks(const Params& p, const Dims& image, std::size_t d) {
  const std::int64_t reach = (std::int64_t{p.window_sizes[d]} - 1) * p.dilations[d] + 1;
  return (std::int64_t{image[d + 2]} + p.start_padding[d] + p.end_padding[d] - reach) /
             p.strides[d] +
         1;
}

double exact(const UnfoldParams& p, const Tensors& tensors, std::size_t position) {
  const std::int64_t columns = p.output.sizes.back(), taps = product(p.window_sizes, 0);
  auto block = static_cast<std::int64_t>(position) % columns;
  const std::int64_t row = static_cast<std::int64_t>(position) / columns;
  std::int64_t tap = row % taps, pixel = 0, weight = 1;
  for (std::size_t d = p.window_sizes.size(); d-- > 0;) {
    const std::int64_t count = blocks(p, p.input.sizes, d), size = p.input.sizes[d + 2];
    const std::int64_t x = block % count * p.strides[d] + tap % p.window_sizes[d] * p.dilations[d] -
                           p.start_padding[d];
    if (x < 0 || x >= size) return 0;
    pixel += x * weight;
    weight *= size;
    block /= count;
    tap /= p.window_sizes[d];
  }
  return element(p.input.data_type, tensors.input(0), row / taps * weight + pixel);
}

double exact(const FoldParams& p, const Tensors& tensors, std::size_t position) {
  const Index at = coordinate(position, p.output.sizes);
  const std::int64_t columns = p.input.sizes.back(), taps = product(p.window_sizes, 0);
  const std::int64_t first_row = (at[0] * p.output.sizes[1] + at[1]) * taps;
  double sum = 0;
  std::int64_t tap = 0;
  Index w = {};
  do {
    std::int64_t block = 0;
    for (std::size_t d = 0; d < p.window_sizes.size() && block >= 0; ++d) {
      const std::int64_t x = at[d + 2] + p.start_padding[d] - w[d] * p.dilations[d];
      const std::int64_t count = blocks(p, p.output.sizes, d);
      const bool hit = x >= 0 && x % p.strides[d] == 0 && x / p.strides[d] < count;
      block = hit ? block * count + x / p.strides[d] : -1;
    }
    if (block >= 0) {
      sum += element(p.input.data_type, tensors.input(0), (first_row + tap) * columns + block);
    }
    ++tap;
  } while (next(w, p.window_sizes));
  return wrapped(p.input.data_type, sum);
}

// Where output element o of dimension d comes from, in the precision that this is defined in.
float position(const ResampleParams& p, std::size_t d, std::int64_t o) {
  if (p.scales[d] == 0) return -p.input_pixel_offsets[d];
  return (static_cast<float>(o) - p.output_pixel_offsets[d]) / p.scales[d] -
         p.input_pixel_offsets[d];
}

double exact(const ResampleParams& p, const Tensors& tensors, std::size_t element_position) {
  const Dims& sizes = p.input.sizes;
  const Index at = coordinate(element_position, p.output.sizes);
  const bool linear = p.interpolation_mode == InterpolationMode::linear;
  std::array<double, 8> weight = {};
  Index low = {};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const double last = static_cast<double>(sizes[d]) - 1;
    const double x = std::clamp(static_cast<double>(position(p, d, at[d])), -1.0, last + 1);
    const bool up = !linear && p.rounding_direction == AxisDirection::increasing;
    const double whole = up ? std::ceil(x) : std::floor(x);
    low[d] = static_cast<std::int64_t>(whole);
    weight[d] = linear ? x - whole : 0;
  }
  double sum = 0;
  for (unsigned corner = 0; corner < 1u << sizes.size(); ++corner) {
    std::int64_t index = 0;
    double share = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool high = (corner >> d & 1) != 0;
      const auto last = static_cast<std::int64_t>(sizes[d]) - 1;
      share *= high ? weight[d] : 1 - weight[d];
      index = index * sizes[d] + std::clamp<std::int64_t>(low[d] + (high ? 1 : 0), 0, last);
    }
    if (share != 0) sum += share * element(p.input.data_type, tensors.input(0), index);
  }
  return sum;
}

double exact(const ElementWiseParams& /*params*/, const Tensors& /*tensors*/, std::size_t /*at*/) {
  return std::nan("");  // no file of shapes has them
}

}  // namespace

double exact_output(const Shape& shape, const Tensors& tensors, std::size_t element) {
  return std::visit([&](const auto& p) { return exact(p, tensors, element); }, shape.params);
}

double term_count(const Shape& shape) {
  if (const auto* const p = std::get_if<ConvolutionParams>(&shape.params)) {
    return static_cast<double>(product(p->filter.sizes, 2)) * p->input.sizes[1] / p->group_count;
  }
  if (const auto* const p = std::get_if<FoldParams>(&shape.params)) {
    return static_cast<double>(product(p->window_sizes, 0));
  }
  const auto* const p = std::get_if<ResampleParams>(&shape.params);
  return p != nullptr ? std::exp2(static_cast<double>(p->scales.size())) : 1;
}

}  // namespace weft::cli::bench
