#include "dml/call.h"

#include <string>
#include <utility>

#include "dml/last_error.h"

namespace weft::dml {

namespace {

// Empty where there is no memory for it.
std::string message(const char* method, std::string_view text) noexcept {
  try {
    return std::string(method).append(": ").append(text);
  } catch (...) {
    return {};
  }
}

}  // namespace

void report_failure(DeviceState& state, const char* method, std::string_view text) noexcept {
  state.report(com::Severity::error, message(method, text));
}

void remove_device(DeviceState& state, const char* method, HRESULT reason,
                   std::string_view text) noexcept {
  state.remove(reason, message(method, text));
}

HRESULT refuse_removed(DeviceState& state, const char* method) noexcept {
  std::string text = message(method, "the device is removed: ");
  try {
    text += state.removal_message();
  } catch (...) {  // out of memory: without the cause
  }
  com::log(com::Severity::error, text);
  set_last_error(std::move(text));
  return DXGI_ERROR_DEVICE_REMOVED;
}

}  // namespace weft::dml
