#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/isa.h"
#include "weft/operator_type.h"

namespace weft::kernels {

// row[i] = f(row[i]) for 0 <= i < count, with f and the meaning of alpha and beta as in
// weft/activation.h (scale and bias excepted). What CONVOLUTION applies to its float32 results and
// the activation operators to their rows.
using ActivationRow = void (*)(float* row, std::int64_t count, float alpha, float beta) noexcept;

struct ActivationKernel {
  Isa isa;
  OperatorType type;
  ActivationRow function;
  const char* name;  // "relu_avx2"
};

// Best instruction set first.
std::span<const ActivationKernel> activation_kernel_table() noexcept;

// The best allowed kernel of a type; null for ELEMENT_WISE_IDENTITY and ACTIVATION_IDENTITY, which
// have nothing to do.
const ActivationKernel* activation_kernel(OperatorType type, Isa isa) noexcept;

}  // namespace weft::kernels
