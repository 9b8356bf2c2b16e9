#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/isa.h"

namespace weft::kernels {

// One tile of a matrix product, mr x nr numbers that stay in registers:
//
//   acc(m, n) = (first ? 0 : acc(m, n)) + sum over k of a(k, m) * b(k, n)
//
// One multiply-add a term, k ascending, fused where the instruction set has it: the same chain of
// roundings for every tile shape.
//
//   a    depth rows of mr floats, packed          a(k, m) = a[k * mr + m]
//   b    depth rows of nr floats, b_stride apart  b(k, n) = b[k * b_stride + n]
//   acc  mr rows of nr floats, acc_stride apart   acc(m, n) = acc[m * acc_stride + n]
struct GemmTile {
  const float* a;
  const float* b;
  float* acc;
  std::int64_t b_stride;
  std::int64_t acc_stride;
  std::int64_t depth;
  bool first;
};

// acc[i] = acc[i] + factor * x[i] for 0 <= i < count, rounded as a term of GemmTile is.
using AddScaledRow = void (*)(float factor, const float* x, float* acc,
                              std::int64_t count) noexcept;

struct GemmKernel {
  Isa isa;
  std::int64_t mr;
  std::int64_t nr;
  void (*tile)(const GemmTile& tile) noexcept;
  AddScaledRow add_scaled_row;
  const char* gemm_f32_name;  // what plans report: "gemm_f32_avx2"
  const char* gemm_f16_name;
  const char* rows_f32_name;
  const char* rows_f16_name;
};

// Best instruction set first.
std::span<const GemmKernel> gemm_kernel_table() noexcept;
const GemmKernel& gemm_kernel(Isa isa) noexcept;

}  // namespace weft::kernels
