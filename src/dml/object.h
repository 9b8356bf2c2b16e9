#pragma once

#include <string>

#include "com/object.h"
#include "com/private_data.h"
#include "dml/call.h"
#include "dml/interfaces.h"
#include "dml/last_error.h"

namespace weft::dml {

// IDMLObject's methods, for the device and for what it makes. `Interface` is the most derived one,
// `Bases` those between it and IDMLObject.
template <class Interface, class... Bases>
class DmlObject : public com::Object<Interface, Interface, Bases..., IDMLObject> {
 public:
  virtual DeviceState& state() const noexcept = 0;

  HRESULT GetPrivateData(REFGUID guid, UINT* dataSize, void* data) override {
    return answer(state(), "IDMLObject::GetPrivateData",
                  [&](Trace&) { return noted(private_data_.get(guid, dataSize, data)); });
  }
  HRESULT SetPrivateData(REFGUID guid, UINT dataSize, const void* data) override {
    return answer(state(), "IDMLObject::SetPrivateData",
                  [&](Trace&) { return noted(private_data_.set(guid, dataSize, data)); });
  }
  HRESULT SetPrivateDataInterface(REFGUID guid, IUnknown* data) override {
    return answer(state(), "IDMLObject::SetPrivateDataInterface",
                  [&](Trace&) { return noted(private_data_.set_interface(guid, data)); });
  }
  HRESULT SetName(PCWSTR name) override {
    return answer(state(), "IDMLObject::SetName", [&](Trace& trace) {
      const HRESULT result = noted(private_data_.set_name(name));
      std::string text = private_data_.name();
      trace.detail([&] { return text; });
      named(text);
      return result;
    });
  }

 protected:
  // The application has given the object this name.
  virtual void named(const std::string& /*name*/) {}

 private:
  // Asking for what is not there is no misuse: it reaches weft_last_error() alone.
  static HRESULT noted(HRESULT result) {
    if (result == E_INVALIDARG) {
      throw com::Failure(E_INVALIDARG, "dataSize is null, or data is null and dataSize not 0");
    }
    if (result == E_OUTOFMEMORY) throw com::Failure(E_OUTOFMEMORY, "out of memory");
    if (result == DXGI_ERROR_NOT_FOUND) {
      set_last_error("IDMLObject::GetPrivateData: nothing is stored under guid");
    } else if (result == DXGI_ERROR_MORE_DATA) {
      set_last_error("IDMLObject::GetPrivateData: dataSize is too small, now holds the size");
    }
    return result;
  }

  com::PrivateData private_data_;
};

}  // namespace weft::dml
