#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "json_output.h"
#include "model_reader.h"
#include "operator_reader.h"
#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

// The families of operators, in the order of OperatorParams: convolution, fold, unfold, resample,
// element-wise.
constexpr std::string_view kFamilies = "cfure";

// An operator option, and the families that take it.
struct OperandOption {
  std::string_view flag;
  std::string_view operators;
};
constexpr OperandOption operand_options[] = {
    {"--input", "cure"},  {"--filter", "c"},          {"--output", "f"},
    {"--window", "fu"},   {"--strides", "cfu"},       {"--dilations", "cfu"},
    {"--padding", "cfu"}, {"--start-padding", "cfu"}, {"--end-padding", "cfu"},
    {"--groups", "c"},    {"--output-padding", "c"},  {"--direction", "c"},
    {"--scales", "r"}};
constexpr std::string_view required_options[] = {"--input", "--filter", "--output", "--window",
                                                 "--scales"};

bool given(const ShapeOptions& options, std::string_view flag) {
  return std::find(options.given.begin(), options.given.end(), flag) != options.given.end();
}

void check_options(const ShapeOptions& options, char family, std::string_view operator_name) {
  std::vector<Problem> problems;
  for (const auto& [flag, operators] : operand_options) {
    const bool is_given = given(options, flag);
    const bool taken = operators.find(family) != std::string_view::npos;
    const bool required = std::find(std::begin(required_options), std::end(required_options),
                                    flag) != std::end(required_options);
    if (is_given && !taken) {
      problems.push_back({std::string(flag), fmt::format("{} does not take it", operator_name)});
    } else if (taken && required && !is_given) {
      problems.push_back(
          {std::string(flag), fmt::format("is missing: {} needs it", operator_name)});
    }
  }
  if (given(options, "--padding") &&
      (given(options, "--start-padding") || given(options, "--end-padding"))) {
    problems.push_back({"--padding",
                        "stands for --start-padding and --end-padding; give one or "
                        "the other"});
  }
  if (!problems.empty()) throw BadInput(std::move(problems));
}

// One number stands for all spatial dimensions.
Dims spread(const Dims& values, std::size_t count) {
  return values.size() == 1 ? Dims(count, values[0]) : values;
}

// The fields that convolutions and windows share.
template <class Params>
void set_windows(Params& params, const Operands& operands, std::size_t spatial) {
  params.strides = spread(operands.strides, spatial);
  params.dilations = spread(operands.dilations, spatial);
  const bool both = !operands.padding.empty();
  params.start_padding = spread(both ? operands.padding : operands.start_padding, spatial);
  params.end_padding = spread(both ? operands.padding : operands.end_padding, spatial);
}

std::size_t spatial_rank(const Dims& image) { return image.size() > 2 ? image.size() - 2 : 1; }

// The sizes of the output; of FOLD, which has several outputs for one input, those of the input.
Dims infer_sizes(ConvolutionParams& params, const Operands& operands) {
  const std::size_t spatial = spatial_rank(operands.input);
  params.input.sizes = operands.input;
  params.filter.sizes = operands.filter;
  params.direction = operands.direction == "forward" ? ConvolutionDirection::forward
                                                     : ConvolutionDirection::backward;
  params.output_padding = spread(operands.output_padding, spatial);
  params.group_count = operands.groups;
  set_windows(params, operands, spatial);
  return output_sizes(params);
}

Dims infer_sizes(FoldParams& params, const Operands& operands) {
  const std::size_t spatial = spatial_rank(operands.output);
  params.output.sizes = operands.output;
  params.window_sizes = spread(operands.window, spatial);
  set_windows(params, operands, spatial);
  return input_sizes(params);
}

Dims infer_sizes(UnfoldParams& params, const Operands& operands) {
  const std::size_t spatial = spatial_rank(operands.input);
  params.input.sizes = operands.input;
  params.window_sizes = spread(operands.window, spatial);
  set_windows(params, operands, spatial);
  return output_sizes(params);
}

