#pragma once

// Declares the activation kernels of every instruction set. activation.h has their contract.

#include <cstdint>

#include "kernels/declare_levels.h"

// X(operator type, name)
#define WEFT_FOR_EACH_ACTIVATION(X)                      \
  X(element_wise_clip, clip)                             \
  X(activation_elu, elu)                                 \
  X(activation_celu, celu)                               \
  X(activation_hard_sigmoid, hard_sigmoid)               \
  X(activation_leaky_relu, leaky_relu)                   \
  X(activation_linear, linear)                           \
  X(activation_parametric_softplus, parametric_softplus) \
  X(activation_relu, relu)                               \
  X(activation_scaled_elu, scaled_elu)                   \
  X(activation_scaled_tanh, scaled_tanh)                 \
  X(activation_sigmoid, sigmoid)                         \
  X(activation_softplus, softplus)                       \
  X(activation_softsign, softsign)                       \
  X(activation_tanh, tanh)                               \
  X(activation_thresholded_relu, thresholded_relu)       \
  X(activation_shrink, shrink)                           \
  X(activation_gelu, gelu)

#define WEFT_DECLARE_ACTIVATION(type, name) \
  void name##_row(float*, std::int64_t, float, float) noexcept;
#define WEFT_DECLARE_ACTIVATIONS(level)             \
  namespace weft::kernels::level {                  \
  WEFT_FOR_EACH_ACTIVATION(WEFT_DECLARE_ACTIVATION) \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_ACTIVATIONS)
#undef WEFT_DECLARE_ACTIVATIONS
#undef WEFT_DECLARE_ACTIVATION
