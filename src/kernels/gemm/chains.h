#pragma once

#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace weft::kernels {

// Sums in chains: a tile of a matrix product (kernels/gemm/gemm.h), of which some terms after the
// others are a chain of their own, from 0.
//
//   acc(m, n) = (first ? 0 : acc(m, n)) + sum over chains of (sum over their terms of a(m) * b(n))
//
// Chains are added to each other in their order, and their sum to acc, so that what many calls add
// up is a sum of sums of chains; a chain's terms are added as those of GemmTile are. What of NaN a
// sum is does not count.
//
//   a      term k: a[terms[k].a + m]; without a list, a[k * a_row + m], where a_row is kGemmBlock
//          unless what is wanted next is far away
//   b      term k: b[terms[k].b + n]; without a list, one row after the other, each of the tile's
//          columns or, where that is far away, of kGemmBlock
//   acc    rows acc_stride apart
//   next   memory that is wanted next is brought nearer, next_step bytes a term: a cache line every
//          other term; from far away, as many as a row of b has each term
struct GemmChains {
  const float* a;
  const float* b;
  float* acc;
  const GemmTerm* terms;  // null: none
  std::int64_t a_row;
  std::int64_t depth;  // terms
  std::int64_t chain;  // at most, of each chain
  std::int64_t acc_stride;
  const char* next;
  std::int64_t next_step;
  bool first;
};

}  // namespace weft::kernels
