#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace weft::testing {

// Memory that ends right before a page that may not be touched: one byte read or written past the
// end stops the test. What lies before it in its first page holds a pattern, which intact() checks;
// the page before that may not be touched either.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t size) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (size + page - 1) / page * page;
    mapped_ = usable + 2 * page;
    void* mapping =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(mapping);
    begin_ = mapping_ + page;
    if (usable != 0 && mprotect(begin_, usable, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapping_, mapped_);
      throw std::bad_alloc();
    }
    data_ = begin_ + (usable - size);
    std::memset(begin_, kPattern, usable - size);
  }
  GuardedMemory(GuardedMemory&& other) noexcept { swap(other); }
  GuardedMemory& operator=(GuardedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GuardedMemory() {
    if (mapping_ != nullptr) munmap(mapping_, mapped_);
  }

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(data());
  }

  // Whether the bytes before data() are as they were.
  bool intact() const noexcept {
    for (const std::byte* byte = begin_; byte != data_; ++byte) {
      if (*byte != std::byte{kPattern}) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kPattern = 0xA5;

  void swap(GuardedMemory& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_, other.mapped_);
    std::swap(begin_, other.begin_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* begin_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace weft::testing
