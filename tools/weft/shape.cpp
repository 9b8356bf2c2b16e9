#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "command.h"
#include "json_output.h"
#include "model_reader.h"
#include "operator_reader.h"
#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

// What an operator on the command line is described with.
struct Operands {
  Dims input, filter, output, window, strides, dilations, padding, start_padding, end_padding,
      output_padding;
  std::vector<float> scales;
  std::uint32_t groups = 1;
  std::string direction = "forward";
};

struct Options {
  std::string target;
  std::string name;
  Operands operands;
};

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

void check_options(const CLI::App& command, char family, std::string_view operator_name) {
  std::vector<Problem> problems;
  for (const auto& [flag, operators] : operand_options) {
    const bool given = command.count(std::string(flag)) != 0;
    const bool taken = operators.find(family) != std::string_view::npos;
    const bool required = std::find(std::begin(required_options), std::end(required_options),
                                    flag) != std::end(required_options);
    if (given && !taken) {
      problems.push_back({std::string(flag), fmt::format("{} does not take it", operator_name)});
    } else if (taken && required && !given) {
      problems.push_back(
          {std::string(flag), fmt::format("is missing: {} needs it", operator_name)});
    }
  }
  if (command.count("--padding") != 0 &&
      command.count("--start-padding") + command.count("--end-padding") != 0) {
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

void shape_of_operator(const CLI::App& command, OperatorType type, const Options& options,
                       bool json_wanted) {
  if (!options.name.empty()) throw BadInput(options.name, "only a model has named operators");
  OperatorParams params = empty_params(type);
  check_options(command, kFamilies[params.index()], name(type));
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

void shape_of_model(const CLI::App& command, const Options& options, bool json_wanted) {
  for (const OperandOption& option : operand_options) {
    if (command.count(std::string(option.flag)) == 0) continue;
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

int shape(const CLI::App& command, const Options& options, bool json) {
  std::error_code error;
  if (const auto type = parse_operator_type(upper_case(options.target))) {
    shape_of_operator(command, *type, options, json);
  } else if (options.target.empty() || std::filesystem::exists(options.target, error) || error) {
    shape_of_model(command, options, json);
  } else {
    throw BadInput("", fmt::format("{} is neither a file nor an operator{}", quote(options.target),
                                   known_operators(options.target)));
  }
  return kDone;
}

}  // namespace

void add_shape(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  Operands& operands = options->operands;
  CLI::App* command =
      app.add_subcommand("shape", "Infers the output sizes of an operator, or those in a model.");
  command
      ->add_option("target", options->target,
                   "A model, or an operator by DirectML's name, in capitals or not and with or "
                   "without DML_OPERATOR_; of FOLD, the sizes of the input are inferred. "
                   "'weft info' lists the operators")
      ->required()
      ->type_name("MODEL.json|OPERATOR");
  command->add_option("name", options->name, "One dispatchable of the model; all if left out")
      ->type_name("NAME");
  const auto sizes = [&](const char* flag, Dims& target, const char* help) {
    command->add_option(flag, target, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("N,...")
        ->group("Operator");
  };
  sizes("--input", operands.input, "Sizes of the input: batch, channels, spatial ones");
  sizes("--filter", operands.filter, "Sizes of the filter (convolution)");
  sizes("--output", operands.output, "Sizes of the output (fold)");
  sizes("--window", operands.window, "Sizes of the window (fold, unfold)");
  sizes("--strides", operands.strides, "One for each spatial dimension, or one for all; else 1");
  sizes("--dilations", operands.dilations, "Likewise; else 1");
  sizes("--padding", operands.padding, "On both sides, likewise; else 0");
  sizes("--start-padding", operands.start_padding, "Before the first element, likewise; else 0");
  sizes("--end-padding", operands.end_padding, "After the last element, likewise; else 0");
  sizes("--output-padding", operands.output_padding, "Likewise (convolution); else 0");
  command->add_option("--groups", operands.groups, "Groups of channels (convolution)")
      ->type_name("N")
      ->capture_default_str()
      ->group("Operator");
  command->add_option("--direction", operands.direction, "forward or backward (convolution)")
      ->check(CLI::IsMember({"forward", "backward"}))
      ->type_name("")
      ->capture_default_str()
      ->group("Operator");
  command->add_option("--scales", operands.scales, "One for each dimension (resample)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("X,...")
      ->group("Operator");
  add_json(*command, context);
  set_examples(*command,
               {"shape examples/unfold.json", "shape examples/unfold.json unfold --json",
                "shape convolution --input 1,3,224,224 --filter 64,3,7,7 --strides 2 --padding 3",
                "shape unfold --input 1,1,5,5 --window 3,3",
                "shape fold --output 1,2,4,4 --window 3,3 --start-padding 1,0 --end-padding 1,0",
                "shape DML_OPERATOR_RESAMPLE2 --input 1,3,32,32 --scales 1,1,2,2"});
  command->callback([&context, options, command] {
    context.action = [&context, options, command] {
      return shape(*command, *options, context.json);
    };
  });
}

}  // namespace weft::cli
