#pragma once

#include <memory>
#include <string_view>

#include "com/object.h"
#include "com/private_data.h"
#include "d3d12/class_ids.h"
#include "d3d12/device_state.h"
#include "d3d12/device_stubs.h"
#include "d3d12/info_queue.h"

namespace weft::d3d12 {

// The software compute device: buffers, copies, fences, queues with a thread each; no shaders.
class Device final
    : public com::Object<DeviceStubs, ID3D12Device9, ID3D12Device8, ID3D12Device7, ID3D12Device6,
                         ID3D12Device5, ID3D12Device4, ID3D12Device3, ID3D12Device2, ID3D12Device1,
                         ID3D12Device, ID3D12Object, IDescriptors> {
 public:
  explicit Device(bool debug_layer);
  // Waits until the queues that were released early have done their work.
  ~Device() override;

  const std::shared_ptr<DeviceState>& state() const noexcept { return state_; }

  // ID3D12Object
  HRESULT GetPrivateData(REFGUID id, UINT* size, void* data) override;
  HRESULT SetPrivateData(REFGUID id, UINT size, const void* data) override;
  HRESULT SetPrivateDataInterface(REFGUID id, const IUnknown* object) override;
  HRESULT SetName(LPCWSTR name) override;

  // Queues, lists, fences, queries: device.cpp
  UINT GetNodeCount() override { return 1; }
  LUID GetAdapterLuid() override;
  HRESULT GetDeviceRemovedReason() override { return state_->removed_reason(); }
  void RemoveDevice() override;
  HRESULT CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC* desc, REFIID riid,
                             void** queue) override;
  HRESULT CreateCommandQueue1(const D3D12_COMMAND_QUEUE_DESC* desc, REFIID creator, REFIID riid,
                              void** queue) override;
  HRESULT CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                 void** allocator) override;
  HRESULT CreateCommandList(UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                            ID3D12CommandAllocator* allocator, ID3D12PipelineState* pipeline,
                            REFIID riid, void** list) override;
  HRESULT CreateCommandList1(UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                             D3D12_COMMAND_LIST_FLAGS flags, REFIID riid, void** list) override;
  HRESULT CreateFence(UINT64 value, D3D12_FENCE_FLAGS flags, REFIID riid, void** fence) override;
  HRESULT SetEventOnMultipleFenceCompletion(ID3D12Fence* const* fences, const UINT64* values,
                                            UINT count, D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags,
                                            HANDLE event) override;
  HRESULT CreateQueryHeap(const D3D12_QUERY_HEAP_DESC* desc, REFIID riid, void** heap) override;
  HRESULT CheckFeatureSupport(D3D12_FEATURE feature, void* data, UINT size) override;

  // Memory: device_memory.cpp
  D3D12_RESOURCE_ALLOCATION_INFO GetResourceAllocationInfo(
      UINT visible_mask, UINT count, const D3D12_RESOURCE_DESC* descs) override;
  D3D12_RESOURCE_ALLOCATION_INFO GetResourceAllocationInfo1(
      UINT visible_mask, UINT count, const D3D12_RESOURCE_DESC* descs,
      D3D12_RESOURCE_ALLOCATION_INFO1* each) override;
  D3D12_RESOURCE_ALLOCATION_INFO GetResourceAllocationInfo2(
      UINT visible_mask, UINT count, const D3D12_RESOURCE_DESC1* descs,
      D3D12_RESOURCE_ALLOCATION_INFO1* each) override;
  D3D12_HEAP_PROPERTIES GetCustomHeapProperties(UINT node_mask, D3D12_HEAP_TYPE type) override;
  HRESULT CreateCommittedResource(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                  const D3D12_RESOURCE_DESC* desc, D3D12_RESOURCE_STATES state,
                                  const D3D12_CLEAR_VALUE* clear_value, REFIID riid,
                                  void** resource) override;
  HRESULT CreateCommittedResource1(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                   const D3D12_RESOURCE_DESC* desc, D3D12_RESOURCE_STATES state,
                                   const D3D12_CLEAR_VALUE* clear_value,
                                   ID3D12ProtectedResourceSession* session, REFIID riid,
                                   void** resource) override;
  HRESULT CreateCommittedResource2(const D3D12_HEAP_PROPERTIES* heap, D3D12_HEAP_FLAGS flags,
                                   const D3D12_RESOURCE_DESC1* desc, D3D12_RESOURCE_STATES state,
                                   const D3D12_CLEAR_VALUE* clear_value,
                                   ID3D12ProtectedResourceSession* session, REFIID riid,
                                   void** resource) override;
  HRESULT CreateHeap(const D3D12_HEAP_DESC* desc, REFIID riid, void** heap) override;
  HRESULT CreateHeap1(const D3D12_HEAP_DESC* desc, ID3D12ProtectedResourceSession* session,
                      REFIID riid, void** heap) override;
  HRESULT CreatePlacedResource(ID3D12Heap* heap, UINT64 offset, const D3D12_RESOURCE_DESC* desc,
                               D3D12_RESOURCE_STATES state, const D3D12_CLEAR_VALUE* clear_value,
                               REFIID riid, void** resource) override;
  HRESULT CreatePlacedResource1(ID3D12Heap* heap, UINT64 offset, const D3D12_RESOURCE_DESC1* desc,
                                D3D12_RESOURCE_STATES state, const D3D12_CLEAR_VALUE* clear_value,
                                REFIID riid, void** resource) override;
  void GetCopyableFootprints(const D3D12_RESOURCE_DESC* desc, UINT first, UINT count, UINT64 base,
                             D3D12_PLACED_SUBRESOURCE_FOOTPRINT* layouts, UINT* rows,
                             UINT64* row_sizes, UINT64* total) override;
  void GetCopyableFootprints1(const D3D12_RESOURCE_DESC1* desc, UINT first, UINT count, UINT64 base,
                              D3D12_PLACED_SUBRESOURCE_FOOTPRINT* layouts, UINT* rows,
                              UINT64* row_sizes, UINT64* total) override;
  // Memory is always resident: these check their arguments.
  HRESULT MakeResident(UINT count, ID3D12Pageable* const* objects) override;
  HRESULT Evict(UINT count, ID3D12Pageable* const* objects) override;
  HRESULT SetResidencyPriority(UINT count, ID3D12Pageable* const* objects,
                               const D3D12_RESIDENCY_PRIORITY* priorities) override;
  HRESULT EnqueueMakeResident(D3D12_RESIDENCY_FLAGS flags, UINT count,
                              ID3D12Pageable* const* objects, ID3D12Fence* fence,
                              UINT64 value) override;

  // Descriptors: device_descriptors.cpp
  HRESULT CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC* desc, REFIID riid,
                               void** heap) override;
  UINT GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE) override {
    return DescriptorTable::kIncrement;
  }
  void CreateUnorderedAccessView(ID3D12Resource* resource, ID3D12Resource* counter,
                                 const D3D12_UNORDERED_ACCESS_VIEW_DESC* desc,
                                 D3D12_CPU_DESCRIPTOR_HANDLE slot) override;
  void CopyDescriptors(UINT target_count, const D3D12_CPU_DESCRIPTOR_HANDLE* target_starts,
                       const UINT* target_sizes, UINT source_count,
                       const D3D12_CPU_DESCRIPTOR_HANDLE* source_starts, const UINT* source_sizes,
                       D3D12_DESCRIPTOR_HEAP_TYPE type) override;
  void CopyDescriptorsSimple(UINT count, D3D12_CPU_DESCRIPTOR_HANDLE target,
                             D3D12_CPU_DESCRIPTOR_HANDLE source,
                             D3D12_DESCRIPTOR_HEAP_TYPE type) override;

  // IDescriptors
  bool valid(D3D12_CPU_DESCRIPTOR_HANDLE first, UINT count) noexcept override;
  bool valid(D3D12_GPU_DESCRIPTOR_HANDLE first, UINT count) noexcept override;
  DescriptorContent content(D3D12_GPU_DESCRIPTOR_HANDLE slot) noexcept override;
  void store(D3D12_CPU_DESCRIPTOR_HANDLE slot, DescriptorContent content) noexcept override;

 private:
  void* query(REFIID riid) noexcept override;
  HRESULT not_offered(std::string_view method) noexcept override;

  HRESULT create_committed(std::string_view method, const D3D12_HEAP_PROPERTIES* heap,
                           D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC1* desc,
                           D3D12_RESOURCE_STATES state, const D3D12_CLEAR_VALUE* clear_value,
                           ID3D12ProtectedResourceSession* session, REFIID riid,
                           void** resource) noexcept;

  std::shared_ptr<DeviceState> state_;
  com::PrivateData private_data_;
  InfoQueue info_queue_;
};

}  // namespace weft::d3d12
