#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/ramp.h"
#include "weft/isa.h"

namespace weft::kernels {

// One term of the sums of a tile: where its factors lie, in floats from the tile's a and b.
struct GemmTerm {
  std::int64_t a;
  std::int64_t b;
};

// One tile of a matrix product, a few positions m by a few vectors of columns n, that stays in
// registers:
//
//   acc(m, n) = (first ? 0 : acc(m, n)) + sum over terms k of a(k, m) * b(k, n)
//   or, where sums are to be apart,   acc(m, n) += sum over terms k of a(k, m) * b(k, n)
//   and then, where there is a bias,  acc(m, n) += bias(n), or bias(m)
//   and then, where there is a ramp,  acc(m, n) = ramp(acc(m, n))
//
// One multiply-add a term, terms in their order, fused where the instruction set has it: the same
// chain of roundings for every tile shape.
//
//   a     any floats, a_step apart            a(k, m) = a[terms[k].a + m * a_step]
//         or each at an offset of its own     a(k, m) = a[terms[k].a + a_offsets[m]]
//   b     packed rows of as many columns      b(k, n) = b[terms[k].b + n]
//   acc   rows acc_stride apart               acc(m, n) = acc[m * acc_stride + n]
//   bias  as many floats as columns or positions, or null
//   half  where not null: the sums become float16 here instead, rows as far apart; only where
//         GemmKernel::rounds, of all terms at once, at an a_step of 1
//   next  memory that is wanted next is brought nearer: a cache line a term, next_step bytes apart,
//         or one for two terms where rows of b follow each other
struct GemmTile {
  const float* a = nullptr;
  const float* b = nullptr;
  float* acc = nullptr;
  const float* bias = nullptr;
  const GemmTerm* terms = nullptr;
  std::int64_t depth = 0;  // terms
  std::int64_t a_step = 0;
  std::int64_t acc_stride = 0;
  const char* next = nullptr;
  std::int64_t next_step = 0;
  bool first = false;
  bool bias_of_positions = false;
  bool rows_follow = false;  // of b: terms[k + 1].b = terms[k].b + as many as columns
  const Ramp* ramp = nullptr;
  bool last = true;    // else more terms follow, and a sum may be any NaN meanwhile
  bool apart = false;  // a chain of their own, from 0, that is added to acc at the end
  std::uint16_t* half = nullptr;
  const std::int64_t* a_offsets = nullptr;  // of offset_tile() alone
  // Of padded_row_tile() alone: the first position's first tap is padding, or the last one's last.
  bool padded_before = false, padded_after = false;
};

using GemmFunction = void (*)(const GemmTile& tile) noexcept;

struct GemmStrips;  // kernels/gemm/strips.h
using GemmStripsFunction = void (*)(const GemmStrips& strips) noexcept;

struct GemmChains;  // kernels/gemm/chains.h
using GemmChainsFunction = void (*)(const GemmChains& chains) noexcept;

struct GemmWindows;  // kernels/gemm/windows.h
struct GemmPairs;    // kernels/gemm/pairs.h

// to[n * to_stride + m] = from[m * from_stride + n] for m < rows, n < columns. Where `half` is not
// null, it is `to`, of float16; only where GemmKernel::rounds.
struct Transposition {
  const float* from;
  float* to;
  std::uint16_t* half = nullptr;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t rows;
  std::int64_t columns;
};

// Copies rows of an image between zeros on either side:
//
//   to[r * to_stride + i] = from[r * from_stride + i - before]  for before <= i < before + count,
//                           0 otherwise                          0 <= i < size, 0 <= r < rows
struct PaddedRows {
  const float* from;
  float* to;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t rows;
  std::int64_t before;
  std::int64_t count;
  std::int64_t size;
};

// acc[i] = acc[i] + factor * x[i] for 0 <= i < count, rounded as a term of GemmTile is.
using AddScaledRow = void (*)(float factor, const float* x, float* acc,
                              std::int64_t count) noexcept;

inline constexpr int kGemmMaxVectors = 3;

inline constexpr std::int64_t kPaddedTaps = 3;

// Positions that GemmKernel::chains() has tiles for.
inline constexpr std::int64_t kGemmBlock = 32;

struct GemmKernel {
  Isa isa;
  std::int64_t lanes;                           // columns a vector
  std::int64_t max_positions[kGemmMaxVectors];  // by vectors - 1; 0: no such tile
  std::int64_t max_vectors_of_one;              // of a single position
  // The tile of that many vectors and positions, for this a_step alone. A single position has
  // tiles of up to max_vectors_of_one vectors.
  GemmFunction (*tile)(std::int64_t vectors, std::int64_t positions, std::int64_t a_step) noexcept;
  // The same, at an a_step of 1 or 2, for positions of a row after or before one number of padding,
  // or between two, which are not read: terms are rows of kPaddedTaps taps, which follow each other
  // in a and b. Null: no such tile.
  GemmFunction (*padded_row_tile)(std::int64_t vectors, std::int64_t positions,
                                  std::int64_t a_step) noexcept;
  // The same, at an a_step of 1, of terms at a[k * positions] and b[k * columns], as gather() lays
  // them out. Null: no such tile.
  GemmFunction (*gathered_tile)(std::int64_t vectors, std::int64_t positions) noexcept = nullptr;
  // to[k * positions + m] = a(k, m) of all terms of a tile, of 8 positions at most, at any step or
  // offsets. Returns where the next ones go; may write seven floats beyond.
  float* (*gather)(const GemmTile& tile, std::int64_t positions, float* to) noexcept = nullptr;
  // The same as tile() for positions at offsets of their own.
  std::int64_t max_offset_positions[kGemmMaxVectors];
  GemmFunction (*offset_tile)(std::int64_t vectors, std::int64_t positions) noexcept;
  GemmStripsFunction (*strips)(std::int64_t vectors, std::int64_t positions) noexcept;
  // The same where rows of a follow each other. All terms are one chain, without bias_terms; lines
  // of sums are fetched where there are terms enough. Null, or null for so many vectors: no
  // such tile.
  GemmStripsFunction (*listed_strips)(std::int64_t vectors,
                                      std::int64_t positions) noexcept = nullptr;
  // The same, which also lay out what they read, for the products of other positions:
  // packed[(i * depth + k) * columns + n] = b(k, n) of strip i.
  GemmStripsFunction (*packing_strips)(std::int64_t vectors,
                                       std::int64_t positions) noexcept = nullptr;
  // The same where rows of b follow each other, too, as they then do:
  // b(k, n) = b[i * packed_step + k * columns + n].
  GemmStripsFunction (*packed_strips)(std::int64_t vectors,
                                      std::int64_t positions) noexcept = nullptr;
  // Of one or two vectors, and of kGemmBlock positions, cut into as few tiles as can be, all but
  // equal; or of two vectors and any positions, where what is wanted next is far away. Null: none.
  GemmChainsFunction (*chains)(std::int64_t vectors, std::int64_t positions) noexcept = nullptr;
  GemmChainsFunction (*far_chains)(std::int64_t positions) noexcept = nullptr;
  void (*windows)(const GemmWindows& sums) noexcept = nullptr;  // or null
  void (*pairs)(const GemmPairs& pairs) noexcept = nullptr;     // or null
  bool rounds;                                                  // can write float16
  void (*transpose)(const Transposition& transposition) noexcept;
  void (*pad_rows)(const PaddedRows& rows) noexcept;
  AddScaledRow add_scaled_row;
  const char* gemm_f32_name;  // what plans report: "gemm_f32_avx2"
  const char* gemm_f16_name;
  const char* rows_f32_name;
  const char* rows_f16_name;

  // The most positions that there are tiles for, of so many vectors.
  constexpr std::int64_t positions_of(std::int64_t vectors) const {
    return vectors <= kGemmMaxVectors ? max_positions[vectors - 1] : 1;
  }
  constexpr std::int64_t offset_positions_of(std::int64_t vectors) const {
    return vectors <= kGemmMaxVectors ? max_offset_positions[vectors - 1] : 0;
  }
};

// Best instruction set first.
std::span<const GemmKernel> gemm_kernel_table() noexcept;
const GemmKernel& gemm_kernel(Isa isa) noexcept;

// The same with multiply-adds that are fused at every level, however slowly.
const GemmKernel& fused_gemm_kernel(Isa isa) noexcept;

}  // namespace weft::kernels
