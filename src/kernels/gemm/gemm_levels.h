#pragma once

// Declares the gemm kernels of every instruction set. gemm.h has their contracts.

#include <cstdint>

#include "base/levels.h"

namespace weft::kernels {
struct GemmTile;
}

#define WEFT_DECLARE_GEMM(level)                                                                  \
  namespace weft::kernels::level {                                                                \
  void gemm_f32(const GemmTile& tile) noexcept;                                                   \
  void add_scaled_row_f32(float factor, const float* x, float* acc, std::int64_t count) noexcept; \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_GEMM)
#undef WEFT_DECLARE_GEMM
