#include "support/guarded_buffer.h"

#include <sanitizer/asan_interface.h>

#include <cstring>
#include <utility>

#include "support/tensor_walk.h"

namespace weft::testing {

namespace {

constexpr std::size_t kCanaryBytes = 128;
constexpr std::size_t kAlignment = 256;

// What the buffer needs of pages that start at a multiple of kAlignment.
std::uint64_t bytes_around(std::uint64_t size, const GuardedBuffer::Place& place) {
  if (place.next_to_guard != GuardedBuffer::Place::Side::neither) return size + place.alignment - 1;
  return kAlignment + place.misalignment + size + kCanaryBytes;
}

std::size_t start_in(const GuardedPages& pages, std::uint64_t size,
                     const GuardedBuffer::Place& place) {
  switch (place.next_to_guard) {
    case GuardedBuffer::Place::Side::start:
      return 0;
    case GuardedBuffer::Place::Side::end:
      return (pages.size() - size) / place.alignment * place.alignment;
    default:
      return kAlignment + place.misalignment;
  }
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t size, const Place& place, std::uint64_t seed)
    : pages_(bytes_around(size, place)), begin_(start_in(pages_, size, place)), size_(size) {
  for (std::byte* at = pages_.data(); at != pages_.end(); at += sizeof seed) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::memcpy(at, &seed, sizeof seed);
  }
  remember();
}

std::string GuardedBuffer::first_change(const ByteMarks& may_change) const {
  const std::byte* const now = pages_.data();
  const std::byte* const before = before_.data();
  const std::size_t marked_end = begin_ + may_change.size();
  const auto find = [&](std::size_t first, std::size_t end, const unsigned char* marks) {
    if (std::memcmp(now + first, before + first, end - first) == 0) return end;
    while (first != end && (now[first] == before[first] || (marks != nullptr && *marks != 0))) {
      ++first;
      if (marks != nullptr) ++marks;
    }
    return first;
  };
  std::size_t i = find(0, begin_, nullptr);
  if (i == begin_) i = find(begin_, marked_end, may_change.data());
  if (i == marked_end) i = find(marked_end, pages_.size(), nullptr);
  if (i == pages_.size()) return {};
  return "byte " +
         std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(begin_)) + " of " +
         std::to_string(size_);
}

Fence::Fence(std::vector<const GuardedBuffer*> buffers) : buffers_(std::move(buffers)) {
  for (const GuardedBuffer* buffer : buffers_) {
    [[maybe_unused]] const std::byte* end = buffer->data() + buffer->size_;
    ASAN_POISON_MEMORY_REGION(buffer->pages_.data(), buffer->begin_);
    ASAN_POISON_MEMORY_REGION(end, static_cast<std::size_t>(buffer->pages_.end() - end));
  }
}

Fence::~Fence() {
  for (const GuardedBuffer* buffer : buffers_) {
    ASAN_UNPOISON_MEMORY_REGION(buffer->pages_.data(), buffer->pages_.size());
  }
}

ByteMarks addressed_bytes(const TensorDesc& desc) {
  ByteMarks marked(buffer_bytes(desc));
  const std::size_t bytes = byte_size(desc.data_type);
  for_each_element(
      desc, [&](const Coordinate&, std::int64_t at) { std::memset(marked.data() + at, 1, bytes); });
  return marked;
}

}  // namespace weft::testing
