// The descriptions that oneDNN wants of an operator.

#include <algorithm>
#include <cmath>
#include <variant>

#include "bench/onednn_ways.h"

namespace weft::cli::bench {

namespace {

constexpr dnnl_format_tag_t kPacked[] = {
    dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};

dnnl_data_type_t data_type(DataType type) {
  switch (type) {
    case DataType::float32:
      return dnnl_f32;
    case DataType::int8:
      return dnnl_s8;
    case DataType::uint8:
      return dnnl_u8;
    default:
      return dnnl_data_type_undef;
  }
}

dnnl_memory_desc_t packed(const OnednnLibrary& library, const std::vector<std::int64_t>& sizes,
                          dnnl_data_type_t type) {
  dnnl_memory_desc_t result = {};
  library.check(
      library.functions().memory_desc_init_by_tag(&result, static_cast<int>(sizes.size()),
                                                  sizes.data(), type, kPacked[sizes.size()]),
      "layout");
  return result;
}

std::vector<std::int64_t> wide(const Dims& sizes) { return {sizes.begin(), sizes.end()}; }

class ConvolutionOperator : public DnnlOperator {
 public:
  ConvolutionOperator(const OnednnLibrary& library, const ConvolutionParams& params)
      : backward_(params.direction == ConvolutionDirection::backward),
        relu_(params.fused_activation.has_value()) {
    input = packed(library, wide(params.input.sizes), dnnl_f32);
    output = packed(library, wide(params.output.sizes), dnnl_f32);
    if (params.bias) bias = packed(library, {params.output.sizes[1]}, dnnl_f32);
    describe_filter(library, params);
    for (std::size_t d = 0; d < params.strides.size(); ++d) {
      strides_[d] = params.strides[d];
      dilations_[d] = params.dilations[d] - 1;  // it counts the holes
      start_[d] = params.start_padding[d];
      // BACKWARD: it computes what OutputPadding adds, where DirectML has zeros.
      end_[d] = std::int64_t{params.end_padding[d]} - (backward_ ? params.output_padding[d] : 0);
    }
  }

  DnnlPrimitiveDesc primitive_desc(const OnednnLibrary& library, const dnnl_memory_desc_t& in,
                                   const dnnl_memory_desc_t& out, bool winograd) const override {
    dnnl_memory_desc_t any_filter = {};
    const auto& f = library.functions();
    library.check(f.memory_desc_init_by_tag(&any_filter, filter.ndims, filter.dims, dnnl_f32,
                                            dnnl_format_tag_any),
                  "layout");
    const auto kind = backward_
                          ? (winograd ? dnnl_deconvolution_winograd : dnnl_deconvolution_direct)
                          : (winograd ? dnnl_convolution_winograd : dnnl_convolution_direct);
    dnnl_convolution_desc_t desc = {};  // deconvolutions share it
    const auto init = backward_ ? f.deconvolution_desc_init : f.convolution_desc_init;
    const dnnl_status_t status =
        init(&desc, dnnl_forward_inference, kind, &in, &any_filter,
             bias.ndims == 0 ? nullptr : &bias, &out, strides_, dilations_, start_, end_);
    if (!library.has(status, "convolution")) return {nullptr, nullptr};
    return library.primitive_desc(&desc, relu_);
  }

 private:
  // (groups,) output channels, input channels, window. BACKWARD's filter lies with the input's
  // channels outside.
  void describe_filter(const OnednnLibrary& library, const ConvolutionParams& params) {
    const std::int64_t groups = params.group_count;
    std::vector<std::int64_t> sizes = wide(params.filter.sizes);
    std::int64_t inner = 1;
    for (std::size_t d = 1; d < sizes.size(); ++d) inner *= sizes[d];
    std::vector<std::int64_t> strides(sizes.size());
    strides[0] = inner;
    for (std::size_t d = 1; d < sizes.size(); ++d) strides[d] = inner /= sizes[d];
    sizes[0] /= groups;
    if (backward_) {
      std::swap(sizes[0], sizes[1]);
      std::swap(strides[0], strides[1]);
    }
    if (groups > 1) {
      strides.insert(strides.begin(), strides[backward_ ? 1 : 0] * sizes[backward_ ? 1 : 0]);
      sizes.insert(sizes.begin(), groups);
    }
    library.check(
        library.functions().memory_desc_init_by_strides(&filter, static_cast<int>(sizes.size()),
                                                        sizes.data(), dnnl_f32, strides.data()),
        "layout");
  }

