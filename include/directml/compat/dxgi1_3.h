#pragma once

#include "dxgi1_2.h"

#define DXGI_CREATE_FACTORY_DEBUG 0x1u

interface IDXGIFactory3 : IDXGIFactory2 {
  IFACEMETHOD_(UINT, GetCreationFlags)() = 0;
};

// The debug flag is accepted; there is no debug layer of DXGI.
STDAPI CreateDXGIFactory2(UINT flags, REFIID riid, void** factory);

__CRT_UUID_DECL(IDXGIFactory3, 0x25483823, 0xcd46, 0x4c7d, 0x86, 0xca, 0x47, 0xaa, 0x95, 0xb8, 0x37,
                0xbd)
