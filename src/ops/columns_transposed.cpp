#include "ops/columns_transposed.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/sliding_window.h"

namespace weft::ops {

namespace {

using std::int64_t;

// Packed columns are read again from the second-level cache; those of large images from the third.
constexpr std::uint64_t kWantedBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;

// Of a block's elements, as long as there are channels: less would leave most of a line to later.
constexpr std::uint64_t kLeastRunBytes = 256;

// FOLD adds rows of windows as long as that where they lie. Overlapping tiles of 64x64 took as long
// either way, frames of 1024 a fifth more time turned over.
constexpr std::uint32_t kLongRow = 64;

// Fewer blocks, or elements of one, are turned over as fast where they lie.
constexpr std::uint32_t kFew = 8;

const TensorDesc& image_of(const UnfoldParams& params) { return params.input; }
const TensorDesc& image_of(const FoldParams& params) { return params.output; }
const TensorDesc& columns_of(const UnfoldParams& params) { return params.output; }
const TensorDesc& columns_of(const FoldParams& params) { return params.input; }

template <class Params>
constexpr bool kUnfolds = std::is_same_v<Params, UnfoldParams>;

template <class Params>
class TransposedBody final : public PlanBody {
 public:
  // So many images and channels of each at a time; several images only with all channels.
  TransposedBody(const Params& params, const PlanOptions& options, std::uint32_t images,
                 std::uint32_t channels, const WindowPlanner<Params>& planner)
      : element_bytes_(byte_size(columns_of(params).data_type)),
        image_(layout_of(image_of(params))),
        columns_(layout_of(last_three(columns_of(params)))),
        images_(images),
        channels_(channels),
        full_(params, options, images, channels, planner) {
    if (const std::uint32_t rest = image_of(params).sizes[1] % channels; rest != 0) {
      rest_ = Part(params, options, images, rest, planner);
    }
    type = kUnfolds<Params> ? OperatorType::unfold : OperatorType::fold;
    algorithm = full_.windows->algorithm;
    explanation = "turns over the columns of " + std::to_string(images * channels) +
                  (images * channels == 1 ? " channel" : " channels") + " at a time, each time " +
                  full_.windows->explanation;
    inputs = {kUnfolds<Params> ? image_of(params) : columns_of(params)};
    outputs = {kUnfolds<Params> ? columns_of(params) : image_of(params)};
    packed_bytes_ = base::round_up(full_.bytes, base::kWorkspaceAlignment);
    workspace_size_in_bytes =
        packed_bytes_ + std::max(full_.windows->workspace_size_in_bytes,
                                 rest_.windows ? rest_.windows->workspace_size_in_bytes : 0);
  }

  void run(const RunArguments& arguments) const noexcept override {
    auto* const input = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* const output = static_cast<std::byte*>(arguments.outputs[0]);
    std::byte* const memory = arguments.workspace + packed_bytes_;
    const int64_t window = columns_.sizes[1] / image_.sizes[1];
    for (int64_t n = 0; n < image_.sizes[0]; n += images_) {
      for (int64_t c = 0; c < image_.sizes[1]; c += channels_) {
        const Part& part = c + channels_ <= image_.sizes[1] ? full_ : rest_;
        const int64_t image = (n * image_.strides[0] + c * image_.strides[1]) * element_bytes_;
        const int64_t columns =
            (n * columns_.strides[0] + c * window * columns_.strides[1]) * element_bytes_;
        const void* from = input + (kUnfolds<Params> ? image : columns);
        void* to = output + (kUnfolds<Params> ? columns : image);
        void* packed = arguments.workspace;
        const void* const filled = packed;
        if constexpr (kUnfolds<Params>) {
          part.windows->run({&from, &packed, nullptr, memory});
          part.turn->run({&filled, &to, nullptr, nullptr});
        } else {
          part.turn->run({&from, &packed, nullptr, nullptr});
          part.windows->run({&filled, &to, nullptr, memory});
        }
      }
    }
  }

 private:
  // Some channels of some images.
  struct Part {
    std::shared_ptr<const PlanBody> windows, turn;
    std::uint64_t bytes = 0;  // of packed columns

    Part() = default;
    Part(const Params& params, const PlanOptions& options, std::uint32_t images,
         std::uint32_t channels, const WindowPlanner<Params>& planner) {
      TensorDesc image = image_of(params);
      TensorDesc lying = last_three(columns_of(params));
      const std::uint32_t window = lying.sizes[1] / image.sizes[1];
      image.sizes[0] = lying.sizes[0] = images;
      image.sizes[1] = channels;
      image.total_size_in_bytes = 0;
      lying.sizes[1] = channels * window;
      lying.total_size_in_bytes = 0;
      const TensorDesc packed = {.data_type = lying.data_type, .sizes = lying.sizes};
      bytes = *element_count(packed.sizes) * byte_size(packed.data_type);
      Params part = params;
      part.input = kUnfolds<Params> ? image : packed;
      part.output = kUnfolds<Params> ? packed : image;
      windows = planner(part, options);
      turn = copy_plan(kUnfolds<Params> ? OperatorType::unfold : OperatorType::fold,
                       layout_of(kUnfolds<Params> ? packed : lying),
                       layout_of(kUnfolds<Params> ? lying : packed), lying.data_type, options);
    }
  };

  int64_t element_bytes_;
  Layout image_;
  Layout columns_;
  int64_t images_;  // a divisor of the batch
  int64_t channels_;
  Part full_;
  Part rest_;
  std::uint64_t packed_bytes_ = 0;
};

template <class Params>
std::shared_ptr<const PlanBody> make(const Params& params, const PlanOptions& options,
                                     const WindowPlanner<Params>& planner) {
  const TensorDesc& columns = columns_of(params);
  if (columns.strides.empty()) return planner(params, options);
  const std::size_t last = columns.sizes.size() - 1;
  const std::uint32_t blocks = columns.sizes[last], elements = columns.sizes[last - 1];
  if (columns.strides[last - 1] != 1 || columns.strides[last] < elements || blocks < kFew ||
      elements < kFew) {
    return planner(params, options);
  }
  if (!kUnfolds<Params> && params.window_sizes.back() >= kLongRow) return planner(params, options);
  const std::uint32_t all = image_of(params).sizes[1];
  const std::uint64_t element_bytes = byte_size(columns.data_type);
  const std::uint64_t channel_run = elements / all * element_bytes;
  const std::uint64_t channel_bytes = channel_run * blocks;
  const std::uint64_t least = base::divide_up(kLeastRunBytes, channel_run);
  const auto channels = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max(kWantedBytes / channel_bytes, least), 1, all));
  if (channels * channel_bytes > kMostBytes) return planner(params, options);
  const std::uint32_t batch = image_of(params).sizes[0];
  std::uint32_t images = 1;
  if (channels == all) {
    images = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(kWantedBytes / (channels * channel_bytes), 1, batch));
    while (batch % images != 0) --images;
  }
  return std::make_shared<const TransposedBody<Params>>(params, options, images, channels, planner);
}

}  // namespace

std::shared_ptr<const PlanBody> columns_transposed(const UnfoldParams& params,
                                                   const PlanOptions& options,
                                                   const WindowPlanner<UnfoldParams>& planner) {
  return make(params, options, planner);
}

std::shared_ptr<const PlanBody> columns_transposed(const FoldParams& params,
                                                   const PlanOptions& options,
                                                   const WindowPlanner<FoldParams>& planner) {
  return make(params, options, planner);
}

}  // namespace weft::ops
