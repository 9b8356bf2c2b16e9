#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weft/export.h"

namespace weft {

// The DirectML operators that Weft has; the values are those of DML_OPERATOR_TYPE.
enum class OperatorType : std::uint32_t {
  element_wise_identity = 1,
  element_wise_clip = 8,
  activation_elu = 35,
  activation_hard_sigmoid = 37,
  activation_identity = 38,
  activation_leaky_relu = 39,
  activation_linear = 40,
  activation_parametric_softplus = 43,
  activation_relu = 44,
  activation_scaled_elu = 45,
  activation_scaled_tanh = 46,
  activation_sigmoid = 47,
  activation_softplus = 49,
  activation_softsign = 50,
  activation_tanh = 51,
  activation_thresholded_relu = 52,
  convolution = 53,
  activation_shrink = 90,
  resample = 96,
  resample1 = 116,
  activation_celu = 128,
  activation_gelu = 157,
  resample2 = 161,
  resample3 = 175,
  fold = 176,
  unfold = 177,
};

// Every operator above, in the order of its value.
WEFT_API std::span<const OperatorType> all_operator_types() noexcept;

// DirectML's name without its prefix, of the operators that Weft does not have too: "UNFOLD",
// "ACTIVATION_RELU", "GEMM" for OperatorType{54}; "INVALID" for anything else.
WEFT_API std::string_view name(OperatorType type) noexcept;

// Reads "UNFOLD" or "DML_OPERATOR_UNFOLD"; nothing for an operator that Weft does not have.
WEFT_API std::optional<OperatorType> parse_operator_type(std::string_view text) noexcept;

}  // namespace weft
