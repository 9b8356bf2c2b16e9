#pragma once

#include "d3d12/device_child.h"

namespace weft::d3d12 {

// Whether it is one of the four types that there are.
constexpr bool is_heap_type(D3D12_DESCRIPTOR_HEAP_TYPE type) noexcept {
  return type >= D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV &&
         type < D3D12_DESCRIPTOR_HEAP_TYPE_NUM_TYPES;
}

class DescriptorHeap final : public DeviceChild<DescriptorHeap, ID3D12DescriptorHeap,
                                                ID3D12DescriptorHeap, ID3D12Pageable> {
 public:
  // Throws com::Failure, std::bad_alloc.
  DescriptorHeap(Device& device, const D3D12_DESCRIPTOR_HEAP_DESC& desc);
  ~DescriptorHeap() override;

  const DescriptorSlots& slots() const noexcept { return slots_; }

  D3D12_DESCRIPTOR_HEAP_DESC GetDesc() override { return desc_; }
  D3D12_CPU_DESCRIPTOR_HANDLE GetCPUDescriptorHandleForHeapStart() override {
    return DescriptorTable::cpu_start(slots_);
  }
  D3D12_GPU_DESCRIPTOR_HANDLE GetGPUDescriptorHandleForHeapStart() override {
    return DescriptorTable::gpu_start(slots_);
  }

 private:
  D3D12_DESCRIPTOR_HEAP_DESC desc_;
  DescriptorSlots slots_;
};

}  // namespace weft::d3d12
