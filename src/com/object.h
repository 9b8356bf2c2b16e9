#pragma once

#include <atomic>
#include <type_traits>

#include "com/live_objects.h"
#include "com/windows.h"

namespace weft::com {

// A COM object: reference count and QueryInterface, written once.
//
// Object<Stubs, Interfaces...> derives from Stubs (the interface, or a class that implements the
// methods that Weft does not offer) and answers QueryInterface for `Interfaces`, all of which are
// bases of Stubs, and for IUnknown. Further bases (private interfaces) are answered by overriding
// query(). A new object has one reference, which Ptr::adopt() takes.
//
//   class Fence final : public com::Object<FenceStubs, ID3D12Fence1, ID3D12Fence, ...> { ... };
template <class Stubs, class... Interfaces>
class Object : public Stubs {
 public:
  HRESULT QueryInterface(REFIID riid, void** object) override {
    if (!object) return E_POINTER;
    *object = query(riid);
    if (!*object) return E_NOINTERFACE;
    AddRef();
    return S_OK;
  }

  ULONG AddRef() override { return references_.fetch_add(1, std::memory_order_relaxed) + 1; }

  ULONG Release() override {
    const ULONG left = references_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (left == 0) delete this;
    return left;
  }

 protected:
  Object() = default;
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // The object as the interface of that ID; null when it has no such interface.
  virtual void* query(REFIID riid) noexcept {
    void* found = nullptr;
    if (riid == __uuidof(IUnknown)) found = static_cast<Stubs*>(this);
    ((found = !found && riid == __uuidof(Interfaces) ? static_cast<Interfaces*>(this) : found),
     ...);
    return found;
  }

 private:
  std::atomic<ULONG> references_{1};
  LiveObject live_;
};

}  // namespace weft::com
