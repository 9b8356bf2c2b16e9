#include "dml/device_state.h"

#include <cstdio>
#include <utility>

#include "com/ptr.h"
#include "dml/hresult.h"
#include "dml/last_error.h"

namespace weft::dml {

namespace {

const char* debug_prefix(com::Severity severity) noexcept {
  switch (severity) {
    case com::Severity::error:
      return "[DIRECTML ERROR]";
    case com::Severity::warning:
      return "[DIRECTML WARNING]";
    case com::Severity::info:
      break;
  }
  return "[DIRECTML INFO]";
}

D3D12_MESSAGE_SEVERITY d3d12_severity(com::Severity severity) noexcept {
  switch (severity) {
    case com::Severity::error:
      return D3D12_MESSAGE_SEVERITY_ERROR;
    case com::Severity::warning:
      return D3D12_MESSAGE_SEVERITY_WARNING;
    case com::Severity::info:
      break;
  }
  return D3D12_MESSAGE_SEVERITY_INFO;
}

}  // namespace

DeviceState::DeviceState(ID3D12Device* d3d12_device, bool debug)
    : debug_(debug), d3d12_device_(d3d12_device) {
  if (debug && !com::query<ID3D12InfoQueue>(d3d12_device)) {
    report(com::Severity::warning,
           "the D3D12 debug layer is off: messages go to stderr, not to an info queue");
  }
}

void DeviceState::detach() noexcept {
  const std::lock_guard lock(mutex_);
  d3d12_device_ = nullptr;
}

HRESULT DeviceState::reason() noexcept {
  if (const HRESULT reason = reason_.load(std::memory_order_acquire); reason != S_OK) return reason;
  HRESULT below = S_OK;
  {
    const std::lock_guard lock(mutex_);
    if (d3d12_device_) below = d3d12_device_->GetDeviceRemovedReason();
  }
  if (below == S_OK) return S_OK;
  std::string text = "the D3D12 device was removed: " + hresult_text(below);
  if (set_reason(below, text)) report(com::Severity::error, text);
  return reason_.load(std::memory_order_acquire);
}

const char* DeviceState::removal_message() const noexcept {
  return reason_.load(std::memory_order_acquire) == S_OK ? "" : removal_message_.c_str();
}

bool DeviceState::set_reason(HRESULT reason, std::string text) noexcept {
  const std::lock_guard lock(mutex_);
  if (reason_.load(std::memory_order_relaxed) != S_OK) return false;
  removal_message_ = std::move(text);
  reason_.store(reason, std::memory_order_release);
  return true;
}

void DeviceState::remove(HRESULT reason, std::string text) noexcept {
  report(com::Severity::error, text);
  set_reason(reason, std::move(text));
}

void DeviceState::report(com::Severity severity, const std::string& text) noexcept try {
  if (severity == com::Severity::error) set_last_error(text);
  if (debug_ && !muted_) {
    std::fprintf(stderr, "%s %s\n", debug_prefix(severity), text.c_str());
  } else {
    com::log(severity, text);
  }
  if (muted_) return;
  com::Ptr<ID3D12Device> device;
  {
    // The queue may call the application back, so no lock is held then.
    const std::lock_guard lock(mutex_);
    device = com::Ptr<ID3D12Device>(d3d12_device_);
  }
  if (const auto queue = com::query<ID3D12InfoQueue>(device.get())) {
    queue->AddMessage(D3D12_MESSAGE_CATEGORY_MISCELLANEOUS, d3d12_severity(severity),
                      D3D12_MESSAGE_ID_UNKNOWN, text.c_str());
  }
} catch (...) {
  // A message that cannot be kept for want of memory is lost; what it is about is not.
}

}  // namespace weft::dml
