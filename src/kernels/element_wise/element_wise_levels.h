#pragma once

// Declares the integer kernels of every instruction set. element_wise.h has their contract.

#include <cstdint>

#include "base/levels.h"
#include "kernels/element_wise/element_wise.h"

#define WEFT_DECLARE_INTEGERS(level)                                                    \
  namespace weft::kernels::level {                                                      \
  template <class T>                                                                    \
  void clamp_row(const void*, std::int64_t, void*, std::int64_t, std::int64_t,          \
                 const IntegerFunction&) noexcept;                                      \
  template <class T>                                                                    \
  void scale_row(const void*, std::int64_t, void*, std::int64_t, std::int64_t,          \
                 const IntegerFunction&) noexcept;                                      \
  template <class T>                                                                    \
  void integer_shrink_row(const void*, std::int64_t, void*, std::int64_t, std::int64_t, \
                          const IntegerFunction&) noexcept;                             \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_INTEGERS)
#undef WEFT_DECLARE_INTEGERS
