#pragma once

#include <cstdint>
#include <span>

#include "memory.h"
#include "model.h"
#include "system_memory.h"

namespace weft::cli {

// Elements in memory: those of a resource, or those it is expected to have.
struct LoadedValues {
  Memory memory;
  DataType type = DataType::uint8;  // UINT8 for a list of mixed types
  std::uint64_t element_count = 0;
  Dims shape = {};  // as far as known: of a .npy, or of a tensor that it was bound to

  std::span<std::byte> bytes() const {
    return memory.bytes().first(element_count * byte_size(type));
  }
};

// Bytes that a model may still allocate: those available when it was made (system_memory.h).
// Counting keeps a model from being killed half way: whatever passes the limit is refused before it
// is touched.
class MemoryBudget {
 public:
  // Zeros. Throws BadInput (with no place) when they pass what is left.
  Memory allocate(std::uint64_t size_in_bytes);

 private:
  std::uint64_t available_ = available_memory_bytes();
  std::uint64_t left_ = available_;
};

// The values that a resource starts with, and its size: `size_in_bytes` rounded up to a multiple
// of 4, or else what its values take. Bytes without a value are 0. Throws BadInput.
LoadedValues load_resource(const Resource& resource, MemoryBudget& budget);

// Values on their own, to compare with. Throws BadInput.
LoadedValues load_values(const Values& values, MemoryBudget& budget);

}  // namespace weft::cli
