#pragma once

// What of ID3D12GraphicsCommandList8 the software device has not: shaders, drawing, pictures.
// A list that was asked for one of these does not close.

#include <string_view>

#include "com/windows.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

class CommandListStubs : public ID3D12GraphicsCommandList8, public IWorkList {
 public:
  // ID3D12GraphicsCommandList
  void DrawInstanced(UINT, UINT, UINT, UINT) override { not_offered("DrawInstanced"); }
  void DrawIndexedInstanced(UINT, UINT, UINT, INT, UINT) override {
    not_offered("DrawIndexedInstanced");
  }
  void Dispatch(UINT, UINT, UINT) override { not_offered("Dispatch"); }
  void CopyTextureRegion(const D3D12_TEXTURE_COPY_LOCATION*, UINT, UINT, UINT,
                         const D3D12_TEXTURE_COPY_LOCATION*, const D3D12_BOX*) override {
    not_offered("CopyTextureRegion");
  }
  void CopyTiles(ID3D12Resource*, const D3D12_TILED_RESOURCE_COORDINATE*,
                 const D3D12_TILE_REGION_SIZE*, ID3D12Resource*, UINT64,
                 D3D12_TILE_COPY_FLAGS) override {
    not_offered("CopyTiles");
  }
  void ResolveSubresource(ID3D12Resource*, UINT, ID3D12Resource*, UINT, DXGI_FORMAT) override {
    not_offered("ResolveSubresource");
  }
  void IASetPrimitiveTopology(D3D12_PRIMITIVE_TOPOLOGY) override {
    not_offered("IASetPrimitiveTopology");
  }
  void RSSetViewports(UINT, const D3D12_VIEWPORT*) override { not_offered("RSSetViewports"); }
  void RSSetScissorRects(UINT, const D3D12_RECT*) override { not_offered("RSSetScissorRects"); }
  void OMSetBlendFactor(const FLOAT*) override { not_offered("OMSetBlendFactor"); }
  void OMSetStencilRef(UINT) override { not_offered("OMSetStencilRef"); }
  void SetPipelineState(ID3D12PipelineState*) override { not_offered("SetPipelineState"); }
  void ExecuteBundle(ID3D12GraphicsCommandList*) override { not_offered("ExecuteBundle"); }
  void SetComputeRootSignature(ID3D12RootSignature*) override {
    not_offered("SetComputeRootSignature");
  }
  void SetGraphicsRootSignature(ID3D12RootSignature*) override {
    not_offered("SetGraphicsRootSignature");
  }
  void SetComputeRootDescriptorTable(UINT, D3D12_GPU_DESCRIPTOR_HANDLE) override {
    not_offered("SetComputeRootDescriptorTable");
  }
  void SetGraphicsRootDescriptorTable(UINT, D3D12_GPU_DESCRIPTOR_HANDLE) override {
    not_offered("SetGraphicsRootDescriptorTable");
  }
  void SetComputeRoot32BitConstant(UINT, UINT, UINT) override {
    not_offered("SetComputeRoot32BitConstant");
  }
  void SetGraphicsRoot32BitConstant(UINT, UINT, UINT) override {
    not_offered("SetGraphicsRoot32BitConstant");
  }
  void SetComputeRoot32BitConstants(UINT, UINT, const void*, UINT) override {
    not_offered("SetComputeRoot32BitConstants");
  }
  void SetGraphicsRoot32BitConstants(UINT, UINT, const void*, UINT) override {
    not_offered("SetGraphicsRoot32BitConstants");
  }
  void SetComputeRootConstantBufferView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetComputeRootConstantBufferView");
  }
  void SetGraphicsRootConstantBufferView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetGraphicsRootConstantBufferView");
  }
  void SetComputeRootShaderResourceView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetComputeRootShaderResourceView");
  }
  void SetGraphicsRootShaderResourceView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetGraphicsRootShaderResourceView");
  }
  void SetComputeRootUnorderedAccessView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetComputeRootUnorderedAccessView");
  }
  void SetGraphicsRootUnorderedAccessView(UINT, D3D12_GPU_VIRTUAL_ADDRESS) override {
    not_offered("SetGraphicsRootUnorderedAccessView");
  }
  void IASetIndexBuffer(const D3D12_INDEX_BUFFER_VIEW*) override {
    not_offered("IASetIndexBuffer");
  }
  void IASetVertexBuffers(UINT, UINT, const D3D12_VERTEX_BUFFER_VIEW*) override {
    not_offered("IASetVertexBuffers");
  }
  void SOSetTargets(UINT, UINT, const D3D12_STREAM_OUTPUT_BUFFER_VIEW*) override {
    not_offered("SOSetTargets");
  }
  void OMSetRenderTargets(UINT, const D3D12_CPU_DESCRIPTOR_HANDLE*, BOOL,
                          const D3D12_CPU_DESCRIPTOR_HANDLE*) override {
    not_offered("OMSetRenderTargets");
  }
  void ClearDepthStencilView(D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_CLEAR_FLAGS, FLOAT, UINT8, UINT,
                             const D3D12_RECT*) override {
    not_offered("ClearDepthStencilView");
  }
  void ClearRenderTargetView(D3D12_CPU_DESCRIPTOR_HANDLE, const FLOAT*, UINT,
                             const D3D12_RECT*) override {
    not_offered("ClearRenderTargetView");
  }
  void BeginQuery(ID3D12QueryHeap*, D3D12_QUERY_TYPE, UINT) override { not_offered("BeginQuery"); }
  void SetPredication(ID3D12Resource*, UINT64, D3D12_PREDICATION_OP) override {
    not_offered("SetPredication");
  }
  void ExecuteIndirect(ID3D12CommandSignature*, UINT, ID3D12Resource*, UINT64, ID3D12Resource*,
                       UINT64) override {
    not_offered("ExecuteIndirect");
  }

  // ID3D12GraphicsCommandList1
  void AtomicCopyBufferUINT(ID3D12Resource*, UINT64, ID3D12Resource*, UINT64, UINT,
                            ID3D12Resource* const*,
                            const D3D12_SUBRESOURCE_RANGE_UINT64*) override {
    not_offered("AtomicCopyBufferUINT");
  }
  void AtomicCopyBufferUINT64(ID3D12Resource*, UINT64, ID3D12Resource*, UINT64, UINT,
                              ID3D12Resource* const*,
                              const D3D12_SUBRESOURCE_RANGE_UINT64*) override {
    not_offered("AtomicCopyBufferUINT64");
  }
  void OMSetDepthBounds(FLOAT, FLOAT) override { not_offered("OMSetDepthBounds"); }
  void SetSamplePositions(UINT, UINT, D3D12_SAMPLE_POSITION*) override {
    not_offered("SetSamplePositions");
  }
  void ResolveSubresourceRegion(ID3D12Resource*, UINT, UINT, UINT, ID3D12Resource*, UINT,
                                D3D12_RECT*, DXGI_FORMAT, D3D12_RESOLVE_MODE) override {
    not_offered("ResolveSubresourceRegion");
  }
  void SetViewInstanceMask(UINT) override { not_offered("SetViewInstanceMask"); }

  // ID3D12GraphicsCommandList2
  void WriteBufferImmediate(UINT, const D3D12_WRITEBUFFERIMMEDIATE_PARAMETER*,
                            const D3D12_WRITEBUFFERIMMEDIATE_MODE*) override {
    not_offered("WriteBufferImmediate");
  }

  // ID3D12GraphicsCommandList3
  void SetProtectedResourceSession(ID3D12ProtectedResourceSession*) override {
    not_offered("SetProtectedResourceSession");
  }

  // ID3D12GraphicsCommandList4
  void BeginRenderPass(UINT, const D3D12_RENDER_PASS_RENDER_TARGET_DESC*,
                       const D3D12_RENDER_PASS_DEPTH_STENCIL_DESC*,
                       D3D12_RENDER_PASS_FLAGS) override {
    not_offered("BeginRenderPass");
  }
  void EndRenderPass() override { not_offered("EndRenderPass"); }
  void InitializeMetaCommand(ID3D12MetaCommand*, const void*, SIZE_T) override {
    not_offered("InitializeMetaCommand");
  }
  void ExecuteMetaCommand(ID3D12MetaCommand*, const void*, SIZE_T) override {
    not_offered("ExecuteMetaCommand");
  }
  void BuildRaytracingAccelerationStructure(
      const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC*, UINT,
      const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC*) override {
    not_offered("BuildRaytracingAccelerationStructure");
  }
  void EmitRaytracingAccelerationStructurePostbuildInfo(
      const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC*, UINT,
      const D3D12_GPU_VIRTUAL_ADDRESS*) override {
    not_offered("EmitRaytracingAccelerationStructurePostbuildInfo");
  }
  void CopyRaytracingAccelerationStructure(
      D3D12_GPU_VIRTUAL_ADDRESS, D3D12_GPU_VIRTUAL_ADDRESS,
      D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE) override {
    not_offered("CopyRaytracingAccelerationStructure");
  }
  void SetPipelineState1(ID3D12StateObject*) override { not_offered("SetPipelineState1"); }
  void DispatchRays(const D3D12_DISPATCH_RAYS_DESC*) override { not_offered("DispatchRays"); }

  // ID3D12GraphicsCommandList5
  void RSSetShadingRate(D3D12_SHADING_RATE, const D3D12_SHADING_RATE_COMBINER*) override {
    not_offered("RSSetShadingRate");
  }
  void RSSetShadingRateImage(ID3D12Resource*) override { not_offered("RSSetShadingRateImage"); }

  // ID3D12GraphicsCommandList6
  void DispatchMesh(UINT, UINT, UINT) override { not_offered("DispatchMesh"); }

  // ID3D12GraphicsCommandList7
  void Barrier(UINT32, const D3D12_BARRIER_GROUP*) override { not_offered("Barrier"); }

  // ID3D12GraphicsCommandList8
  void OMSetFrontAndBackStencilRef(UINT, UINT) override {
    not_offered("OMSetFrontAndBackStencilRef");
  }

 protected:
  // Names the method in the log, and gives E_NOTIMPL.
  virtual HRESULT not_offered(std::string_view method) noexcept = 0;
};

}  // namespace weft::d3d12
