#pragma once

#include "windef.h"

// Codes that GetLastError() may give after a function of these headers has failed.
#ifndef ERROR_SUCCESS
#define ERROR_SUCCESS 0u
#define NO_ERROR 0u
#define ERROR_TOO_MANY_OPEN_FILES 4u
#define ERROR_ACCESS_DENIED 5u
#define ERROR_INVALID_HANDLE 6u
#define ERROR_NOT_ENOUGH_MEMORY 8u
#define ERROR_OUTOFMEMORY 14u
#define ERROR_NOT_SUPPORTED 50u
#define ERROR_INVALID_PARAMETER 87u
#endif

#define SEVERITY_SUCCESS 0
#define SEVERITY_ERROR 1
#define FACILITY_WIN32 7
#ifndef MAKE_HRESULT
#define MAKE_HRESULT(severity, facility, code) \
  ((HRESULT)(((uint32_t)(severity) << 31) | ((uint32_t)(facility) << 16) | (uint32_t)(code)))
#endif
#define HRESULT_CODE(hr) ((hr)&0xFFFF)
#define HRESULT_FACILITY(hr) (((hr) >> 16) & 0x1FFF)

// 0 stays 0, an HRESULT stays what it is.
inline HRESULT HRESULT_FROM_WIN32(DWORD error) {
  return (HRESULT)error <= 0 ? (HRESULT)error
                             : MAKE_HRESULT(SEVERITY_ERROR, FACILITY_WIN32, error & 0xFFFF);
}
