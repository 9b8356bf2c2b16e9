#include "d3d12/resource.h"

#include "d3d12/buffer_rules.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

void check_range(const char* name, const D3D12_RANGE* range, std::uint64_t size) {
  if (!range || (range->Begin <= range->End && range->End <= size)) return;
  refuse(E_INVALIDARG, name, " is {", range->Begin, ", ", range->End,
         "}, must lie inside the buffer of ", size, " bytes");
}

}  // namespace

Resource::Resource(Device& device, std::shared_ptr<Memory> memory, std::uint64_t offset_in_bytes,
                   const D3D12_RESOURCE_DESC1& desc, const D3D12_HEAP_PROPERTIES& heap,
                   D3D12_HEAP_FLAGS heap_flags)
    : DeviceChild(device),
      desc_(desc),
      heap_flags_(heap_flags),
      memory_(std::make_shared<BufferMemory>(std::move(memory), offset_in_bytes, desc.Width, heap,
                                             desc.Flags)) {
  if (desc_.Alignment == 0) desc_.Alignment = kBufferAlignment;
}

HRESULT Resource::Map(UINT subresource, const D3D12_RANGE* read_range, void** data) {
  clear(data);
  return state().answer("ID3D12Resource::Map", [&] {
    require(subresource == 0, "Subresource is ", subresource, ", must be 0: a buffer has one");
    require(is_mappable(memory_->heap), "the buffer lies in a heap of type ",
            heap_name(memory_->heap.Type),
            " that the CPU cannot reach: copy through an UPLOAD or "
            "READBACK buffer");
    check_range("pReadRange", read_range, desc_.Width);
    const std::lock_guard lock(map_mutex_);
    ++mappings_;
    if (data) *data = memory_->bytes;
  });
}

void Resource::Unmap(UINT subresource, const D3D12_RANGE* written_range) {
  const auto report = [this](HRESULT, std::string_view text) {
    state().report_failure("ID3D12Resource::Unmap", text);
  };
  com::guard(report, [&] {
    require(subresource == 0, "Subresource is ", subresource, ", must be 0: a buffer has one");
    check_range("pWrittenRange", written_range, desc_.Width);
    const std::lock_guard lock(map_mutex_);
    require(mappings_ != 0, "the buffer is not mapped");
    --mappings_;
  });
}

D3D12_RESOURCE_DESC Resource::GetDesc() { return narrow(desc_); }

D3D12_GPU_VIRTUAL_ADDRESS Resource::GetGPUVirtualAddress() {
  return reinterpret_cast<std::uintptr_t>(memory_->bytes);
}

HRESULT Resource::GetHeapProperties(D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS* flags) {
  return state().answer("ID3D12Resource::GetHeapProperties", [&] {
    if (heap) *heap = memory_->heap;
    if (flags) *flags = heap_flags_;
  });
}

HRESULT Resource::not_offered(std::string_view method) noexcept {
  return report_not_offered(state(), "ID3D12Resource", method);
}

void Resource::renamed() noexcept try {
  memory_->set_name(given_name());
} catch (...) {  // out of memory: the old name stays
}

}  // namespace weft::d3d12
