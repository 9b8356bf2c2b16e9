#pragma once

// Declares the loops of every instruction set. resample.h has their contracts.

#include <cstdint>

#include "base/levels.h"
#include "kernels/resample/resample.h"

#define WEFT_DECLARE_RESAMPLE(level)                                                             \
  namespace weft::kernels::level {                                                               \
  template <class T>                                                                             \
  void gather_row(const void*, const std::int64_t*, void*, std::int64_t, std::int64_t) noexcept; \
  void repeat_rows(const void*, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t,   \
                   std::int64_t, void*, std::int64_t) noexcept;                                  \
  template <class T, class Real>                                                                 \
  void widen_row(const void*, std::int64_t, Real*, std::int64_t) noexcept;                       \
  template <class T>                                                                             \
  void load_row(const void*, std::int64_t, float*, std::int64_t) noexcept;                       \
  template <class T>                                                                             \
  void truncate_row(const double*, void*, std::int64_t, std::int64_t) noexcept;                  \
  template <class T>                                                                             \
  void lerp_between(const float*, const float*, const float*, std::int64_t, void*, std::int64_t, \
                    std::int64_t) noexcept;                                                      \
  void lerp_between_past_caches(const float*, const float*, const float*, std::int64_t, void*,   \
                                std::int64_t, std::int64_t) noexcept;                            \
  void lerp_between_f64(const double*, const double*, const float*, std::int64_t, void*,         \
                        std::int64_t, std::int64_t) noexcept;                                    \
  template <class T, class Real>                                                                 \
  void lerp_along(const void*, const void*, float, const Picks&, Real*) noexcept;                \
  template <class T>                                                                             \
  bool lerp_rows(const LerpRows&) noexcept;                                                      \
  template <class T, class Row>                                                                  \
  void fixed_along(const void*, const FixedPicks&, Row*) noexcept;                               \
  template <class T, class Row>                                                                  \
  void fixed_between(const Row*, const Row*, const FixedWeight&, void*, std::int64_t) noexcept;  \
  void add_row(const float*, double, double*, std::int64_t) noexcept;                            \
  double triangle_sum(const double*, std::int64_t, double, double, double) noexcept;             \
  void narrow_row(const double*, float*, std::int64_t) noexcept;                                 \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_RESAMPLE)
#undef WEFT_DECLARE_RESAMPLE
