#pragma once

#include <time.h>

#include "windef.h"

// In nanoseconds.
inline BOOL QueryPerformanceCounter(LARGE_INTEGER* count) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  count->QuadPart = (LONGLONG)now.tv_sec * 1000000000 + now.tv_nsec;
  return TRUE;
}

inline BOOL QueryPerformanceFrequency(LARGE_INTEGER* frequency) {
  frequency->QuadPart = 1000000000;
  return TRUE;
}
