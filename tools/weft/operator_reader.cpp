#include "operator_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "text.h"

namespace weft::cli {

namespace {

// Fields that are wrong leave their default behind: read_operator() drops the params then.
class DescReader {
 public:
  explicit DescReader(const JsonValue& desc) : object_(desc) {}

  void tensor(std::string_view name, TensorDesc& target);
  void optional_tensor(std::string_view name, std::optional<TensorDesc>& target);
  // Returns whether the sizes have to be inferred.
  bool output_tensor(TensorDesc& target);

  // DimensionCount (RESAMPLE: ScaleCount), which says how long the arrays after it are.
  void dimension_count(std::string_view name = "DimensionCount");
  void array(std::string_view name, Dims& target);
  void array(std::string_view name, std::vector<float>& target);

  void whole(std::string_view name, std::uint32_t& target);
  void number(std::string_view name, float& target);
  void boolean(std::string_view name, bool& target);

  // An enumeration whose values are the positions of `names`.
  template <class Enum>
  void one_of(std::string_view name, std::span<const std::string_view> names,
              std::string_view prefix, Enum& target) {
    const auto field = object_.required(name);
    const auto index = field ? field->one_of(names, prefix) : std::nullopt;
    if (index) target = static_cast<Enum>(*index);
  }

  // The numbers of an activation's desc, whose type is set.
  void activation(Activation& target);
  void fused_activation(std::optional<Activation>& target);

  JsonObject& object() { return object_; }
  void finish() { object_.finish(); }

 private:
  void check_length(const JsonValue& field, std::size_t length) const;

