#include <algorithm>
#include <cmath>
#include <utility>

#include "random/defects.h"
#include "random/rearrange.h"

namespace weft::random_cases {

namespace {

template <bool (*kChange)(ResampleParams&)>
bool changed(OperatorParams& params) {
  return kChange(std::get<ResampleParams>(params));
}

bool is_nearest(const ResampleParams& p) {
  return p.interpolation_mode == InterpolationMode::nearest_neighbor;
}

bool rounds_by_direction(const ResampleParams& p) {
  return is_nearest(p) && (p.type == OperatorType::resample2 || p.type == OperatorType::resample3);
}

bool direction_reversed(ResampleParams& p) {
  p.rounding_direction = p.rounding_direction == AxisDirection::increasing
                             ? AxisDirection::decreasing
                             : AxisDirection::increasing;
  return rounds_by_direction(p);
}

// Rounds a half down: ceil(x - 0.5) instead of floor(x + 0.5).
bool halves_down(ResampleParams& p) {
  if (!is_nearest(p) || rounds_by_direction(p)) return false;
  p.type = OperatorType::resample2;
  p.rounding_direction = AxisDirection::increasing;
  const std::size_t rank = p.scales.size();
  if (p.input_pixel_offsets.empty()) p.input_pixel_offsets.assign(rank, 0.5f);
  for (float& offset : p.input_pixel_offsets) offset += 0.5f;
  if (p.output_pixel_offsets.empty()) p.output_pixel_offsets.assign(rank, -0.5f);
  return true;
}

bool mode_exchanged(ResampleParams& p) {
  p.interpolation_mode =
      is_nearest(p) ? InterpolationMode::linear : InterpolationMode::nearest_neighbor;
  p.rounding_direction = AxisDirection::increasing;
  p.antialiased = false;
  return true;
}

bool dropped(std::vector<float>& offsets) {
  const std::vector<float> zeros(offsets.size(), 0.0f);
  return std::exchange(offsets, zeros) != zeros;
}

bool input_offsets_dropped(ResampleParams& p) { return dropped(p.input_pixel_offsets); }
bool output_offsets_dropped(ResampleParams& p) { return dropped(p.output_pixel_offsets); }

bool offsets_exchanged(ResampleParams& p) {
  std::swap(p.input_pixel_offsets, p.output_pixel_offsets);
  return p.input_pixel_offsets != p.output_pixel_offsets;
}

bool offsets_ignored(ResampleParams& p) {
  p.output_pixel_offsets.clear();
  return !std::exchange(p.input_pixel_offsets, {}).empty();
}

bool scales_inverted(ResampleParams& p) {
  const std::vector<float> before = p.scales;
  for (float& scale : p.scales) {
    if (scale > 1e-3f && scale < 1e3f) scale = 1 / scale;
  }
  return p.scales != before;
}

bool scales_reversed(ResampleParams& p) {
  const std::vector<float> before = p.scales;
  std::reverse(p.scales.begin(), p.scales.end());
  return p.scales != before;
}

bool scales_from_sizes(ResampleParams& p) {
  const std::vector<float> before = p.scales;
  for (std::size_t d = 0; d < p.scales.size(); ++d) {
    p.scales[d] = static_cast<float>(p.output.sizes[d]) / static_cast<float>(p.input.sizes[d]);
  }
  return p.scales != before;
}

bool antialiasing_dropped(ResampleParams& p) { return std::exchange(p.antialiased, false); }

bool antialiasing_added(ResampleParams& p) {
  return p.type == OperatorType::resample3 && !is_nearest(p) && !std::exchange(p.antialiased, true);
}

bool last_element_unread(ResampleParams& p) {
  pin_strides(p.input);
  for (std::uint32_t& size : p.input.sizes) {
    if (size < 2) continue;
    --size;
    return true;
  }
  return false;
}

constexpr std::string_view kResample = "RESAMPLE";

constexpr Defect kResampleDefects[] = {
    {kResample, "rounding direction reversed", changed<direction_reversed>},
    {kResample, "halves rounded down", changed<halves_down>},
    {kResample, "interpolation mode exchanged", changed<mode_exchanged>},
    {kResample, "input offsets dropped", changed<input_offsets_dropped>},
    {kResample, "output offsets dropped", changed<output_offsets_dropped>},
    {kResample, "offsets exchanged", changed<offsets_exchanged>},
    {kResample, "offsets ignored", changed<offsets_ignored>},
    {kResample, "scales inverted", changed<scales_inverted>},
    {kResample, "scales reversed", changed<scales_reversed>},
    {kResample, "scales taken from the sizes", changed<scales_from_sizes>},
    {kResample, "antialiasing dropped", changed<antialiasing_dropped>},
    {kResample, "antialiasing always", changed<antialiasing_added>},
    {kResample, "last element never read", changed<last_element_unread>},
};

}  // namespace

std::span<const Defect> resample_defects() { return kResampleDefects; }

}  // namespace weft::random_cases
