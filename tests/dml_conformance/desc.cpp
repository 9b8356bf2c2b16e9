#include "dml_conformance/desc.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weft::conformance {

namespace {

using rapidjson::Value;

const Value& field(const Value& object, const char* name) {
  const auto entry = object.FindMember(name);
  if (entry == object.MemberEnd()) throw std::runtime_error(std::string("no field ") + name);
  return entry->value;
}

FLOAT number(const Value& object, const char* name) {
  return static_cast<FLOAT>(field(object, name).GetDouble());
}

// The value of a field whose text is one of two names.
template <class Enum>
Enum one_of(const Value& object, const char* name, const char* first, Enum first_value,
            const char* second, Enum second_value) {
  const std::string_view text = field(object, name).GetString();
  if (text == first) return first_value;
  if (text == second) return second_value;
  throw std::runtime_error(std::string(name) + " is " + std::string(text));
}

// Functions whose desc is two tensors and then at most two floats, as that of LINEAR is.
struct Function {
  std::string_view name;
  DML_OPERATOR_TYPE type;
  const char* first = nullptr;
  const char* second = nullptr;
};

constexpr Function kFunctions[] = {
    {"ACTIVATION_CELU", DML_OPERATOR_ACTIVATION_CELU, "Alpha"},
    {"ACTIVATION_ELU", DML_OPERATOR_ACTIVATION_ELU, "Alpha"},
    {"ACTIVATION_GELU", DML_OPERATOR_ACTIVATION_GELU},
    {"ACTIVATION_HARD_SIGMOID", DML_OPERATOR_ACTIVATION_HARD_SIGMOID, "Alpha", "Beta"},
    {"ACTIVATION_IDENTITY", DML_OPERATOR_ACTIVATION_IDENTITY},
    {"ACTIVATION_LEAKY_RELU", DML_OPERATOR_ACTIVATION_LEAKY_RELU, "Alpha"},
    {"ACTIVATION_LINEAR", DML_OPERATOR_ACTIVATION_LINEAR, "Alpha", "Beta"},
    {"ACTIVATION_PARAMETRIC_SOFTPLUS", DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS, "Alpha",
     "Beta"},
    {"ACTIVATION_RELU", DML_OPERATOR_ACTIVATION_RELU},
    {"ACTIVATION_SCALED_ELU", DML_OPERATOR_ACTIVATION_SCALED_ELU, "Alpha", "Gamma"},
    {"ACTIVATION_SCALED_TANH", DML_OPERATOR_ACTIVATION_SCALED_TANH, "Alpha", "Beta"},
    {"ACTIVATION_SHRINK", DML_OPERATOR_ACTIVATION_SHRINK, "Bias", "Threshold"},
    {"ACTIVATION_SIGMOID", DML_OPERATOR_ACTIVATION_SIGMOID},
    {"ACTIVATION_SOFTPLUS", DML_OPERATOR_ACTIVATION_SOFTPLUS, "Steepness"},
    {"ACTIVATION_SOFTSIGN", DML_OPERATOR_ACTIVATION_SOFTSIGN},
    {"ACTIVATION_TANH", DML_OPERATOR_ACTIVATION_TANH},
    {"ACTIVATION_THRESHOLDED_RELU", DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, "Alpha"},
};

}  // namespace

Desc::Desc(const Case& test, bool owned) : test_(test) {
  if (test.operator_name == "CONVOLUTION") {
    make_convolution(owned);
    operator_ = {DML_OPERATOR_CONVOLUTION, &convolution_};
  } else if (test.operator_name == "UNFOLD") {
    make_windows();
    operator_ = {DML_OPERATOR_UNFOLD, &windows_};
  } else if (test.operator_name == "FOLD") {
    make_windows();
    fold_ = {windows_.InputTensor,  windows_.OutputTensor, windows_.DimensionCount,
             windows_.WindowSizes,  windows_.Strides,      windows_.Dilations,
             windows_.StartPadding, windows_.EndPadding};
    operator_ = {DML_OPERATOR_FOLD, &fold_};
  } else if (test.operator_name == "RESAMPLE2") {
    make_resample();
    operator_ = {DML_OPERATOR_RESAMPLE2, &resample_};
  } else {
    throw std::runtime_error("unknown operator " + test.operator_name);
  }
}

const DML_TENSOR_DESC* Desc::tensor(const Tensor& tensor, DML_TENSOR_FLAGS flags) {
  DML_BUFFER_TENSOR_DESC& buffer = buffers_.emplace_back();
  // The loader's numbers are DirectML's.
  buffer.DataType = static_cast<DML_TENSOR_DATA_TYPE>(tensor.desc.data_type);
  buffer.Flags = flags;
  buffer.DimensionCount = static_cast<UINT>(tensor.desc.sizes.size());
  buffer.Sizes = numbers(tensor.desc.sizes);
  if (!tensor.desc.strides.empty()) buffer.Strides = numbers(tensor.desc.strides);
  buffer.TotalTensorSizeInBytes = tensor.desc.total_size_in_bytes;
  tensors_.push_back({DML_TENSOR_TYPE_BUFFER, &buffer});
  return &tensors_.back();
}

