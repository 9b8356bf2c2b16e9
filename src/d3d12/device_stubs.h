#pragma once

// What of ID3D12Device9 the software device has not: shaders, pictures, sharing, ray tracing.

#include <string_view>

#include "com/windows.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

class DeviceStubs : public ID3D12Device9, public IDescriptors {
 public:
  // ID3D12Device
  HRESULT CreateGraphicsPipelineState(const D3D12_GRAPHICS_PIPELINE_STATE_DESC*, REFIID,
                                      void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateGraphicsPipelineState");
  }
  HRESULT CreateComputePipelineState(const D3D12_COMPUTE_PIPELINE_STATE_DESC*, REFIID,
                                     void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateComputePipelineState");
  }
  HRESULT CreateRootSignature(UINT, const void*, SIZE_T, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateRootSignature");
  }
  void CreateConstantBufferView(const D3D12_CONSTANT_BUFFER_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateConstantBufferView");
  }
  void CreateShaderResourceView(ID3D12Resource*, const D3D12_SHADER_RESOURCE_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateShaderResourceView");
  }
  void CreateRenderTargetView(ID3D12Resource*, const D3D12_RENDER_TARGET_VIEW_DESC*,
                              D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateRenderTargetView");
  }
  void CreateDepthStencilView(ID3D12Resource*, const D3D12_DEPTH_STENCIL_VIEW_DESC*,
                              D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateDepthStencilView");
  }
  void CreateSampler(const D3D12_SAMPLER_DESC*, D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateSampler");
  }
  HRESULT CreateReservedResource(const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES,
                                 const D3D12_CLEAR_VALUE*, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateReservedResource");
  }
  HRESULT CreateSharedHandle(ID3D12DeviceChild*, const SECURITY_ATTRIBUTES*, DWORD, LPCWSTR,
                             HANDLE* handle) override {
    if (handle) *handle = nullptr;
    return not_offered("CreateSharedHandle");
  }
  HRESULT OpenSharedHandle(HANDLE, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("OpenSharedHandle");
  }
  HRESULT OpenSharedHandleByName(LPCWSTR, DWORD, HANDLE* handle) override {
    if (handle) *handle = nullptr;
    return not_offered("OpenSharedHandleByName");
  }
  HRESULT SetStablePowerState(BOOL) override { return not_offered("SetStablePowerState"); }
  HRESULT CreateCommandSignature(const D3D12_COMMAND_SIGNATURE_DESC*, ID3D12RootSignature*, REFIID,
                                 void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateCommandSignature");
  }
  void GetResourceTiling(ID3D12Resource*, UINT*, D3D12_PACKED_MIP_INFO*, D3D12_TILE_SHAPE*, UINT*,
                         UINT, D3D12_SUBRESOURCE_TILING*) override {
    not_offered("GetResourceTiling");
  }

  // ID3D12Device1
  HRESULT CreatePipelineLibrary(const void*, SIZE_T, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreatePipelineLibrary");
  }

  // ID3D12Device2
  HRESULT CreatePipelineState(const D3D12_PIPELINE_STATE_STREAM_DESC*, REFIID,
                              void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreatePipelineState");
  }

  // ID3D12Device3
  HRESULT OpenExistingHeapFromAddress(const void*, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("OpenExistingHeapFromAddress");
  }
  HRESULT OpenExistingHeapFromFileMapping(HANDLE, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("OpenExistingHeapFromFileMapping");
  }

  // ID3D12Device4
  HRESULT CreateProtectedResourceSession(const D3D12_PROTECTED_RESOURCE_SESSION_DESC*, REFIID,
                                         void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateProtectedResourceSession");
  }
  HRESULT CreateReservedResource1(const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES,
                                  const D3D12_CLEAR_VALUE*, ID3D12ProtectedResourceSession*, REFIID,
                                  void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateReservedResource1");
  }

  // ID3D12Device5
  HRESULT CreateLifetimeTracker(ID3D12LifetimeOwner*, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateLifetimeTracker");
  }
  HRESULT EnumerateMetaCommands(UINT*, D3D12_META_COMMAND_DESC*) override {
    return not_offered("EnumerateMetaCommands");
  }
  HRESULT EnumerateMetaCommandParameters(REFGUID, D3D12_META_COMMAND_PARAMETER_STAGE, UINT*, UINT*,
                                         D3D12_META_COMMAND_PARAMETER_DESC*) override {
    return not_offered("EnumerateMetaCommandParameters");
  }
  HRESULT CreateMetaCommand(REFGUID, UINT, const void*, SIZE_T, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateMetaCommand");
  }
  HRESULT CreateStateObject(const D3D12_STATE_OBJECT_DESC*, REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateStateObject");
  }
  void GetRaytracingAccelerationStructurePrebuildInfo(
      const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS*,
      D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO*) override {
    not_offered("GetRaytracingAccelerationStructurePrebuildInfo");
  }
  D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS CheckDriverMatchingIdentifier(
      D3D12_SERIALIZED_DATA_TYPE,
      const D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER*) override {
    not_offered("CheckDriverMatchingIdentifier");
    return D3D12_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE;
  }

  // ID3D12Device6
  HRESULT SetBackgroundProcessingMode(D3D12_BACKGROUND_PROCESSING_MODE, D3D12_MEASUREMENTS_ACTION,
                                      HANDLE, BOOL*) override {
    return not_offered("SetBackgroundProcessingMode");
  }

  // ID3D12Device7
  HRESULT AddToStateObject(const D3D12_STATE_OBJECT_DESC*, ID3D12StateObject*, REFIID,
                           void** object) override {
    if (object) *object = nullptr;
    return not_offered("AddToStateObject");
  }
  HRESULT CreateProtectedResourceSession1(const D3D12_PROTECTED_RESOURCE_SESSION_DESC1*, REFIID,
                                          void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateProtectedResourceSession1");
  }

  // ID3D12Device8
  void CreateSamplerFeedbackUnorderedAccessView(ID3D12Resource*, ID3D12Resource*,
                                                D3D12_CPU_DESCRIPTOR_HANDLE) override {
    not_offered("CreateSamplerFeedbackUnorderedAccessView");
  }

  // ID3D12Device9
  HRESULT CreateShaderCacheSession(const D3D12_SHADER_CACHE_SESSION_DESC*, REFIID,
                                   void** object) override {
    if (object) *object = nullptr;
    return not_offered("CreateShaderCacheSession");
  }
  HRESULT ShaderCacheControl(D3D12_SHADER_CACHE_KIND_FLAGS,
                             D3D12_SHADER_CACHE_CONTROL_FLAGS) override {
    return not_offered("ShaderCacheControl");
  }

 protected:
  // Names the method in the log, and gives E_NOTIMPL.
  virtual HRESULT not_offered(std::string_view method) noexcept = 0;
};

}  // namespace weft::d3d12
