#include <cassert>

#include "kernels/isa.h"
#include "kernels/unfold/unfold.h"
#include "kernels/unfold/unfold_levels.h"

namespace weft::kernels {

namespace {

#define WEFT_UNFOLD(level)                                     \
  {Isa::level, 8, level::unfold_8, "unfold_8_" #level},        \
      {Isa::level, 16, level::unfold_16, "unfold_16_" #level}, \
      {Isa::level, 32, level::unfold_32, "unfold_32_" #level}, \
      {Isa::level, 64, level::unfold_64, "unfold_64_" #level},
constexpr UnfoldKernel table[] = {WEFT_FOR_EACH_LEVEL(WEFT_UNFOLD)};
#undef WEFT_UNFOLD

}  // namespace

std::span<const UnfoldKernel> unfold_kernel_table() noexcept { return table; }

const UnfoldKernel& unfold_kernel(Isa isa, unsigned bits) noexcept {
  const auto* row = first_fit(table, isa, [&](const auto& r) { return r.bits == bits; });
  assert(row != nullptr);  // every width has a base row
  return *row;
}

}  // namespace weft::kernels
