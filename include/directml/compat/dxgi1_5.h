#pragma once

#include "dxgi1_4.h"

enum DXGI_FEATURE {
  DXGI_FEATURE_PRESENT_ALLOW_TEARING = 0,
};

interface IDXGIFactory5 : IDXGIFactory4 {
  IFACEMETHOD(CheckFeatureSupport)(DXGI_FEATURE feature, void* data, UINT size) = 0;
};

__CRT_UUID_DECL(IDXGIFactory5, 0x7632e1f5, 0xee65, 0x4dca, 0x87, 0xfd, 0x84, 0xcd, 0x75, 0xf8, 0x83,
                0x8d)
