#include <cassert>

#include "kernels/isa.h"
#include "kernels/transpose/transpose.h"
#include "kernels/transpose/transpose_levels.h"

namespace weft::kernels {

namespace {

#define WEFT_TRANSPOSE(level)                                        \
  {Isa::level, 8, level::transpose_8, "transpose_8_" #level},        \
      {Isa::level, 16, level::transpose_16, "transpose_16_" #level}, \
      {Isa::level, 32, level::transpose_32, "transpose_32_" #level}, \
      {Isa::level, 64, level::transpose_64, "transpose_64_" #level},
constexpr TransposeKernel kTransposeTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_TRANSPOSE)};
#undef WEFT_TRANSPOSE

}  // namespace

std::span<const TransposeKernel> transpose_kernel_table() noexcept { return kTransposeTable; }

const TransposeKernel& transpose_kernel(Isa isa, unsigned bits) noexcept {
  const auto* row = first_fit(kTransposeTable, isa, [&](const auto& r) { return r.bits == bits; });
  assert(row != nullptr);  // every width has a base row
  return *row;
}

}  // namespace weft::kernels
