#pragma once

#include "dxgi1_5.h"

enum DXGI_ADAPTER_FLAG3 {
  DXGI_ADAPTER_FLAG3_NONE = 0,
  DXGI_ADAPTER_FLAG3_REMOTE = 1,
  DXGI_ADAPTER_FLAG3_SOFTWARE = 2,
  DXGI_ADAPTER_FLAG3_ACG_COMPATIBLE = 4,
  DXGI_ADAPTER_FLAG3_SUPPORT_MONITORED_FENCES = 8,
  DXGI_ADAPTER_FLAG3_SUPPORT_NON_MONITORED_FENCES = 16,
  DXGI_ADAPTER_FLAG3_KEYED_MUTEX_CONFORMANCE = 32,
};

struct DXGI_ADAPTER_DESC3 {
  WCHAR Description[128];
  UINT VendorId;
  UINT DeviceId;
  UINT SubSysId;
  UINT Revision;
  SIZE_T DedicatedVideoMemory;
  SIZE_T DedicatedSystemMemory;
  SIZE_T SharedSystemMemory;
  LUID AdapterLuid;
  DXGI_ADAPTER_FLAG3 Flags;
  DXGI_GRAPHICS_PREEMPTION_GRANULARITY GraphicsPreemptionGranularity;
  DXGI_COMPUTE_PREEMPTION_GRANULARITY ComputePreemptionGranularity;
};

enum DXGI_GPU_PREFERENCE {
  DXGI_GPU_PREFERENCE_UNSPECIFIED = 0,
  DXGI_GPU_PREFERENCE_MINIMUM_POWER = 1,
  DXGI_GPU_PREFERENCE_HIGH_PERFORMANCE = 2,
};

interface IDXGIAdapter4 : IDXGIAdapter3 {
  IFACEMETHOD(GetDesc3)(DXGI_ADAPTER_DESC3* desc) = 0;
};

interface IDXGIFactory6 : IDXGIFactory5 {
  IFACEMETHOD(EnumAdapterByGpuPreference)
  (UINT index, DXGI_GPU_PREFERENCE preference, REFIID riid, void** adapter) = 0;
};

interface IDXGIFactory7 : IDXGIFactory6 {
  IFACEMETHOD(RegisterAdaptersChangedEvent)(HANDLE event, DWORD* cookie) = 0;
  IFACEMETHOD(UnregisterAdaptersChangedEvent)(DWORD cookie) = 0;
};

__CRT_UUID_DECL(IDXGIAdapter4, 0x3c8d99d1, 0x4fbf, 0x4181, 0xa8, 0x2c, 0xaf, 0x66, 0xbf, 0x7b, 0xd2,
                0x4e)
__CRT_UUID_DECL(IDXGIFactory6, 0xc1b6694f, 0xff09, 0x44a9, 0xb0, 0x3c, 0x77, 0x90, 0x0a, 0x0a, 0x1d,
                0x17)
__CRT_UUID_DECL(IDXGIFactory7, 0xa4966eed, 0x76db, 0x44da, 0x84, 0xc1, 0xee, 0x9a, 0x7a, 0xfb, 0x20,
                0xa8)
