#pragma once

#include "d3d12/device_child.h"

namespace weft::d3d12 {

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
