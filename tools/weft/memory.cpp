#include "memory.h"

#include <new>

#include "system_memory.h"

namespace weft::cli {

Memory::Memory(std::uint64_t size_in_bytes) : size_in_bytes_(size_in_bytes) {
  constexpr std::size_t kAlignment = 256;
  if (size_in_bytes == 0) return;
  require_memory(size_in_bytes);
  // calloc rather than aligned_alloc and a fill: fresh pages from the system are zero already.
  block_.reset(std::calloc(1, size_in_bytes_ + kAlignment));
  if (!block_) throw std::bad_alloc();
  void* start = block_.get();
  std::size_t space = size_in_bytes_ + kAlignment;
  data_ = static_cast<std::byte*>(std::align(kAlignment, size_in_bytes_, start, space));
}

}  // namespace weft::cli
