#include "ops/unfold_channels_last.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>

#include "base/aligned_memory.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/sliding_window.h"

namespace weft::ops {

namespace {

using std::int64_t;

// What is packed is read again from the second-level cache; of large images from the third.
constexpr std::uint64_t kWantedBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

// Fewer leave most of each line that is read for later.
constexpr std::uint32_t kFewChannels = 16;

// Fewer window elements are read across as fast. 3x3 windows of 64x64x64 elements on one core of a
// Xeon: 790 us across, 440 this way.
constexpr std::uint64_t kFewElements = 3;

std::uint64_t product(const Dims& sizes, std::size_t first) {
  return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.end(),
                         std::uint64_t{1}, std::multiplies<>());
}

class ChannelsLastBody final : public PlanBody {
 public:
  // So many images and channels of each at a time: all of one or one of the other.
  ChannelsLastBody(const UnfoldParams& params, const PlanOptions& options, std::uint32_t images,
                   std::uint32_t channels, const UnfoldPlanner& planner)
      : element_bytes_(byte_size(params.input.data_type)),
        image_(layout_of(params.input)),
        columns_(layout_of(last_three(params.output))),
        images_(images),
        channels_(channels),
        full_(params, options, images, channels, planner) {
    const std::uint32_t image_rest = params.input.sizes[0] % images;
    const std::uint32_t channel_rest = params.input.sizes[1] % channels;
    if (image_rest + channel_rest != 0) {
      rest_ = Part(params, options, image_rest != 0 ? image_rest : images,
                   channel_rest != 0 ? channel_rest : channels, planner);
    }
    type = OperatorType::unfold;
    algorithm = full_.unfold->algorithm;
    explanation = "packs " + std::to_string(images) + 'x' + std::to_string(channels) +
                  " channels at a time, each time " + full_.unfold->explanation;
    inputs = {params.input};
    outputs = {params.output};
    workspace_size_in_bytes =
        base::round_up(static_cast<std::uint64_t>(images) * channels *
                           product(params.input.sizes, 2) * byte_size(params.input.data_type),
                       base::kWorkspaceAlignment);
  }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* const from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* const to = static_cast<std::byte*>(arguments.outputs[0]);
    const int64_t window = columns_.sizes[1] / image_.sizes[1];
    for (int64_t n = 0; n < image_.sizes[0]; n += images_) {
      for (int64_t c = 0; c < image_.sizes[1]; c += channels_) {
        const bool whole = n + images_ <= image_.sizes[0] && c + channels_ <= image_.sizes[1];
        const Part& part = whole ? full_ : rest_;
        const void* source =
            from + (n * image_.strides[0] + c * image_.strides[1]) * element_bytes_;
        void* packed = arguments.workspace;
        void* target =
            to + (n * columns_.strides[0] + c * window * columns_.strides[1]) * element_bytes_;
        part.pack->run({&source, &packed, nullptr, nullptr});
        const void* const image = packed;
        part.unfold->run({&image, &target, nullptr, nullptr});
      }
    }
  }

 private:
  struct Part {
    std::shared_ptr<const PlanBody> pack, unfold;

    Part() = default;
    Part(const UnfoldParams& params, const PlanOptions& options, std::uint32_t images,
         std::uint32_t channels, const UnfoldPlanner& planner) {
      TensorDesc image = params.input;
      image.sizes[0] = images;
      image.sizes[1] = channels;
      UnfoldParams unfolding = params;
      unfolding.input = {.data_type = image.data_type, .sizes = image.sizes};
      pack = copy_plan(OperatorType::unfold, layout_of(image), layout_of(unfolding.input),
                       image.data_type, options);
      unfolding.output = last_three(params.output);
      unfolding.output.sizes[0] = images;
      unfolding.output.sizes[1] = unfolding.output.sizes[1] / params.input.sizes[1] * channels;
      unfold = planner(unfolding, options);
    }
  };

  int64_t element_bytes_;
  Layout image_;
  Layout columns_;
  int64_t images_;
  int64_t channels_;
  Part full_;
  Part rest_;
};

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
  if (!channels_last || window < kFewElements || params.output.sizes.back() * window < positions) {
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
  return std::make_shared<const ChannelsLastBody>(params, options, images, channels, planner);
}

}  // namespace weft::ops
