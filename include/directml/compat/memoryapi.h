#pragma once

#include <sys/mman.h>

#include "errhandlingapi.h"
#include "winerror.h"

#define MEM_COMMIT 0x1000u
#define MEM_RESERVE 0x2000u
#define MEM_RELEASE 0x8000u
#define PAGE_READWRITE 0x04u

// Zeroed pages, usable at once: reserving and committing are one here, and must be asked for
// together. A page in front remembers the size. Null on failure.
inline LPVOID VirtualAlloc(LPVOID address, SIZE_T size, DWORD type, DWORD protection) {
  const SIZE_T page = 4096;
  if (address || size == 0 || type != (MEM_COMMIT | MEM_RESERVE) || protection != PAGE_READWRITE) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return nullptr;
  }
  void* memory = size > SIZE_MAX - page ? MAP_FAILED
                                        : mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    return nullptr;
  }
  *(SIZE_T*)memory = size + page;
  return (BYTE*)memory + page;
}

// Gives back what VirtualAlloc gave, all of it.
inline BOOL VirtualFree(LPVOID address, SIZE_T size, DWORD type) {
  if (!address || size != 0 || type != MEM_RELEASE) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return FALSE;
  }
  void* memory = (BYTE*)address - 4096;
  return munmap(memory, *(SIZE_T*)memory) == 0;
}
