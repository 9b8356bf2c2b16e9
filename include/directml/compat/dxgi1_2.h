#pragma once

#include "dxgi.h"

interface IDXGISwapChain1;
struct DXGI_SWAP_CHAIN_DESC1;
struct DXGI_SWAP_CHAIN_FULLSCREEN_DESC;

enum DXGI_GRAPHICS_PREEMPTION_GRANULARITY {
  DXGI_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY = 0,
  DXGI_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY = 1,
  DXGI_GRAPHICS_PREEMPTION_TRIANGLE_BOUNDARY = 2,
  DXGI_GRAPHICS_PREEMPTION_PIXEL_BOUNDARY = 3,
  DXGI_GRAPHICS_PREEMPTION_INSTRUCTION_BOUNDARY = 4,
};

enum DXGI_COMPUTE_PREEMPTION_GRANULARITY {
  DXGI_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY = 0,
  DXGI_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY = 1,
  DXGI_COMPUTE_PREEMPTION_THREAD_GROUP_BOUNDARY = 2,
  DXGI_COMPUTE_PREEMPTION_THREAD_BOUNDARY = 3,
  DXGI_COMPUTE_PREEMPTION_INSTRUCTION_BOUNDARY = 4,
};

struct DXGI_ADAPTER_DESC2 {
  WCHAR Description[128];
  UINT VendorId;
  UINT DeviceId;
  UINT SubSysId;
  UINT Revision;
  SIZE_T DedicatedVideoMemory;
  SIZE_T DedicatedSystemMemory;
  SIZE_T SharedSystemMemory;
  LUID AdapterLuid;
  UINT Flags;  // of DXGI_ADAPTER_FLAG
  DXGI_GRAPHICS_PREEMPTION_GRANULARITY GraphicsPreemptionGranularity;
  DXGI_COMPUTE_PREEMPTION_GRANULARITY ComputePreemptionGranularity;
};

interface IDXGIAdapter2 : IDXGIAdapter1 {
  IFACEMETHOD(GetDesc2)(DXGI_ADAPTER_DESC2* desc) = 0;
};

interface IDXGIFactory2 : IDXGIFactory1 {
  IFACEMETHOD_(BOOL, IsWindowedStereoEnabled)() = 0;
  IFACEMETHOD(CreateSwapChainForHwnd)
  (IUnknown* device, HWND window, const DXGI_SWAP_CHAIN_DESC1* desc,
   const DXGI_SWAP_CHAIN_FULLSCREEN_DESC* fullscreen, IDXGIOutput* output,
   IDXGISwapChain1** swap_chain) = 0;
  IFACEMETHOD(CreateSwapChainForCoreWindow)
  (IUnknown* device, IUnknown* window, const DXGI_SWAP_CHAIN_DESC1* desc, IDXGIOutput* output,
   IDXGISwapChain1** swap_chain) = 0;
  IFACEMETHOD(GetSharedResourceAdapterLuid)(HANDLE resource, LUID* luid) = 0;
  IFACEMETHOD(RegisterStereoStatusWindow)(HWND window, UINT message, DWORD* cookie) = 0;
  IFACEMETHOD(RegisterStereoStatusEvent)(HANDLE event, DWORD* cookie) = 0;
  IFACEMETHOD_(void, UnregisterStereoStatus)(DWORD cookie) = 0;
  IFACEMETHOD(RegisterOcclusionStatusWindow)(HWND window, UINT message, DWORD* cookie) = 0;
  IFACEMETHOD(RegisterOcclusionStatusEvent)(HANDLE event, DWORD* cookie) = 0;
  IFACEMETHOD_(void, UnregisterOcclusionStatus)(DWORD cookie) = 0;
  IFACEMETHOD(CreateSwapChainForComposition)
  (IUnknown* device, const DXGI_SWAP_CHAIN_DESC1* desc, IDXGIOutput* output,
   IDXGISwapChain1** swap_chain) = 0;
};

__CRT_UUID_DECL(IDXGIAdapter2, 0x0aa1ae0a, 0xfa0e, 0x4b84, 0x86, 0x44, 0xe0, 0x5f, 0xf8, 0xe5, 0xac,
                0xb5)
__CRT_UUID_DECL(IDXGIFactory2, 0x50c83a1c, 0xe072, 0x4c48, 0x87, 0xb0, 0x36, 0x30, 0xfa, 0x36, 0xa6,
                0xd0)
