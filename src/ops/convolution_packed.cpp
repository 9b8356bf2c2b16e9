#include "ops/convolution_packed.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"

namespace weft::ops {

namespace {

// Images that are packed together are read again from the third-level cache.
constexpr std::uint64_t kWantedImageBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostImageBytes = std::uint64_t{1} << 30;

// Whether elements next to each other in a row are not so in memory.
bool lies_apart(const TensorDesc& desc) {
  for (std::size_t d = desc.strides.size(); d-- > 2;) {
    if (desc.sizes[d] > 1) return desc.strides[d] != 1;
  }
  return false;
}

// Packed, a tensor with repeated elements may be much larger than its memory.
bool repeats(const TensorDesc& desc) {
  for (std::size_t d = 0; d < desc.strides.size(); ++d) {
    if (desc.sizes[d] > 1 && desc.strides[d] == 0) return true;
  }
  return false;
}

TensorDesc some_images(const TensorDesc& desc, std::uint32_t images) {
  TensorDesc result = desc;
  result.sizes[0] = images;
  result.total_size_in_bytes = 0;
  return result;
}

// How many images to pack together: a divisor of the batch, unless all are small beside what is
// wanted.
std::uint32_t images_together(std::uint32_t batch, std::uint64_t image_bytes) {
  constexpr std::uint32_t kSmall = 16;
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kWantedImageBytes / image_bytes, 1, batch));
  for (std::uint32_t images = most; images > most / kSmall; --images) {
    if (batch % images == 0) return images;
  }
  return static_cast<std::uint32_t>(base::divide_up(batch, base::divide_up(batch, most)));
}

// Of some images, what copies them to or from packed memory.
class Packing {
 public:
  Packing(const TensorDesc& all, std::uint32_t images)
      : apart_(lies_apart(all)),
        desc_(some_images(all, images)),
        batch_bytes_(layout_of(all).strides[0] * byte_size(all.data_type)) {
    packed_ = desc_;
    if (!apart_) return;
    packed_.strides.clear();
    bytes_ = base::round_up(*element_count(packed_.sizes) * byte_size(all.data_type),
                            base::kWorkspaceAlignment);
  }

  void plan_pack(const PlanOptions& options) { plan(desc_, packed_, options); }
  void plan_unpack(const PlanOptions& options) { plan(packed_, desc_, options); }

  const TensorDesc& packed() const noexcept { return packed_; }
  std::uint64_t bytes() const noexcept { return bytes_; }  // of packed memory
  std::int64_t batch_bytes() const noexcept { return batch_bytes_; }

  void copy(const void* from, void* to) const noexcept {
    copy_->run({&from, &to, nullptr, nullptr});
  }
  bool apart() const noexcept { return apart_; }

 private:
  void plan(const TensorDesc& from, const TensorDesc& to, const PlanOptions& options) {
    if (!apart_) return;
    copy_ = copy_plan(OperatorType::convolution, layout_of(from), layout_of(to), desc_.data_type,
                      options);
  }

  bool apart_;
  TensorDesc desc_;
  TensorDesc packed_;
  std::int64_t batch_bytes_;
  std::uint64_t bytes_ = 0;
  std::shared_ptr<const PlanBody> copy_;
};

class PackedConvolution final : public PlanBody {
 public:
  PackedConvolution(const ConvolutionParams& params, const PlanOptions& options,
                    std::uint32_t images, const ConvolutionPlanner& planner)
      : batch_(params.input.sizes[0]),
        images_(images),
        input_(params.input, images),
        output_(params.output, images) {
    input_.plan_pack(options);
    output_.plan_unpack(options);
    ConvolutionParams part = params;
    part.input = input_.packed();
    part.output = output_.packed();
    // The parts share what one of them would pack for itself.
    PlanOptions of_part = options;
    of_part.prepare_filter |= images < params.input.sizes[0];
    convolution_ = planner(part, of_part);
    type = OperatorType::convolution;
    algorithm = convolution_->algorithm;
    explanation = "packs " + std::to_string(images) + (images == 1 ? " image" : " images") +
                  " at a time, each time " + convolution_->explanation;
    inputs = {params.input, params.filter, params.bias};
    outputs = {params.output};
    (options.prepare_filter ? prepared_size_in_bytes : workspace_size_in_bytes) =
        base::round_up(convolution_->prepared_size_in_bytes, base::kWorkspaceAlignment);
    workspace_size_in_bytes +=
        base::round_up(convolution_->workspace_size_in_bytes, base::kWorkspaceAlignment) +
        input_.bytes() + output_.bytes();
  }

  void prepare(const void* filter, void* prepared) const noexcept override {
    convolution_->prepare(filter, prepared);
  }

  void run(const RunArguments& arguments) const noexcept override {
    std::byte* memory = arguments.workspace;
    void* const packed_input = base::take<std::byte>(memory, input_.bytes());
    void* const packed_output = base::take<std::byte>(memory, output_.bytes());
    const void* prepared = arguments.prepared;
    if (prepared_size_in_bytes == 0 && convolution_->prepared_size_in_bytes != 0) {
      auto* const own = memory;
      memory += base::round_up(convolution_->prepared_size_in_bytes, base::kWorkspaceAlignment);
      convolution_->prepare(arguments.inputs[1], own);
      prepared = own;
    }
    for (std::int64_t image = 0; image < batch_; image += images_) {
      const std::int64_t first = std::min(image, batch_ - images_);
      const auto* from =
          static_cast<const std::byte*>(arguments.inputs[0]) + first * input_.batch_bytes();
      auto* to = static_cast<std::byte*>(arguments.outputs[0]) + first * output_.batch_bytes();
      if (input_.apart()) input_.copy(from, packed_input);
      const void* const all[] = {input_.apart() ? packed_input : from, arguments.inputs[1],
                                 arguments.inputs[2]};
      void* const target = output_.apart() ? packed_output : to;
      convolution_->run({all, &target, prepared, memory});
      if (output_.apart()) output_.copy(packed_output, to);
    }
  }

 private:
  std::int64_t batch_;
  std::int64_t images_;  // at a time; the last ones may reach back over others
  Packing input_;
  Packing output_;
  std::shared_ptr<const PlanBody> convolution_;
};

}  // namespace

std::shared_ptr<const PlanBody> convolution_packed(const ConvolutionParams& params,
                                                   const PlanOptions& options,
                                                   const ConvolutionPlanner& planner) {
  if (!lies_apart(params.input) && !lies_apart(params.output)) return nullptr;
  if (repeats(params.input) || repeats(params.filter)) return nullptr;
  const std::uint32_t batch = params.input.sizes[0];
  const std::uint64_t image_bytes =
      (*element_count(params.input.sizes) + *element_count(params.output.sizes)) / batch *
      byte_size(params.input.data_type);
  if (image_bytes > kMostImageBytes) return nullptr;
  return std::make_shared<const PackedConvolution>(params, options,
                                                   images_together(batch, image_bytes), planner);
}

}  // namespace weft::ops
