#pragma once

#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace weft::kernels {

// Terms that a short sum adds to its bias first.
inline constexpr int kGemmBiasTerms = 4;

// So many strips ahead the lines of sums are fetched.
inline constexpr int kGemmPlacesAhead = 2;

// Of listed, packing and packed strips, lines of sums come with whole turns of so many terms: what
// is no multiply-add and no load is a quarter of an instruction a product so.
inline constexpr std::int64_t kGemmTurn = 4;

// Where a strip lies: floats from b, elements from the first sum.
struct GemmPlace {
  std::int64_t b;
  std::int64_t sums;
};

// Tiles of a matrix product (kernels/gemm/gemm.h) that share positions and terms, each of other
// columns, a strip: all terms at once, one strip after the other.
//
//   sums(m, n) = sum over terms k of a(k, m) * b(k, n)
//   and then, where there is a bias,  sums(m, n) += bias(m)
//   and then, where there is a ramp,  sums(m, n) = ramp(sums(m, n))
//
// The same chain of roundings as in GemmTile; or several, which are added in their order.
//
//   a     a(k, m) = a[terms[k].a + m]
//         of listed, packing and packed strips a[k * a_row + m], where a_row is as many as
//         positions where these are all that registers hold
//   b     b(k, n) = b[place.b + terms[k].b + n]
//   sums  sums(m, n) = sums[place.sums + m * sums_stride + n]
//   half  where not null: float16 sums there instead; only where GemmKernel::rounds
//   bias  a number a position, or null
//   next  memory that is wanted next is brought nearer with the terms that bring no lines of sums,
//         next_step bytes further on each: as many cache lines as a row of sums fills, next_line
//         bytes apart; of listed, packing and packed strips one line, with AVX-512 with all terms,
//         and each strip begins next_strip bytes after the one before
struct GemmStrips {
  const float* a = nullptr;
  const float* b = nullptr;
  float* sums = nullptr;
  std::uint16_t* half = nullptr;
  std::int64_t sums_stride = 0;
  const float* bias = nullptr;
  const GemmTerm* terms = nullptr;
  std::int64_t depth = 0;  // terms
  std::int64_t a_row = 0;
  const GemmPlace* places = nullptr;
  std::int64_t count = 0;  // strips
  // Lines that sums go to come nearer: where there are as many terms as positions, with the first
  // terms, those of strips kGemmPlacesAhead further on, for which there are so many places more;
  // else at once those of a strip when it begins.
  bool fetches_sums = false;
  // The last kGemmBiasTerms terms, where there are so many, are a chain of their own, from the
  // bias, which there must be, and are added at the end.
  bool bias_terms = false;
  const Ramp* ramp = nullptr;
  const char* next = nullptr;
  std::int64_t next_step = 0;
  std::int64_t next_line = 0;
  std::int64_t next_strip = 0;
  // Of listed, packing and packed strips alone: the terms are one chain of several. Unless it is
  // the first, the sum of those before is at kept[(i * positions + m) * columns + n] of strip i;
  // unless it is the last, its own goes there.
  bool first = true;
  bool last = true;
  float* kept = nullptr;
  float* packed = nullptr;       // where packing strips lay out what they read
  std::int64_t packed_step = 0;  // floats from a packed strip's first to the next one's
};

}  // namespace weft::kernels