  bool backward_;
  bool relu_;
  dnnl_dims_t strides_ = {}, dilations_ = {}, start_ = {}, end_ = {};
};

class ResamplingOperator : public DnnlOperator {
 public:
  ResamplingOperator(const OnednnLibrary& library, const ResampleParams& params,
                     const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out)
      : linear_(params.interpolation_mode == InterpolationMode::linear) {
    const dnnl_data_type_t type = data_type(params.input.data_type);
    input = packed(library, in, type);
    output = packed(library, out, type);
  }

  DnnlPrimitiveDesc primitive_desc(const OnednnLibrary& library, const dnnl_memory_desc_t& in,
                                   const dnnl_memory_desc_t& out, bool winograd) const override {
    if (winograd) return {nullptr, nullptr};
    dnnl_resampling_desc_t desc = {};
    const auto kind = linear_ ? dnnl_resampling_linear : dnnl_resampling_nearest;
    const dnnl_status_t status = library.functions().resampling_desc_init(
        &desc, dnnl_forward_inference, kind, nullptr, &in, &out);
    if (!library.has(status, "resampling")) return {nullptr, nullptr};
    return library.primitive_desc(&desc, false);
  }

 private:
  bool linear_;
};

// Batch, channels and up to three dimensions that are scaled: what is not scaled becomes batch and
// channels. Empty where that cannot be.
std::vector<std::int64_t> as_image(const Dims& sizes, std::size_t unscaled) {
  std::vector<std::int64_t> result = wide(sizes);
  while (unscaled > 2) {
    result[0] *= result[1];
    result.erase(result.begin() + 1);
    --unscaled;
  }
  result.insert(result.begin(), 2 - unscaled, 1);
  return result;
}

// Its source positions are (o + 0.5) / scale - 0.5: of the centre, or of the nearest element, which
// for whole scales is floor(o / scale).
bool has_same_positions(const ResampleParams& params, std::size_t d) {
  const double ratio = static_cast<double>(params.output.sizes[d]) / params.input.sizes[d];
  if (std::abs(params.scales[d] - ratio) > 1e-6 * ratio) return false;
  if (ratio == 1) return params.input_pixel_offsets[d] == -params.output_pixel_offsets[d];
  if (params.interpolation_mode == InterpolationMode::linear) {
    return params.input_pixel_offsets[d] == 0.5f && params.output_pixel_offsets[d] == -0.5f;
  }
  return params.rounding_direction == AxisDirection::decreasing && ratio == std::floor(ratio) &&
         params.input_pixel_offsets[d] == 0 && params.output_pixel_offsets[d] == 0;
}

std::unique_ptr<DnnlOperator> resampling(const OnednnLibrary& library,
                                         const ResampleParams& params) {
  const std::size_t rank = params.input.sizes.size();
  std::size_t unscaled = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!has_same_positions(params, d)) return nullptr;
    if (unscaled == d && params.input.sizes[d] == params.output.sizes[d]) ++unscaled;
  }
  if (data_type(params.input.data_type) == dnnl_data_type_undef) return nullptr;
  if (unscaled == rank || rank - unscaled > 3) return nullptr;
  return std::make_unique<ResamplingOperator>(library, params,
                                              as_image(params.input.sizes, unscaled),
                                              as_image(params.output.sizes, unscaled));
}

bool any_of(const Dims& values) {
  return std::any_of(values.begin(), values.end(), [](auto value) { return value != 0; });
}

}  // namespace

std::unique_ptr<DnnlOperator> onednn_operator(const OnednnLibrary& library, const Task& task) {
  if (const auto* const p = std::get_if<ConvolutionParams>(&task.shape.params)) {
    const bool forward = p->direction == ConvolutionDirection::forward;
    if (p->input.data_type != DataType::float32 || (forward && any_of(p->output_padding)) ||
        p->mode != ConvolutionMode::cross_correlation) {
      return nullptr;
    }
    return std::make_unique<ConvolutionOperator>(library, *p);
  }
  const auto* const p = std::get_if<ResampleParams>(&task.shape.params);
  return p == nullptr ? nullptr : resampling(library, *p);
}

}  // namespace weft::cli::bench
