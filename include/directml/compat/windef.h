#pragma once

// Basic types and macros; the other headers of this folder start from here.

#include <d3d12.h>

typedef unsigned char byte;
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
