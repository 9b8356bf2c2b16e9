#pragma once

#include "dxgi1_3.h"

enum DXGI_MEMORY_SEGMENT_GROUP {
  DXGI_MEMORY_SEGMENT_GROUP_LOCAL = 0,
  DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL = 1,
};

// In bytes.
struct DXGI_QUERY_VIDEO_MEMORY_INFO {
  UINT64 Budget;
  UINT64 CurrentUsage;
  UINT64 AvailableForReservation;
  UINT64 CurrentReservation;
};

interface IDXGIAdapter3 : IDXGIAdapter2 {
  IFACEMETHOD(RegisterHardwareContentProtectionTeardownStatusEvent)
  (HANDLE event, DWORD* cookie) = 0;
  IFACEMETHOD_(void, UnregisterHardwareContentProtectionTeardownStatus)(DWORD cookie) = 0;
  IFACEMETHOD(QueryVideoMemoryInfo)
  (UINT node, DXGI_MEMORY_SEGMENT_GROUP group, DXGI_QUERY_VIDEO_MEMORY_INFO* info) = 0;
  IFACEMETHOD(SetVideoMemoryReservation)
  (UINT node, DXGI_MEMORY_SEGMENT_GROUP group, UINT64 reservation) = 0;
  IFACEMETHOD(RegisterVideoMemoryBudgetChangeNotificationEvent)(HANDLE event, DWORD* cookie) = 0;
  IFACEMETHOD_(void, UnregisterVideoMemoryBudgetChangeNotification)(DWORD cookie) = 0;
};

interface IDXGIFactory4 : IDXGIFactory3 {
  IFACEMETHOD(EnumAdapterByLuid)(LUID luid, REFIID riid, void** adapter) = 0;
  IFACEMETHOD(EnumWarpAdapter)(REFIID riid, void** adapter) = 0;
};

__CRT_UUID_DECL(IDXGIAdapter3, 0x645967a4, 0x1392, 0x4310, 0xa7, 0x98, 0x80, 0x53, 0xce, 0x3e, 0x93,
                0xfd)
__CRT_UUID_DECL(IDXGIFactory4, 0x1bc6ea02, 0xef36, 0x464f, 0xbf, 0x0c, 0x21, 0xca, 0x39, 0xe5, 0x16,
                0x8a)
