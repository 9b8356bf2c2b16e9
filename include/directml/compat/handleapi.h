#pragma once

#include <unistd.h>

#include "errhandlingapi.h"
#include "winerror.h"

// A handle is a file descriptor, cast to a pointer, as WSL's D3D12 has it.

#ifndef INVALID_HANDLE_VALUE
#define INVALID_HANDLE_VALUE ((HANDLE)(LONG_PTR)-1)
#endif

inline BOOL CloseHandle(HANDLE handle) {
  if (handle && handle != INVALID_HANDLE_VALUE && close((int)(LONG_PTR)handle) == 0) return TRUE;
  SetLastError(ERROR_INVALID_HANDLE);
  return FALSE;
}
