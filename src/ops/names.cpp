#include <array>
#include <string>
#include <utility>

#include "weft/activation.h"
#include "weft/data_type.h"
#include "weft/operator_type.h"

namespace weft {

namespace {

struct TypeRow {
  DataType type;
  std::string_view name;
  unsigned bits;
};

constexpr TypeRow types[] = {{DataType::float32, "FLOAT32", 32}, {DataType::float16, "FLOAT16", 16},
                             {DataType::uint32, "UINT32", 32},   {DataType::uint16, "UINT16", 16},
                             {DataType::uint8, "UINT8", 8},      {DataType::int32, "INT32", 32},
                             {DataType::int16, "INT16", 16},     {DataType::int8, "INT8", 8},
                             {DataType::float64, "FLOAT64", 64}, {DataType::uint64, "UINT64", 64},
                             {DataType::int64, "INT64", 64},     {DataType::uint4, "UINT4", 4},
                             {DataType::int4, "INT4", 4}};

const TypeRow* find(DataType type) noexcept {
  for (const TypeRow& row : types) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

struct OperatorRow {
  OperatorType type;
  std::string_view name;
  bool activation = false;
  bool fusable = false;
  std::array<std::string_view, 2> fields = {};
};

constexpr OperatorRow operators[] = {
    {OperatorType::element_wise_identity, "ELEMENT_WISE_IDENTITY", true},
    {OperatorType::element_wise_clip, "ELEMENT_WISE_CLIP", true, true, {"Min", "Max"}},
    {OperatorType::activation_elu, "ACTIVATION_ELU", true, true, {"Alpha"}},
    {OperatorType::activation_hard_sigmoid,
     "ACTIVATION_HARD_SIGMOID",
     true,
     true,
     {"Alpha", "Beta"}},
    {OperatorType::activation_identity, "ACTIVATION_IDENTITY", true, true},
    {OperatorType::activation_leaky_relu, "ACTIVATION_LEAKY_RELU", true, true, {"Alpha"}},
    {OperatorType::activation_linear, "ACTIVATION_LINEAR", true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_parametric_softplus,
     "ACTIVATION_PARAMETRIC_SOFTPLUS",
     true,
     true,
     {"Alpha", "Beta"}},
    {OperatorType::activation_relu, "ACTIVATION_RELU", true, true},
    {OperatorType::activation_scaled_elu, "ACTIVATION_SCALED_ELU", true, true, {"Alpha", "Gamma"}},
    {OperatorType::activation_scaled_tanh, "ACTIVATION_SCALED_TANH", true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_sigmoid, "ACTIVATION_SIGMOID", true, true},
    {OperatorType::activation_softplus, "ACTIVATION_SOFTPLUS", true, true, {"Steepness"}},
    {OperatorType::activation_softsign, "ACTIVATION_SOFTSIGN", true, true},
    {OperatorType::activation_tanh, "ACTIVATION_TANH", true, true},
    {OperatorType::activation_thresholded_relu,
     "ACTIVATION_THRESHOLDED_RELU",
     true,
     true,
     {"Alpha"}},
    {OperatorType::convolution, "CONVOLUTION"},
    {OperatorType::activation_shrink, "ACTIVATION_SHRINK", true, true, {"Bias", "Threshold"}},
    {OperatorType::resample, "RESAMPLE"},
    {OperatorType::resample1, "RESAMPLE1"},
    {OperatorType::activation_celu, "ACTIVATION_CELU", true, true, {"Alpha"}},
    {OperatorType::activation_gelu, "ACTIVATION_GELU", true, true},
    {OperatorType::resample2, "RESAMPLE2"},
    {OperatorType::resample3, "RESAMPLE3"},
    {OperatorType::fold, "FOLD"},
    {OperatorType::unfold, "UNFOLD"}};

const OperatorRow* find(OperatorType type) noexcept {
  for (const OperatorRow& row : operators) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

std::string_view without(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

constexpr auto kOperatorTypes = [] {
  std::array<OperatorType, std::size(operators)> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = operators[i].type;
  return result;
}();

}  // namespace

unsigned bit_size(DataType type) noexcept {
  const TypeRow* row = find(type);
  return row != nullptr ? row->bits : 0;
}

unsigned byte_size(DataType type) noexcept { return bit_size(type) / 8; }

std::string_view name(DataType type) noexcept {
  const TypeRow* row = find(type);
  return row != nullptr ? row->name : "UNKNOWN";
}

std::optional<DataType> parse_data_type(std::string_view text) noexcept {
  text = without("DML_TENSOR_DATA_TYPE_", text);
  for (const TypeRow& row : types) {
    if (row.name == text) return row.type;
  }
  return std::nullopt;
}

std::span<const OperatorType> all_operator_types() noexcept { return kOperatorTypes; }

std::string_view name(OperatorType type) noexcept {
  const OperatorRow* row = find(type);
  return row != nullptr ? row->name : "INVALID";
}

std::optional<OperatorType> parse_operator_type(std::string_view text) noexcept {
  text = without("DML_OPERATOR_", text);
  for (const OperatorRow& row : operators) {
    if (row.name == text) return row.type;
  }
  return std::nullopt;
}

std::array<std::string_view, 2> activation_field_names(OperatorType type) noexcept {
  const OperatorRow* row = find(type);
  return row != nullptr ? row->fields : std::array<std::string_view, 2>{};
}

bool is_activation(OperatorType type) noexcept {
  const OperatorRow* row = find(type);
  return row != nullptr && row->activation;
}

bool is_fusable(OperatorType type) noexcept {
  const OperatorRow* row = find(type);
  return row != nullptr && row->fusable;
}

}  // namespace weft
