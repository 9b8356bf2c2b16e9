#include "d3d12/heap.h"

#include "base/checked.h"
#include "com/fault.h"
#include "d3d12/buffer_rules.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

constexpr std::uint64_t kMultisampleAlignment = 4 << 20;

D3D12_HEAP_DESC checked(D3D12_HEAP_DESC desc) {
  require(desc.SizeInBytes != 0, "pDesc->SizeInBytes is 0, must be the size in bytes");
  require(desc.Alignment == 0 || desc.Alignment == kBufferAlignment ||
              desc.Alignment == kMultisampleAlignment,
          "pDesc->Alignment is ", desc.Alignment, ", must be 0, 65536 or 4194304");
  check_heap_properties(desc.Properties);
  require(!(desc.Flags & D3D12_HEAP_FLAG_DENY_BUFFERS),
          "pDesc->Flags: DENY_BUFFERS leaves nothing, the software device has buffers only");
  constexpr D3D12_HEAP_FLAGS unsupported =
      D3D12_HEAP_FLAG_SHARED | D3D12_HEAP_FLAG_SHARED_CROSS_ADAPTER |
      D3D12_HEAP_FLAG_ALLOW_DISPLAY | D3D12_HEAP_FLAG_HARDWARE_PROTECTED;
  require(!(desc.Flags & unsupported), "pDesc->Flags is ", desc.Flags,
          ": heaps are neither shared, displayed nor protected");
  if (desc.Alignment == 0) desc.Alignment = kBufferAlignment;
  return desc;
}

}  // namespace

std::shared_ptr<Memory> make_memory(const DeviceState& state, std::uint64_t size_in_bytes,
                                    D3D12_HEAP_FLAGS flags) {
  if (com::fault_out_of_memory()) {
    refuse(E_OUTOFMEMORY, "WEFT_FAULT asks for out_of_memory at this allocation");
  }
  if (!base::add(size_in_bytes, kBufferAlignment)) throw std::bad_alloc();
  auto memory = std::make_shared<Memory>(size_in_bytes);
  if (state.debug_layer() && (flags & D3D12_HEAP_FLAG_CREATE_NOT_ZEROED)) {
    memory->fill_with_pattern();
  }
  return memory;
}

Heap::Heap(Device& device, const D3D12_HEAP_DESC& desc)
    : DeviceChild(device),
      desc_(checked(desc)),
      memory_(make_memory(state(), desc_.SizeInBytes, desc_.Flags)) {}

HRESULT Heap::not_offered(std::string_view method) noexcept {
  return report_not_offered(state(), "ID3D12Heap", method);
}

}  // namespace weft::d3d12
