#pragma once

// Interleaves vectors of floats, and takes every other one. Only for files that are compiled for
// AVX-512.

#include <immintrin.h>

#include <cstdint>

namespace weft::kernels::WEFT_ISA {
namespace {

// Lane e of vector v of the result is lane (16 v + e) / rows of row (16 v + e) % rows.
template <int rows>
struct Interleaving {
  alignas(64) std::int32_t lanes[rows][16];
  __mmask16 masks[rows][rows];  // by vector, row

  constexpr Interleaving() : lanes{}, masks{} {
    for (int i = 0; i < 16 * rows; ++i) {
      lanes[i / 16][i % 16] = i / rows;
      masks[i / 16][i % rows] = static_cast<__mmask16>(masks[i / 16][i % rows] | 1 << i % 16);
    }
  }
};

// Vector v of the 16 numbers of each row, all rows interleaved.
template <int rows>
inline __m512 interleaved(const __m512 (&x)[rows], std::int64_t v) {
  if constexpr (rows == 1) return x[0];
  if constexpr (rows == 2) {
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i places = _mm512_add_epi32(first, _mm512_set1_epi32(static_cast<int>(8 * v)));
    return _mm512_permutex2var_ps(x[0], places, x[1]);
  }
  static constexpr Interleaving<rows> table;
  const __m512i lanes = _mm512_load_si512(table.lanes[v]);
  __m512 y = _mm512_permutexvar_ps(lanes, x[0]);
#pragma GCC unroll 8
  for (int r = 1; r < rows; ++r) {
    y = _mm512_mask_permutexvar_ps(y, table.masks[v][r], lanes, x[r]);
  }
  return y;
}

inline __m512i even_numbers() {
  return _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
}

// Numbers 0, 2, .., 30 of two vectors, one behind the other.
inline __m512 every_other(__m512 low, __m512 high) {
  return _mm512_permutex2var_ps(low, even_numbers(), high);
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
