#include "memory.h"

#include <unistd.h>

#include <new>

namespace weft::cli {

Memory::Memory(std::uint64_t size_in_bytes) : size_in_bytes_(size_in_bytes) {
  constexpr std::size_t kAlignment = 256;
  if (size_in_bytes == 0) return;
  if (size_in_bytes > machine_memory_bytes()) throw std::bad_alloc();
  // calloc rather than aligned_alloc and a fill: fresh pages from the system are zero already.
  block_.reset(std::calloc(1, size_in_bytes_ + kAlignment));
  if (!block_) throw std::bad_alloc();
  void* start = block_.get();
  std::size_t space = size_in_bytes_ + kAlignment;
  data_ = static_cast<std::byte*>(std::align(kAlignment, size_in_bytes_, start, space));
}

std::uint64_t machine_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace weft::cli
