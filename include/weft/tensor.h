#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/data_type.h"
#include "weft/export.h"

namespace weft {

// Sizes, strides, windows: one number a dimension, slowest dimension first (N, C, D, H, W).
using Dims = std::vector<std::uint32_t>;

// Describes a tensor as DML_BUFFER_TENSOR_DESC does: type, shape and where each element lies.
//
//   element at coordinate x: data[sum of x[d] * strides[d]]
//
// sizes    1 to 8 dimensions, each >= 1, at most 2^32 - 1 elements in all
// strides  in elements, one a dimension; empty: packed, last dimension fastest.
//          0 repeats an input along that dimension; outputs may not overlap themselves.
// total_size_in_bytes  bytes of the buffer that belong to the tensor: what has to be bound. At
//          least minimum_size_in_bytes(), which is a multiple of 4. 0: from the first to the last
//          element and no more, so that an array of 5 UINT8 can be bound as it is, though
//          minimum_size_in_bytes() is 8.
//
// What an operator adds to these rules, and what it throws, is said at its params.
// Source: DML_BUFFER_TENSOR_DESC.
struct TensorDesc {
  DataType data_type = DataType::float32;
  Dims sizes = {};
  Dims strides = {};
  std::uint64_t total_size_in_bytes = 0;
  std::uint32_t guaranteed_base_offset_alignment = 0;  // 0, or a power of two >= the element size
  bool owned_by_dml = false;  // DML_TENSOR_FLAG_OWNED_BY_DML; matters to the DirectML API only

  bool operator==(const TensorDesc&) const = default;
};

// Strides of a packed tensor; nothing when they pass 2^32 - 1.
WEFT_API std::optional<Dims> packed_strides(const Dims& sizes);

// Number of elements; nothing when it passes 2^64 - 1.
WEFT_API std::optional<std::uint64_t> element_count(const Dims& sizes);

// Bytes from the first to the last addressed element, rounded up to a multiple of 4: what
// DMLCalcBufferTensorSize computes, without its overflow. Nothing when it passes 2^64 - 1, when
// `strides` is neither empty nor as long as `sizes`, or when the type is unknown.
WEFT_API std::optional<std::uint64_t> minimum_size_in_bytes(const TensorDesc& desc);

// Memory of a tensor at run time: a pointer and how many bytes may be used from there on.
// The pointer has to be aligned to the element size. An absent optional tensor has data == nullptr.
struct Buffer {
  void* data = nullptr;
  std::uint64_t size_in_bytes = 0;
};
struct ConstBuffer {
  const void* data = nullptr;
  std::uint64_t size_in_bytes = 0;
  ConstBuffer() = default;
  ConstBuffer(const void* memory, std::uint64_t size) : data(memory), size_in_bytes(size) {}
  ConstBuffer(Buffer buffer) : data(buffer.data), size_in_bytes(buffer.size_in_bytes) {}
};

// The data type that stands for a C++ type: float, double, and the 8- to 64-bit integers.
// float16 tensors are described by TensorDesc.
template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>) return DataType::float32;
  if constexpr (std::is_same_v<T, double>) return DataType::float64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DataType::uint8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DataType::uint16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DataType::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DataType::uint64;
  if constexpr (std::is_same_v<T, std::int8_t>) return DataType::int8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DataType::int16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DataType::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DataType::int64;
  return DataType::unknown;
}

// A packed or strided array seen as a tensor, for the one-shot functions. Strides are in elements.
//
// Example:
//
//   const std::vector<float> x(1 * 1 * 5 * 5);
//   const weft::TensorView<const float> view{x, {1, 1, 5, 5}};
template <class T>
struct TensorView {
  std::span<T> data;
  Dims sizes = {};
  Dims strides = {};

  TensorDesc desc() const {
    TensorDesc result;
    result.data_type = data_type_of<std::remove_const_t<T>>();
    result.sizes = sizes;
    result.strides = strides;
    return result;
  }
};

}  // namespace weft
