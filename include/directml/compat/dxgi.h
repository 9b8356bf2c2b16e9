#pragma once

// DXGI's factories and adapters, declared for Linux. libdxcore.so makes them: one adapter, the
// processor, as DXCore shows it. There are no outputs and no swap chains; their interfaces are
// names alone, and the methods that would make them answer DXGI_ERROR_UNSUPPORTED or _NOT_FOUND.
//
// Layout and interface IDs are those of Windows.

#include "windows.h"
// Needs the basic types.
#include <dxgicommon.h>
#include <dxgiformat.h>
#include <unknwn.h>

interface IDXGIOutput;
interface IDXGISwapChain;
struct DXGI_SWAP_CHAIN_DESC;

struct DXGI_ADAPTER_DESC {
  WCHAR Description[128];
  UINT VendorId;
  UINT DeviceId;
  UINT SubSysId;
  UINT Revision;
  SIZE_T DedicatedVideoMemory;  // in bytes, as the next two
  SIZE_T DedicatedSystemMemory;
  SIZE_T SharedSystemMemory;
  LUID AdapterLuid;
};

enum DXGI_ADAPTER_FLAG {
  DXGI_ADAPTER_FLAG_NONE = 0,
  DXGI_ADAPTER_FLAG_REMOTE = 1,
  DXGI_ADAPTER_FLAG_SOFTWARE = 2,
};

struct DXGI_ADAPTER_DESC1 {
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
};

interface IDXGIObject : IUnknown {
  IFACEMETHOD(SetPrivateData)(REFGUID name, UINT size, const void* data) = 0;
  IFACEMETHOD(SetPrivateDataInterface)(REFGUID name, const IUnknown* data) = 0;
  IFACEMETHOD(GetPrivateData)(REFGUID name, UINT* size, void* data) = 0;
  IFACEMETHOD(GetParent)(REFIID riid, void** parent) = 0;
};

interface IDXGIAdapter : IDXGIObject {
  IFACEMETHOD(EnumOutputs)(UINT index, IDXGIOutput** output) = 0;
  IFACEMETHOD(GetDesc)(DXGI_ADAPTER_DESC* desc) = 0;
  IFACEMETHOD(CheckInterfaceSupport)(REFGUID name, LARGE_INTEGER* driver_version) = 0;
};

interface IDXGIAdapter1 : IDXGIAdapter {
  IFACEMETHOD(GetDesc1)(DXGI_ADAPTER_DESC1* desc) = 0;
};

interface IDXGIFactory : IDXGIObject {
  // DXGI_ERROR_NOT_FOUND after the last.
  IFACEMETHOD(EnumAdapters)(UINT index, IDXGIAdapter** adapter) = 0;
  IFACEMETHOD(MakeWindowAssociation)(HWND window, UINT flags) = 0;
  IFACEMETHOD(GetWindowAssociation)(HWND* window) = 0;
  IFACEMETHOD(CreateSwapChain)
  (IUnknown* device, DXGI_SWAP_CHAIN_DESC* desc, IDXGISwapChain** swap_chain) = 0;
  IFACEMETHOD(CreateSoftwareAdapter)(HMODULE module, IDXGIAdapter** adapter) = 0;
};

interface IDXGIFactory1 : IDXGIFactory {
  IFACEMETHOD(EnumAdapters1)(UINT index, IDXGIAdapter1** adapter) = 0;
  IFACEMETHOD_(BOOL, IsCurrent)() = 0;
};

STDAPI CreateDXGIFactory(REFIID riid, void** factory);
STDAPI CreateDXGIFactory1(REFIID riid, void** factory);

__CRT_UUID_DECL(IDXGIObject, 0xaec22fb8, 0x76f3, 0x4639, 0x9b, 0xe0, 0x28, 0xeb, 0x43, 0xa6, 0x7a,
                0x2e)
__CRT_UUID_DECL(IDXGIAdapter, 0x2411e7e1, 0x12ac, 0x4ccf, 0xbd, 0x14, 0x97, 0x98, 0xe8, 0x53, 0x4d,
                0xc0)
__CRT_UUID_DECL(IDXGIAdapter1, 0x29038f61, 0x3839, 0x4626, 0x91, 0xfd, 0x08, 0x68, 0x79, 0x01, 0x1a,
                0x05)
__CRT_UUID_DECL(IDXGIFactory, 0x7b7166ec, 0x21c7, 0x44ae, 0xb2, 0x1a, 0xc9, 0xae, 0x32, 0x1a, 0xe3,
                0x69)
__CRT_UUID_DECL(IDXGIFactory1, 0x770aae78, 0xf26f, 0x4dba, 0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3,
                0x87)
