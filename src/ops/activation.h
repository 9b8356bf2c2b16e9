#pragma once

#include <optional>
#include <string_view>

#include "kernels/ramp.h"
#include "ops/checker.h"
#include "weft/activation.h"

namespace weft::ops {

// The rules for a function and its parameters, wherever it stands. Violations are recorded under
// `field` ("FusedActivation.Alpha"), or under the parameter alone where `field` is empty.
//
// type         a function of one number; one that CONVOLUTION takes if `fused`
// parameters   not NaN; infinite ones give what the formula gives, except
//   CELU       Alpha is finite and not 0: the formula divides by it
//   SOFTPLUS   Steepness is finite and > 0: below 0 the formula is no softplus
//   CLIP       any Min and Max: with Min > Max the formula gives Max everywhere, as ONNX's Clip has
//   it
// scale_bias   only with ELEMENT_WISE_IDENTITY and ELEMENT_WISE_CLIP; not NaN
//
// Where the documentation is silent: docs/decisions.md#element-wise.
void check_activation(Checker& checker, std::string_view field, const Activation& activation,
                      bool fused);

// What kernels apply to sums in registers: RELU, LEAKY_RELU, CLIP without scale and bias, IDENTITY,
// or nothing. Absent for every other function.
std::optional<kernels::Ramp> ramp_of(const std::optional<Activation>& activation) noexcept;

}  // namespace weft::ops
