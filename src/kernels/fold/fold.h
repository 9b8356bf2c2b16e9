#pragma once

// Adds rows of columns to rows of sums.

#include <cstdint>
#include <span>
#include <string_view>

#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

//   sum[r * sum_row + i] += from[r * from_row + i * from_step]    0 <= r < rows, 0 <= i < count
//
// Steps are in elements, any sign; from_step and from_row may be 0. The rows of `sum` do not
// overlap each other or `from`.
struct FoldRectangle {
  void* sum;
  std::int64_t sum_row;
  const void* from;
  std::int64_t from_row;
  std::int64_t from_step;
  std::int64_t rows;
  std::int64_t count;
};

using FoldFunction = void (*)(const FoldRectangle&) noexcept;

// Sums have the type of the tensor, except that those of float16 are float32. Integers wrap, so
// that one kernel serves both signednesses.
struct FoldKernel {
  Isa isa;
  bool is_float;
  unsigned bits;  // of an element of the tensor
  unsigned sum_bytes;
  FoldFunction add;
  std::string_view name;  // "fold_f32_avx2"
};

// Best first.
std::span<const FoldKernel> fold_kernel_table() noexcept;

// The best allowed kernel of a type of 8 to 64 bits.
const FoldKernel& fold_kernel(Isa isa, DataType type) noexcept;

}  // namespace weft::kernels
