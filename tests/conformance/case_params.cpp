#include "conformance/case_params.h"

#include <stdexcept>

namespace weft::conformance {

namespace {

using rapidjson::Value;

const Value& field(const Value& object, const char* name) {
  const auto entry = object.FindMember(name);
  if (entry == object.MemberEnd()) throw std::runtime_error(std::string("no field ") + name);
  return entry->value;
}

Dims dims(const Value& desc, const char* name) {
  Dims result;
  for (const Value& value : field(desc, name).GetArray()) result.push_back(value.GetUint());
  return result;
}

std::vector<float> floats(const Value& desc, const char* name) {
  std::vector<float> result;
  for (const Value& value : field(desc, name).GetArray()) {
    result.push_back(static_cast<float>(value.GetDouble()));
  }
  return result;
}

// The index of a field's text among an enumeration's names, in the order of its values.
template <class Enum>
Enum enumeration(const Value& desc, const char* name, const char* first, const char* second) {
  const std::string text = field(desc, name).GetString();
  if (text != first && text != second) throw std::runtime_error(std::string(name) + " is " + text);
  return text == first ? Enum{0} : Enum{1};
}

Activation activation(const Value& value) {
  Activation result;
  const std::optional<OperatorType> type = parse_operator_type(field(value, "Type").GetString());
  if (!type) throw std::runtime_error("unknown activation");
  result.type = *type;
  const auto names = activation_field_names(*type);
  float* const fields[] = {&result.alpha, &result.beta};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    *fields[i] = static_cast<float>(field(value, std::string(names[i]).c_str()).GetDouble());
  }
  if (const auto entry = value.FindMember("ScaleBias"); entry != value.MemberEnd()) {
    result.scale_bias = ScaleBias{static_cast<float>(field(entry->value, "Scale").GetDouble()),
                                  static_cast<float>(field(entry->value, "Bias").GetDouble())};
  }
  return result;
}

ConvolutionParams convolution(const Case& test) {
  const Value& desc = test.desc();
  ConvolutionParams params;
  params.input = test.inputs.at(0).desc;
  params.filter = test.inputs.at(1).desc;
  if (test.inputs.size() > 2) params.bias = test.inputs[2].desc;
  params.output = test.output.desc;
  params.mode = enumeration<ConvolutionMode>(desc, "Mode", "CONVOLUTION", "CROSS_CORRELATION");
  params.direction = enumeration<ConvolutionDirection>(desc, "Direction", "FORWARD", "BACKWARD");
  params.strides = dims(desc, "Strides");
  params.dilations = dims(desc, "Dilations");
  params.start_padding = dims(desc, "StartPadding");
  params.end_padding = dims(desc, "EndPadding");
  params.output_padding = dims(desc, "OutputPadding");
  params.group_count = field(desc, "GroupCount").GetUint();
  if (const Value& fused = field(desc, "FusedActivation"); !fused.IsNull()) {
    params.fused_activation = activation(fused);
  }
  return params;
}

// FOLD and UNFOLD have the same fields.
template <class Params>
Params windows(const Case& test) {
  const Value& desc = test.desc();
  return {.input = test.inputs.at(0).desc,
          .output = test.output.desc,
          .window_sizes = dims(desc, "WindowSizes"),
          .strides = dims(desc, "Strides"),
          .dilations = dims(desc, "Dilations"),
          .start_padding = dims(desc, "StartPadding"),
          .end_padding = dims(desc, "EndPadding")};
}

ResampleParams resample(const Case& test) {
  const Value& desc = test.desc();
  ResampleParams params;
  params.input = test.inputs.at(0).desc;
  params.output = test.output.desc;
  params.interpolation_mode =
      enumeration<InterpolationMode>(desc, "InterpolationMode", "NEAREST_NEIGHBOR", "LINEAR");
  params.rounding_direction =
      enumeration<AxisDirection>(desc, "RoundingDirection", "INCREASING", "DECREASING");
  params.scales = floats(desc, "Scales");
  params.input_pixel_offsets = floats(desc, "InputPixelOffsets");
  params.output_pixel_offsets = floats(desc, "OutputPixelOffsets");
  return params;
}

}  // namespace

OperatorParams params_of(const Case& test) {
  if (test.operator_name == "CONVOLUTION") return convolution(test);
  if (test.operator_name == "FOLD") return windows<FoldParams>(test);
  if (test.operator_name == "UNFOLD") return windows<UnfoldParams>(test);
  if (test.operator_name == "RESAMPLE2") return resample(test);
  throw std::runtime_error("unknown operator " + test.operator_name);
}

}  // namespace weft::conformance
