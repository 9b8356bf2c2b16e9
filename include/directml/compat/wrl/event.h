#pragma once

#include "../windows.h"

namespace Microsoft {
namespace WRL {
namespace Wrappers {

// Owns an event, closes it at the end. Null handles own nothing.
class Event {
 public:
  explicit Event(HANDLE handle = nullptr) : handle_(handle) {}
  Event(Event&& other) noexcept : handle_(other.Detach()) {}
  Event& operator=(Event&& other) noexcept {
    Attach(other.Detach());
    return *this;
  }
  ~Event() { Close(); }

  bool IsValid() const { return handle_ != nullptr; }
  HANDLE Get() const { return handle_; }
  void Attach(HANDLE handle) {
    Close();
    handle_ = handle;
  }
  HANDLE Detach() {
    HANDLE handle = handle_;
    handle_ = nullptr;
    return handle;
  }
  void Close() {
    if (handle_) CloseHandle(Detach());
  }

 private:
  HANDLE handle_;
};

}  // namespace Wrappers
}  // namespace WRL
}  // namespace Microsoft
