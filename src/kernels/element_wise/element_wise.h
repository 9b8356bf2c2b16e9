#pragma once

// Element-wise functions of integers. Those of floats are float32 rows: activation.h.

#include <cstdint>
#include <span>

#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

// A function of integers of one type. Results are truncated toward zero and saturated to the type,
// NaN becomes 0.
struct IntegerFunction {
  double scale = 1;
  double bias = 0;
  double shift = 0;      // shrink
  double threshold = 0;  // shrink
  // Bounds of clamp and scale: values of the type, as their bits in 64 (sign-extended).
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// to[i * to_stride] = f(from[i * from_stride]) for 0 <= i < count; strides in elements, any but 0
// in `to`. `to` may be `from` with the same stride, and does not overlap it otherwise.
using IntegerRow = void (*)(const void* from, std::int64_t from_stride, void* to,
                            std::int64_t to_stride, std::int64_t count,
                            const IntegerFunction& function) noexcept;

struct IntegerKernel {
  Isa isa;
  DataType type;
  const char* name;  // "int8_avx2"
  IntegerRow clamp;  // min(high, max(low, x)), exact
  // clamp(x * scale + bias), computed in double; null for 64-bit types.
  IntegerRow scale;
  // x - shift if x > threshold, x + shift if x < -threshold, else 0, computed in double; null for
  // 64-bit types.
  IntegerRow shrink;
};

// Best instruction set first.
std::span<const IntegerKernel> integer_kernel_table() noexcept;

// The best allowed kernel of a type; null where the type is no 8- to 64-bit integer.
const IntegerKernel* integer_kernel(DataType type, Isa isa) noexcept;

}  // namespace weft::kernels
