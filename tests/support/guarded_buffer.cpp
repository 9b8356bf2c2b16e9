#include "support/guarded_buffer.h"

#include <sanitizer/asan_interface.h>

#include <utility>

#include "support/tensor_walk.h"

namespace weft::testing {

namespace {
constexpr std::size_t kCanaryBytes = 128;
constexpr std::size_t kAlignment = 256;
}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t size, std::size_t misalignment, std::uint64_t seed)
    : memory_(size + 2 * kCanaryBytes + kAlignment + misalignment), size_(size) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data()) + kCanaryBytes;
  begin_ = kCanaryBytes + (kAlignment - start % kAlignment) % kAlignment + misalignment;
  for (std::byte& b : memory_) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(seed >> 56);
  }
  remember();
}

std::string GuardedBuffer::first_change(const std::vector<bool>& may_change) const {
  if (memory_ == before_) return {};
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (memory_[i] == before_[i]) continue;
    if (i >= begin_ && i - begin_ < may_change.size() && may_change[i - begin_]) continue;
    return "byte " +
           std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(begin_)) +
           " of " + std::to_string(size_);
  }
  return {};
}

Fence::Fence(std::vector<const GuardedBuffer*> buffers) : buffers_(std::move(buffers)) {
  for (const GuardedBuffer* buffer : buffers_) {
    [[maybe_unused]] const std::byte* memory = buffer->memory_.data();
    [[maybe_unused]] const std::size_t end = buffer->begin_ + buffer->size_;
    ASAN_POISON_MEMORY_REGION(memory, buffer->begin_);
    ASAN_POISON_MEMORY_REGION(memory + end, buffer->memory_.size() - end);
  }
}

Fence::~Fence() {
  for (const GuardedBuffer* buffer : buffers_) {
    ASAN_UNPOISON_MEMORY_REGION(buffer->memory_.data(), buffer->memory_.size());
  }
}

std::vector<bool> addressed_bytes(const TensorDesc& desc) {
  std::vector<bool> marked(buffer_bytes(desc));
  const unsigned bytes = byte_size(desc.data_type);
  for_each_element(desc, [&](const Coordinate&, std::int64_t at) {
    for (unsigned b = 0; b < bytes; ++b) marked[static_cast<std::size_t>(at) + b] = true;
  });
  return marked;
}

}  // namespace weft::testing
