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
constexpr UnfoldKernel kUnfoldTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_UNFOLD)};
#undef WEFT_UNFOLD

}  // namespace

UnfoldStream unfold_stream(const UnfoldKernel& kernel, std::int64_t from_step,
                           std::int64_t count) noexcept {
  constexpr std::int64_t kLineBits = 512, kMostStep = 4;
  if (kernel.isa < Isa::avx512) {
    const bool is_direct = kernel.isa == Isa::avx2 && kernel.bits == 32 && from_step == 1;
    return is_direct ? UnfoldStream::direct : UnfoldStream::none;
  }
  const bool is_of_lines = count * kernel.bits % kLineBits == 0;
  const bool picks = kernel.bits > 8 && from_step > 0 && from_step <= kMostStep;
  return from_step == 1 || (picks && is_of_lines) ? UnfoldStream::direct : UnfoldStream::gathered;
}

std::span<const UnfoldKernel> unfold_kernel_table() noexcept { return kUnfoldTable; }

const UnfoldKernel& unfold_kernel(Isa isa, unsigned bits) noexcept {
  const auto* row = first_fit(kUnfoldTable, isa, [&](const auto& r) { return r.bits == bits; });
  assert(row != nullptr);  // every width has a base row
  return *row;
}

}  // namespace weft::kernels
