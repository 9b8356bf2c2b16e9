#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "d3d12/private.h"

namespace weft::d3d12 {

// An unordered access view of a buffer.
struct BufferView {
  std::shared_ptr<Buffer> buffer;
  D3D12_UNORDERED_ACCESS_VIEW_DESC desc;
};

// One slot of a descriptor heap: a view, or what libdirectml stored there, or nothing.
struct Descriptor {
  std::shared_ptr<const BufferView> view;
  DescriptorContent content;
};

// The slots of one ID3D12DescriptorHeap.
struct DescriptorSlots {
  D3D12_DESCRIPTOR_HEAP_TYPE type;
  bool shader_visible;
  std::vector<Descriptor> slots;
};

// All descriptor heaps of a device, found by handle. Any thread.
//
// The CPU handle of a slot is its address; the GPU handle is the same with kGpuBit set, so that the
// one is never taken for the other.
class DescriptorTable {
 public:
  static constexpr std::uint64_t kIncrement = sizeof(Descriptor);
  static constexpr std::uint64_t kGpuBit = std::uint64_t{1} << 62;

  static D3D12_CPU_DESCRIPTOR_HANDLE cpu_start(const DescriptorSlots& heap) noexcept;
  // 0 when the heap is not shader-visible.
  static D3D12_GPU_DESCRIPTOR_HANDLE gpu_start(const DescriptorSlots& heap) noexcept;

  void add(DescriptorSlots& heap);
  // The contents are destroyed by the caller, with the heap.
  void remove(const DescriptorSlots& heap) noexcept;

  // `count` slots from the handle on lie in one CBV_SRV_UAV heap (GPU: a shader-visible one).
  bool valid(D3D12_CPU_DESCRIPTOR_HANDLE first, std::uint64_t count) const noexcept;
  bool valid(D3D12_GPU_DESCRIPTOR_HANDLE first, std::uint64_t count) const noexcept;
  // Whether the slot lies in a shader-visible heap; false where there is none.
  bool shader_visible(D3D12_CPU_DESCRIPTOR_HANDLE slot) const noexcept;

  // Empty where the handle is not valid.
  Descriptor at(D3D12_CPU_DESCRIPTOR_HANDLE slot) const noexcept;
  Descriptor at(D3D12_GPU_DESCRIPTOR_HANDLE slot) const noexcept;
  // False where the handle is not valid.
  bool put(D3D12_CPU_DESCRIPTOR_HANDLE slot, Descriptor descriptor) noexcept;

 private:
  struct Place {
    DescriptorSlots* heap = nullptr;
    std::uint64_t index = 0;
  };

  // Holds mutex_. No heap where the address is none of a slot, or of the end of a heap's slots.
  Place find(std::uint64_t address) const noexcept;
  static bool holds(const Place& place, std::uint64_t count) noexcept;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, DescriptorSlots*> heaps_;  // by the address of the first slot
};

}  // namespace weft::d3d12
