#include "weft/convolution.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ops/activation.h"
#include "ops/checker.h"
#include "ops/convolution_plan.h"

namespace weft {

namespace {

using ops::Checker;

bool is_backward(const ConvolutionParams& params) {
  return params.direction == ConvolutionDirection::backward;
}

std::uint32_t entry(const Dims& values, std::size_t d, std::uint32_t fallback) {
  return values.empty() ? fallback : values[d];
}

// The rules that tie channels, groups and the filter together.
void check_channels(Checker& check, const ConvolutionParams& params) {
  const std::uint64_t groups = params.group_count;
  const std::uint64_t in_channels = params.input.sizes[1];
  const std::uint64_t filter_batch = params.filter.sizes[0];
  const std::uint64_t filter_channels = params.filter.sizes[1];
  const std::string group_text = "GroupCount " + std::to_string(groups);
  const auto divisible = [&](std::string_view field, std::size_t index, std::uint64_t value) {
    if (value % groups == 0) return;
    check.fail(field, index, std::to_string(value), "a multiple of " + std::to_string(groups),
               group_text);
  };
  if (is_backward(params)) {
    check.equal("FilterTensor.Sizes", 0, filter_batch, in_channels,
                "InputTensor.Sizes[1], the input channels of a BACKWARD convolution");
    divisible("InputTensor.Sizes", 1, in_channels);
  } else {
    divisible("FilterTensor.Sizes", 0, filter_batch);
    if (in_channels % groups != 0) {
      divisible("InputTensor.Sizes", 1, in_channels);
    } else {
      check.equal("FilterTensor.Sizes", 1, filter_channels, in_channels / groups,
                  "InputTensor.Sizes[1] " + std::to_string(in_channels) + " / " + group_text);
    }
  }
}

// In the form of messages: "InputTensor.Sizes[2] 5, window 3, stride 1, dilation 1, padding 1+1".
std::string axis_text(const ConvolutionParams& params, std::size_t d) {
  return "InputTensor.Sizes[" + std::to_string(d + 2) + "] " +
         std::to_string(params.input.sizes[d + 2]) + ", window " +
         std::to_string(params.filter.sizes[d + 2]) + ", stride " +
         std::to_string(entry(params.strides, d, 1)) + ", dilation " +
         std::to_string(entry(params.dilations, d, 1)) + ", padding " +
         std::to_string(entry(params.start_padding, d, 0)) + "+" +
         std::to_string(entry(params.end_padding, d, 0)) + ", output padding " +
         std::to_string(entry(params.output_padding, d, 0));
}

// Size of the output along one spatial dimension (BACKWARD: the smallest), or nothing when there
// is none; then a violation says why.
std::optional<std::uint32_t> output_size(Checker& check, const ConvolutionParams& params,
                                         std::size_t d) {
  const std::uint64_t in = params.input.sizes[d + 2];
  const std::uint64_t window = params.filter.sizes[d + 2];
  const std::uint64_t stride = entry(params.strides, d, 1);
  const std::uint64_t dilation = entry(params.dilations, d, 1);
  const std::uint64_t start = entry(params.start_padding, d, 0);
  const std::uint64_t end = entry(params.end_padding, d, 0);
  const std::uint64_t tail = entry(params.output_padding, d, 0);
  __int128 size = 0;
  if (is_backward(params)) {
    const __int128 full =
        static_cast<__int128>(in - 1) * stride + static_cast<__int128>(window - 1) * dilation + 1;
    // Padding may crop everything; an output has at least one element all the same.
    size = std::max<__int128>(full - start - end, 1) + tail;
  } else {
    const auto windows = ops::window_count(in, window, stride, dilation, start, end);
    if (!windows) {
      const std::uint64_t most = (in + start + end - 1) / dilation + 1;
      check.fail("FilterTensor.Sizes", d + 2, std::to_string(window),
                 "at most " + std::to_string(most),
                 "the window has to fit the padded input (" + axis_text(params, d) + ")");
      return std::nullopt;
    }
    size = static_cast<__int128>(*windows) + tail;
  }
  if (size > UINT32_MAX) {
    check.fail("OutputPadding", d, std::to_string(tail), "such that the output fits 32 bits",
               "the output's size (" + axis_text(params, d) + ")");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(size);
}

// Checks everything but the output; returns its sizes when they are defined.
std::optional<Dims> check_inputs(Checker& check, const ConvolutionParams& params) {
  const std::size_t rank = params.input.sizes.size();
  bool good = check.tensor("InputTensor", params.input, Checker::Role::input);
  good &= check.tensor("FilterTensor", params.filter, Checker::Role::input);
  check.same_type("FilterTensor", params.filter, "InputTensor", params.input);
  bool good_bias = false;
  if (params.bias) {
    good_bias = check.tensor("BiasTensor", *params.bias, Checker::Role::input);
    check.same_type("BiasTensor", *params.bias, "InputTensor", params.input);
  }
  const auto same_rank = [&](const char* field, const TensorDesc& desc) {
    check.equal(std::string(field) + ".DimensionCount", {}, desc.sizes.size(), rank,
                "InputTensor has as many");
    return desc.sizes.size() == rank;
  };
  if (good) good &= same_rank("FilterTensor", params.filter);
  if (good_bias) good_bias = same_rank("BiasTensor", *params.bias);

  if (params.mode > ConvolutionMode::cross_correlation) {
    check.fail("Mode", {}, std::to_string(static_cast<unsigned>(params.mode)),
               "CONVOLUTION (0) or CROSS_CORRELATION (1)", "");
  }
  if (params.direction > ConvolutionDirection::backward) {
    check.fail("Direction", {}, std::to_string(static_cast<unsigned>(params.direction)),
               "FORWARD (0) or BACKWARD (1)", "");
  }
  const std::size_t spatial = rank >= 2 ? rank - 2 : 0;
  good &= check.array("Strides", params.strides, spatial, 1);
  good &= check.array("Dilations", params.dilations, spatial, 1);
  good &= check.array("StartPadding", params.start_padding, spatial, 0);
  good &= check.array("EndPadding", params.end_padding, spatial, 0);
  good &= check.array("OutputPadding", params.output_padding, spatial, 0);
  if (params.group_count == 0) {
    check.fail("GroupCount", {}, "0", ">= 1", "");
    good = false;
  }
  if (params.fused_activation) {
    ops::check_activation(check, "FusedActivation", *params.fused_activation, true);
  }
  if (!good) return std::nullopt;

  check_channels(check, params);
  const std::uint64_t out_channels =
      is_backward(params) ? std::uint64_t{params.filter.sizes[1]} * params.group_count
                          : params.filter.sizes[0];
  if (out_channels > UINT32_MAX) {
    check.fail("GroupCount", {}, std::to_string(params.group_count),
               "such that the output channels fit 32 bits",
               "FilterTensor.Sizes[1] * GroupCount output channels");
    return std::nullopt;
  }
  if (good_bias) {
    for (std::size_t d = 0; d < rank; ++d) {
      check.equal("BiasTensor.Sizes", d, params.bias->sizes[d], d == 1 ? out_channels : 1,
                  d == 1 ? "one bias an output channel" : "a bias has channels only");
    }
  }
  Dims sizes{params.input.sizes[0], static_cast<std::uint32_t>(out_channels)};
  for (std::size_t d = 0; d < spatial; ++d) {
    if (const auto size = output_size(check, params, d)) sizes.push_back(*size);
  }
  if (sizes.size() != rank) return std::nullopt;
  return sizes;
}

}  // namespace

std::vector<Violation> validate(const ConvolutionParams& params) {
  Checker check(OperatorType::convolution);
  const std::optional<Dims> right = check_inputs(check, params);
  const bool good = check.tensor("OutputTensor", params.output, Checker::Role::output);
  check.same_type("OutputTensor", params.output, "InputTensor", params.input);
  if (!good || !right) return check.take();

  const Dims& sizes = params.output.sizes;
  check.equal("OutputTensor.DimensionCount", {}, sizes.size(), right->size(),
              "InputTensor has as many");
  if (sizes.size() != right->size()) return check.take();
  check.equal("OutputTensor.Sizes", 0, sizes[0], (*right)[0], "InputTensor.Sizes[0], the batch");
  check.equal("OutputTensor.Sizes", 1, sizes[1], (*right)[1],
              is_backward(params) ? "FilterTensor.Sizes[1] * GroupCount"
                                  : "FilterTensor.Sizes[0], the output channels");
  for (std::size_t d = 2; d < sizes.size(); ++d) {
    const std::string rule = axis_text(params, d - 2);
    if (!is_backward(params)) {
      check.equal("OutputTensor.Sizes", d, sizes[d], (*right)[d], rule);
    } else if (sizes[d] < (*right)[d]) {
      check.fail("OutputTensor.Sizes", d, std::to_string(sizes[d]),
                 "at least " + std::to_string((*right)[d]), rule);
    }
  }
  return check.take();
}

Dims output_sizes(const ConvolutionParams& params) {
  Checker check(OperatorType::convolution);
  const std::optional<Dims> sizes = check_inputs(check, params);
  ops::throw_if_any(check.take());
  return *sizes;
}

Plan plan(const ConvolutionParams& params, const PlanOptions& options) {
  ops::throw_if_any(validate(params));
  return Plan(std::make_shared<ops::ConvolutionPlan>(params, options));
}

void convolution(const ConvolutionParams& params, ConstBuffer input, ConstBuffer filter,
                 ConstBuffer bias, Buffer output) {
  const ConstBuffer inputs[] = {input, filter, bias};
  plan(params).run({.inputs = inputs, .outputs = {&output, 1}});
}

}  // namespace weft
