#pragma once

// The Windows Implementation Library's owners of handles: those that DirectML programs use.

#include <memory>

#include "../windows.h"
#include "result_macros.h"

namespace wil {

// Owns a handle, closes it at the end. Null owns nothing.
class unique_handle {
 public:
  using pointer = HANDLE;

  unique_handle() = default;
  explicit unique_handle(HANDLE handle) noexcept : handle_(handle) {}
  unique_handle(unique_handle&& other) noexcept : handle_(other.release()) {}
  unique_handle& operator=(unique_handle&& other) noexcept {
    if (this != std::addressof(other)) reset(other.release());
    return *this;
  }
  ~unique_handle() { reset(); }

  HANDLE get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  HANDLE release() noexcept {
    HANDLE handle = handle_;
    handle_ = nullptr;
    return handle;
  }
  void reset(HANDLE handle = nullptr) noexcept {
    if (handle_) CloseHandle(handle_);
    handle_ = handle;
  }
  // To be filled by a function; gives up what was owned.
  HANDLE* put() noexcept {
    reset();
    return &handle_;
  }
  HANDLE* operator&() noexcept { return put(); }

 private:
  HANDLE handle_ = nullptr;
};

enum class EventOptions { None = 0, ManualReset = 1, Signaled = 2 };
inline EventOptions operator|(EventOptions a, EventOptions b) {
  return (EventOptions)((int)a | (int)b);
}

// Owns an event.
class unique_event : public unique_handle {
 public:
  unique_event() = default;
  explicit unique_event(HANDLE handle) noexcept : unique_handle(handle) {}
  explicit unique_event(EventOptions options) { create(options); }

  void create(EventOptions options = EventOptions::None) {
    reset(THROW_LAST_ERROR_IF_NULL(
        CreateEventW(nullptr, ((int)options & 1) != 0, ((int)options & 2) != 0, nullptr)));
  }
  void SetEvent() const { ::SetEvent(get()); }
  void ResetEvent() const { ::ResetEvent(get()); }
  // False when the time is up first.
  bool wait(DWORD milliseconds = INFINITE) const {
    return WaitForSingleObject(get(), milliseconds) == WAIT_OBJECT_0;
  }
  bool is_signaled() const { return wait(0); }
};

}  // namespace wil
