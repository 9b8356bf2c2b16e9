#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "weft/export.h"
#include "weft/operator_type.h"

namespace weft {

// x * scale + bias, applied to the input of ELEMENT_WISE_IDENTITY and ELEMENT_WISE_CLIP.
struct ScaleBias {
  float scale = 1;
  float bias = 0;
  bool operator==(const ScaleBias&) const = default;
};

// A function of one number, on its own or fused into CONVOLUTION.
//
//   type                  f(x)                                            alpha      beta
//   ELEMENT_WISE_IDENTITY x (not fusable)
//   ELEMENT_WISE_CLIP     min(Max, max(Min, x))                           Min        Max
//   ELU                   x if x >= 0 else Alpha (exp(x) - 1)             Alpha
//   CELU                  max(0, x) + min(0, Alpha (exp(x / Alpha) - 1))  Alpha
//   HARD_SIGMOID          max(0, min(Alpha x + Beta, 1))                  Alpha      Beta
//   IDENTITY              x
//   LEAKY_RELU            x if x >= 0 else Alpha x                        Alpha
//   LINEAR                Alpha x + Beta                                  Alpha      Beta
//   PARAMETRIC_SOFTPLUS   Alpha ln(1 + exp(Beta x))                       Alpha      Beta
//   RELU                  max(0, x)
//   SCALED_ELU            Gamma x if x > 0 else Gamma Alpha (exp(x) - 1)  Alpha      Gamma
//   SCALED_TANH           Alpha tanh(Beta x)                              Alpha      Beta
//   SIGMOID               1 / (1 + exp(-x))
//   SOFTPLUS              ln(1 + exp(Steepness x)) / Steepness            Steepness
//   SOFTSIGN              x / (1 + |x|)
//   TANH                  tanh(x)
//   THRESHOLDED_RELU      x if x > Alpha else 0                           Alpha
//   SHRINK                x - Bias if x > Threshold,
//                         x + Bias if x < -Threshold, else 0              Bias       Threshold
//   GELU                  x (1 + erf(x / sqrt 2)) / 2
//
// The scale and bias apply first, and only to the two ELEMENT_WISE types. NaN stays NaN. CLIP with
// Min > Max gives Max everywhere, as the formula says.
//
// float32 results lie within 0.51 units in the last place of the formula over all numbers; those of
// CLIP, RELU and THRESHOLDED_RELU are exact. The bits are the same at every instruction set.
// float16 is computed as float32 and rounded once more.
//
// Throws nothing itself; where it is used, these are violations (invalid_argument):
//   type             no function of one number; when fused, one that CONVOLUTION does not take
//   alpha, beta      NaN, where the type has them. Infinities give what the formula gives, but
//                    CELU's Alpha has to be finite and not 0, SOFTPLUS's Steepness finite and > 0:
//                    the formulas divide by them
//   scale_bias       present with another type than the two; NaN
//
// Source: the page of each DML_ACTIVATION_..._OPERATOR_DESC.
struct Activation {
  OperatorType type = OperatorType::activation_identity;
  float alpha = 0;  // the first float of the operator's desc, whatever its name there
  float beta = 0;   // the second
  std::optional<ScaleBias> scale_bias = std::nullopt;
  bool operator==(const Activation&) const = default;
};

// DirectML's names of `alpha` and `beta` for a type; empty where the desc has no such field.
WEFT_API std::array<std::string_view, 2> activation_field_names(OperatorType type) noexcept;

// Whether the type is a function of one number, and whether CONVOLUTION may fuse it.
WEFT_API bool is_activation(OperatorType type) noexcept;
WEFT_API bool is_fusable(OperatorType type) noexcept;

}  // namespace weft
