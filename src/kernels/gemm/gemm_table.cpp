#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_shape.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

constexpr GemmKernel with_shape(GemmKernel kernel, const GemmShape& shape) {
  kernel.lanes = shape.lanes;
  kernel.rounds = shape.rounds;
  for (int v = 0; v < kGemmMaxVectors; ++v) {
    kernel.max_positions[v] = shape.max_positions[v];
    kernel.max_offset_positions[v] = shape.max_offset_positions[v];
  }
  return kernel;
}

#ifdef WEFT_HAVE_avx512
constexpr auto windows_of_avx512 = avx512::gemm_windows;
constexpr auto pairs_of_avx512 = avx512::gemm_pairs;
#else
constexpr void (*windows_of_avx512)(const GemmWindows&) noexcept = nullptr;
constexpr void (*pairs_of_avx512)(const GemmPairs&) noexcept = nullptr;
#endif
#ifdef WEFT_HAVE_avx2
constexpr auto pairs_of_avx2 = avx2::gemm_pairs;
constexpr auto of_blocks_of_avx2 = avx2::gemm_of_blocks_f32;
constexpr auto gathered_of_avx2 = avx2::gemm_gathered_f32;
constexpr auto gather_of_avx2 = avx2::gemm_gather_f32;
constexpr auto packed_of_avx2 = avx2::gemm_packed_f32;
constexpr auto listed_of_avx2 = avx2::gemm_listed_f32;
constexpr auto pack_of_avx2 = avx2::gemm_pack_f32;
#else
constexpr void (*pairs_of_avx2)(const GemmPairs&) noexcept = nullptr;
constexpr GemmFunction (*of_blocks_of_avx2)(std::int64_t, std::int64_t) noexcept = nullptr;
constexpr GemmFunction (*gathered_of_avx2)(std::int64_t, std::int64_t) noexcept = nullptr;
constexpr float* (*gather_of_avx2)(const GemmTile&, std::int64_t, float*) noexcept = nullptr;
constexpr GemmStripsFunction (*packed_of_avx2)(std::int64_t, std::int64_t) noexcept = nullptr;
constexpr GemmStripsFunction (*listed_of_avx2)(std::int64_t, std::int64_t) noexcept = nullptr;
constexpr float* (*pack_of_avx2)(const float*, std::int64_t, const GemmTerm*, std::int64_t,
                                 float*) noexcept = nullptr;
#endif

constexpr auto windows_of(Isa isa) { return isa == Isa::avx512 ? windows_of_avx512 : nullptr; }
constexpr auto pairs_of(Isa isa) {
  return isa == Isa::avx512 ? pairs_of_avx512 : isa == Isa::avx2 ? pairs_of_avx2 : nullptr;
}
constexpr auto of_blocks_of(Isa isa) { return isa == Isa::avx2 ? of_blocks_of_avx2 : nullptr; }
constexpr auto gathered_of(Isa isa) { return isa == Isa::avx2 ? gathered_of_avx2 : nullptr; }
constexpr auto gather_of(Isa isa) { return isa == Isa::avx2 ? gather_of_avx2 : nullptr; }
constexpr auto packed_of(Isa isa) { return isa == Isa::avx2 ? packed_of_avx2 : nullptr; }
constexpr auto listed_of(Isa isa) { return isa == Isa::avx2 ? listed_of_avx2 : nullptr; }
constexpr auto pack_of(Isa isa) { return isa == Isa::avx2 ? pack_of_avx2 : nullptr; }

#define WEFT_GEMM(level)                                     \
  with_shape({.isa = Isa::level,                             \
              .lanes = 0,                                    \
              .max_positions = {},                           \
              .tile = level::gemm_f32,                       \
              .padded_row_tile = level::gemm_padded_row_f32, \
              .far_tile = level::gemm_far_f32,               \
              .of_blocks_tile = of_blocks_of(Isa::level),    \
              .gathered_tile = gathered_of(Isa::level),      \
              .gather = gather_of(Isa::level),               \
              .max_offset_positions = {},                    \
              .offset_tile = level::gemm_at_offsets_f32,     \
              .strips = level::gemm_strips_f32,              \
              .listed_strips = listed_of(Isa::level),        \
              .packed_strips = packed_of(Isa::level),        \
              .pack = pack_of(Isa::level),                   \
              .windows = windows_of(Isa::level),             \
              .pairs = pairs_of(Isa::level),                 \
              .rounds = false,                               \
              .transpose = level::transpose_f32,             \
              .pad_rows = level::pad_rows_f32,               \
              .add_scaled_row = level::add_scaled_row_f32,   \
              .gemm_f32_name = "gemm_f32_" #level,           \
              .gemm_f16_name = "gemm_f16_" #level,           \
              .rows_f32_name = "rows_f32_" #level,           \
              .rows_f16_name = "rows_f16_" #level},          \
             kGemmShape##level),
constexpr GemmKernel kGemmTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_GEMM)};
#undef WEFT_GEMM

}  // namespace

std::span<const GemmKernel> gemm_kernel_table() noexcept { return kGemmTable; }

const GemmKernel& gemm_kernel(Isa isa) noexcept { return first_fit(kGemmTable, isa); }

}  // namespace weft::kernels
