#include "kernels/activation/activation.h"
#include "kernels/activation/activation_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

using enum OperatorType;

#define WEFT_ACTIVATION(level, type, name) {Isa::level, type, level::name##_row, #name "_" #level},
#define WEFT_ACTIVATIONS(level) WEFT_FOR_EACH_ACTIVATION(WEFT_ACTIVATION, level)
constexpr ActivationKernel kActivationTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_ACTIVATIONS)};
#undef WEFT_ACTIVATIONS
#undef WEFT_ACTIVATION

}  // namespace

std::span<const ActivationKernel> activation_kernel_table() noexcept { return kActivationTable; }

const ActivationKernel* activation_kernel(OperatorType type, Isa isa) noexcept {
  return first_fit(kActivationTable, isa, [&](const auto& row) { return row.type == type; });
}

}  // namespace weft::kernels
