#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "handleapi.h"

// Win32 events over eventfd: signalled while the counter is not 0.
// ID3D12Fence::SetEventOnCompletion takes such a handle, and any other eventfd.

#ifndef INFINITE
#define INFINITE 0xFFFFFFFFu
#endif
#define WAIT_OBJECT_0 0u
#define WAIT_TIMEOUT 258u
#define WAIT_FAILED 0xFFFFFFFFu

// An event that stays signalled until ResetEvent() (manual_reset), or lets one waiter through at a
// time. Which of the two, is kept where the descriptor is: O_APPEND, which means nothing else for
// an eventfd, marks those that reset themselves not. Null on failure. Events have no names.
inline HANDLE CreateEventW(const SECURITY_ATTRIBUTES*, BOOL manual_reset, BOOL signalled,
                           LPCWSTR name) {
  if (name) {
    SetLastError(ERROR_NOT_SUPPORTED);
    return nullptr;
  }
  int descriptor = eventfd(signalled ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor == 0) {  // would look like no handle
    descriptor = fcntl(0, F_DUPFD_CLOEXEC, 1);
    close(0);
  }
  if (descriptor > 0 && (!manual_reset || fcntl(descriptor, F_SETFL, O_APPEND | O_NONBLOCK) == 0)) {
    return (HANDLE)(LONG_PTR)descriptor;
  }
  SetLastError(errno == ENOMEM ? ERROR_NOT_ENOUGH_MEMORY : ERROR_TOO_MANY_OPEN_FILES);
  if (descriptor > 0) close(descriptor);
  return nullptr;
}

inline HANDLE CreateEventA(const SECURITY_ATTRIBUTES* attributes, BOOL manual_reset, BOOL signalled,
                           LPCSTR name) {
  return CreateEventW(attributes, manual_reset, signalled, name ? L"named" : nullptr);
}

#ifndef CreateEvent
#define CreateEvent CreateEventW
#endif

inline BOOL SetEvent(HANDLE event) {
  const uint64_t one = 1;
  // A full counter (EAGAIN) is signalled already.
  if (write((int)(LONG_PTR)event, &one, sizeof one) == sizeof one || errno == EAGAIN) return TRUE;
  SetLastError(ERROR_INVALID_HANDLE);
  return FALSE;
}

inline BOOL ResetEvent(HANDLE event) {
  uint64_t count;
  if (read((int)(LONG_PTR)event, &count, sizeof count) == sizeof count || errno == EAGAIN) {
    return TRUE;
  }
  SetLastError(ERROR_INVALID_HANDLE);
  return FALSE;
}

// Milliseconds of a clock that is never set back.
inline uint64_t GetTickCount64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// WAIT_OBJECT_0, WAIT_TIMEOUT or WAIT_FAILED.
inline DWORD WaitForSingleObject(HANDLE event, DWORD milliseconds) {
  const int descriptor = (int)(LONG_PTR)event;
  const int flags = event ? fcntl(descriptor, F_GETFL) : -1;
  if (flags < 0) {
    SetLastError(ERROR_INVALID_HANDLE);
    return WAIT_FAILED;
  }
  const uint64_t deadline = GetTickCount64() + milliseconds;
  for (;;) {
    int timeout = -1;
    if (milliseconds != INFINITE) {
      const uint64_t now = GetTickCount64();
      const uint64_t left = now < deadline ? deadline - now : 0;
      timeout = left < INT_MAX ? (int)left : INT_MAX;
    }
    pollfd poll_on = {descriptor, POLLIN, 0};
    const int ready = poll(&poll_on, 1, timeout);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && (milliseconds == 0 || GetTickCount64() >= deadline)) return WAIT_TIMEOUT;
    if (ready <= 0) continue;
    if (!(poll_on.revents & POLLIN)) break;
    uint64_t count;
    if (flags & O_APPEND) return WAIT_OBJECT_0;
    if (read(descriptor, &count, sizeof count) == sizeof count) return WAIT_OBJECT_0;
    if (errno != EAGAIN && errno != EINTR) break;  // EAGAIN: another waiter was faster
  }
  SetLastError(ERROR_INVALID_HANDLE);
  return WAIT_FAILED;
}

// There are no asynchronous procedure calls, so nothing to be alerted by.
inline DWORD WaitForSingleObjectEx(HANDLE event, DWORD milliseconds, BOOL) {
  return WaitForSingleObject(event, milliseconds);
}

inline void Sleep(DWORD milliseconds) {
  if (milliseconds == INFINITE) {
    for (;;) pause();
  }
  timespec left = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}
