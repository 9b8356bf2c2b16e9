#include <array>
#include <iterator>
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

// DirectML's operators, whether Weft has them or not: the index is the value of DML_OPERATOR_TYPE.
constexpr std::string_view kOperatorNames[] = {
    "INVALID",
    "ELEMENT_WISE_IDENTITY",
    "ELEMENT_WISE_ABS",
    "ELEMENT_WISE_ACOS",
    "ELEMENT_WISE_ADD",
    "ELEMENT_WISE_ASIN",
    "ELEMENT_WISE_ATAN",
    "ELEMENT_WISE_CEIL",
    "ELEMENT_WISE_CLIP",
    "ELEMENT_WISE_COS",
    "ELEMENT_WISE_DIVIDE",
    "ELEMENT_WISE_EXP",
    "ELEMENT_WISE_FLOOR",
    "ELEMENT_WISE_LOG",
    "ELEMENT_WISE_LOGICAL_AND",
    "ELEMENT_WISE_LOGICAL_EQUALS",
    "ELEMENT_WISE_LOGICAL_GREATER_THAN",
    "ELEMENT_WISE_LOGICAL_LESS_THAN",
    "ELEMENT_WISE_LOGICAL_NOT",
    "ELEMENT_WISE_LOGICAL_OR",
    "ELEMENT_WISE_LOGICAL_XOR",
    "ELEMENT_WISE_MAX",
    "ELEMENT_WISE_MEAN",
    "ELEMENT_WISE_MIN",
    "ELEMENT_WISE_MULTIPLY",
    "ELEMENT_WISE_POW",
    "ELEMENT_WISE_CONSTANT_POW",
    "ELEMENT_WISE_RECIP",
    "ELEMENT_WISE_SIN",
    "ELEMENT_WISE_SQRT",
    "ELEMENT_WISE_SUBTRACT",
    "ELEMENT_WISE_TAN",
    "ELEMENT_WISE_THRESHOLD",
    "ELEMENT_WISE_QUANTIZE_LINEAR",
    "ELEMENT_WISE_DEQUANTIZE_LINEAR",
    "ACTIVATION_ELU",
    "ACTIVATION_HARDMAX",
    "ACTIVATION_HARD_SIGMOID",
    "ACTIVATION_IDENTITY",
    "ACTIVATION_LEAKY_RELU",
    "ACTIVATION_LINEAR",
    "ACTIVATION_LOG_SOFTMAX",
    "ACTIVATION_PARAMETERIZED_RELU",
    "ACTIVATION_PARAMETRIC_SOFTPLUS",
    "ACTIVATION_RELU",
    "ACTIVATION_SCALED_ELU",
    "ACTIVATION_SCALED_TANH",
    "ACTIVATION_SIGMOID",
    "ACTIVATION_SOFTMAX",
    "ACTIVATION_SOFTPLUS",
    "ACTIVATION_SOFTSIGN",
    "ACTIVATION_TANH",
    "ACTIVATION_THRESHOLDED_RELU",
    "CONVOLUTION",
    "GEMM",
    "REDUCE",
    "AVERAGE_POOLING",
    "LP_POOLING",
    "MAX_POOLING",
    "ROI_POOLING",
    "SLICE",
    "CAST",
    "SPLIT",
    "JOIN",
    "PADDING",
    "VALUE_SCALE_2D",
    "UPSAMPLE_2D",
    "GATHER",
    "SPACE_TO_DEPTH",
    "DEPTH_TO_SPACE",
    "TILE",
    "TOP_K",
    "BATCH_NORMALIZATION",
    "MEAN_VARIANCE_NORMALIZATION",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LP_NORMALIZATION",
    "RNN",
    "LSTM",
    "GRU",
    "ELEMENT_WISE_SIGN",
    "ELEMENT_WISE_IS_NAN",
    "ELEMENT_WISE_ERF",
    "ELEMENT_WISE_SINH",
    "ELEMENT_WISE_COSH",
    "ELEMENT_WISE_TANH",
    "ELEMENT_WISE_ASINH",
    "ELEMENT_WISE_ACOSH",
    "ELEMENT_WISE_ATANH",
    "ELEMENT_WISE_IF",
    "ELEMENT_WISE_ADD1",
    "ACTIVATION_SHRINK",
    "MAX_POOLING1",
    "MAX_UNPOOLING",
    "DIAGONAL_MATRIX",
    "SCATTER_ELEMENTS",
    "ONE_HOT",
    "RESAMPLE",
    "ELEMENT_WISE_BIT_SHIFT_LEFT",
    "ELEMENT_WISE_BIT_SHIFT_RIGHT",
    "ELEMENT_WISE_ROUND",
    "ELEMENT_WISE_IS_INFINITY",
    "ELEMENT_WISE_MODULUS_TRUNCATE",
    "ELEMENT_WISE_MODULUS_FLOOR",
    "FILL_VALUE_CONSTANT",
    "FILL_VALUE_SEQUENCE",
    "CUMULATIVE_SUMMATION",
    "REVERSE_SUBSEQUENCES",
    "GATHER_ELEMENTS",
    "GATHER_ND",
    "SCATTER_ND",
    "MAX_POOLING2",
    "SLICE1",
    "TOP_K1",
    "DEPTH_TO_SPACE1",
    "SPACE_TO_DEPTH1",
    "MEAN_VARIANCE_NORMALIZATION1",
    "RESAMPLE1",
    "MATRIX_MULTIPLY_INTEGER",
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY",
    "CONVOLUTION_INTEGER",
    "QUANTIZED_LINEAR_CONVOLUTION",
    "ELEMENT_WISE_BIT_AND",
    "ELEMENT_WISE_BIT_OR",
    "ELEMENT_WISE_BIT_XOR",
    "ELEMENT_WISE_BIT_NOT",
    "ELEMENT_WISE_BIT_COUNT",
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL",
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL",
    "ACTIVATION_CELU",
    "ACTIVATION_RELU_GRAD",
    "AVERAGE_POOLING_GRAD",
    "MAX_POOLING_GRAD",
    "RANDOM_GENERATOR",
    "NONZERO_COORDINATES",
    "RESAMPLE_GRAD",
    "SLICE_GRAD",
    "ADAM_OPTIMIZER",
    "ARGMIN",
    "ARGMAX",
    "ROI_ALIGN",
    "GATHER_ND1",
    "ELEMENT_WISE_ATAN_YX",
    "ELEMENT_WISE_CLIP_GRAD",
    "ELEMENT_WISE_DIFFERENCE_SQUARE",
    "LOCAL_RESPONSE_NORMALIZATION_GRAD",
    "CUMULATIVE_PRODUCT",
    "BATCH_NORMALIZATION_GRAD",
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD",
    "DYNAMIC_QUANTIZE_LINEAR",
    "ROI_ALIGN1",
    "ROI_ALIGN_GRAD",
    "BATCH_NORMALIZATION_TRAINING",
    "BATCH_NORMALIZATION_TRAINING_GRAD",
    "ELEMENT_WISE_CLIP1",
    "ELEMENT_WISE_CLIP_GRAD1",
    "PADDING1",
    "ELEMENT_WISE_NEGATE",
    "ACTIVATION_GELU",
    "ACTIVATION_SOFTMAX1",
    "ACTIVATION_LOG_SOFTMAX1",
    "ACTIVATION_HARDMAX1",
    "RESAMPLE2",
    "RESAMPLE_GRAD1",
    "DIAGONAL_MATRIX1",
    "MULTIHEAD_ATTENTION",
    "LP_POOLING1",
    "AVERAGE_POOLING1",
    "ACTIVATION_SWISH",
    "ACTIVATION_HARD_SWISH",
    "QUANTIZED_LINEAR_AVERAGE_POOLING",
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
    "MEAN_VARIANCE_NORMALIZATION2",
    "MULTIHEAD_ATTENTION1",
    "QUANTIZE",
    "DEQUANTIZE",
    "RESAMPLE3",
    "FOLD",
    "UNFOLD",
};
static_assert(std::size(kOperatorNames) == static_cast<std::size_t>(OperatorType::unfold) + 1);

