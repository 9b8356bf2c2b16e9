#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "weft/tensor.h"

namespace weft::cli {

// Memory filled with zeros, 256-byte aligned as kernels and DirectML's resources want it. Pages
// that nobody touches cost nothing. Throws std::bad_alloc, also for more than is available.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::uint64_t size_in_bytes);

  std::span<std::byte> bytes() const { return {data_, size_in_bytes_}; }
  Buffer buffer() const { return {data_, size_in_bytes_}; }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> block_;
  std::byte* data_ = nullptr;
  std::size_t size_in_bytes_ = 0;
};
}  // namespace weft::cli
