#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_shape.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

#define WEFT_GEMM(level)                                                \
  {Isa::level,         kGemmShape##level.mr,      kGemmShape##level.nr, \
   level::gemm_f32,    level::add_scaled_row_f32, "gemm_f32_" #level,   \
   "gemm_f16_" #level, "rows_f32_" #level,        "rows_f16_" #level},
constexpr GemmKernel table[] = {WEFT_FOR_EACH_LEVEL(WEFT_GEMM)};
#undef WEFT_GEMM

}  // namespace

std::span<const GemmKernel> gemm_kernel_table() noexcept { return table; }

const GemmKernel& gemm_kernel(Isa isa) noexcept { return first_fit(table, isa); }

}  // namespace weft::kernels
