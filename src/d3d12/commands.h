#pragma once

// What a command list records. Plain data; executor.h says what a queue does with it.

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "d3d12/buffer_memory.h"
#include "d3d12/buffer_view.h"
#include "d3d12/command_allocator.h"
#include "d3d12/query_heap.h"

namespace weft::d3d12 {

struct Transition {
  std::shared_ptr<BufferMemory> buffer;
  D3D12_RESOURCE_STATES before;
  D3D12_RESOURCE_STATES after;
  D3D12_RESOURCE_BARRIER_FLAGS flags;  // one half of a split barrier, or neither
};

// No buffer: all of them.
struct UavBarrier {
  std::shared_ptr<BufferMemory> buffer;
};

struct Copy {
  std::shared_ptr<BufferMemory> target;
  std::uint64_t target_offset;
  std::shared_ptr<BufferMemory> source;
  std::uint64_t source_offset;
  std::uint64_t size_in_bytes;
};

// Fills bytes begin .. end of the view's buffer with the pattern, which divides them.
struct Clear {
  std::shared_ptr<const BufferView> view;
  D3D12_GPU_DESCRIPTOR_HANDLE slot;  // has to hold the same view when the queue gets there
  ByteRange bytes;
  ClearPattern pattern;
};

struct WriteTimestamp {
  std::shared_ptr<Timestamps> timestamps;
  std::uint32_t index;
};

struct ResolveTimestamps {
  std::shared_ptr<Timestamps> timestamps;
  std::uint32_t first;
  std::uint32_t count;
  std::shared_ptr<BufferMemory> target;
  std::uint64_t target_offset;
};

// Work of another library: its index in Recording::works.
struct RunWork {
  std::size_t work;
};

using Command =
    std::variant<Transition, UavBarrier, Copy, Clear, WriteTimestamp, ResolveTimestamps, RunWork>;

// All that a list has recorded from one Reset to the next Close.
struct Recording {
  std::vector<Command> commands;
  std::vector<std::shared_ptr<const Work>> works;
  std::shared_ptr<AllocatorState> allocator;
  std::uint64_t generation = 0;  // of the allocator, when recording began
};

// Counts as an execution of what the allocator holds, as long as it lives.
class AllocatorUse {
 public:
  explicit AllocatorUse(std::shared_ptr<AllocatorState> allocator)
      : allocator_(std::move(allocator)) {
    allocator_->executions.fetch_add(1, std::memory_order_relaxed);
  }
  AllocatorUse(AllocatorUse&&) = default;
  AllocatorUse& operator=(AllocatorUse&&) = delete;
  ~AllocatorUse() {
    if (allocator_) allocator_->executions.fetch_sub(1, std::memory_order_release);
  }

 private:
  std::shared_ptr<AllocatorState> allocator_;
};

// A recording on its way through a queue.
struct Submission {
  std::shared_ptr<const Recording> recording;
  // As Work::at_submission() gave them; empty: as recorded.
  std::vector<std::shared_ptr<const Work>> works;
  AllocatorUse use;
};

}  // namespace weft::d3d12
