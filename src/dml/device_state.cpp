#include "dml/device_state.h"

#include <cstdio>

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

// Empty where there is no memory for it.
std::string below_text(HRESULT reason) noexcept try {
  return "the D3D12 device was removed: " + hresult_text(reason);
} catch (...) {
  return {};
}

}  // namespace

void send_to_info_queue(ID3D12Device* d3d12_device, com::Severity severity,
                        const std::string& text) noexcept {
  if (const auto queue = com::query<ID3D12InfoQueue>(d3d12_device)) {
    queue->AddMessage(D3D12_MESSAGE_CATEGORY_MISCELLANEOUS, d3d12_severity(severity),
                      D3D12_MESSAGE_ID_UNKNOWN, text.c_str());
  }
}

void print(com::Severity severity, const std::string& text, bool debug) noexcept {
  if (debug) {
    std::fprintf(stderr, "%s %s\n", debug_prefix(severity), text.c_str());
  } else {
    com::log(severity, text);
  }
}

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
  std::string text = below_text(below);
  if (set_reason(below, text)) report(com::Severity::error, removal_message_);
  return reason_.load(std::memory_order_acquire);
}

const char* DeviceState::removal_message() const noexcept {
  return reason_.load(std::memory_order_acquire) == S_OK ? "" : removal_message_.c_str();
}

bool DeviceState::set_reason(HRESULT reason, std::string& text) noexcept {
  const std::lock_guard lock(mutex_);
  if (reason_.load(std::memory_order_relaxed) != S_OK) return false;
  removal_message_.swap(text);
  reason_.store(reason, std::memory_order_release);
  return true;
}

void DeviceState::remove(HRESULT reason, std::string text) noexcept {
  // First removed, then reported: who is told, by a callback of the info queue, may ask.
  const bool is_first = set_reason(reason, text);
  report(com::Severity::error, is_first ? removal_message_ : text);
}

void DeviceState::report(com::Severity severity, const std::string& text) noexcept try {
  if (severity == com::Severity::error) set_last_error(text);
  print(severity, text, debug_ && !muted_);
  if (muted_) return;
  com::Ptr<ID3D12Device> device;
  {
    // The queue may call the application back, so no lock is held then.
    const std::lock_guard lock(mutex_);
    device = com::Ptr<ID3D12Device>(d3d12_device_);
  }
  send_to_info_queue(device.get(), severity, text);
} catch (...) {
  // A message that cannot be kept for want of memory is lost; what it is about is not.
}

}  // namespace weft::dml
