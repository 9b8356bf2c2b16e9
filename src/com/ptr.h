#pragma once

#include <utility>

#include "com/windows.h"

namespace weft::com {

// Holds one reference to a COM object.
template <class T>
class Ptr {
 public:
  Ptr() = default;
  Ptr(std::nullptr_t) {}
  explicit Ptr(T* object) : object_(object) {
    if (object_) object_->AddRef();
  }
  Ptr(const Ptr& other) : Ptr(other.object_) {}
  Ptr(Ptr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ptr& operator=(Ptr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ptr() {
    // The analyzer does not count references: any Release() may be the last one to it.
    if (object_) object_->Release();  // NOLINT(clang-analyzer-cplusplus.NewDelete)
  }

  // Takes over a reference that the caller has.
  static Ptr adopt(T* object) {
    Ptr result;
    result.object_ = object;
    return result;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

  // Gives the reference away.
  T* detach() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

// The object as another interface; empty when it has none.
template <class T>
Ptr<T> query(IUnknown* object) {
  void* found = nullptr;
  if (!object || FAILED(object->QueryInterface(__uuidof(T), &found))) return {};
  return Ptr<T>::adopt(static_cast<T*>(found));
}

}  // namespace weft::com
