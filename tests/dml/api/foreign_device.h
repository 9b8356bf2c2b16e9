#pragma once

#include "machine.h"

namespace weft::testing {

// A D3D12 device of another implementation, as far as DirectML gets to see one: it answers for
// Microsoft's interfaces alone, and does nothing.
class ForeignDevice final : public ID3D12Device {
 public:
  // IUnknown. The object outlives its references, which are counted.
  HRESULT QueryInterface(REFIID riid, void** object) override;
  ULONG AddRef() override { return ++references; }
  ULONG Release() override { return --references; }
  ULONG references = 1;

  // ID3D12Object
  HRESULT GetPrivateData(REFGUID, UINT*, void*) override { return E_NOTIMPL; }
  HRESULT SetPrivateData(REFGUID, UINT, const void*) override { return E_NOTIMPL; }
  HRESULT SetPrivateDataInterface(REFGUID, const IUnknown*) override { return E_NOTIMPL; }
  HRESULT SetName(LPCWSTR) override { return E_NOTIMPL; }

  // ID3D12Device
  UINT GetNodeCount() override { return 1; }
  HRESULT CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateGraphicsPipelineState(const D3D12_GRAPHICS_PIPELINE_STATE_DESC*, REFIID,
                                      void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateComputePipelineState(const D3D12_COMPUTE_PIPELINE_STATE_DESC*, REFIID,
                                     void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateCommandList(UINT, D3D12_COMMAND_LIST_TYPE, ID3D12CommandAllocator*,
                            ID3D12PipelineState*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT CheckFeatureSupport(D3D12_FEATURE, void*, UINT) override { return E_NOTIMPL; }
  HRESULT CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  UINT GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE) override { return 32; }
  HRESULT CreateRootSignature(UINT, const void*, SIZE_T, REFIID, void**) override {
    return E_NOTIMPL;
  }
  void CreateConstantBufferView(const D3D12_CONSTANT_BUFFER_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CreateShaderResourceView(ID3D12Resource*, const D3D12_SHADER_RESOURCE_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CreateUnorderedAccessView(ID3D12Resource*, ID3D12Resource*,
                                 const D3D12_UNORDERED_ACCESS_VIEW_DESC*,
                                 D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CreateRenderTargetView(ID3D12Resource*, const D3D12_RENDER_TARGET_VIEW_DESC*,
                              D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CreateDepthStencilView(ID3D12Resource*, const D3D12_DEPTH_STENCIL_VIEW_DESC*,
                              D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CreateSampler(const D3D12_SAMPLER_DESC*, D3D12_CPU_DESCRIPTOR_HANDLE) override {}
  void CopyDescriptors(UINT, const D3D12_CPU_DESCRIPTOR_HANDLE*, const UINT*, UINT,
                       const D3D12_CPU_DESCRIPTOR_HANDLE*, const UINT*,
                       D3D12_DESCRIPTOR_HEAP_TYPE) override {}
  void CopyDescriptorsSimple(UINT, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_CPU_DESCRIPTOR_HANDLE,
                             D3D12_DESCRIPTOR_HEAP_TYPE) override {}
  D3D12_RESOURCE_ALLOCATION_INFO GetResourceAllocationInfo(UINT, UINT,
                                                           const D3D12_RESOURCE_DESC*) override {
    return {};
  }
  D3D12_HEAP_PROPERTIES GetCustomHeapProperties(UINT, D3D12_HEAP_TYPE) override { return {}; }
  HRESULT CreateCommittedResource(const D3D12_HEAP_PROPERTIES*, D3D12_HEAP_FLAGS,
                                  const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES,
                                  const D3D12_CLEAR_VALUE*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateHeap(const D3D12_HEAP_DESC*, REFIID, void**) override { return E_NOTIMPL; }
  HRESULT CreatePlacedResource(ID3D12Heap*, UINT64, const D3D12_RESOURCE_DESC*,
                               D3D12_RESOURCE_STATES, const D3D12_CLEAR_VALUE*, REFIID,
                               void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateReservedResource(const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES,
                                 const D3D12_CLEAR_VALUE*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT CreateSharedHandle(ID3D12DeviceChild*, const SECURITY_ATTRIBUTES*, DWORD, LPCWSTR,
                             HANDLE*) override {
    return E_NOTIMPL;
  }
  HRESULT OpenSharedHandle(HANDLE, REFIID, void**) override { return E_NOTIMPL; }
  HRESULT OpenSharedHandleByName(LPCWSTR, DWORD, HANDLE*) override { return E_NOTIMPL; }
  HRESULT MakeResident(UINT, ID3D12Pageable* const*) override { return E_NOTIMPL; }
  HRESULT Evict(UINT, ID3D12Pageable* const*) override { return E_NOTIMPL; }
  HRESULT CreateFence(UINT64, D3D12_FENCE_FLAGS, REFIID, void**) override { return E_NOTIMPL; }
  HRESULT GetDeviceRemovedReason() override { return S_OK; }
  void GetCopyableFootprints(const D3D12_RESOURCE_DESC*, UINT, UINT, UINT64,
                             D3D12_PLACED_SUBRESOURCE_FOOTPRINT*, UINT*, UINT64*,
                             UINT64*) override {}
  HRESULT CreateQueryHeap(const D3D12_QUERY_HEAP_DESC*, REFIID, void**) override {
    return E_NOTIMPL;
  }
  HRESULT SetStablePowerState(BOOL) override { return E_NOTIMPL; }
  HRESULT CreateCommandSignature(const D3D12_COMMAND_SIGNATURE_DESC*, ID3D12RootSignature*, REFIID,
                                 void**) override {
    return E_NOTIMPL;
  }
  void GetResourceTiling(ID3D12Resource*, UINT*, D3D12_PACKED_MIP_INFO*, D3D12_TILE_SHAPE*, UINT*,
                         UINT, D3D12_SUBRESOURCE_TILING*) override {}
  LUID GetAdapterLuid() override { return {}; }
};

}  // namespace weft::testing