const UINT* Desc::numbers(std::vector<UINT> values) {
  numbers_.push_back(std::move(values));
  return numbers_.back().data();
}

const UINT* Desc::numbers(const char* name) {
  std::vector<UINT> values;
  for (const Value& value : field(test_.desc(), name).GetArray()) values.push_back(value.GetUint());
  return numbers(std::move(values));
}

const FLOAT* Desc::floats(const char* name) {
  std::vector<FLOAT>& values = floats_.emplace_back();
  for (const Value& value : field(test_.desc(), name).GetArray()) {
    values.push_back(static_cast<FLOAT>(value.GetDouble()));
  }
  return values.data();
}

const DML_OPERATOR_DESC* Desc::activation(const Value& value) {
  const std::string_view type = field(value, "Type").GetString();
  if (type == "ELEMENT_WISE_CLIP") {
    clip_.Min = number(value, "Min");
    clip_.Max = number(value, "Max");
    if (value.HasMember("ScaleBias")) {
      scale_bias_ = {number(value["ScaleBias"], "Scale"), number(value["ScaleBias"], "Bias")};
      clip_.ScaleBias = &scale_bias_;
    }
    fused_ = {DML_OPERATOR_ELEMENT_WISE_CLIP, &clip_};
    return &fused_;
  }
  for (const Function& function : kFunctions) {
    if (function.name != type) continue;
    if (function.first) function_.Alpha = number(value, function.first);
    if (function.second) function_.Beta = number(value, function.second);
    fused_ = {function.type, &function_};
    return &fused_;
  }
  throw std::runtime_error("unknown activation " + std::string(type));
}

void Desc::make_convolution(bool owned) {
  const DML_TENSOR_FLAGS weights = owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE;
  const Value& desc = test_.desc();
  DML_CONVOLUTION_OPERATOR_DESC& d = convolution_;
  d.InputTensor = tensor(test_.inputs.at(0), DML_TENSOR_FLAG_NONE);
  d.FilterTensor = tensor(test_.inputs.at(1), weights);
  if (test_.inputs.size() > 2) d.BiasTensor = tensor(test_.inputs[2], weights);
  d.OutputTensor = tensor(test_.output, DML_TENSOR_FLAG_NONE);
  d.Mode = one_of(desc, "Mode", "CONVOLUTION", DML_CONVOLUTION_MODE_CONVOLUTION,
                  "CROSS_CORRELATION", DML_CONVOLUTION_MODE_CROSS_CORRELATION);
  d.Direction = one_of(desc, "Direction", "FORWARD", DML_CONVOLUTION_DIRECTION_FORWARD, "BACKWARD",
                       DML_CONVOLUTION_DIRECTION_BACKWARD);
  d.DimensionCount = field(desc, "Strides").Size();
  d.Strides = numbers("Strides");
  d.Dilations = numbers("Dilations");
  d.StartPadding = numbers("StartPadding");
  d.EndPadding = numbers("EndPadding");
  d.OutputPadding = numbers("OutputPadding");
  d.GroupCount = field(desc, "GroupCount").GetUint();
  const Value& fused = field(desc, "FusedActivation");
  if (!fused.IsNull()) d.FusedActivation = activation(fused);
}

void Desc::make_windows() {
  windows_.InputTensor = tensor(test_.inputs.at(0), DML_TENSOR_FLAG_NONE);
  windows_.OutputTensor = tensor(test_.output, DML_TENSOR_FLAG_NONE);
  windows_.DimensionCount = field(test_.desc(), "WindowSizes").Size();
  windows_.WindowSizes = numbers("WindowSizes");
  windows_.Strides = numbers("Strides");
  windows_.Dilations = numbers("Dilations");
  windows_.StartPadding = numbers("StartPadding");
  windows_.EndPadding = numbers("EndPadding");
}

void Desc::make_resample() {
  const Value& desc = test_.desc();
  DML_RESAMPLE2_OPERATOR_DESC& d = resample_;
  d.InputTensor = tensor(test_.inputs.at(0), DML_TENSOR_FLAG_NONE);
  d.OutputTensor = tensor(test_.output, DML_TENSOR_FLAG_NONE);
  d.InterpolationMode =
      one_of(desc, "InterpolationMode", "NEAREST_NEIGHBOR", DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR,
             "LINEAR", DML_INTERPOLATION_MODE_LINEAR);
  d.RoundingDirection =
      one_of(desc, "RoundingDirection", "INCREASING", DML_AXIS_DIRECTION_INCREASING, "DECREASING",
             DML_AXIS_DIRECTION_DECREASING);
  d.DimensionCount = field(desc, "Scales").Size();
  d.Scales = floats("Scales");
  d.InputPixelOffsets = floats("InputPixelOffsets");
  d.OutputPixelOffsets = floats("OutputPixelOffsets");
}

}  // namespace weft::conformance
