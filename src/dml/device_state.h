#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "com/log.h"
#include "com/windows.h"

namespace weft::dml {

// The outlets that need no DirectML device: stderr, where `debug` is DML_CREATE_DEVICE_FLAG_DEBUG,
// and the info queue of a D3D12 device, where it has one.
void print(com::Severity severity, const std::string& text, bool debug) noexcept;
void send_to_info_queue(ID3D12Device* d3d12_device, com::Severity severity,
                        const std::string& text) noexcept;

// What a DirectML device shares with the work that it has recorded: whether the device is removed
// and why, and where messages go. Recorded work outlives the objects that made it, so this holds no
// reference to any. Any thread.
//
// A message reaches
//   weft_last_error()     of the thread that caused it
//   the info queue        of the D3D12 device, where its debug layer is on
//   stderr                "[DIRECTML ERROR] ..." on a device made with DEBUG, unless muted;
//                         otherwise "weft: error: ..." where WEFT_LOG asks for it
class DeviceState {
 public:
  DeviceState(ID3D12Device* d3d12_device, bool debug);
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  // Forgets the D3D12 device, of which the caller holds the last reference that counts.
  void detach() noexcept;

  // Removal of the D3D12 device is noticed here.
  bool removed() noexcept { return reason() != S_OK; }

  // S_OK, or why the device is removed.
  HRESULT reason() noexcept;

  // What the device was removed for; empty while it is not. Valid as long as this.
  const char* removal_message() const noexcept;

  // Removes the device; only the first cause counts. The message goes out in any case.
  void remove(HRESULT reason, std::string text) noexcept;

  void report(com::Severity severity, const std::string& text) noexcept;

  // IDMLDebugDevice: silences the info queue and the debug output of stderr.
  void mute(bool silent) noexcept { muted_ = silent; }

 private:
  // Whether this is the first cause; takes the text then.
  bool set_reason(HRESULT reason, std::string& text) noexcept;

  const bool debug_;
  std::atomic<bool> muted_{false};
  std::atomic<HRESULT> reason_{S_OK};
  std::string removal_message_;  // written once, before reason_

  mutable std::mutex mutex_;
  ID3D12Device* d3d12_device_;  // null once detached
};

}  // namespace weft::dml
