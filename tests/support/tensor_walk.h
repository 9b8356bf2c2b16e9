#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/tensor.h"

namespace weft::testing {

// A place in a tensor or a window: one number a dimension, at most 8.
struct Coordinate {
  std::array<std::int64_t, 8> at{};
  std::int64_t& operator[](std::size_t d) { return at[d]; }
  std::int64_t operator[](std::size_t d) const { return at[d]; }
};

// Where an element lies, in elements or bytes from the start of the buffer.
std::int64_t element_offset(const TensorDesc& desc, const Coordinate& x);

std::int64_t byte_offset(const TensorDesc& desc, const Coordinate& x);

// Entry d of an array that may be empty, which stands for a default everywhere.
std::int64_t entry(const Dims& values, std::size_t d, std::int64_t fallback);

// Steps to the next coordinate, last dimension fastest; false after the last one.
bool next(Coordinate& x, std::span<const std::uint32_t> sizes);

// Position in row-major order.
std::int64_t row_major(const Coordinate& x, std::span<const std::uint32_t> sizes);

// Bytes that a buffer for the tensor has to have: its total size, or what it addresses.
std::uint64_t buffer_bytes(const TensorDesc& desc);

// Calls f(coordinate, byte offset) for each element in row-major order.
template <class Function>
void for_each_element(const TensorDesc& desc, Function f) {
  const std::size_t last = desc.sizes.size() - 1;
  Coordinate x;
  x[last] = 1;
  const std::int64_t step = byte_offset(desc, x);
  x[last] = 0;
  do {
    const std::int64_t row = byte_offset(desc, x);
    for (std::int64_t i = 0; i < std::int64_t{desc.sizes[last]}; ++i) {
      x[last] = i;
      f(x, row + i * step);
    }
  } while (next(x, desc.sizes));
}

}  // namespace weft::testing
