#pragma once

// Declares the unfold kernels of every instruction set. unfold.h has their contract.

#include "base/levels.h"

namespace weft::kernels {
struct UnfoldRectangle;
}

#define WEFT_DECLARE_UNFOLD(level)                 \
  namespace weft::kernels::level {                 \
  void unfold_8(const UnfoldRectangle&) noexcept;  \
  void unfold_16(const UnfoldRectangle&) noexcept; \
  void unfold_32(const UnfoldRectangle&) noexcept; \
  void unfold_64(const UnfoldRectangle&) noexcept; \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_UNFOLD)
#undef WEFT_DECLARE_UNFOLD