struct OperatorRow {
  OperatorType type;
  bool activation = false;
  bool fusable = false;
  std::array<std::string_view, 2> fields = {};
};

// What Weft has.
constexpr OperatorRow operators[] = {
    {OperatorType::element_wise_identity, true},
    {OperatorType::element_wise_clip, true, true, {"Min", "Max"}},
    {OperatorType::activation_elu, true, true, {"Alpha"}},
    {OperatorType::activation_hard_sigmoid, true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_identity, true, true},
    {OperatorType::activation_leaky_relu, true, true, {"Alpha"}},
    {OperatorType::activation_linear, true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_parametric_softplus, true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_relu, true, true},
    {OperatorType::activation_scaled_elu, true, true, {"Alpha", "Gamma"}},
    {OperatorType::activation_scaled_tanh, true, true, {"Alpha", "Beta"}},
    {OperatorType::activation_sigmoid, true, true},
    {OperatorType::activation_softplus, true, true, {"Steepness"}},
    {OperatorType::activation_softsign, true, true},
    {OperatorType::activation_tanh, true, true},
    {OperatorType::activation_thresholded_relu, true, true, {"Alpha"}},
    {OperatorType::convolution},
    {OperatorType::activation_shrink, true, true, {"Bias", "Threshold"}},
    {OperatorType::resample},
    {OperatorType::resample1},
    {OperatorType::activation_celu, true, true, {"Alpha"}},
    {OperatorType::activation_gelu, true, true},
    {OperatorType::resample2},
    {OperatorType::resample3},
    {OperatorType::fold},
    {OperatorType::unfold}};

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
  const auto value = static_cast<std::size_t>(type);
  return kOperatorNames[value < std::size(kOperatorNames) ? value : 0];
}

std::optional<OperatorType> parse_operator_type(std::string_view text) noexcept {
  text = without("DML_OPERATOR_", text);
  for (const OperatorRow& row : operators) {
    if (name(row.type) == text) return row.type;
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
