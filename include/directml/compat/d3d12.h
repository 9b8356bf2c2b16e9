#pragma once

// The d3d12.h of DirectX-Headers, which is the next on the include path, compiles only after
// winadapter.h, of which programs for Windows know nothing. It comes with its interface IDs: they
// have to be defined before anything asks for them, as inline functions of d3dx12.h do. DXCore's
// come along, for dxguids.h can be included but once.

// Without this, -Wpedantic has words about #include_next.
#pragma GCC system_header

#include <wsl/winadapter.h>
// (The order matters.)
#include_next <d3d12.h>
// (The order matters.)
#include <dxcore.h>
// (The order matters.)
#include <dxguids/dxguids.h>
