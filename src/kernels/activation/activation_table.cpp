#include "kernels/activation/activation.h"
#include "kernels/activation/activation_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

using enum OperatorType;

// Best instruction set first.
constexpr ActivationKernel table[] = {
#define WEFT_ROW(level, type, name) {Isa::level, type, level::name##_row, #name "_" #level},
#ifdef WEFT_HAVE_avx512
#define WEFT_AVX512(type, name) WEFT_ROW(avx512, type, name)
    WEFT_FOR_EACH_ACTIVATION(WEFT_AVX512)
#endif
#ifdef WEFT_HAVE_avx2
#define WEFT_AVX2(type, name) WEFT_ROW(avx2, type, name)
        WEFT_FOR_EACH_ACTIVATION(WEFT_AVX2)
#endif
#ifdef WEFT_HAVE_sse4
#define WEFT_SSE4(type, name) WEFT_ROW(sse4, type, name)
            WEFT_FOR_EACH_ACTIVATION(WEFT_SSE4)
#endif
#define WEFT_BASE(type, name) WEFT_ROW(base, type, name)
                WEFT_FOR_EACH_ACTIVATION(WEFT_BASE)};

}  // namespace

std::span<const ActivationKernel> activation_kernel_table() noexcept { return table; }

ActivationRow find_activation(OperatorType type, Isa isa) noexcept {
  for (const ActivationKernel& row : table) {
    if (row.isa <= isa && row.type == type) return row.function;
  }
  return nullptr;
}

}  // namespace weft::kernels
