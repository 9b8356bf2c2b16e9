#include "ops/unfold_channels_last.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>

#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/sliding_window.h"
#include "ops/window_parts.h"

namespace weft::ops {

namespace {

// What is packed is read again from the second-level cache; of large images from the third.
constexpr std::uint64_t kWantedBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

// Fewer leave most of each line that is read for later.
constexpr std::uint32_t kFewChannels = 16;

// Fewer window elements are read across as fast. 3x3 windows of 64x64x64 elements on one core of a
// Xeon: 790 us across, 440 this way.
constexpr std::uint64_t kFewWindowElements = 3;

std::uint64_t product(const Dims& sizes, std::size_t first) {
  return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.end(),
                         std::uint64_t{1}, std::multiplies<>());
}

}  // namespace

std::shared_ptr<const PlanBody> unfold_channels_last(const UnfoldParams& params,
                                                     const PlanOptions& options,
                                                     const UnfoldPlanner& planner) {
  const Dims& sizes = params.input.sizes;
  const Dims& strides = params.input.strides;
  const bool channels_last = !strides.empty() && sizes[1] > 1 && strides[1] == 1 &&
                             strides.back() != 1 && sizes.back() > 1;
  const std::uint64_t window = product(params.window_sizes, 0);
  const std::uint64_t positions = product(sizes, 2);
  if (!channels_last || window < kFewWindowElements ||
      params.output.sizes.back() * window < positions) {
    return planner(params, options);
  }
  const std::uint64_t channel_bytes = positions * byte_size(params.input.data_type);
  const auto fitting = [&](std::uint64_t bytes, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(kWantedBytes / bytes, std::min(least, most), most));
  };
  const std::uint32_t channels = fitting(channel_bytes, kFewChannels, sizes[1]);
  if (channels * channel_bytes > kMostBytes) return planner(params, options);
  const std::uint32_t images =
      channels < sizes[1] ? 1 : fitting(channels * channel_bytes, 1, sizes[0]);
  const auto part_of = [&](std::uint32_t n, std::uint32_t c) {
    TensorDesc image = params.input;
    image.sizes[0] = n;
    image.sizes[1] = c;
    UnfoldParams unfolding = params;
    unfolding.input = {.data_type = image.data_type, .sizes = image.sizes};
    unfolding.output = last_three(params.output);
    unfolding.output.sizes[0] = n;
    unfolding.output.sizes[1] = unfolding.output.sizes[1] / params.input.sizes[1] * c;
    return WindowParts::Part{copy_plan(OperatorType::unfold, layout_of(image),
                                       layout_of(unfolding.input), image.data_type, options),
                             planner(unfolding, options)};
  };
  auto body =
      std::make_shared<WindowParts>(OperatorType::unfold, params.input, params.output, images,
                                    channels, channel_bytes * images * channels, part_of);
  const PlanBody& unfold = *body->full().second;
  body->algorithm = unfold.algorithm;
  body->explanation = "packs " + std::to_string(images) + 'x' + std::to_string(channels) +
                      " channels at a time, each time " + unfold.explanation;
  return body;
}

}  // namespace weft::ops
