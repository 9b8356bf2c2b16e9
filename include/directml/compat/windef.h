#pragma once

// Basic types and macros; the other headers of this folder start from here.

#include <wsl/winadapter.h>
// Interface IDs have to be defined before anything asks for them, as inline functions of d3dx12.h
// do: so they come with the first Windows header, and with them all that has interfaces.
#include <d3d12.h>
// (The order matters.)
#include <dxcore.h>
// (The order matters.)
#include <dxguids/dxguids.h>

typedef void *HMODULE, *HINSTANCE, *HMONITOR;
typedef DWORD *LPDWORD, *PDWORD;
typedef BOOL *LPBOOL, *PBOOL;

typedef SECURITY_ATTRIBUTES *LPSECURITY_ATTRIBUTES;

#ifndef ARRAYSIZE
#define ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif
#ifndef UNREFERENCED_PARAMETER
#define UNREFERENCED_PARAMETER(parameter) (void)(parameter)
#endif
#ifndef ZeroMemory
#define ZeroMemory(destination, length) memset((destination), 0, (length))
#define CopyMemory(destination, source, length) memcpy((destination), (source), (length))
#endif
