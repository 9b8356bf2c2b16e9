#include "ops/columns_transposed.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "base/checked.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/sliding_window.h"
#include "ops/window_parts.h"

namespace weft::ops {

namespace {

// Packed columns are read again from the second-level cache; those of large images from the third.
constexpr std::uint64_t kWantedColumnBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostColumnBytes = std::uint64_t{8} << 20;

// Of a block's elements, as long as there are channels: less would leave most of a line to later.
constexpr std::uint64_t kLeastRunBytes = 256;

// FOLD adds rows of windows as long as that where they lie. Overlapping tiles of 64x64 took as long
// either way, frames of 1024 a fifth more time turned over.
constexpr std::uint32_t kLongWindowRow = 64;

// Fewer blocks, or elements of one, are turned over as fast where they lie.
constexpr std::uint32_t kFew = 8;

const TensorDesc& image_of(const UnfoldParams& params) { return params.input; }
const TensorDesc& image_of(const FoldParams& params) { return params.output; }
const TensorDesc& columns_of(const UnfoldParams& params) { return params.output; }
const TensorDesc& columns_of(const FoldParams& params) { return params.input; }

template <class Params>
constexpr bool kUnfolds = std::is_same_v<Params, UnfoldParams>;

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
  if (!kUnfolds<Params> && params.window_sizes.back() >= kLongWindowRow)
    return planner(params, options);
  const std::uint32_t all = image_of(params).sizes[1];
  const std::uint64_t element_bytes = byte_size(columns.data_type);
  const std::uint64_t channel_run = elements / all * element_bytes;
  const std::uint64_t channel_bytes = channel_run * blocks;
  const std::uint64_t least = base::divide_up(kLeastRunBytes, channel_run);
  const auto channels = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max(kWantedColumnBytes / channel_bytes, least), 1, all));
  if (channels * channel_bytes > kMostColumnBytes) return planner(params, options);
  const std::uint32_t batch = image_of(params).sizes[0];
  std::uint32_t images = 1;
  if (channels == all) {
    images = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(kWantedColumnBytes / (channels * channel_bytes), 1, batch));
  }
  constexpr OperatorType kType = kUnfolds<Params> ? OperatorType::unfold : OperatorType::fold;
  const auto part_of = [&](std::uint32_t n, std::uint32_t c) {
    TensorDesc image = image_of(params);
    TensorDesc lying = last_three(columns);
    image.sizes[0] = lying.sizes[0] = n;
    image.sizes[1] = c;
    lying.sizes[1] = elements / all * c;
    image.total_size_in_bytes = lying.total_size_in_bytes = 0;
    const TensorDesc packed = {.data_type = lying.data_type, .sizes = lying.sizes};
    const auto turn = [&](const TensorDesc& from, const TensorDesc& to) {
      return copy_plan(kType, layout_of(from), layout_of(to), lying.data_type, options);
    };
    Params part = params;
    part.input = kUnfolds<Params> ? image : packed;
    part.output = kUnfolds<Params> ? packed : image;
    if constexpr (kUnfolds<Params>) {
      return WindowParts::Part{planner(part, options), turn(packed, lying)};
    } else {
      return WindowParts::Part{turn(lying, packed), planner(part, options)};
    }
  };
  auto body = std::make_shared<WindowParts>(kType, image_of(params), columns, images, channels,
                                            channel_bytes * images * channels, part_of);
  const PlanBody& windows = kUnfolds<Params> ? *body->full().first : *body->full().second;
  body->algorithm = windows.algorithm;
  body->explanation = "turns over the columns of " + std::to_string(images * channels) +
                      (images * channels == 1 ? " channel" : " channels") +
                      " at a time, each time " + windows.explanation;
  return body;
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
