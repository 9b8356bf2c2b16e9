#include "d3d12/memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "com/adapter.h"

namespace weft::d3d12 {

namespace {

// From this size on, memory starts at a huge page's boundary: fewer faults and TLB misses.
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::atomic<std::uint64_t> in_use{0};

// The kernel promises more than it has; a buffer that cannot be written would end the process.
void reserve(std::uint64_t size) {
  const std::uint64_t limit = com::memory_limit_in_bytes();
  std::uint64_t used = in_use.load(std::memory_order_relaxed);
  do {
    if (used > limit || size > limit - used) throw std::bad_alloc();
  } while (!in_use.compare_exchange_weak(used, used + size, std::memory_order_relaxed));
}

#if defined(__SANITIZE_ADDRESS__)

// The sanitizer watches the bytes behind its own allocations only.
std::byte* allocate(std::uint64_t size) noexcept {
  void* bytes = nullptr;
  if (::posix_memalign(&bytes, kBufferAlignment, size) != 0) return nullptr;
  std::memset(bytes, 0, size);
  return static_cast<std::byte*>(bytes);
}

void release(std::byte* bytes, std::uint64_t) noexcept { std::free(bytes); }

#else

std::byte* map(std::uint64_t size) noexcept {
  void* bytes = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return bytes == MAP_FAILED ? nullptr : static_cast<std::byte*>(bytes);
}

// Pages have 4, 16 or 64 KiB.
std::uint64_t whole_pages(std::uint64_t size) noexcept {
  return base::round_up(size, kBufferAlignment);
}

std::byte* allocate(std::uint64_t size) noexcept {
  const std::uint64_t alignment = size >= kHugePage ? kHugePage : kBufferAlignment;
  size = whole_pages(size);
  std::byte* start = map(size + alignment);
  if (!start) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uint64_t before = (alignment - address % alignment) % alignment;
  if (before != 0) ::munmap(start, before);
  if (alignment != before) ::munmap(start + before + size, alignment - before);
  if (alignment == kHugePage) ::madvise(start + before, size, MADV_HUGEPAGE);
  return start + before;
}

void release(std::byte* bytes, std::uint64_t size) noexcept { ::munmap(bytes, whole_pages(size)); }

#endif

}  // namespace

Memory::Memory(std::uint64_t size_in_bytes) : size_in_bytes_(size_in_bytes) {
  reserve(size_in_bytes);
  bytes_ = allocate(size_in_bytes);
  if (!bytes_) {
    in_use.fetch_sub(size_in_bytes, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
}

Memory::~Memory() {
  release(bytes_, size_in_bytes_);
  in_use.fetch_sub(size_in_bytes_, std::memory_order_relaxed);
}

void Memory::fill_with_pattern() noexcept { std::memset(bytes_, 0xCB, size_in_bytes_); }

std::uint64_t memory_in_use_in_bytes() noexcept { return in_use.load(std::memory_order_relaxed); }

}  // namespace weft::d3d12
