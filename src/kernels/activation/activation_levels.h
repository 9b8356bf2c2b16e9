#pragma once

// Declares the activation kernels of every instruction set. activation.h has their contract.

#include <cstdint>

#include "base/levels.h"

// X(level, operator type, name)
#define WEFT_FOR_EACH_ACTIVATION(X, level)                      \
  X(level, element_wise_clip, clip)                             \
  X(level, activation_elu, elu)                                 \
  X(level, activation_celu, celu)                               \
  X(level, activation_hard_sigmoid, hard_sigmoid)               \
  X(level, activation_leaky_relu, leaky_relu)                   \
  X(level, activation_linear, linear)                           \
  X(level, activation_parametric_softplus, parametric_softplus) \
  X(level, activation_relu, relu)                               \
  X(level, activation_scaled_elu, scaled_elu)                   \
  X(level, activation_scaled_tanh, scaled_tanh)                 \
  X(level, activation_sigmoid, sigmoid)                         \
  X(level, activation_softplus, softplus)                       \
  X(level, activation_softsign, softsign)                       \
  X(level, activation_tanh, tanh)                               \
  X(level, activation_thresholded_relu, thresholded_relu)       \
  X(level, activation_shrink, shrink)                           \
  X(level, activation_gelu, gelu)

#define WEFT_DECLARE_ACTIVATION(level, type, name) \
  void name##_row(float*, std::int64_t, float, float) noexcept;
#define WEFT_DECLARE_ACTIVATIONS(level)                    \
  namespace weft::kernels::level {                         \
  WEFT_FOR_EACH_ACTIVATION(WEFT_DECLARE_ACTIVATION, level) \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_ACTIVATIONS)
#undef WEFT_DECLARE_ACTIVATIONS
#undef WEFT_DECLARE_ACTIVATION
