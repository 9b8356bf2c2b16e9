#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::d3d12 {

// The alignment of buffers and heaps: D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT.
inline constexpr std::uint64_t kBufferAlignment = 65536;

// Memory of its own, aligned to kBufferAlignment, in whole pages, all zero.
class Memory {
 public:
  // Throws std::bad_alloc when the machine (or the process's limit) has not that much; what is
  // promised to all Memory objects together never exceeds it.
  explicit Memory(std::uint64_t size_in_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* bytes() const noexcept { return bytes_; }
  std::uint64_t size_in_bytes() const noexcept { return size_in_bytes_; }

  // Bytes that hardware might leave there: not zero, and as a float not a number anybody expects.
  void fill_with_pattern() noexcept;

 private:
  std::byte* bytes_ = nullptr;
  std::uint64_t size_in_bytes_ = 0;
};

// The sum of all memory there is at present.
std::uint64_t memory_in_use_in_bytes() noexcept;

}  // namespace weft::d3d12
