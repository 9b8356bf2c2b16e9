#pragma once

// Declares the fold kernels of every instruction set. fold.h has their contract.

#include <cstdint>

#include "base/levels.h"

namespace weft::kernels {
struct FoldBox;
struct FoldRows;
}  // namespace weft::kernels

#define WEFT_DECLARE_FOLD(level)                \
  namespace weft::kernels::level {              \
  void fold_i8(const FoldBox&) noexcept;        \
  void fold_i16(const FoldBox&) noexcept;       \
  void fold_i32(const FoldBox&) noexcept;       \
  void fold_i64(const FoldBox&) noexcept;       \
  void fold_f16(const FoldBox&) noexcept;       \
  void fold_f32(const FoldBox&) noexcept;       \
  void fold_f64(const FoldBox&) noexcept;       \
  void fold_rows_i32(const FoldRows&) noexcept; \
  void fold_rows_f32(const FoldRows&) noexcept; \
  void fold_rows_f16(const FoldRows&) noexcept; \
  void tidy_f32(void*, std::int64_t) noexcept;  \
  void tidy_f64(void*, std::int64_t) noexcept;  \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_FOLD)
#undef WEFT_DECLARE_FOLD
