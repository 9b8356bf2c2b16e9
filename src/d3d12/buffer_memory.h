#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "d3d12/memory.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

// A buffer resource's bytes: memory of its own, or a part of a heap's.
class BufferMemory final : public Buffer {
 public:
  BufferMemory(std::shared_ptr<Memory> memory, std::uint64_t offset_in_bytes,
               std::uint64_t size_in_bytes, const D3D12_HEAP_PROPERTIES& heap_properties,
               D3D12_RESOURCE_FLAGS resource_flags)
      : memory_(std::move(memory)) {
    bytes = memory_->bytes() + offset_in_bytes;
    this->size_in_bytes = size_in_bytes;
    heap = heap_properties;
    flags = resource_flags;
  }

  bool alive() const noexcept override { return alive_.load(std::memory_order_acquire); }
  void kill() noexcept { alive_.store(false, std::memory_order_release); }

  std::string name() const override {
    const std::lock_guard lock(mutex_);
    return name_.empty() ? "buffer of " + std::to_string(size_in_bytes) + " bytes" : name_;
  }
  void set_name(std::string name) {
    const std::lock_guard lock(mutex_);
    name_.swap(name);
  }

 private:
  std::shared_ptr<Memory> memory_;
  std::atomic<bool> alive_{true};
  mutable std::mutex mutex_;
  std::string name_;
};

}  // namespace weft::d3d12
