#pragma once

#include <memory>

#include "d3d12/device_child.h"
#include "d3d12/heap_stubs.h"
#include "d3d12/memory.h"

namespace weft::d3d12 {

// Memory of D3D12_HEAP_FLAGS: fresh memory is zero, except that with CREATE_NOT_ZEROED it need not
// be, and is not while the debug layer is on. Throws std::bad_alloc; com::Failure when WEFT_FAULT
// asks for it.
std::shared_ptr<Memory> make_memory(const DeviceState& state, std::uint64_t size_in_bytes,
                                    D3D12_HEAP_FLAGS flags);

class Heap final : public DeviceChild<Heap, HeapStubs, ID3D12Heap1, ID3D12Heap, ID3D12Pageable> {
 public:
  // Throws com::Failure, std::bad_alloc.
  Heap(Device& device, const D3D12_HEAP_DESC& desc);

  const std::shared_ptr<Memory>& memory() const noexcept { return memory_; }
  D3D12_HEAP_DESC GetDesc() override { return desc_; }

 private:
  HRESULT not_offered(std::string_view method) noexcept override;

  D3D12_HEAP_DESC desc_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace weft::d3d12
