#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/guard_page.h"
#include "weft/tensor.h"

namespace weft::testing {

// Of each byte of a buffer: 1 or 0.
using ByteMarks = std::vector<unsigned char>;

// Memory for a tensor on pages of its own. Where the buffer does not fill them, canaries show a
// write on either side.
class GuardedBuffer {
 public:
  struct Place {
    enum class Side { start, end, neither } next_to_guard = Side::end;  // a page nobody may touch
    std::size_t alignment = 1;     // of the start, in bytes; it may leave canaries before the guard
    std::size_t misalignment = 0;  // next to neither: bytes past a 256-byte boundary
  };

  // Every byte, canaries too, comes from `seed`.
  GuardedBuffer(std::uint64_t size, const Place& place, std::uint64_t seed);
  GuardedBuffer(GuardedBuffer&&) = default;
  GuardedBuffer& operator=(GuardedBuffer&&) = default;

  std::byte* data() { return pages_.data() + begin_; }
  const std::byte* data() const { return pages_.data() + begin_; }
  std::uint64_t size() const { return size_; }
  Buffer buffer() { return {data(), size_}; }

  // Takes what the buffer holds now as what has to be found later.
  void remember() { before_.assign(pages_.data(), pages_.end()); }

  // What was remembered, from the start of the buffer.
  const std::byte* before() const { return before_.data() + begin_; }

  // "byte -3" for the first byte, counted from the start of the buffer, that has changed since
  // remember(); empty when none has. Bytes that `may_change` marks are left out.
  std::string first_change(const ByteMarks& may_change = {}) const;

 private:
  friend class Fence;

  GuardedPages pages_;
  std::vector<std::byte> before_;
  std::size_t begin_ = 0;
  std::uint64_t size_ = 0;
};

// Under AddressSanitizer, while a fence stands, whoever reads or writes a canary of these buffers
// ends the program: canaries alone do not show reads. (Up to 7 bytes before a start that is no
// multiple of 8 stay open, as the sanitizer cannot close them.) Without it, a fence does nothing.
class Fence {
 public:
  explicit Fence(std::vector<const GuardedBuffer*> buffers);
  ~Fence();
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

 private:
  std::vector<const GuardedBuffer*> buffers_;
};

// Marks the bytes of the elements that a tensor addresses.
ByteMarks addressed_bytes(const TensorDesc& desc);

}  // namespace weft::testing
