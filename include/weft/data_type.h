#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weft/export.h"

namespace weft {

// The element types of DirectML tensors; the values are those of DML_TENSOR_DATA_TYPE.
// Each operator accepts some of them: docs/operators.md has the table.
enum class DataType : std::uint32_t {
  unknown = 0,
  float32 = 1,
  float16 = 2,
  uint32 = 3,
  uint16 = 4,
  uint8 = 5,
  int32 = 6,
  int16 = 7,
  int8 = 8,
  float64 = 9,
  uint64 = 10,
  int64 = 11,
  uint4 = 12,
  int4 = 13,
};

// Bits one element takes; 0 for an unknown type.
WEFT_API unsigned bit_size(DataType type) noexcept;

// Bytes one element takes; 0 for an unknown type and for the 4-bit types.
WEFT_API unsigned byte_size(DataType type) noexcept;

// DirectML's name without its prefix: "FLOAT32"; "UNKNOWN" for anything else.
WEFT_API std::string_view name(DataType type) noexcept;

// Reads "FLOAT32" or "DML_TENSOR_DATA_TYPE_FLOAT32".
WEFT_API std::optional<DataType> parse_data_type(std::string_view text) noexcept;

}  // namespace weft
