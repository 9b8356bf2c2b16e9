#pragma once

// The one adapter there is: this machine's processor. libdxcore enumerates it, libd3d12 makes
// devices on it.

#include <cstdint>
#include <string>

#include "com/windows.h"

namespace weft::com {

// Offered by every adapter object of Weft's, so that D3D12CreateDevice knows its own.
struct IWeftAdapter : IUnknown {};

inline constexpr LUID kAdapterLuid = {0x54464557, 0};
inline constexpr std::uint32_t kAdapterDeviceId = 0x0001;

constexpr bool is_adapter_luid(const LUID& luid) noexcept {
  return luid.LowPart == kAdapterLuid.LowPart && luid.HighPart == kAdapterLuid.HighPart;
}

// The PCI vendor of the processor: programs pass over adapters that look like a software renderer.
inline std::uint32_t adapter_vendor_id() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") ? 0x1022 : 0x8086;
#else
  return 0x13B5;
#endif
}

// "Weft (Intel(R) Xeon(R) ...)".
std::string adapter_description();

// What this process may use: the machine's memory, or its control group's limit when that is less.
std::uint64_t memory_limit_in_bytes() noexcept;

}  // namespace weft::com

// Made for Weft.
WINADAPTER_IID(weft::com::IWeftAdapter, 0x5b0f2c1e, 0x7a64, 0x4a0e, 0x9d, 0x11, 0x3e, 0x6b, 0x52,
               0x8f, 0x0c, 0x60);
