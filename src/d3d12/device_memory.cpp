// Heaps, buffers and residency.

#include "base/checked.h"
#include "com/guard.h"
#include "d3d12/buffer_rules.h"
#include "d3d12/device.h"
#include "d3d12/fence.h"
#include "d3d12/heap.h"
#include "d3d12/refuse.h"
#include "d3d12/resource.h"

namespace weft::d3d12 {

namespace {

D3D12_RESOURCE_DESC1 as_desc1(const D3D12_RESOURCE_DESC& desc) noexcept { return widen(desc); }
D3D12_RESOURCE_DESC1 as_desc1(const D3D12_RESOURCE_DESC1& desc) noexcept { return desc; }

// Size UINT64_MAX: a description is wrong; the message says why.
D3D12_RESOURCE_ALLOCATION_INFO allocate_one_after_the_other(DeviceState& state, UINT count,
                                                            const auto* descs,
                                                            D3D12_RESOURCE_ALLOCATION_INFO1* each) {
  D3D12_RESOURCE_ALLOCATION_INFO all = {0, kBufferAlignment};
  const auto report = [&](HRESULT, std::string_view text) {
    state.report_failure("ID3D12Device::GetResourceAllocationInfo", text);
  };
  const HRESULT result = com::guard(report, [&] {
    require(count == 0 || descs != nullptr, "pResourceDescs is null");
    for (UINT i = 0; i < count; ++i) {
      const D3D12_RESOURCE_DESC1 desc = as_desc1(descs[i]);
      check_buffer_desc(desc);
      require(desc.Width <= UINT64_MAX / 4 && all.SizeInBytes <= UINT64_MAX / 4, "pDesc->Width is ",
              desc.Width, ": too large");
      const std::uint64_t size = base::round_up(desc.Width, kBufferAlignment);
      if (each) each[i] = {all.SizeInBytes, kBufferAlignment, size};
      all.SizeInBytes += size;
    }
  });
  if (FAILED(result)) all.SizeInBytes = UINT64_MAX;
  return all;
}

void check_clear_value(const D3D12_CLEAR_VALUE* value) {
  require(value == nullptr, "pOptimizedClearValue must be null for a buffer");
}

void check_session(ID3D12ProtectedResourceSession* session) {
  require(session == nullptr, "pProtectedSession must be null: no memory is protected");
}

HRESULT create_placed(Device& device, ID3D12Heap* given_heap, std::uint64_t offset,
                      const D3D12_RESOURCE_DESC1* desc, D3D12_RESOURCE_STATES initial_state,
                      const D3D12_CLEAR_VALUE* clear_value, REFIID riid, void** resource) {
  clear(resource);
  return device.state()->answer("ID3D12Device::CreatePlacedResource", [&] {
    const auto heap = own<Heap>(given_heap);
    require(heap && &heap->device() == &device, "pHeap is not a heap of this device");
    require(desc != nullptr, "pDesc is null");
    check_buffer_desc(*desc);
    check_clear_value(clear_value);
    const D3D12_HEAP_DESC heap_desc = heap->GetDesc();
    check_buffer_in_heap(*desc, heap_desc.Properties, initial_state);
    require(offset % kBufferAlignment == 0, "HeapOffset is ", offset,
            ", must be a multiple of 65536");
    require(offset <= heap_desc.SizeInBytes && desc->Width <= heap_desc.SizeInBytes - offset,
            "pDesc->Width is ", desc->Width, " at HeapOffset ", offset,
            ", must lie inside the heap of ", heap_desc.SizeInBytes, " bytes");
    return give_new<Resource>(riid, resource, device, heap->memory(), offset, *desc,
                              heap_desc.Properties, heap_desc.Flags);
  });
}

void give_footprint(const BufferFootprint& footprint, UINT count,
                    D3D12_PLACED_SUBRESOURCE_FOOTPRINT* layouts, UINT* rows, UINT64* row_sizes,
                    UINT64* total) noexcept {
  for (UINT i = 0; i < count; ++i) {
    if (layouts) layouts[i] = footprint.layout;
    if (rows) rows[i] = footprint.rows;
    if (row_sizes) row_sizes[i] = footprint.row_size_in_bytes;
  }
  if (total) *total = footprint.total_bytes;
}

void check_pageables(UINT count, ID3D12Pageable* const* objects) {
  require(count == 0 || objects != nullptr, "ppObjects is null");
  for (UINT i = 0; i < count; ++i) require(objects[i] != nullptr, "ppObjects[", i, "] is null");
}

}  // namespace

D3D12_RESOURCE_ALLOCATION_INFO Device::GetResourceAllocationInfo(UINT visible_mask, UINT count,
                                                                 const D3D12_RESOURCE_DESC* descs) {
  return GetResourceAllocationInfo1(visible_mask, count, descs, nullptr);
}

D3D12_RESOURCE_ALLOCATION_INFO Device::GetResourceAllocationInfo1(
    UINT, UINT count, const D3D12_RESOURCE_DESC* descs, D3D12_RESOURCE_ALLOCATION_INFO1* each) {
  return allocate_one_after_the_other(*state_, count, descs, each);
}

D3D12_RESOURCE_ALLOCATION_INFO Device::GetResourceAllocationInfo2(
    UINT, UINT count, const D3D12_RESOURCE_DESC1* descs, D3D12_RESOURCE_ALLOCATION_INFO1* each) {
  return allocate_one_after_the_other(*state_, count, descs, each);
}

D3D12_HEAP_PROPERTIES Device::GetCustomHeapProperties(UINT, D3D12_HEAP_TYPE type) {
  return custom_equivalent(type);
}

HRESULT Device::create_committed(std::string_view method, const D3D12_HEAP_PROPERTIES* heap,
                                 D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC1* desc,
                                 D3D12_RESOURCE_STATES initial_state,
                                 const D3D12_CLEAR_VALUE* clear_value,
                                 ID3D12ProtectedResourceSession* session, REFIID riid,
                                 void** resource) noexcept {
  clear(resource);
  return state_->answer(method, [&] {
    require(heap != nullptr, "pHeapProperties is null");
    require(desc != nullptr, "pDesc is null");
    check_heap_properties(*heap);
    check_buffer_desc(*desc);
    check_buffer_in_heap(*desc, *heap, initial_state);
    check_clear_value(clear_value);
    check_session(session);
    require((flags & ~D3D12_HEAP_FLAG_CREATE_NOT_ZEROED & ~D3D12_HEAP_FLAG_CREATE_NOT_RESIDENT &
             ~D3D12_HEAP_FLAG_ALLOW_SHADER_ATOMICS) == 0,
            "HeapFlags is ", flags,
            ", must be NONE or CREATE_NOT_ZEROED: memory is neither shared, displayed nor "
            "protected");
    if (!resource) return S_FALSE;
    return give_new<Resource>(riid, resource, *this, make_memory(*state_, desc->Width, flags), 0U,
                              *desc, *heap, flags);
  });
}

HRESULT Device::CreateCommittedResource(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                        const D3D12_RESOURCE_DESC* desc,
                                        D3D12_RESOURCE_STATES state,
                                        const D3D12_CLEAR_VALUE* clear_value, REFIID riid,
                                        void** resource) {
  return CreateCommittedResource1(heap, flags, desc, state, clear_value, nullptr, riid, resource);
}

HRESULT Device::CreateCommittedResource1(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                         const D3D12_RESOURCE_DESC* desc,
                                         D3D12_RESOURCE_STATES state,
                                         const D3D12_CLEAR_VALUE* clear_value,
                                         ID3D12ProtectedResourceSession* session, REFIID riid,
                                         void** resource) {
  D3D12_RESOURCE_DESC1 wide = {};
  if (desc) wide = widen(*desc);
  return create_committed("ID3D12Device::CreateCommittedResource", heap, flags,
                          desc ? &wide : nullptr, state, clear_value, session, riid, resource);
}

HRESULT Device::CreateCommittedResource2(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                         const D3D12_RESOURCE_DESC1* desc,
                                         D3D12_RESOURCE_STATES state,
                                         const D3D12_CLEAR_VALUE* clear_value,
                                         ID3D12ProtectedResourceSession* session, REFIID riid,
                                         void** resource) {
  return create_committed("ID3D12Device8::CreateCommittedResource2", heap, flags, desc, state,
                          clear_value, session, riid, resource);
}

HRESULT Device::CreateHeap(const D3D12_HEAP_DESC* desc, REFIID riid, void** heap) {
  return CreateHeap1(desc, nullptr, riid, heap);
}

HRESULT Device::CreateHeap1(const D3D12_HEAP_DESC* desc, ID3D12ProtectedResourceSession* session,
                            REFIID riid, void** heap) {
  clear(heap);
  return state_->answer("ID3D12Device::CreateHeap", [&] {
    require(desc != nullptr, "pDesc is null");
    check_session(session);
    return give_new<Heap>(riid, heap, *this, *desc);
  });
}

HRESULT Device::CreatePlacedResource(ID3D12Heap* heap, UINT64 offset,
                                     const D3D12_RESOURCE_DESC* desc, D3D12_RESOURCE_STATES state,
                                     const D3D12_CLEAR_VALUE* clear_value, REFIID riid,
                                     void** resource) {
  D3D12_RESOURCE_DESC1 wide = {};
  if (desc) wide = widen(*desc);
  return create_placed(*this, heap, offset, desc ? &wide : nullptr, state, clear_value, riid,
                       resource);
}

HRESULT Device::CreatePlacedResource1(ID3D12Heap* heap, UINT64 offset,
                                      const D3D12_RESOURCE_DESC1* desc, D3D12_RESOURCE_STATES state,
                                      const D3D12_CLEAR_VALUE* clear_value, REFIID riid,
                                      void** resource) {
  return create_placed(*this, heap, offset, desc, state, clear_value, riid, resource);
}

void Device::GetCopyableFootprints(const D3D12_RESOURCE_DESC* desc, UINT first, UINT count,
                                   UINT64 base, D3D12_PLACED_SUBRESOURCE_FOOTPRINT* layouts,
                                   UINT* rows, UINT64* row_sizes, UINT64* total) {
  D3D12_RESOURCE_DESC1 wide = {};
  if (desc) wide = widen(*desc);
  GetCopyableFootprints1(&wide, first, count, base, layouts, rows, row_sizes, total);
}

void Device::GetCopyableFootprints1(const D3D12_RESOURCE_DESC1* desc, UINT first, UINT count,
                                    UINT64 base, D3D12_PLACED_SUBRESOURCE_FOOTPRINT* layouts,
                                    UINT* rows, UINT64* row_sizes, UINT64* total) {
  const D3D12_RESOURCE_DESC1 none = {};
  const BufferFootprint footprint = buffer_footprint(desc ? *desc : none, first, count, base);
  if (footprint.total_bytes == UINT64_MAX) {
    state_->report_failure("ID3D12Device::GetCopyableFootprints",
                           "the description is not that of a buffer below 4 GiB, or the "
                           "subresources are not its only one");
  }
  give_footprint(footprint, count, layouts, rows, row_sizes, total);
}

HRESULT Device::MakeResident(UINT count, ID3D12Pageable* const* objects) {
  return state_->answer("ID3D12Device::MakeResident", [&] { check_pageables(count, objects); });
}

HRESULT Device::Evict(UINT count, ID3D12Pageable* const* objects) {
  return state_->answer("ID3D12Device::Evict", [&] { check_pageables(count, objects); });
}

HRESULT Device::SetResidencyPriority(UINT count, ID3D12Pageable* const* objects,
                                     const D3D12_RESIDENCY_PRIORITY* priorities) {
  return state_->answer("ID3D12Device1::SetResidencyPriority", [&] {
    check_pageables(count, objects);
    require(count == 0 || priorities != nullptr, "pPriorities is null");
  });
}

HRESULT Device::EnqueueMakeResident(D3D12_RESIDENCY_FLAGS, UINT count,
                                    ID3D12Pageable* const* objects, ID3D12Fence* given_fence,
                                    UINT64 value) {
  return state_->answer("ID3D12Device3::EnqueueMakeResident", [&] {
    check_pageables(count, objects);
    const auto fence = own<Fence>(given_fence);
    require(fence && &fence->device() == this, "pFenceToSignal is not a fence of this device");
    fence->fence()->signal(value);
  });
}

}  // namespace weft::d3d12
