#pragma once

#include <optional>

#include "weft/isa.h"

namespace weft::cli::bench {

// bfloat16 products of the matrix unit that a product of these types takes.
inline constexpr double kFloat32Products = 6, kFloat16Products = 3;

// What this machine can do at most with a number of threads, measured for a tenth of a second each.
struct Limits {
  Isa isa = Isa::base;
  unsigned threads = 1;
  double fma_gflops = 0;  // float32 multiply-adds in registers at the instruction set allowed
  // Products of the matrix unit, in registers. Nothing without AMX, or where that is not allowed.
  std::optional<double> amx_float32_gflops = {};
  std::optional<double> amx_float16_gflops() const {
    if (!amx_float32_gflops) return std::nullopt;
    return *amx_float32_gflops * kFloat32Products / kFloat16Products;
  }
  // Bytes read plus bytes written by a copy, from and to buffers that rotate as a shape's do.
  double copy_gbytes = 0;
};

Limits measure_limits(Isa isa, unsigned threads);

}  // namespace weft::cli::bench
