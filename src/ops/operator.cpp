#include "weft/operator.h"

#include <array>

namespace weft {

namespace {

using enum DataType;

constexpr DataType float_types[] = {float32, float16};
constexpr DataType resample_types[] = {float32, float16, int8, uint8};
constexpr DataType relu_types[] = {float32, float16, int32, int16, int8};
constexpr DataType shrink_types[] = {float32, float16, int32, int16, int8, uint32, uint16, uint8};
constexpr DataType clip_types[] = {float32, float16, int64,  int32,  int16,
                                   int8,    uint64,  uint32, uint16, uint8};
constexpr DataType all_types[] = {float64, float32, float16, int64,  int32, int16,
                                  int8,    uint64,  uint32,  uint16, uint8};

constexpr OperatorSupport activation(OperatorType type, std::string_view level,
                                     std::span<const DataType> types = float_types) {
  return {type, level, 1, 8, types, true};
}

using enum OperatorType;

// In the order of all_operator_types(). Source: the pages' tables, widest feature level.
constexpr OperatorSupport support[] = {{element_wise_identity, "1_0", 1, 8, all_types, false},
                                       activation(element_wise_clip, "1_0", clip_types),
                                       activation(activation_elu, "1_0"),
                                       activation(activation_hard_sigmoid, "1_0"),
                                       activation(activation_identity, "1_0"),
                                       activation(activation_leaky_relu, "1_0"),
                                       activation(activation_linear, "1_0"),
                                       activation(activation_parametric_softplus, "1_0"),
                                       activation(activation_relu, "1_0", relu_types),
                                       activation(activation_scaled_elu, "1_0"),
                                       activation(activation_scaled_tanh, "1_0"),
                                       activation(activation_sigmoid, "1_0"),
                                       activation(activation_softplus, "1_0"),
                                       activation(activation_softsign, "1_0"),
                                       activation(activation_tanh, "1_0"),
                                       activation(activation_thresholded_relu, "1_0"),
                                       {convolution, "1_0", 3, 5, float_types, false},
                                       activation(activation_shrink, "2_0", shrink_types),
                                       {resample, "2_0", 1, 4, resample_types, false},
                                       {resample1, "2_1", 1, 4, resample_types, false},
                                       activation(activation_celu, "3_0"),
                                       activation(activation_gelu, "5_1"),
                                       {resample2, "5_1", 1, 4, resample_types, false},
                                       {resample3, "6_4", 1, 4, resample_types, false},
                                       {fold, "6_4", 3, 8, all_types, false},
                                       {unfold, "6_4", 3, 8, all_types, false}};

}  // namespace

std::span<const OperatorSupport> operator_support() noexcept { return support; }

const OperatorSupport& operator_support(OperatorType type) noexcept {
  for (const OperatorSupport& row : support) {
    if (row.type == type) return row;
  }
  // An operator that does not exist accepts nothing.
  static constexpr OperatorSupport none{};
  return none;
}

OperatorType type_of(const OperatorParams& params) {
  struct {
    OperatorType operator()(const ConvolutionParams&) const { return OperatorType::convolution; }
    OperatorType operator()(const FoldParams&) const { return OperatorType::fold; }
    OperatorType operator()(const UnfoldParams&) const { return OperatorType::unfold; }
    OperatorType operator()(const ResampleParams& p) const { return p.type; }
    OperatorType operator()(const ElementWiseParams& p) const { return p.function.type; }
  } visitor;
  return std::visit(visitor, params);
}

std::vector<Violation> validate(const OperatorParams& params) {
  return std::visit([](const auto& p) { return validate(p); }, params);
}

Plan plan(const OperatorParams& params, const PlanOptions& options) {
  return std::visit([&](const auto& p) { return plan(p, options); }, params);
}

}  // namespace weft
