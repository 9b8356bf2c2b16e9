// What libdirectml.so offers besides interface IDs.

#include <string>

#include "com/live_objects.h"
#include "directml/weft_directml.h"
#include "dml/device.h"
#include "dml/hand_out.h"
#include "dml/hresult.h"
#include "dml/last_error.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

HRESULT create_device(ID3D12Device* d3d12_device, const DML_CREATE_DEVICE_FLAGS& flags,
                      std::uint32_t minimum, REFIID riid, void** ppv, Trace& trace) {
  if (!d3d12_device) refuse("d3d12Device", "null", "a D3D12 device");
  const std::uint32_t flag_bits = raw(flags);
  if (flag_bits > DML_CREATE_DEVICE_FLAG_DEBUG) {
    refuse("flags", std::to_string(flag_bits), "NONE (0) or DEBUG (1)");
  }
  const FeatureLevel level = device_feature_level();
  trace.detail([&] {
    return std::string(flag_bits == 0 ? "" : "DEBUG, ") + "minimum feature level " +
           feature_level_text(minimum);
  });
  if (minimum > level) {
    throw com::Failure(DXGI_ERROR_UNSUPPORTED, "minimumFeatureLevel is " +
                                                   feature_level_text(minimum) +
                                                   ", the device has " + feature_level_text(level));
  }
  if (!is_feature_level(minimum)) {
    refuse("minimumFeatureLevel", std::to_string(minimum), "a DML_FEATURE_LEVEL");
  }
  auto descriptors = com::query<d3d12::IDescriptors>(d3d12_device);
  if (!descriptors) {
    throw com::Failure(DXGI_ERROR_UNSUPPORTED,
                       "d3d12Device is not a device of Weft's libd3d12, the only one that this "
                       "DirectML works on");
  }
  if (const HRESULT reason = d3d12_device->GetDeviceRemovedReason(); reason != S_OK) {
    throw com::Failure(DXGI_ERROR_DEVICE_REMOVED,
                       "d3d12Device is removed: " + hresult_text(reason));
  }
  const auto device = com::Ptr<Device>::adopt(new Device(
      d3d12_device, std::move(descriptors), flag_bits == DML_CREATE_DEVICE_FLAG_DEBUG, level));
  return hand_out(device, riid, ppv);
}

// A refusal goes where those of the device would have gone.
HRESULT create(const char* function, ID3D12Device* d3d12_device,
               const DML_CREATE_DEVICE_FLAGS& flags, std::uint32_t minimum, REFIID riid,
               void** ppv) noexcept {
  if (ppv) *ppv = nullptr;
  Trace trace(function);
  const auto report = [&](HRESULT, std::string_view text) {
    try {
      std::string message = std::string(function).append(": ").append(text);
      print(com::Severity::error, message, raw(flags) == DML_CREATE_DEVICE_FLAG_DEBUG);
      send_to_info_queue(d3d12_device, com::Severity::error, message);
      set_last_error(std::move(message));
    } catch (...) {  // out of memory: no message
    }
  };
  const HRESULT result = com::guard_plans(
      report, [&] { return create_device(d3d12_device, flags, minimum, riid, ppv, trace); });
  trace.finish(result);
  return result;
}

}  // namespace

}  // namespace weft::dml

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

WEFT_EXPORT HRESULT DMLCreateDevice(ID3D12Device* d3d12Device, DML_CREATE_DEVICE_FLAGS flags,
                                    REFIID riid, void** ppv) {
  return weft::dml::create("DMLCreateDevice", d3d12Device, flags, DML_FEATURE_LEVEL_1_0, riid, ppv);
}

WEFT_EXPORT HRESULT DMLCreateDevice1(ID3D12Device* d3d12Device, DML_CREATE_DEVICE_FLAGS flags,
                                     DML_FEATURE_LEVEL minimumFeatureLevel, REFIID riid,
                                     void** ppv) {
  return weft::dml::create("DMLCreateDevice1", d3d12Device, flags,
                           weft::dml::raw(minimumFeatureLevel), riid, ppv);
}

const char* weft_last_error() { return weft::dml::last_error(); }

const char* weft_device_removed_message(IDMLDevice* device) {
  const auto* found = weft::dml::own<weft::dml::Device>(device);
  if (!found) return "";
  // Asking notices the removal of the D3D12 device.
  found->state().reason();
  return found->state().removal_message();
}

int64_t weft_dml_live_objects() { return weft::com::live_objects(); }
