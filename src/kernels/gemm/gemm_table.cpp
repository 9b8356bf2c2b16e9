#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_shape.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

constexpr GemmKernel with_shape(GemmKernel kernel, const GemmShape& shape) {
  kernel.lanes = shape.lanes;
  kernel.rounds = shape.rounds;
  kernel.max_vectors_of_one = shape.max_vectors_of_one;
  for (int v = 0; v < kGemmMaxVectors; ++v) {
    kernel.max_positions[v] = shape.max_positions[v];
    kernel.max_offset_positions[v] = shape.max_offset_positions[v];
  }
  return kernel;
}

// What only one level has.
constexpr GemmKernel with_own(GemmKernel kernel) {
#ifdef WEFT_HAVE_avx512
  if (kernel.isa == Isa::avx512) {
    kernel.listed_strips = avx512::gemm_listed_f32;
    kernel.packing_strips = avx512::gemm_packing_f32;
    kernel.packed_strips = avx512::gemm_packed_f32;
    kernel.chains = avx512::gemm_chains_f32;
    kernel.far_chains = avx512::gemm_far_chains_f32;
    kernel.windows = avx512::gemm_windows;
    kernel.pairs = avx512::gemm_pairs;
  }
#endif
#ifdef WEFT_HAVE_avx2
  if (kernel.isa == Isa::avx2) {
    kernel.gathered_tile = avx2::gemm_gathered_f32;
    kernel.gather = avx2::gemm_gather_f32;
    kernel.listed_strips = avx2::gemm_listed_f32;
    kernel.packing_strips = avx2::gemm_packing_f32;
    kernel.packed_strips = avx2::gemm_packed_f32;
    kernel.chains = avx2::gemm_chains_f32;
    kernel.far_chains = avx2::gemm_far_chains_f32;
    kernel.pairs = avx2::gemm_pairs;
  }
#endif
  return kernel;
}

#define WEFT_GEMM(level)                                              \
  with_shape(with_own({.isa = Isa::level,                             \
                       .lanes = 0,                                    \
                       .max_positions = {},                           \
                       .max_vectors_of_one = 0,                       \
                       .tile = level::gemm_f32,                       \
                       .padded_row_tile = level::gemm_padded_row_f32, \
                       .max_offset_positions = {},                    \
                       .offset_tile = level::gemm_at_offsets_f32,     \
                       .strips = level::gemm_strips_f32,              \
                       .rounds = false,                               \
                       .transpose = level::transpose_f32,             \
                       .pad_rows = level::pad_rows_f32,               \
                       .add_scaled_row = level::add_scaled_row_f32,   \
                       .gemm_f32_name = "gemm_f32_" #level,           \
                       .gemm_f16_name = "gemm_f16_" #level,           \
                       .rows_f32_name = "rows_f32_" #level,           \
                       .rows_f16_name = "rows_f16_" #level}),         \
             kGemmShape##level),
constexpr GemmKernel kGemmTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_GEMM)};
#undef WEFT_GEMM

}  // namespace

std::span<const GemmKernel> gemm_kernel_table() noexcept { return kGemmTable; }

const GemmKernel& gemm_kernel(Isa isa) noexcept { return first_fit(kGemmTable, isa); }

}  // namespace weft::kernels
