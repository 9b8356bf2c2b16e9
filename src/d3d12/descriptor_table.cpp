#include "d3d12/descriptor_table.h"

#include <utility>

namespace weft::d3d12 {

namespace {

std::uint64_t start_of(const DescriptorSlots& heap) noexcept {
  return reinterpret_cast<std::uintptr_t>(heap.slots.data());
}

}  // namespace

D3D12_CPU_DESCRIPTOR_HANDLE DescriptorTable::cpu_start(const DescriptorSlots& heap) noexcept {
  return {start_of(heap)};
}

D3D12_GPU_DESCRIPTOR_HANDLE DescriptorTable::gpu_start(const DescriptorSlots& heap) noexcept {
  return {heap.shader_visible ? start_of(heap) | kGpuBit : 0};
}

void DescriptorTable::add(DescriptorSlots& heap) {
  const std::lock_guard lock(mutex_);
  heaps_[start_of(heap)] = &heap;
}

void DescriptorTable::remove(const DescriptorSlots& heap) noexcept {
  const std::lock_guard lock(mutex_);
  heaps_.erase(start_of(heap));
}

DescriptorTable::Place DescriptorTable::find(std::uint64_t address) const noexcept {
  const auto next = heaps_.upper_bound(address);
  if (next == heaps_.begin()) return {};
  const auto& [start, heap] = *std::prev(next);
  const std::uint64_t distance = address - start;
  if (distance % kIncrement != 0 || distance / kIncrement > heap->slots.size()) return {};
  return {heap, distance / kIncrement};
}

bool DescriptorTable::holds(const Place& place, std::uint64_t count) noexcept {
  return place.heap && place.heap->type == D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV &&
         count <= place.heap->slots.size() - place.index;
}

bool DescriptorTable::valid(D3D12_CPU_DESCRIPTOR_HANDLE first, std::uint64_t count) const noexcept {
  const std::lock_guard lock(mutex_);
  return holds(find(first.ptr), count);
}

bool DescriptorTable::valid(D3D12_GPU_DESCRIPTOR_HANDLE first, std::uint64_t count) const noexcept {
  if (!(first.ptr & kGpuBit)) return false;
  const std::lock_guard lock(mutex_);
  const Place place = find(first.ptr & ~kGpuBit);
  return holds(place, count) && place.heap->shader_visible;
}

bool DescriptorTable::shader_visible(D3D12_CPU_DESCRIPTOR_HANDLE slot) const noexcept {
  const std::lock_guard lock(mutex_);
  const Place place = find(slot.ptr);
  return place.heap && place.heap->shader_visible;
}

Descriptor DescriptorTable::at(D3D12_CPU_DESCRIPTOR_HANDLE slot) const noexcept {
  const std::lock_guard lock(mutex_);
  const Place place = find(slot.ptr);
  return holds(place, 1) ? place.heap->slots[place.index] : Descriptor{};
}

Descriptor DescriptorTable::at(D3D12_GPU_DESCRIPTOR_HANDLE slot) const noexcept {
  if (!(slot.ptr & kGpuBit)) return {};
  const std::lock_guard lock(mutex_);
  const Place place = find(slot.ptr & ~kGpuBit);
  return holds(place, 1) && place.heap->shader_visible ? place.heap->slots[place.index]
                                                       : Descriptor{};
}

bool DescriptorTable::put(D3D12_CPU_DESCRIPTOR_HANDLE slot, Descriptor descriptor) noexcept {
  // What stood there is destroyed after the lock is gone: it may be anything.
  const std::lock_guard lock(mutex_);
  const Place place = find(slot.ptr);
  if (!holds(place, 1)) return false;
  std::swap(place.heap->slots[place.index], descriptor);
  return true;
}

}  // namespace weft::d3d12
