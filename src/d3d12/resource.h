#pragma once

#include <memory>
#include <mutex>

#include "d3d12/buffer_memory.h"
#include "d3d12/device_child.h"
#include "d3d12/resource_stubs.h"

namespace weft::d3d12 {

// A buffer. Recorded work holds its memory, not the resource.
class Resource final : public DeviceChild<Resource, ResourceStubs, ID3D12Resource2, ID3D12Resource1,
                                          ID3D12Resource, ID3D12Pageable, IBufferResource> {
 public:
  // The description has been checked; memory holds at least offset + desc.Width bytes.
  Resource(Device& device, std::shared_ptr<Memory> memory, std::uint64_t offset_in_bytes,
           const D3D12_RESOURCE_DESC1& desc, const D3D12_HEAP_PROPERTIES& heap,
           D3D12_HEAP_FLAGS heap_flags);
  ~Resource() override { memory_->kill(); }

  const std::shared_ptr<BufferMemory>& memory() const noexcept { return memory_; }
  std::shared_ptr<Buffer> buffer() noexcept override { return memory_; }

  // E_INVALIDARG on a heap that the CPU cannot reach. Mapping nests.
  HRESULT Map(UINT subresource, const D3D12_RANGE* read_range, void** data) override;
  void Unmap(UINT subresource, const D3D12_RANGE* written_range) override;
  D3D12_RESOURCE_DESC GetDesc() override;
  D3D12_RESOURCE_DESC1 GetDesc1() override { return desc_; }
  D3D12_GPU_VIRTUAL_ADDRESS GetGPUVirtualAddress() override;
  HRESULT GetHeapProperties(D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS* flags) override;

 private:
  HRESULT not_offered(std::string_view method) noexcept override;
  void renamed() noexcept override;

  D3D12_RESOURCE_DESC1 desc_;
  D3D12_HEAP_FLAGS heap_flags_;
  std::shared_ptr<BufferMemory> memory_;
  std::mutex map_mutex_;
  std::uint64_t mappings_ = 0;
};

}  // namespace weft::d3d12
