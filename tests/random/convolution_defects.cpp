#include <algorithm>
#include <utility>

#include "random/defects.h"
#include "random/rearrange.h"

namespace weft::random_cases {

namespace {

using testing::Coordinate;
using testing::entry;

template <bool (*kChange)(ConvolutionParams&)>
bool changed(OperatorParams& params) {
  auto& p = std::get<ConvolutionParams>(params);
  const std::size_t spatial = p.input.sizes.size() - 2;
  if (p.strides.empty()) p.strides = Dims(spatial, 1);
  if (p.dilations.empty()) p.dilations = Dims(spatial, 1);
  if (p.start_padding.empty()) p.start_padding = Dims(spatial, 0);
  if (p.end_padding.empty()) p.end_padding = Dims(spatial, 0);
  return kChange(p);
}

bool is_forward(const ConvolutionParams& p) { return p.direction == ConvolutionDirection::forward; }

// Takes `amount` from the end padding; BACKWARD outputs may be larger than needed anyway.
bool shorten(ConvolutionParams& p, std::size_t d, std::uint32_t amount) {
  if (!is_forward(p)) return true;
  if (p.end_padding[d] < amount) return false;
  p.end_padding[d] -= amount;
  return true;
}

bool padding_shifted(ConvolutionParams& p) {
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    if (p.start_padding[d] == 0) continue;
    --p.start_padding[d];
    ++p.end_padding[d];
    return true;
  }
  return false;
}

bool swapped(Dims& values) {
  if (values.size() < 2 || values.front() == values.back()) return false;
  std::swap(values.front(), values.back());
  return true;
}

bool strides_swapped(ConvolutionParams& p) { return swapped(p.strides); }
bool dilations_swapped(ConvolutionParams& p) { return swapped(p.dilations); }

bool stride_ignored(ConvolutionParams& p) {
  const Dims ones(p.strides.size(), 1);
  return std::exchange(p.strides, ones) != ones;
}

bool dilation_ignored(ConvolutionParams& p) {
  bool any = false;
  for (std::size_t d = 0; d < p.dilations.size(); ++d) {
    const std::uint32_t span = (p.filter.sizes[d + 2] - 1) * (p.dilations[d] - 1);
    if (span == 0) continue;
    any = true;
    p.dilations[d] = 1;
    if (!shorten(p, d, span)) return false;
  }
  return any;
}

bool filter_flipped(ConvolutionParams& p) {
  p.mode = p.mode == ConvolutionMode::convolution ? ConvolutionMode::cross_correlation
                                                  : ConvolutionMode::convolution;
  return std::any_of(p.filter.sizes.begin() + 2, p.filter.sizes.end(),
                     [](std::uint32_t size) { return size > 1; });
}

bool window_too_short(ConvolutionParams& p) {
  pin_strides(p.filter);
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    if (p.filter.sizes[d + 2] < 2) continue;
    --p.filter.sizes[d + 2];
    return shorten(p, d, p.dilations[d]);
  }
  return false;
}

// The filter's height and width exchanged.
bool filter_transposed(ConvolutionParams& p) {
  pin_strides(p.filter);
  const std::size_t last = p.filter.sizes.size() - 1;
  if (last < 3 || p.filter.sizes[last] != p.filter.sizes[last - 1]) return false;
  std::swap(p.filter.strides[last], p.filter.strides[last - 1]);
  return p.filter.sizes[last] > 1;
}

bool bias_dropped(ConvolutionParams& p) { return std::exchange(p.bias, std::nullopt).has_value(); }

bool bias_of_first_channel(ConvolutionParams& p) {
  if (!p.bias || p.bias->sizes[1] < 2) return false;
  pin_strides(*p.bias);
  return std::exchange(p.bias->strides[1], 0) != 0;
}

bool activation_dropped(ConvolutionParams& p) {
  return std::exchange(p.fused_activation, std::nullopt).has_value();
}

bool output_padding_computed(ConvolutionParams& p) {
  return !std::exchange(p.output_padding, {}).empty();
}

bool first_image_repeated(ConvolutionParams& p) {
  pin_strides(p.input);
  return p.input.sizes[0] > 1 && std::exchange(p.input.strides[0], 0) != 0;
}

bool groups_rotated(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<ConvolutionParams>(params);
  const std::uint32_t channels = p.output.sizes[1];
  return rearrange(p.output, data, [&](Coordinate x) {
    x[1] = (x[1] + channels / p.group_count) % channels;
    return x;
  });
}

// Output positions whose windows reach into the end padding stay zero.
bool end_padding_dropped(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<ConvolutionParams>(params);
  if (!is_forward(p) || p.end_padding.empty()) return false;
  bool any = false;
  testing::for_each_element(p.output, [&](const Coordinate& y, std::int64_t at) {
    for (std::size_t d = 0; d < p.end_padding.size(); ++d) {
      const std::int64_t last =
          y[d + 2] * entry(p.strides, d, 1) - entry(p.start_padding, d, 0) +
          (std::int64_t{p.filter.sizes[d + 2]} - 1) * entry(p.dilations, d, 1);
      if (last < std::int64_t{p.input.sizes[d + 2]}) continue;
      testing::write_bits(p.output.data_type, data + at, 0);
      any = true;
    }
  });
  return any;
}

constexpr std::string_view kConvolution = "CONVOLUTION";

constexpr Defect kDefects[] = {
    {kConvolution, "padding shifted by one", changed<padding_shifted>},
    {kConvolution, "strides swapped", changed<strides_swapped>},
    {kConvolution, "dilations swapped", changed<dilations_swapped>},
    {kConvolution, "stride ignored", changed<stride_ignored>},
    {kConvolution, "dilation ignored", changed<dilation_ignored>},
    {kConvolution, "filter flipped", changed<filter_flipped>},
    {kConvolution, "window one too short", changed<window_too_short>},
    {kConvolution, "filter transposed", changed<filter_transposed>},
    {kConvolution, "bias dropped", changed<bias_dropped>},
    {kConvolution, "bias of the first channel for all", changed<bias_of_first_channel>},
    {kConvolution, "activation dropped", changed<activation_dropped>},
    {kConvolution, "output padding computed like the rest", changed<output_padding_computed>},
    {kConvolution, "first image for the whole batch", changed<first_image_repeated>},
    {kConvolution, "results of the next group", nullptr, nullptr, groups_rotated},
    {kConvolution, "end padding dropped", nullptr, nullptr, end_padding_dropped},
};

}  // namespace

std::span<const Defect> convolution_defects() { return kDefects; }

}  // namespace weft::random_cases