Dims infer_sizes(ResampleParams& params, const Operands& operands) {
  params.input.sizes = operands.input;
  params.scales = operands.scales;
  return output_sizes(params);
}

Dims infer_sizes(ElementWiseParams& params, const Operands& operands) {
  params.input.sizes = operands.input;
  params.function.alpha = params.function.beta = 1;  // which all operators take
  return output_sizes(params);
}

void shape_of_operator(OperatorType type, const ShapeOptions& options, bool json_wanted) {
  if (!options.name.empty()) throw BadInput(options.name, "only a model has named operators");
  OperatorParams params = empty_params(type);
  check_options(options, kFamilies[params.index()], name(type));
  const Dims sizes = std::visit([&](auto& p) { return infer_sizes(p, options.operands); }, params);
  if (!json_wanted) {
    fmt::print("{}\n", fmt::join(sizes, ","));
    return;
  }
  JsonOutput json;
  json.key("operator").text(name(type));
  json.key("tensor").text(type == OperatorType::fold ? "InputTensor" : "OutputTensor");
  json.key("sizes").dims(sizes);
  json.print();
}

void print_tensors(const Dispatchable& dispatchable) {
  fmt::print("{}: {}\n", dispatchable.name, weft::name(type_of(*dispatchable.params)));
  for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
    if (tensor.desc == nullptr) continue;
    fmt::print("  {:<13} {:<8} {}\n", tensor.name, weft::name(tensor.desc->data_type),
               shape_text(tensor.desc->sizes));
  }
}

void write_tensors(JsonOutput& json, const Dispatchable& dispatchable) {
  json.start_object();
  json.key("name").text(dispatchable.name);
  json.key("operator").text(weft::name(type_of(*dispatchable.params)));
  json.key("tensors").start_object();
  for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
    if (tensor.desc == nullptr) continue;
    json.key(tensor.name).start_object();
    json.key("data_type").text(weft::name(tensor.desc->data_type));
    json.key("sizes").dims(tensor.desc->sizes);
    json.key("size_in_bytes").number(minimum_size_in_bytes(*tensor.desc).value_or(0));
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

void shape_of_model(const ShapeOptions& options, bool json_wanted) {
  for (const OperandOption& option : operand_options) {
    if (!given(options, option.flag)) continue;
    throw BadInput(std::string(option.flag), "describes an operator, not a model");
  }
  Model model = read_model(options.target, {});
  if (!model.problems.empty()) throw BadInput(std::move(model.problems));
  std::vector<const Dispatchable*> wanted;
  std::vector<std::string_view> names;
  for (const Dispatchable& each : model.dispatchables) {
    names.push_back(each.name);
    if (options.name.empty() || each.name == options.name) wanted.push_back(&each);
  }
  if (wanted.empty() && !options.name.empty()) {
    throw BadInput(
        model.place("/dispatchables"),
        fmt::format("there is no {}{}", quote(options.name), suggestion(options.name, names)));
  }
  if (!json_wanted) {
    for (const Dispatchable* each : wanted) print_tensors(*each);
    return;
  }
  JsonOutput json;
  json.key("dispatchables").start_array();
  for (const Dispatchable* each : wanted) write_tensors(json, *each);
  json.end_array();
  json.print();
}

}  // namespace

int shape(const ShapeOptions& options, bool json) {
  std::error_code error;
  if (const auto type = parse_operator_type(upper_case(options.target))) {
    shape_of_operator(*type, options, json);
  } else if (options.target.empty() || std::filesystem::exists(options.target, error) || error) {
    shape_of_model(options, json);
  } else {
    throw BadInput("", fmt::format("{} is neither a file nor an operator{}", quote(options.target),
                                   known_operators(options.target)));
  }
  return kDone;
}

}  // namespace weft::cli