  JsonObject object_;
  std::string_view count_name_;
  std::optional<std::uint64_t> count_;
};

enum class Sizes { required, may_be_inferred };

// Both return whether Sizes is there.
bool read_buffer_tensor(JsonObject& object, Sizes sizes_rule, TensorDesc& target) {
  static constexpr std::string_view kTypes[] = {
      "UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16", "UINT8", "INT32",
      "INT16",   "INT8",    "FLOAT64", "UINT64", "INT64",  "UINT4", "INT4"};
  static constexpr std::string_view kFlags[] = {"NONE", "OWNED_BY_DML"};
  if (const auto field = object.required("DataType")) {
    const auto index = field->one_of(kTypes, "DML_TENSOR_DATA_TYPE_");
    if (index) target.data_type = static_cast<DataType>(*index);
  }
  if (const auto field = object.optional("Flags")) {
    target.owned_by_dml = (field->flags(kFlags, "DML_TENSOR_FLAG_") & 1u) != 0;
  }
  const auto sizes =
      sizes_rule == Sizes::required ? object.required("Sizes") : object.optional("Sizes");
  if (sizes) target.sizes = sizes->whole_array().value_or(Dims{});
  if (const auto field = object.optional("DimensionCount")) {
    const auto count = field->whole(0, UINT32_MAX);
    if (count && !sizes) field->fail("must be left out where Sizes is");
    if (count && sizes && sizes->is_array() && *count != sizes->size()) {
      field->fail_value(fmt::format("{}: the length of Sizes", sizes->size()));
    }
  }
  if (const auto field = object.optional("Strides")) {
    target.strides = field->whole_array().value_or(Dims{});
  }
  if (const auto field = object.optional("TotalTensorSizeInBytes")) {
    target.total_size_in_bytes = field->whole(0, UINT64_MAX).value_or(0);
  }
  if (const auto field = object.optional("GuaranteedBaseOffsetAlignment")) {
    target.guaranteed_base_offset_alignment =
        static_cast<std::uint32_t>(field->whole(0, UINT32_MAX).value_or(0));
  }
  object.finish();
  return sizes.has_value();
}

// A DML_TENSOR_DESC: {"Type": "BUFFER", "Desc": {...}}, or the fields of the buffer's desc inline.
bool read_tensor(const JsonValue& value, Sizes sizes_rule, TensorDesc& target) {
  static constexpr std::string_view kTypes[] = {"BUFFER"};
  JsonObject object(value);
  if (!object.ok()) return false;
  if (const auto type = object.optional("Type")) type->one_of(kTypes, "DML_TENSOR_TYPE_");
  const auto desc = object.find("Desc");
  if (!desc) return read_buffer_tensor(object, sizes_rule, target);
  object.finish();
  JsonObject inner(*desc);
  return inner.ok() && read_buffer_tensor(inner, sizes_rule, target);
}

void DescReader::tensor(std::string_view name, TensorDesc& target) {
  if (const auto field = object_.required(name)) read_tensor(*field, Sizes::required, target);
}

void DescReader::optional_tensor(std::string_view name, std::optional<TensorDesc>& target) {
  if (const auto field = object_.optional(name)) {
    read_tensor(*field, Sizes::required, target.emplace());
  }
}

bool DescReader::output_tensor(TensorDesc& target) {
  const auto field = object_.required("OutputTensor");
  return field && !read_tensor(*field, Sizes::may_be_inferred, target);
}

void DescReader::dimension_count(std::string_view name) {
  count_name_ = name;
  if (const auto field = object_.required(name)) count_ = field->whole(0, UINT32_MAX);
}

void DescReader::check_length(const JsonValue& field, std::size_t length) const {
  if (!count_ || length == *count_) return;
  field.fail(fmt::format("has {}, must have {}: {}",
                         length == 1 ? "1 entry" : fmt::format("{} entries", length), *count_,
                         count_name_));
}

void DescReader::array(std::string_view name, Dims& target) {
  const auto field = object_.required(name);
  if (!field) return;
  auto values = field->whole_array();
  if (!values) return;
  check_length(*field, values->size());
  target = std::move(*values);
}

void DescReader::array(std::string_view name, std::vector<float>& target) {
  const auto field = object_.required(name);
  if (!field) return;
  auto values = field->number_array();
  if (!values) return;
  check_length(*field, values->size());
  target = std::move(*values);
}

void DescReader::whole(std::string_view name, std::uint32_t& target) {
  if (const auto field = object_.required(name)) {
    target = static_cast<std::uint32_t>(field->whole(0, UINT32_MAX).value_or(0));
  }
}

void DescReader::number(std::string_view name, float& target) {
  if (const auto field = object_.required(name)) target = field->number().value_or(0);
}

void DescReader::boolean(std::string_view name, bool& target) {
  if (const auto field = object_.required(name)) target = field->boolean().value_or(false);
}

void DescReader::activation(Activation& target) {
  const auto names = activation_field_names(target.type);
  if (!names[0].empty()) number(names[0], target.alpha);
  if (!names[1].empty()) number(names[1], target.beta);
  const bool takes_scale_bias = target.type == OperatorType::element_wise_identity ||
                                target.type == OperatorType::element_wise_clip;
  if (!takes_scale_bias) return;
  if (const auto field = object_.optional("ScaleBias")) {
    DescReader scale_bias(*field);
    if (!scale_bias.object().ok()) return;
    ScaleBias& values = target.scale_bias.emplace();
    scale_bias.number("Scale", values.scale);
    scale_bias.number("Bias", values.bias);
    scale_bias.finish();
  }
}

void DescReader::fused_activation(std::optional<Activation>& target) {
  const auto field = object_.optional("FusedActivation");
  if (!field) return;
  DescReader reader(*field);
  if (!reader.object().ok()) return;
  const auto type_field = reader.object().required("Type");
  const auto name = type_field ? type_field->string() : std::nullopt;
  if (!name) return;
  const auto type = parse_operator_type(*name);
  if (!type || !is_fusable(*type)) {
    std::vector<std::string_view> names;
    for (const OperatorType each : all_operator_types()) {
      if (is_fusable(each)) names.push_back(weft::name(each));
    }
    return type_field->fail_value("one of " + join(names) + suggestion(*name, names));
  }
  target.emplace().type = *type;
  if (const auto desc = reader.object().find("Desc")) {
    reader.finish();
    DescReader inner(*desc);
    inner.activation(*target);
    inner.finish();
  } else {
    reader.activation(*target);
    reader.finish();
  }
}

bool read(DescReader& reader, ConvolutionParams& params) {
  static constexpr std::string_view kModes[] = {"CONVOLUTION", "CROSS_CORRELATION"};
  static constexpr std::string_view kDirections[] = {"FORWARD", "BACKWARD"};
  reader.tensor("InputTensor", params.input);
  reader.tensor("FilterTensor", params.filter);
  reader.optional_tensor("BiasTensor", params.bias);
  const bool infer = reader.output_tensor(params.output);
  reader.one_of("Mode", kModes, "DML_CONVOLUTION_MODE_", params.mode);
  reader.one_of("Direction", kDirections, "DML_CONVOLUTION_DIRECTION_", params.direction);
  reader.dimension_count();
  reader.array("Strides", params.strides);
  reader.array("Dilations", params.dilations);
  reader.array("StartPadding", params.start_padding);
  reader.array("EndPadding", params.end_padding);
  reader.array("OutputPadding", params.output_padding);
  reader.whole("GroupCount", params.group_count);
  reader.fused_activation(params.fused_activation);
  return infer;
}

template <class WindowParams>  // FOLD and UNFOLD have the same fields
bool read(DescReader& reader, WindowParams& params) {
  reader.tensor("InputTensor", params.input);
  const bool infer = reader.output_tensor(params.output);
  reader.dimension_count();
  reader.array("WindowSizes", params.window_sizes);
  reader.array("Strides", params.strides);
  reader.array("Dilations", params.dilations);
  reader.array("StartPadding", params.start_padding);
  reader.array("EndPadding", params.end_padding);
  return infer;
}

bool read(DescReader& reader, ResampleParams& params) {
  static constexpr std::string_view kModes[] = {"NEAREST_NEIGHBOR", "LINEAR"};
  static constexpr std::string_view kDirections[] = {"INCREASING", "DECREASING"};
  reader.tensor("InputTensor", params.input);
  const bool infer = reader.output_tensor(params.output);
  reader.one_of("InterpolationMode", kModes, "DML_INTERPOLATION_MODE_", params.interpolation_mode);
  const bool rounds =
      params.type == OperatorType::resample2 || params.type == OperatorType::resample3;
  if (rounds) {
    reader.one_of("RoundingDirection", kDirections, "DML_AXIS_DIRECTION_",
                  params.rounding_direction);
  }
  const bool first = params.type == OperatorType::resample;
  reader.dimension_count(first ? "ScaleCount" : "DimensionCount");
  reader.array("Scales", params.scales);
  if (!first) {
    reader.array("InputPixelOffsets", params.input_pixel_offsets);
    reader.array("OutputPixelOffsets", params.output_pixel_offsets);
  }
  if (params.type == OperatorType::resample3) reader.boolean("Antialiased", params.antialiased);
  return infer;
}

bool read(DescReader& reader, ElementWiseParams& params) {
  reader.tensor("InputTensor", params.input);
  const bool infer = reader.output_tensor(params.output);
  reader.activation(params.function);
  return infer;
}

// Returns whether nothing is wrong.
template <class Params>
bool infer_output(const JsonValue& desc, Params& params) try {
  if constexpr (std::is_same_v<Params, FoldParams>) {
    desc.fail(
        "field \"Sizes\" of OutputTensor is missing: several sizes of FOLD's output fit the "
        "same input");
    return false;
  } else {
    params.output.sizes = output_sizes(params);
    return true;
  }
} catch (const Error&) {
  for (const Problem& problem : problems_of_exception()) desc.fail(problem.text());
  return false;
}

}  // namespace

OperatorParams empty_params(OperatorType type) {
  switch (type) {
    case OperatorType::convolution:
      return ConvolutionParams{};
    case OperatorType::fold:
      return FoldParams{};
    case OperatorType::unfold:
      return UnfoldParams{};
    case OperatorType::resample:
    case OperatorType::resample1:
    case OperatorType::resample2:
    case OperatorType::resample3:
      return ResampleParams{.type = type};
    default:
      return ElementWiseParams{.function = {.type = type}};
  }
}

std::string known_operators(std::string_view text) {
  std::string wanted = upper_case(text);
  constexpr std::string_view kPrefix = "DML_OPERATOR_";
  if (wanted.starts_with(kPrefix)) wanted.erase(0, kPrefix.size());
  std::vector<std::string_view> names;
  for (const OperatorType type : all_operator_types()) names.push_back(name(type));
  // "relu" is nearer to ACTIVATION_RELU than its letters say.
  for (const std::string_view prefix : {"ACTIVATION_", "ELEMENT_WISE_"}) {
    const std::string whole = std::string(prefix) + wanted;
    if (std::find(names.begin(), names.end(), whole) != names.end()) wanted = whole;
  }
  return fmt::format("{}; Weft has {}", suggestion(wanted, names), join(names));
}

std::optional<OperatorParams> read_operator(OperatorType type, const JsonValue& desc) {
  const std::size_t failures = desc.file().failures();
  DescReader reader(desc);
  if (!reader.object().ok()) return std::nullopt;
  OperatorParams params = empty_params(type);
  const bool infer = std::visit([&](auto& p) { return read(reader, p); }, params);
  reader.finish();
  if (desc.file().failures() != failures) return std::nullopt;
  if (infer && !std::visit([&](auto& p) { return infer_output(desc, p); }, params)) {
    return std::nullopt;
  }
  for (const Violation& violation : validate(params)) desc.fail(violation.text());
  if (desc.file().failures() != failures) return std::nullopt;
  return params;
}

}  // namespace weft::cli
