#pragma once

#include <new>
#include <utility>

#include "com/object.h"
#include "com/private_data.h"
#include "d3d12/device.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

// What all objects made by a device have in common: ID3D12Object, ID3D12DeviceChild, and a class ID
// by which own<Self>() finds them. Keeps the device alive.
template <class Self, class Stubs, class... Interfaces>
class DeviceChild : public com::Object<Stubs, Interfaces..., ID3D12DeviceChild, ID3D12Object> {
  using Base = com::Object<Stubs, Interfaces..., ID3D12DeviceChild, ID3D12Object>;

 public:
  Device& device() const noexcept { return *device_; }
  DeviceState& state() const noexcept { return *device_->state(); }

  HRESULT GetPrivateData(REFGUID id, UINT* size, void* data) override {
    return private_data_.get(id, size, data);
  }
  HRESULT SetPrivateData(REFGUID id, UINT size, const void* data) override {
    const HRESULT result = private_data_.set(id, size, data);
    renamed();
    return result;
  }
  HRESULT SetPrivateDataInterface(REFGUID id, const IUnknown* object) override {
    return private_data_.set_interface(id, const_cast<IUnknown*>(object));
  }
  HRESULT SetName(LPCWSTR name) override {
    const HRESULT result = private_data_.set_name(name);
    renamed();
    return result;
  }
  HRESULT GetDevice(REFIID riid, void** device) override {
    return device_->QueryInterface(riid, device);
  }

 protected:
  explicit DeviceChild(Device& device) : device_(&device) {}

  // The name that the program gave, in UTF-8; may be empty.
  std::string given_name() const { return private_data_.name(); }
  // The name may have changed.
  virtual void renamed() noexcept {}

  void* query(REFIID riid) noexcept override {
    if (riid == __uuidof(Self)) return static_cast<Self*>(this);
    return Base::query(riid);
  }

 private:
  com::Ptr<Device> device_;
  com::PrivateData private_data_;
};

// Gives the object out as the interface asked for. Throws com::Failure: E_NOINTERFACE.
template <class T>
HRESULT give(T& object, REFIID riid, void** out) {
  if (FAILED(object.QueryInterface(riid, out))) {
    refuse(E_NOINTERFACE, "riid is ", text_of(riid), ", which is no interface of the new object");
  }
  return S_OK;
}

// Makes an object and gives it out as the interface asked for. S_FALSE, and no object, when nobody
// wants it: `out` is null. Throws com::Failure.
template <class T, class... Arguments>
HRESULT give_new(REFIID riid, void** out, Arguments&&... arguments) {
  if (!out) return S_FALSE;
  const auto object = com::Ptr<T>::adopt(new T(std::forward<Arguments>(arguments)...));
  return give(*object, riid, out);
}

// Out pointers are cleared before anything else.
inline void clear(void** out) noexcept {
  if (out) *out = nullptr;
}

}  // namespace weft::d3d12
