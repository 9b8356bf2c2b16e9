#pragma once

// Declares the transpose kernels of every instruction set. transpose.h has their contract.

#include "base/levels.h"

namespace weft::kernels {
struct TransposeRectangle;
}

#define WEFT_DECLARE_TRANSPOSE(level)                    \
  namespace weft::kernels::level {                       \
  void transpose_8(const TransposeRectangle&) noexcept;  \
  void transpose_16(const TransposeRectangle&) noexcept; \
  void transpose_32(const TransposeRectangle&) noexcept; \
  void transpose_64(const TransposeRectangle&) noexcept; \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_TRANSPOSE)
#undef WEFT_DECLARE_TRANSPOSE
