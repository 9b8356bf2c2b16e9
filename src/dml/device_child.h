#pragma once

#include "com/ptr.h"
#include "dml/device.h"
#include "dml/hand_out.h"
#include "dml/object.h"

namespace weft::dml {

// What a device makes: it holds the device. `Interface` is the most derived one, `Bases` those
// between it and IDMLDeviceChild.
template <class Interface, class... Bases>
class DeviceChild : public DmlObject<Interface, Bases..., IDMLDeviceChild> {
 public:
  Device& device() const noexcept { return *device_; }
  DeviceState& state() const noexcept override { return device_->state(); }

  HRESULT GetDevice(REFIID riid, void** ppv) override {
    if (ppv) *ppv = nullptr;
    return answer(state(), "IDMLDeviceChild::GetDevice",
                  [&](Trace&) { return hand_out_required(device_, riid, ppv); });
  }

 protected:
  explicit DeviceChild(Device& device) : device_(&device) {}

 private:
  com::Ptr<Device> device_;
};

}  // namespace weft::dml
