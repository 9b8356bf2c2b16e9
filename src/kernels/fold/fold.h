#pragma once

// Adds columns to sums.

#include <cstdint>
#include <span>
#include <string_view>

#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

// One of the things to add: its element 0 of row 0 of plane 0, which need not be in memory, and the
// elements of each row that it has, the same in all rows.
struct FoldTerm {
  const void* from;
  std::int64_t begin;
  std::int64_t end;
};

// Adds each term, one after the other, to all sums that it has elements for:
//
//   sum[p * sum_plane + r * sum_row + i] += from[p * from_plane + r * from_row + i * from_step]
//       for 0 <= p < planes, 0 <= r < rows, begin <= i < end
//
// Steps are in elements, any sign; those of `from` may be 0. 0 <= begin <= end <= count for every
// term. The rows of `sum` do not overlap each other or a term.
struct FoldBox {
  static constexpr std::int64_t kMaxTerms = 4;

  void* sum;
  std::int64_t sum_plane;
  std::int64_t sum_row;
  std::int64_t from_plane;
  std::int64_t from_row;
  std::int64_t from_step;
  std::int64_t ahead;  // from each element to one that is read soon, as a hint; 0 for none
  std::int64_t planes;
  std::int64_t rows;
  std::int64_t count;
  bool start;               // sums start at 0 instead of what they hold
  std::int64_t term_count;  // at most kMaxTerms
  FoldTerm terms[kMaxTerms];
};

using FoldFunction = void (*)(const FoldBox&) noexcept;

// Rows of an image with their sums in registers from the first term to the last:
//
//   to[r * to_row + i * to_step + p] = from[r * from_row + terms[t].offset + p * from_plane + i],
//       added up over the parts that have row r, and over t for each part; where
//       terms[t].begin <= i < terms[t].end
//
// for 0 <= r < rows, 0 <= i < count, 0 <= p < phases; of the last i, for 0 <= p < last. Either
// there are kSquare phases, which have term_end[0] terms each, or 1 to kMaxPhases, which is
// to_step: phase p has the terms of [term_end[p - 1], term_end[p]), and from_plane does not count.
struct FoldRows {
  static constexpr std::int64_t kMaxParts = 8, kMaxTerms = 16;
  static constexpr std::int64_t kMaxPhases = 4, kSquare = 16;

  struct Term {
    std::int64_t offset;
    std::int64_t begin;
    std::int64_t end;
  };
  struct Part {
    const void* from;    // of row 0, which need not be in memory
    std::int64_t begin;  // the rows that it has
    std::int64_t end;
  };

  void* to;
  std::int64_t to_row;
  std::int64_t to_step;
  std::int64_t from_row;
  std::int64_t from_plane;
  std::int64_t rows;
  std::int64_t count;
  std::int64_t phases;
  std::int64_t last;
  std::int64_t ahead;  // from all this to what is read next, as a hint; 0 for none
  std::int64_t part_count;
  Part parts[kMaxParts];
  std::int64_t term_end[kMaxPhases];
  Term terms[kMaxTerms];
};

using FoldRowsFunction = void (*)(const FoldRows&) noexcept;

// Makes every NaN among the sums the one of one_nan.h; FoldRows does it by itself. What is copied
// is no sum.
using TidySums = void (*)(void* sums, std::int64_t count) noexcept;

// Sums have the type of the tensor, except that those of float16 are float32. Integers wrap, so
// that one kernel serves both signednesses.
struct FoldKernel {
  Isa isa;
  bool is_float;
  unsigned bits;  // of an element of the tensor
  unsigned sum_bytes;
  FoldFunction add;
  FoldRowsFunction rows;  // null: none
  TidySums tidy;          // null for integers
  std::string_view name;  // "fold_f32_avx2"
};

// Best first.
std::span<const FoldKernel> fold_kernel_table() noexcept;

// The best allowed kernel of a type of 8 to 64 bits.
const FoldKernel& fold_kernel(Isa isa, DataType type) noexcept;

}  // namespace weft::kernels
