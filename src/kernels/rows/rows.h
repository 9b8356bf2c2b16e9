#pragma once

// Moves one row of elements between tensors and scratch memory: from any stride, to any stride,
// widening to float32 or narrowing from it on the way.

#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

// to[i] = from[i * from_stride], widened to float32 exactly. 0 <= i < count; the stride is in
// elements and may be 0 or negative. `to` does not overlap `from`.
using LoadRow = void (*)(const void* from, std::int64_t from_stride, float* to,
                         std::int64_t count) noexcept;

// to[i * to_stride] = from[i], rounded to the row's type (to nearest, ties to even).
using StoreRow = void (*)(const float* from, void* to, std::int64_t to_stride,
                          std::int64_t count) noexcept;

// to[i * to_stride] = from[i * from_stride], bit for bit.
using CopyRow = void (*)(const void* from, std::int64_t from_stride, void* to,
                         std::int64_t to_stride, std::int64_t count) noexcept;

// Several rows become one:
//
//   to[i * rows + r] = from[r * from_stride + i]   for begin <= i * rows + r < end, 0 <= r < rows
//
// Nothing else is read or written.
using InterleaveRows = void (*)(const float* from, std::int64_t from_stride, std::int64_t rows,
                                float* to, std::int64_t begin, std::int64_t end) noexcept;

// As InterleaveRows, of up to 16 rows, rounded to float16.
using InterleaveHalves = void (*)(const float* from, std::int64_t from_stride, std::int64_t rows,
                                  void* to, std::int64_t begin, std::int64_t end) noexcept;

// Rows of float32 to rows of float16, whose elements lie side by side:
//
//   to[r * to_stride + i] = from[r * from_stride + i]   for i in [0, count), r in [0, rows)
using StoreRows = void (*)(const float* from, std::int64_t from_stride, void* to,
                           std::int64_t to_stride, std::int64_t rows, std::int64_t count) noexcept;

// The way back, widened.
using LoadRows = void (*)(const void* from, std::int64_t from_stride, float* to,
                          std::int64_t to_stride, std::int64_t rows, std::int64_t count) noexcept;

// The row kernels of one instruction set.
struct RowKernels {
  Isa isa;
  LoadRow load_f32;
  LoadRow load_f16;
  StoreRow store_f32;
  StoreRow store_f16;
  LoadRows load_rows_f16;
  StoreRows store_rows_f16;
  InterleaveRows interleave;
  InterleaveHalves interleave_f16;
  CopyRow copy_8;  // by bits an element
  CopyRow copy_16;
  CopyRow copy_32;
  CopyRow copy_64;

  // For float32 and float16.
  LoadRow load(DataType type) const noexcept {
    return type == DataType::float16 ? load_f16 : load_f32;
  }
  StoreRow store(DataType type) const noexcept {
    return type == DataType::float16 ? store_f16 : store_f32;
  }
  CopyRow copy(DataType type) const noexcept {
    switch (byte_size(type)) {
      case 1:
        return copy_8;
      case 2:
        return copy_16;
      case 4:
        return copy_32;
      default:
        return copy_64;
    }
  }
};

// One entry an instruction set, best first.
std::span<const RowKernels> row_kernel_table() noexcept;
const RowKernels& row_kernels(Isa isa) noexcept;

}  // namespace weft::kernels
