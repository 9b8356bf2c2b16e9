#pragma once

#include <cstdio>
#include <cstdlib>

#include "windef.h"

// Windows shows these texts to a debugger alone. Here they go to stderr when WEFT_LOG is set.

inline void OutputDebugStringA(LPCSTR text) {
  static const bool shown = getenv("WEFT_LOG") && *getenv("WEFT_LOG");
  if (shown && text) fputs(text, stderr);
}

// UTF-8, whatever the locale.
inline void OutputDebugStringW(LPCWSTR text) {
  for (; text && *text; ++text) {
    const uint32_t c = (uint32_t)*text;
    char bytes[5] = {};
    if (c < 0x80) {
      bytes[0] = (char)c;
    } else if (c < 0x800) {
      bytes[0] = (char)(0xC0 | c >> 6);
      bytes[1] = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      bytes[0] = (char)(0xE0 | c >> 12);
      bytes[1] = (char)(0x80 | (c >> 6 & 0x3F));
      bytes[2] = (char)(0x80 | (c & 0x3F));
    } else {
      bytes[0] = (char)(0xF0 | c >> 18);
      bytes[1] = (char)(0x80 | (c >> 12 & 0x3F));
      bytes[2] = (char)(0x80 | (c >> 6 & 0x3F));
      bytes[3] = (char)(0x80 | (c & 0x3F));
    }
    OutputDebugStringA(bytes);
  }
}

#ifndef OutputDebugString
#define OutputDebugString OutputDebugStringW
#endif

inline BOOL IsDebuggerPresent() { return FALSE; }
