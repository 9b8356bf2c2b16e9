#pragma once

// Declares the row kernels of every instruction set. rows.h has their contracts.

#include <cstdint>

#include "base/levels.h"

#define WEFT_DECLARE_ROWS(level)                                                       \
  namespace weft::kernels::level {                                                     \
  void load_f32(const void*, std::int64_t, float*, std::int64_t) noexcept;             \
  void load_f16(const void*, std::int64_t, float*, std::int64_t) noexcept;             \
  void store_f32(const float*, void*, std::int64_t, std::int64_t) noexcept;            \
  void store_f16(const float*, void*, std::int64_t, std::int64_t) noexcept;            \
  void load_rows_f16(const void*, std::int64_t, float*, std::int64_t, std::int64_t,    \
                     std::int64_t) noexcept;                                           \
  void store_rows_f16(const float*, std::int64_t, void*, std::int64_t, std::int64_t,   \
                      std::int64_t) noexcept;                                          \
  void interleave(const float*, std::int64_t, std::int64_t, float*, std::int64_t,      \
                  std::int64_t) noexcept;                                              \
  void interleave_f16(const float*, std::int64_t, std::int64_t, void*, std::int64_t,   \
                      std::int64_t) noexcept;                                          \
  void copy_8(const void*, std::int64_t, void*, std::int64_t, std::int64_t) noexcept;  \
  void copy_16(const void*, std::int64_t, void*, std::int64_t, std::int64_t) noexcept; \
  void copy_32(const void*, std::int64_t, void*, std::int64_t, std::int64_t) noexcept; \
  void copy_64(const void*, std::int64_t, void*, std::int64_t, std::int64_t) noexcept; \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_ROWS)
#undef WEFT_DECLARE_ROWS
