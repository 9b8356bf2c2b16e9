#pragma once

#include "com/guard.h"
#include "com/ptr.h"
#include "dml/interfaces.h"

namespace weft::dml {

// Puts a new object into an optional out parameter. Without one, only checks whether the object has
// the interface: S_FALSE, as D3D12's creation functions answer. Throws com::Failure: E_NOINTERFACE.
template <class T>
HRESULT hand_out(const com::Ptr<T>& object, REFIID riid, void** ppv) {
  void* found = nullptr;
  if (FAILED(object->QueryInterface(riid, &found))) {
    throw com::Failure(E_NOINTERFACE, "riid is not an interface of the object");
  }
  auto reference = com::Ptr<IUnknown>::adopt(static_cast<IUnknown*>(found));
  if (!ppv) return S_FALSE;
  *ppv = reference.detach();
  return S_OK;
}

// As above, where the out parameter is not optional.
template <class T>
HRESULT hand_out_required(const com::Ptr<T>& object, REFIID riid, void** ppv) {
  if (!ppv) throw com::Failure(E_INVALIDARG, "ppv is null, must be a pointer");
  return hand_out(object, riid, ppv);
}

}  // namespace weft::dml
