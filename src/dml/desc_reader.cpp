#include "dml/desc_reader.h"

#include <utility>

namespace weft::dml {

namespace {

// A tensor has at most 8 dimensions; weft::validate() knows each operator's own limit.
constexpr UINT kMaxDimensionCount = DML_TENSOR_DIMENSION_COUNT_MAX1;

// DML_ACTIVATION_..._OPERATOR_DESC of a function with one or two parameters: every one of them has
// this layout.
using TwoNumbers = DML_ACTIVATION_LINEAR_OPERATOR_DESC;
using OneNumber = DML_ACTIVATION_ELU_OPERATOR_DESC;
using NoNumber = DML_ACTIVATION_RELU_OPERATOR_DESC;

std::optional<ScaleBias> read(const DML_SCALE_BIAS* scale_bias) {
  if (!scale_bias) return std::nullopt;
  return ScaleBias{scale_bias->Scale, scale_bias->Bias};
}

}  // namespace

void DescReader::fail(std::string_view field, std::string value, std::string right,
                      std::string rule) {
  violations_.push_back({operator_name_, std::string(field), std::nullopt, std::move(value),
                         std::move(rule), std::move(right)});
}

void DescReader::finish() {
  if (!violations_.empty()) throw Error(ErrorCode::invalid_argument, std::move(violations_));
}

void DescReader::tensor(std::string_view field, const DML_TENSOR_DESC* desc, TensorDesc& to) {
  if (!desc) return fail(field, "null", "a tensor", "it is not optional");
  if (raw(desc->Type) != DML_TENSOR_TYPE_BUFFER) {
    return fail(std::string(field) + ".Type", std::to_string(raw(desc->Type)), "BUFFER (1)",
                "tensors lie in buffers");
  }
  if (!desc->Desc) return fail(std::string(field) + ".Desc", "null", "a DML_BUFFER_TENSOR_DESC");
  buffer_tensor(std::string(field), *static_cast<const DML_BUFFER_TENSOR_DESC*>(desc->Desc), to);
}

void DescReader::optional_tensor(std::string_view field, const DML_TENSOR_DESC* desc,
                                 std::optional<TensorDesc>& to) {
  if (desc) tensor(field, desc, to.emplace());
}

void DescReader::buffer_tensor(const std::string& field, const DML_BUFFER_TENSOR_DESC& desc,
                               TensorDesc& to) {
  const std::uint32_t type = raw(desc.DataType);
  if (type == DML_TENSOR_DATA_TYPE_UNKNOWN || type > DML_TENSOR_DATA_TYPE_INT4) {
    fail(field + ".DataType", std::to_string(type), "a DML_TENSOR_DATA_TYPE");
  }
  to.data_type = static_cast<DataType>(type);
  const std::uint32_t flags = raw(desc.Flags);
  if (flags > DML_TENSOR_FLAG_OWNED_BY_DML) {
    fail(field + ".Flags", std::to_string(flags), "NONE (0) or OWNED_BY_DML (1)");
  }
  to.owned_by_dml = flags == DML_TENSOR_FLAG_OWNED_BY_DML;
  to.guaranteed_base_offset_alignment = desc.GuaranteedBaseOffsetAlignment;
  if (desc.DimensionCount < 1 || desc.DimensionCount > kMaxDimensionCount) {
    return fail(field + ".DimensionCount", std::to_string(desc.DimensionCount), "1 to 8",
                "one entry of Sizes each");
  }
  if (!desc.Sizes) return fail(field + ".Sizes", "null", "an array of DimensionCount entries");
  to.sizes.assign(desc.Sizes, desc.Sizes + desc.DimensionCount);
  if (desc.Strides) to.strides.assign(desc.Strides, desc.Strides + desc.DimensionCount);
  to.total_size_in_bytes = desc.TotalTensorSizeInBytes;
  if (desc.TotalTensorSizeInBytes == 0) {
    // 0 would ask weft for the default, which the API does not have.
    const auto least = minimum_size_in_bytes(to);
    fail(field + ".TotalTensorSizeInBytes", "0",
         "at least " + (least ? std::to_string(*least) : std::string("the tensor's extent")),
         "the extent of the tensor, rounded up to a multiple of 4");
  }
}

void DescReader::dimension_count(std::string_view field, UINT count, UINT most) {
  count_field_ = field;
  count_ = 0;
  if (count >= 1 && count <= most) {
    count_ = count;
  } else {
    fail(field, std::to_string(count), "1 to " + std::to_string(most),
         "the length of the arrays after it");
  }
}

template <class T>
void DescReader::copy(std::string_view field, const T* values, std::vector<T>& to) {
  if (count_ == 0) return;
  if (!values) {
    return fail(field, "null",
                "an array of " + std::to_string(count_) + (count_ == 1 ? " entry" : " entries"),
                std::string(count_field_));
  }
  to.assign(values, values + count_);
}

void DescReader::array(std::string_view field, const UINT* values, Dims& to) {
  copy(field, values, to);
}

void DescReader::array(std::string_view field, const FLOAT* values, std::vector<float>& to) {
  copy(field, values, to);
}

void DescReader::activation(const void* desc, Activation& to) {
  if (to.type == OperatorType::element_wise_identity) {
    to.scale_bias =
        read(static_cast<const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC*>(desc)->ScaleBias);
    return;
  }
  if (to.type == OperatorType::element_wise_clip) {
    const auto& clip = *static_cast<const DML_ELEMENT_WISE_CLIP_OPERATOR_DESC*>(desc);
    to.scale_bias = read(clip.ScaleBias);
    to.alpha = clip.Min;
    to.beta = clip.Max;
    return;
  }
  const auto names = activation_field_names(to.type);
  if (!names[1].empty()) {
    const auto& numbers = *static_cast<const TwoNumbers*>(desc);
    to.alpha = numbers.Alpha;
    to.beta = numbers.Beta;
  } else if (!names[0].empty()) {
    to.alpha = static_cast<const OneNumber*>(desc)->Alpha;
  }
}

void DescReader::fused_activation(const DML_OPERATOR_DESC* desc, std::optional<Activation>& to) {
  if (!desc) return;
  const std::uint32_t number = raw(desc->Type);
  const auto type = static_cast<OperatorType>(number);
  if (!is_fusable(type)) {
    const std::string_view known = name(type);
    return fail("FusedActivation.Type",
                known == "INVALID" ? std::to_string(number) : std::string(known),
                "ELEMENT_WISE_CLIP or an ACTIVATION_ of one number",
                "the functions that CONVOLUTION can fuse");
  }
  if (!desc->Desc) {
    return fail("FusedActivation.Desc", "null",
                "a DML_" + std::string(name(type)) + "_OPERATOR_DESC");
  }
  const auto& tensors = *static_cast<const NoNumber*>(desc->Desc);
  if (tensors.InputTensor || tensors.OutputTensor) {
    fail(tensors.InputTensor ? "FusedActivation.InputTensor" : "FusedActivation.OutputTensor",
         "a tensor", "null", "a fused activation works on the operator's output");
  }
  activation(desc->Desc, to.emplace(Activation{.type = type}));
}

}  // namespace weft::dml
