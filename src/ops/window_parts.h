#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/layout.h"
#include "ops/plan_body.h"
#include "ops/sliding_window.h"

namespace weft::ops {

// UNFOLD or FOLD of some images and channels at a time, all of one or one of the other, in two
// steps: from the input to packed memory in the workspace, and from there to the output.
class WindowParts final : public PlanBody {
 public:
  struct Part {
    std::shared_ptr<const PlanBody> first, second;
  };
  using Planner = std::function<Part(std::uint32_t images, std::uint32_t channels)>;

  WindowParts(OperatorType operator_type, const TensorDesc& image, const TensorDesc& columns,
              std::uint32_t images, std::uint32_t channels, std::uint64_t packed_bytes,
              const Planner& planner)
      : unfolds_(operator_type == OperatorType::unfold),
        element_bytes_(byte_size(image.data_type)),
        image_(layout_of(image)),
        columns_(layout_of(last_three(columns))),
        images_(images),
        channels_(channels),
        packed_bytes_(base::round_up(packed_bytes, base::kWorkspaceAlignment)),
        full_(planner(images, channels)) {
    const std::uint32_t image_rest = image.sizes[0] % images;
    const std::uint32_t channel_rest = image.sizes[1] % channels;
    if (image_rest + channel_rest != 0) {
      rest_ = planner(image_rest != 0 ? image_rest : images,
                      channel_rest != 0 ? channel_rest : channels);
    }
    type = operator_type;
    inputs = {unfolds_ ? image : columns};
    outputs = {unfolds_ ? columns : image};
    workspace_size_in_bytes = packed_bytes_ + std::max(workspace_of(full_), workspace_of(rest_));
  }

  const Part& full() const noexcept { return full_; }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* const input = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* const output = static_cast<std::byte*>(arguments.outputs[0]);
    std::byte* const memory = arguments.workspace + packed_bytes_;
    const std::int64_t window = columns_.sizes[1] / image_.sizes[1];
    for (std::int64_t n = 0; n < image_.sizes[0]; n += images_) {
      for (std::int64_t c = 0; c < image_.sizes[1]; c += channels_) {
        const bool whole = n + images_ <= image_.sizes[0] && c + channels_ <= image_.sizes[1];
        const Part& part = whole ? full_ : rest_;
        const std::int64_t image = (n * image_.strides[0] + c * image_.strides[1]) * element_bytes_;
        const std::int64_t columns =
            (n * columns_.strides[0] + c * window * columns_.strides[1]) * element_bytes_;
        const void* const from = input + (unfolds_ ? image : columns);
        void* const to = output + (unfolds_ ? columns : image);
        void* const packed = arguments.workspace;
        const void* const filled = packed;
        part.first->run({&from, &packed, nullptr, memory});
        part.second->run({&filled, &to, nullptr, memory});
      }
    }
  }

 private:
  static std::uint64_t workspace_of(const Part& part) noexcept {
    if (part.first == nullptr) return 0;
    return std::max(part.first->workspace_size_in_bytes, part.second->workspace_size_in_bytes);
  }

  bool unfolds_;
  std::int64_t element_bytes_;
  Layout image_;
  Layout columns_;
  std::int64_t images_;
  std::int64_t channels_;
  std::uint64_t packed_bytes_;
  Part full_;
  Part rest_;
};

}  // namespace weft::ops
