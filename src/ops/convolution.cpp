#include "weft/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "ops/activation.h"
#include "ops/checker.h"
#include "ops/convolution_depth.h"
#include "ops/convolution_direct.h"
#include "ops/convolution_fold.h"
#include "ops/convolution_packed.h"
#include "ops/convolution_pairs.h"
#include "ops/convolution_phases.h"
#include "ops/convolution_plan.h"
#include "ops/convolution_product.h"
#include "ops/convolution_split.h"
#include "ops/convolution_winograd.h"

namespace weft {

namespace {

using ops::Checker;

bool is_backward(const ConvolutionParams& params) {
  return params.direction == ConvolutionDirection::backward;
}

// One spatial dimension, defaults filled in.
struct Axis {
  std::size_t index;  // in the arrays; 2 less than in the sizes
  std::uint64_t in, window, stride, dilation, start, end, tail;

  // In the form of messages.
  std::string text() const {
    return "InputTensor.Sizes[" + std::to_string(index + 2) + "] " + std::to_string(in) +
           ", window " + std::to_string(window) + ", stride " + std::to_string(stride) +
           ", dilation " + std::to_string(dilation) + ", padding " + std::to_string(start) + "+" +
           std::to_string(end) + ", output padding " + std::to_string(tail);
  }
};

// The lengths of all arrays have been checked.
std::vector<Axis> axes_of(const ConvolutionParams& params) {
  const std::size_t count = params.input.sizes.size() - 2;
  const Dims strides = ops::or_default(params.strides, count, 1);
  const Dims dilations = ops::or_default(params.dilations, count, 1);
  const Dims start_padding = ops::or_default(params.start_padding, count, 0);
  const Dims end_padding = ops::or_default(params.end_padding, count, 0);
  const Dims output_padding = ops::or_default(params.output_padding, count, 0);
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < count; ++d) {
    axes.push_back({d, params.input.sizes[d + 2], params.filter.sizes[d + 2], strides[d],
                    dilations[d], start_padding[d], end_padding[d], output_padding[d]});
  }
  return axes;
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

// A parameter that makes an output too large, as messages name it.
struct Cause {
  std::string_view field;
  std::size_t index;
  std::uint64_t value;
};

// Of what adds up to the size without output padding, the larger part; in what can be lowered.
Cause cause_of_size(const Axis& axis, bool backward) {
  if (!backward) {
    if (axis.start >= axis.end) return {"StartPadding", axis.index, axis.start};
    return {"EndPadding", axis.index, axis.end};
  }
  if ((axis.in - 1) * axis.stride >= (axis.window - 1) * axis.dilation) {
    if (axis.stride > 1) return {"Strides", axis.index, axis.stride};
    return {"InputTensor.Sizes", axis.index + 2, axis.in};
  }
  if (axis.dilation > 1) return {"Dilations", axis.index, axis.dilation};
  return {"FilterTensor.Sizes", axis.index + 2, axis.window};
}

// Size of the output along one spatial dimension (BACKWARD: the smallest), or nothing when there
// is none; then a violation says why.
std::optional<std::uint32_t> output_size(Checker& check, const Axis& axis, bool backward) {
  __int128 convolved = 0;
  if (backward) {
    const __int128 full = static_cast<__int128>(axis.in - 1) * axis.stride +
                          static_cast<__int128>(axis.window - 1) * axis.dilation + 1;
    // Padding may crop everything; an output has at least one element all the same.
    convolved = std::max<__int128>(full - axis.start - axis.end, 1);
  } else {
    const auto windows =
        ops::window_count(axis.in, axis.window, axis.stride, axis.dilation, axis.start, axis.end);
    if (!windows) {
      const std::uint64_t most = (axis.in + axis.start + axis.end - 1) / axis.dilation + 1;
      check.fail("FilterTensor.Sizes", axis.index + 2, std::to_string(axis.window),
                 "at most " + std::to_string(most),
                 "the window has to fit the padded input (" + axis.text() + ")");
      return std::nullopt;
    }
    convolved = *windows;
  }
  const __int128 size = convolved + axis.tail;
  if (size <= UINT32_MAX) return static_cast<std::uint32_t>(size);
  const Cause cause = convolved <= UINT32_MAX ? Cause{"OutputPadding", axis.index, axis.tail}
                                              : cause_of_size(axis, backward);
  const std::string size_text = size <= UINT64_MAX
                                    ? std::to_string(static_cast<std::uint64_t>(size))
                                    : "more than 18446744073709551615";
  check.fail(cause.field, cause.index, std::to_string(cause.value),
             "such that the output fits 32 bits",
             "OutputTensor.Sizes[" + std::to_string(axis.index + 2) + "] would be " + size_text +
                 " (" + axis.text() + ")");
  return std::nullopt;
}

// The tensors but the output, each for itself and against the input; returns whether the input and
// the filter can be worked with, and in `good_bias` whether the bias can.
bool check_tensors(Checker& check, const ConvolutionParams& params, bool& good_bias) {
  bool good = check.tensor("InputTensor", params.input, Checker::Role::input);
  good &= check.tensor("FilterTensor", params.filter, Checker::Role::input);
  check.same_type("FilterTensor", params.filter, "InputTensor", params.input);
  good_bias = false;
  if (params.bias) {
    good_bias = check.tensor("BiasTensor", *params.bias, Checker::Role::input);
    check.same_type("BiasTensor", *params.bias, "InputTensor", params.input);
  }
  const auto rank = check.rank(params.input);
  const auto same_rank = [&](const char* field, const TensorDesc& desc) {
    if (!rank) return false;
    check.equal(std::string(field) + ".DimensionCount", {}, desc.sizes.size(), *rank,
                "InputTensor has as many");
    return desc.sizes.size() == *rank;
  };
  if (good) good &= same_rank("FilterTensor", params.filter);
  if (good_bias) good_bias = same_rank("BiasTensor", *params.bias);
  return good;
}

// Everything that is no tensor; returns whether the window's way can be worked with.
bool check_parameters(Checker& check, const ConvolutionParams& params) {
  if (params.mode > ConvolutionMode::cross_correlation) {
    check.fail("Mode", {}, std::to_string(static_cast<unsigned>(params.mode)),
               "CONVOLUTION (0) or CROSS_CORRELATION (1)", "the values of DML_CONVOLUTION_MODE");
  }
  if (params.direction > ConvolutionDirection::backward) {
    check.fail("Direction", {}, std::to_string(static_cast<unsigned>(params.direction)),
               "FORWARD (0) or BACKWARD (1)", "the values of DML_CONVOLUTION_DIRECTION");
  }
  const auto rank = check.rank(params.input);
  const auto spatial = rank ? std::optional(*rank - 2) : std::nullopt;
  bool good = check.window_arrays(params.strides, params.dilations, params.start_padding,
                                  params.end_padding, spatial);
  good &= check.array("OutputPadding", params.output_padding, spatial);
  if (params.group_count == 0) {
    check.fail("GroupCount", {}, "0", ">= 1", "the channels are divided by it");
    good = false;
  }
  if (params.fused_activation) {
    ops::check_activation(check, "FusedActivation", *params.fused_activation, true);
  }
  return good;
}

// Checks everything but the output; returns its sizes when they are defined.
std::optional<Dims> check_inputs(Checker& check, const ConvolutionParams& params) {
  bool good_bias = false;
  bool good = check_tensors(check, params, good_bias);
  good &= check_parameters(check, params);
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
    for (std::size_t d = 0; d < params.bias->sizes.size(); ++d) {
      check.equal("BiasTensor.Sizes", d, params.bias->sizes[d], d == 1 ? out_channels : 1,
                  d == 1 ? "one bias an output channel" : "a bias has channels only");
    }
  }
  Dims sizes{params.input.sizes[0], static_cast<std::uint32_t>(out_channels)};
  for (const Axis& axis : axes_of(params)) {
    if (const auto size = output_size(check, axis, is_backward(params))) sizes.push_back(*size);
  }
  if (sizes.size() != params.input.sizes.size()) return std::nullopt;
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
  for (const Axis& axis : axes_of(params)) {
    const std::size_t d = axis.index + 2;
    const std::string rule = axis.text();
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
  if (sizes) check.element_limit("OutputTensor.Sizes", *sizes);
  ops::throw_if_any(check.take(), OperatorType::convolution);
  return *sizes;
}

namespace {

// One way to compute a convolution, and what it would take.
struct Way {
  std::string name;
  double seconds;  // on one core
  std::function<std::shared_ptr<ops::PlanBody>(const ConvolutionParams&, const PlanOptions&)> make;
  double margin = 1;  // by which it has to be faster than others, as it errs more
};

template <class Body>
std::shared_ptr<ops::PlanBody> make_body(const ConvolutionParams& params,
                                         const PlanOptions& options) {
  return std::make_shared<Body>(params, options);
}

bool is_faster(const Way& a, const Way& b) { return a.seconds < b.seconds; }

// One for each tile; for all phases of BACKWARD together, too. Lines that a matrix unit does not
// take, as those of so few channels that it would err too much, go by vectors, unless direct sums
// by the unit are faster than those by vectors. One core of a Xeon, 144 to 64 channels, 16x56x56,
// 3x1x1: 23.9 ms, 36.5 by direct sums of vectors.
void add_winograd(const ConvolutionParams& params, const PlanOptions& options,
                  std::vector<Way>& ways) {
  constexpr kernels::WinogradTile kErrsMost = ops::WinogradConvolution::kErrsMost;
  if (options.winograd == Winograd::never) return;
  const Isa isa = base::choose_isa(options.max_isa);
  const auto forward = ops::PhaseConvolution::as_forward(params);
  const bool may_be_by_vectors =
      isa >= Isa::amx && params.input.data_type == DataType::float32 &&
      std::min_element(ways.begin(), ways.end(), is_faster) == ways.begin();  // "gemm"
  for (const kernels::WinogradKernels& of_tile : kernels::winograd_kernels(isa)) {
    const kernels::WinogradTile tile = of_tile.tile;
    const std::string level_name = of_tile.name;
    const std::string name = level_name.substr(0, level_name.rfind('_'));
    // By vectors, 256 to 256 channels of 14 x 14: 7.9e-7, and 4.7e-7 by 2 x 4, which takes 1.11
    // times as long.
    const double margin = tile != kErrsMost ? 1 : isa < Isa::amx ? 1.1 : 1.07;
    const bool by_vectors = may_be_by_vectors && std::min(tile.rows, tile.columns) == 1;
    const auto options_of = [tile, by_vectors](const ConvolutionParams& p, PlanOptions o) {
      if (by_vectors && std::isinf(ops::WinogradConvolution::seconds(p, o, tile))) {
        o.max_isa = Isa::avx512;
      }
      return o;
    };
    const auto make = [tile, options_of](const ConvolutionParams& p, const PlanOptions& o) {
      return ops::WinogradConvolution::make(p, options_of(p, o), tile);
    };
    const auto seconds = [&](const ConvolutionParams& p) {
      return ops::WinogradConvolution::seconds(p, options_of(p, options), tile);
    };
    ways.push_back({name, seconds(params), make, margin});
    if (!forward) continue;
    ways.push_back({"phases_" + name,
                    ops::PhaseConvolution::seconds(params, *forward, seconds(*forward)),
                    [make](const ConvolutionParams& p, const PlanOptions& o) {
                      return std::make_shared<ops::PhaseConvolution>(p, o, make);
                    },
                    margin});
  }
}

// By the same algorithm along the depth alone.
void add_depth(const ConvolutionParams& params, const PlanOptions& options,
               std::vector<Way>& ways) {
  if (options.winograd == Winograd::never) return;
  for (const auto& [name, rows] : {std::pair("depth_2", 2), std::pair("depth_4", 4)}) {
    const kernels::WinogradTile tile{rows, 1};
    ways.push_back({name, ops::DepthConvolution::seconds(params, options, tile),
                    [tile](const ConvolutionParams& p, const PlanOptions& o) {
                      return std::make_shared<ops::DepthConvolution>(p, o, tile);
                    }});
  }
}

// Of the ways that suit any window and any number of channels, the one that takes the least time.
std::shared_ptr<ops::PlanBody> fastest(const ConvolutionParams& params,
                                       const PlanOptions& options) {
  std::vector<Way> ways = {
      {"gemm", ops::general_seconds(params, options), make_body<ops::ConvolutionPlan>},
      {"product", ops::ProductConvolution::seconds(params, options),
       make_body<ops::ProductConvolution>},
      {"split", ops::SplitConvolution::seconds(params, options), make_body<ops::SplitConvolution>},
      {"fold", ops::FoldConvolution::seconds(params, options), make_body<ops::FoldConvolution>}};
  add_winograd(params, options, ways);
  add_depth(params, options, ways);
  std::stable_sort(ways.begin(), ways.end(), is_faster);
  if (ways[1].seconds < ways[0].margin * ways[0].seconds) std::swap(ways[0], ways[1]);
  std::shared_ptr<ops::PlanBody> body = ways.front().make(params, options);
  body->explanation += ", estimated on one core:";
  for (const Way& way : ways) {
    if (std::isinf(way.seconds)) break;
    char text[64];
    std::snprintf(text, sizeof text, "%s %s %.0f us", &way == ways.data() ? "" : ",",
                  way.name.c_str(), way.seconds * 1e6);
    body->explanation += text;
  }
  return body;
}

// DirectConvolution takes 1.75 times general_seconds(), as measured. What is estimated to be just a
// little faster on the matrix unit is not always: a busy neighbour holds that up more than others.
constexpr double kDirect = 1.4;

std::shared_ptr<const ops::PlanBody> body_of(const ConvolutionParams& params,
                                             const PlanOptions& options) {
  if (options.strict || ops::ConvolutionPlan::reads_filter_in_place(params, options)) {
    return std::make_shared<ops::ConvolutionPlan>(params, options);
  }
  if (ops::PairsConvolution::suits(params, options)) {
    return std::make_shared<ops::PairsConvolution>(params, options);
  }
  if (ops::PhaseConvolution::suits(params, options)) {
    return std::make_shared<ops::PhaseConvolution>(params, options, body_of);
  }
  if (ops::DirectConvolution::suits(params, options)) {
    if (ops::FoldConvolution::seconds(params, options) <
        kDirect * ops::general_seconds(params, options)) {
      return std::make_shared<ops::FoldConvolution>(params, options);
    }
    return std::make_shared<ops::DirectConvolution>(params, options);
  }
  return fastest(params, options);
}

}  // namespace

Plan plan(const ConvolutionParams& params, const PlanOptions& given) {
  ops::throw_if_any(validate(params), OperatorType::convolution);
  PlanOptions options = given;
  options.strict |= base::strict_asked();
  auto packed = ops::convolution_packed(params, options, body_of);
  return Plan(packed != nullptr ? std::move(packed) : body_of(params, options));
}

void convolution(const ConvolutionParams& params, ConstBuffer input, ConstBuffer filter,
                 ConstBuffer bias, Buffer output) {
  const ConstBuffer inputs[] = {input, filter, bias};
  plan(params).run({.inputs = inputs, .outputs = {&output, 1}});
}

}  // namespace weft
