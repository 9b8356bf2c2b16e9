#pragma once

// Tile shapes, a level each: for tiles of 1, 2 and 3 vectors of columns, how many positions the
// registers hold (16 registers, 32 with AVX-512: the sums, one row of b and one broadcast number).

#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace weft::kernels {

struct GemmShape {
  std::int64_t lanes;
  std::int64_t max_positions[kGemmMaxVectors];
  // With an address each, which stay in registers, too. No gain was seen without fused operations.
  std::int64_t max_offset_positions[kGemmMaxVectors];
  // Vectors of a single position: as many as hide how long a sum takes.
  std::int64_t max_vectors_of_one = kGemmMaxVectors;
  bool rounds = false;  // to float16, by an instruction
};

// At the base level the compiler joins four lanes into a register where there is one.
inline constexpr GemmShape kGemmShapebase = {4, {12, 6, 0}, {}, 2};
inline constexpr GemmShape kGemmShapesse4 = {4, {12, 6, 4}, {}};
inline constexpr GemmShape kGemmShapeavx2 = {8, {12, 6, 4}, {0, 6, 4}, 6, true};
inline constexpr GemmShape kGemmShapeavx512 = {16, {24, 14, 9}, {0, 8, 8}, 8, true};

}  // namespace weft::kernels
