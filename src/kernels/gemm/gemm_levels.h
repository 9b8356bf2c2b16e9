#pragma once

// Declares the gemm kernels of every instruction set. gemm.h has their contracts.

#include <cstdint>

#include "base/levels.h"
#include "kernels/gemm/gemm.h"

#define WEFT_DECLARE_GEMM(level)                                                                  \
  namespace weft::kernels::level {                                                                \
  GemmFunction gemm_f32(std::int64_t vectors, std::int64_t positions,                             \
                        std::int64_t a_step) noexcept;                                            \
  GemmFunction gemm_padded_row_f32(std::int64_t vectors, std::int64_t positions,                  \
                                   std::int64_t a_step) noexcept;                                 \
  GemmFunction gemm_at_offsets_f32(std::int64_t vectors, std::int64_t positions) noexcept;        \
  GemmStripsFunction gemm_strips_f32(std::int64_t vectors, std::int64_t positions) noexcept;      \
  void transpose_f32(const Transposition& transposition) noexcept;                                \
  void pad_rows_f32(const PaddedRows& rows) noexcept;                                             \
  void add_scaled_row_f32(float factor, const float* x, float* acc, std::int64_t count) noexcept; \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_GEMM)
#undef WEFT_DECLARE_GEMM

namespace weft::kernels::avx2 {
GemmFunction gemm_gathered_f32(std::int64_t vectors, std::int64_t positions) noexcept;
float* gemm_gather_f32(const GemmTile& tile, std::int64_t positions, float* to) noexcept;
GemmStripsFunction gemm_packing_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmStripsFunction gemm_packed_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmStripsFunction gemm_listed_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmChainsFunction gemm_chains_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmChainsFunction gemm_far_chains_f32(std::int64_t positions) noexcept;
void gemm_pairs(const GemmPairs& s) noexcept;
}  // namespace weft::kernels::avx2

namespace weft::kernels::avx512 {
GemmStripsFunction gemm_packing_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmStripsFunction gemm_packed_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmStripsFunction gemm_listed_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmChainsFunction gemm_chains_f32(std::int64_t vectors, std::int64_t positions) noexcept;
GemmChainsFunction gemm_far_chains_f32(std::int64_t positions) noexcept;
void gemm_pairs(const GemmPairs& s) noexcept;
void gemm_windows(const GemmWindows& s) noexcept;
}  // namespace weft::kernels::avx512
