#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace weft::testing {

// Zeroed pages between two pages that may not be touched: one byte read or written on either side
// stops the test, whatever instruction does it. Where they are few, they are kept for whoever asks
// for as many next, since mapping takes longer than most tests compute.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes);  // at least as many; none for 0
  GuardedPages(GuardedPages&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  GuardedPages& operator=(GuardedPages&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~GuardedPages();

  std::byte* data() const noexcept { return begin_; }
  std::size_t size() const noexcept { return size_; }
  std::byte* end() const noexcept { return begin_ + size_; }

 private:
  std::byte* begin_;
  std::size_t size_;
};

// Guards of pages that are made from now on may be read, not written: for emulators, which read
// whole vectors where some lanes are masked.
void let_guards_be_read();

// Memory that ends right before a page that may not be touched. What lies before it in its first
// page holds a pattern, which intact() checks.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t size) : pages_(size), size_(size) {
    std::memset(pages_.data(), kPattern, pages_.size() - size);
  }

  void* data() const noexcept { return pages_.end() - size_; }
  std::size_t size() const noexcept { return size_; }

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(data());
  }

  // Whether the bytes before data() are as they were.
  bool intact() const noexcept {
    for (const std::byte* byte = pages_.data(); byte != data(); ++byte) {
      if (*byte != std::byte{kPattern}) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kPattern = 0xA5;

  GuardedPages pages_;
  std::size_t size_;
};

}  // namespace weft::testing
