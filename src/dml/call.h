#pragma once

#include <string_view>

#include "com/guard.h"
#include "dml/device_state.h"
#include "dml/trace.h"

namespace weft::dml {

// Sends "METHOD: TEXT" to the outlets.
void report_failure(DeviceState& state, const char* method, std::string_view text) noexcept;
// The same, and the device is removed.
void remove_device(DeviceState& state, const char* method, HRESULT reason,
                   std::string_view text) noexcept;
// DXGI_ERROR_DEVICE_REMOVED, with the message of why; the info queue has it already.
HRESULT refuse_removed(DeviceState& state, const char* method) noexcept;

// Runs the body of a method that returns an HRESULT: HRESULT body(Trace&). Every failure leaves a
// message.
template <class Body>
HRESULT answer(DeviceState& state, const char* method, const Body& body) noexcept {
  Trace trace(method);
  const auto report = [&](HRESULT, std::string_view text) { report_failure(state, method, text); };
  const HRESULT result = state.removed() ? refuse_removed(state, method)
                                         : com::guard_plans(report, [&] { return body(trace); });
  trace.finish(result);
  return result;
}

// Runs the body of a method that returns nothing: what is wrong removes the device, and on a
// removed device it does nothing.
template <class Body>
void act(DeviceState& state, const char* method, const Body& body) noexcept {
  Trace trace(method);
  const auto remove = [&](HRESULT reason, std::string_view text) {
    remove_device(state, method, reason, text);
  };
  if (state.removed()) {
    refuse_removed(state, method);
  } else {
    com::guard_plans(remove, [&] { body(trace); });
  }
  trace.finish();
}

}  // namespace weft::dml
