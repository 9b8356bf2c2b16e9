#include "dml/read_operator.h"

#include <string>
#include <type_traits>

#include "dml/desc_reader.h"

namespace weft::dml {

namespace {

ConvolutionParams read(DescReader& reader, const DML_CONVOLUTION_OPERATOR_DESC& desc) {
  ConvolutionParams params;
  reader.tensor("InputTensor", desc.InputTensor, params.input);
  reader.tensor("FilterTensor", desc.FilterTensor, params.filter);
  reader.optional_tensor("BiasTensor", desc.BiasTensor, params.bias);
  reader.tensor("OutputTensor", desc.OutputTensor, params.output);
  params.mode = static_cast<ConvolutionMode>(raw(desc.Mode));
  params.direction = static_cast<ConvolutionDirection>(raw(desc.Direction));
  reader.dimension_count("DimensionCount", desc.DimensionCount, 3);
  reader.array("Strides", desc.Strides, params.strides);
  reader.array("Dilations", desc.Dilations, params.dilations);
  reader.array("StartPadding", desc.StartPadding, params.start_padding);
  reader.array("EndPadding", desc.EndPadding, params.end_padding);
  reader.array("OutputPadding", desc.OutputPadding, params.output_padding);
  params.group_count = desc.GroupCount;
  reader.fused_activation(desc.FusedActivation, params.fused_activation);
  return params;
}

template <class Params, class Desc>  // FOLD and UNFOLD have the same fields
Params read_window(DescReader& reader, const Desc& desc) {
  Params params;
  reader.tensor("InputTensor", desc.InputTensor, params.input);
  reader.tensor("OutputTensor", desc.OutputTensor, params.output);
  reader.dimension_count("DimensionCount", desc.DimensionCount, 6);
  reader.array("WindowSizes", desc.WindowSizes, params.window_sizes);
  reader.array("Strides", desc.Strides, params.strides);
  reader.array("Dilations", desc.Dilations, params.dilations);
  reader.array("StartPadding", desc.StartPadding, params.start_padding);
  reader.array("EndPadding", desc.EndPadding, params.end_padding);
  return params;
}

FoldParams read(DescReader& reader, const DML_FOLD_OPERATOR_DESC& desc) {
  return read_window<FoldParams>(reader, desc);
}

UnfoldParams read(DescReader& reader, const DML_UNFOLD_OPERATOR_DESC& desc) {
  return read_window<UnfoldParams>(reader, desc);
}

template <class Desc>  // RESAMPLE and its kin; each has some of the fields
ResampleParams read_resample(DescReader& reader, const Desc& desc, OperatorType type) {
  ResampleParams params{.type = type};
  reader.tensor("InputTensor", desc.InputTensor, params.input);
  reader.tensor("OutputTensor", desc.OutputTensor, params.output);
  params.interpolation_mode = static_cast<InterpolationMode>(raw(desc.InterpolationMode));
  if constexpr (requires { desc.RoundingDirection; }) {
    params.rounding_direction = static_cast<AxisDirection>(raw(desc.RoundingDirection));
  }
  if constexpr (requires { desc.ScaleCount; }) {
    reader.dimension_count("ScaleCount", desc.ScaleCount, 4);
  } else {
    reader.dimension_count("DimensionCount", desc.DimensionCount, 4);
  }
  reader.array("Scales", desc.Scales, params.scales);
  if constexpr (requires { desc.InputPixelOffsets; }) {
    reader.array("InputPixelOffsets", desc.InputPixelOffsets, params.input_pixel_offsets);
    reader.array("OutputPixelOffsets", desc.OutputPixelOffsets, params.output_pixel_offsets);
  }
  if constexpr (requires { desc.Antialiased; }) params.antialiased = desc.Antialiased != FALSE;
  return params;
}

ResampleParams read(DescReader& reader, const DML_RESAMPLE_OPERATOR_DESC& desc) {
  return read_resample(reader, desc, OperatorType::resample);
}

ResampleParams read(DescReader& reader, const DML_RESAMPLE1_OPERATOR_DESC& desc) {
  return read_resample(reader, desc, OperatorType::resample1);
}

ResampleParams read(DescReader& reader, const DML_RESAMPLE2_OPERATOR_DESC& desc) {
  return read_resample(reader, desc, OperatorType::resample2);
}

ResampleParams read(DescReader& reader, const DML_RESAMPLE3_OPERATOR_DESC& desc) {
  return read_resample(reader, desc, OperatorType::resample3);
}

// The tensors of every element-wise desc come first.
ElementWiseParams read_element_wise(DescReader& reader, OperatorType type, const void* desc) {
  ElementWiseParams params{.function = {.type = type}};
  const auto& tensors = *static_cast<const DML_ACTIVATION_IDENTITY_OPERATOR_DESC*>(desc);
  reader.tensor("InputTensor", tensors.InputTensor, params.input);
  reader.tensor("OutputTensor", tensors.OutputTensor, params.output);
  reader.activation(desc, params.function);
  return params;
}

template <class Desc>
OperatorParams read_as(DescReader& reader, const void* desc) {
  return read(reader, *static_cast<const Desc*>(desc));
}

OperatorParams read(DescReader& reader, OperatorType type, const void* desc) {
  switch (type) {
    case OperatorType::convolution:
      return read_as<DML_CONVOLUTION_OPERATOR_DESC>(reader, desc);
    case OperatorType::fold:
      return read_as<DML_FOLD_OPERATOR_DESC>(reader, desc);
    case OperatorType::unfold:
      return read_as<DML_UNFOLD_OPERATOR_DESC>(reader, desc);
    case OperatorType::resample:
      return read_as<DML_RESAMPLE_OPERATOR_DESC>(reader, desc);
    case OperatorType::resample1:
      return read_as<DML_RESAMPLE1_OPERATOR_DESC>(reader, desc);
    case OperatorType::resample2:
      return read_as<DML_RESAMPLE2_OPERATOR_DESC>(reader, desc);
    case OperatorType::resample3:
      return read_as<DML_RESAMPLE3_OPERATOR_DESC>(reader, desc);
    default:
      return read_element_wise(reader, type, desc);
  }
}

[[noreturn]] void fail(ErrorCode code, std::string field, std::string value, std::string right,
                       std::string rule) {
  throw Error(code, {{"DML_OPERATOR_DESC", std::move(field), std::nullopt, std::move(value),
                      std::move(rule), std::move(right)}});
}

}  // namespace

OperatorParams read_operator(const DML_OPERATOR_DESC* desc) {
  if (!desc) throw Error(ErrorCode::invalid_argument, "desc is null, must be a DML_OPERATOR_DESC");
  const std::uint32_t number = raw(desc->Type);
  const auto type = static_cast<OperatorType>(number);
  const std::string_view known = name(type);
  if (known == "INVALID") {
    fail(ErrorCode::invalid_argument, "Type", std::to_string(number), "a DML_OPERATOR_TYPE", "");
  }
  if (operator_support(type).data_types.empty()) {
    fail(ErrorCode::unsupported, "Type", std::string(known), "",
         "Weft does not have this operator");
  }
  if (!desc->Desc) {
    fail(ErrorCode::invalid_argument, "Desc", "null",
         "a DML_" + std::string(known) + "_OPERATOR_DESC", "");
  }
  DescReader reader(known);
  OperatorParams params = read(reader, type, desc->Desc);
  reader.finish();
  if (auto violations = validate(params); !violations.empty()) {
    throw Error(ErrorCode::invalid_argument, std::move(violations));
  }
  return params;
}

}  // namespace weft::dml
