#pragma once

#include "windef.h"

// Behind GetLastError() and SetLastError().
inline DWORD& weft_last_win32_error() {
  static thread_local DWORD error = 0;
  return error;
}

inline DWORD GetLastError() { return weft_last_win32_error(); }
inline void SetLastError(DWORD error) { weft_last_win32_error() = error; }
