#pragma once

// Declares the direct kernels of every instruction set. direct.h has their contracts.

#include "base/levels.h"

namespace weft::kernels {
struct DirectBlock;
struct DirectChannels;
struct DirectDoubling;
struct DirectInPlace;
struct DirectPhases;
struct DirectRows;
}  // namespace weft::kernels

#define WEFT_DECLARE_DIRECT(level)                        \
  namespace weft::kernels::level {                        \
  void direct_multiply(const DirectBlock& b) noexcept;    \
  void direct_sum_phases(const DirectPhases& b) noexcept; \
  void direct_load_f32(const DirectRows& r) noexcept;     \
  void direct_load_f16(const DirectRows& r) noexcept;     \
  }
WEFT_FOR_EACH_LEVEL(WEFT_DECLARE_DIRECT)
#undef WEFT_DECLARE_DIRECT

namespace weft::kernels::avx2 {
void direct_channels(const DirectChannels& b) noexcept;
void direct_double(const DirectDoubling& b) noexcept;
void direct_in_place(const DirectInPlace& b) noexcept;
void direct_in_place_runs(const DirectInPlace& b) noexcept;  // where b.run is set
}  // namespace weft::kernels::avx2

namespace weft::kernels::avx512 {
void direct_channels(const DirectChannels& b) noexcept;
void direct_double(const DirectDoubling& b) noexcept;
void direct_in_place(const DirectInPlace& b) noexcept;
void direct_in_place_runs(const DirectInPlace& b) noexcept;  // where b.run is set
}  // namespace weft::kernels::avx512
