#include "ops/activation.h"

#include <cmath>

namespace weft::ops {

namespace {

std::string join(std::string_view field, std::string_view member) {
  std::string result(field);
  if (!field.empty()) result += '.';
  return result.append(member);
}

void check_parameter(Checker& checker, std::string_view field, OperatorType type,
                     std::string_view parameter, float value) {
  const std::string place = join(field, parameter);
  if (type == OperatorType::activation_softplus && !(value > 0 && std::isfinite(value))) {
    checker.fail(place, {}, number_text(value), "> 0 and finite",
                 "f(x) = ln(1 + exp(Steepness * x)) / Steepness");
  } else if (type == OperatorType::activation_celu && (value == 0 || !std::isfinite(value))) {
    checker.fail(place, {}, number_text(value), "finite and not 0",
                 "f(x) = max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1))");
  } else if (std::isnan(value)) {
    checker.fail(place, {}, "nan", "a number", "a parameter of the function");
  }
}

}  // namespace

void check_activation(Checker& checker, std::string_view field, const Activation& activation,
                      bool fused) {
  if (fused ? !is_fusable(activation.type) : !is_activation(activation.type)) {
    checker.fail(join(field, "Type"), {}, type_text(activation.type),
                 fused ? "ELEMENT_WISE_CLIP or an ACTIVATION_ of one number"
                       : "ELEMENT_WISE_IDENTITY, ELEMENT_WISE_CLIP or an ACTIVATION_ of one number",
                 fused ? "the functions that CONVOLUTION can fuse" : "the element-wise operators");
    return;
  }
  const auto parameters = activation_field_names(activation.type);
  if (!parameters[0].empty()) {
    check_parameter(checker, field, activation.type, parameters[0], activation.alpha);
  }
  if (!parameters[1].empty()) {
    check_parameter(checker, field, activation.type, parameters[1], activation.beta);
  }
  if (!activation.scale_bias) return;
  if (activation.type != OperatorType::element_wise_clip &&
      activation.type != OperatorType::element_wise_identity) {
    checker.fail(join(field, "ScaleBias"), {}, "present", "absent",
                 "only ELEMENT_WISE_IDENTITY and ELEMENT_WISE_CLIP have one");
    return;
  }
  if (std::isnan(activation.scale_bias->scale)) {
    checker.fail(join(field, "ScaleBias.Scale"), {}, "nan", "a number",
                 "the input is multiplied by it");
  }
  if (std::isnan(activation.scale_bias->bias)) {
    checker.fail(join(field, "ScaleBias.Bias"), {}, "nan", "a number",
                 "it is added to the scaled input");
  }
}

std::optional<kernels::Ramp> ramp_of(const std::optional<Activation>& activation) noexcept {
  if (!activation) return kernels::Ramp{};
  if (activation->scale_bias) return std::nullopt;
  switch (activation->type) {
    case OperatorType::activation_identity:
      return kernels::Ramp{};
    case OperatorType::activation_relu:
      return kernels::Ramp{.least = 0};
    case OperatorType::activation_leaky_relu:
      return kernels::Ramp{.slope = activation->alpha};
    case OperatorType::element_wise_clip:
      return kernels::Ramp{.least = activation->alpha, .most = activation->beta};
    default:
      return std::nullopt;
  }
}

}  // namespace weft::ops
