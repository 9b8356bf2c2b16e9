#pragma once

// Moves rectangles of elements from columns to rows.

#include <cstdint>
#include <span>
#include <string_view>

#include "weft/isa.h"

namespace weft::kernels {

//   to[r * to_row + i] = from[i * from_row + r]    0 <= r < rows, 0 <= i < count
//
// and so on for all inner pieces of all outer ones, each so many steps from the first. Steps are in
// elements, any sign; from_row may be less than `rows`, so that the columns overlap, or 0. Input
// and output do not overlap.
struct TransposeRectangle {
  const void* from;
  std::int64_t from_row;
  void* to;
  std::int64_t to_row;
  std::int64_t rows;
  std::int64_t count;

  struct Pieces {
    std::int64_t count = 1;
    std::int64_t from_step = 0;
    std::int64_t to_step = 0;
  };
  Pieces outer = {};
  Pieces inner = {};
};

using TransposeFunction = void (*)(const TransposeRectangle&) noexcept;

struct TransposeKernel {
  Isa isa;
  unsigned bits;  // of an element
  TransposeFunction transpose;
  std::string_view name;  // "transpose_32_avx2"
};

// Best first.
std::span<const TransposeKernel> transpose_kernel_table() noexcept;

// The best allowed kernel; `bits` is 8, 16, 32 or 64.
const TransposeKernel& transpose_kernel(Isa isa, unsigned bits) noexcept;

}  // namespace weft::kernels
