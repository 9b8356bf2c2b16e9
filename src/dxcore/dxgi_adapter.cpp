#include "dxcore/dxgi_adapter.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "dxcore/answer.h"
#include "dxcore/dxgi_factory.h"

namespace weft::dxcore {

namespace {

// The members that all four descs share.
template <class Desc>
HRESULT describe(Desc* desc) noexcept {
  return answer("IDXGIAdapter::GetDesc", [&] {
    require(desc != nullptr, E_INVALIDARG, "pDesc is null");
    *desc = {};
    // The description is ASCII.
    const std::string name = com::adapter_description();
    std::copy_n(name.begin(), std::min(name.size(), std::size(desc->Description) - 1),
                desc->Description);
    desc->VendorId = com::adapter_vendor_id();
    desc->DeviceId = com::kAdapterDeviceId;
    desc->SharedSystemMemory = com::memory_limit_in_bytes();
    desc->AdapterLuid = com::kAdapterLuid;
  });
}

// What the process has in memory.
UINT64 resident_bytes() {
  UINT64 pages = 0;
  UINT64 resident = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages >> resident)) return 0;
  return resident * static_cast<UINT64>(std::max(::sysconf(_SC_PAGE_SIZE), 1L));
}

constexpr const char* kOneNode = "NodeIndex must be 0, MemorySegmentGroup LOCAL or NON_LOCAL";

bool is_group(UINT node, DXGI_MEMORY_SEGMENT_GROUP group) noexcept {
  return node == 0 &&
         (group == DXGI_MEMORY_SEGMENT_GROUP_LOCAL || group == DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL);
}

UINT64 reservable_bytes() noexcept { return com::memory_limit_in_bytes() / 2; }

}  // namespace

HRESULT DxgiAdapter::GetParent(REFIID riid, void** parent) {
  return make_dxgi_factory(0, riid, parent);
}

HRESULT DxgiAdapter::GetDesc(DXGI_ADAPTER_DESC* desc) { return describe(desc); }
HRESULT DxgiAdapter::GetDesc1(DXGI_ADAPTER_DESC1* desc) { return describe(desc); }

HRESULT DxgiAdapter::GetDesc2(DXGI_ADAPTER_DESC2* desc) {
  const HRESULT result = describe(desc);
  if (FAILED(result)) return result;
  desc->ComputePreemptionGranularity = DXGI_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  return result;
}

HRESULT DxgiAdapter::GetDesc3(DXGI_ADAPTER_DESC3* desc) {
  const HRESULT result = describe(desc);
  if (FAILED(result)) return result;
  desc->Flags = DXGI_ADAPTER_FLAG3_SUPPORT_MONITORED_FENCES;
  desc->ComputePreemptionGranularity = DXGI_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  return result;
}

HRESULT DxgiAdapter::QueryVideoMemoryInfo(UINT node, DXGI_MEMORY_SEGMENT_GROUP group,
                                          DXGI_QUERY_VIDEO_MEMORY_INFO* info) {
  if (info) *info = {};
  return answer("IDXGIAdapter3::QueryVideoMemoryInfo", [&] {
    require(info != nullptr, E_INVALIDARG, "pVideoMemoryInfo is null");
    require(is_group(node, group), E_INVALIDARG, kOneNode);
    if (group == DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL) return;
    info->Budget = com::memory_limit_in_bytes();
    info->CurrentUsage = resident_bytes();
    info->AvailableForReservation = reservable_bytes();
    info->CurrentReservation = reservation_;
  });
}

HRESULT DxgiAdapter::SetVideoMemoryReservation(UINT node, DXGI_MEMORY_SEGMENT_GROUP group,
                                               UINT64 reservation) {
  return answer("IDXGIAdapter3::SetVideoMemoryReservation", [&] {
    const bool local = group == DXGI_MEMORY_SEGMENT_GROUP_LOCAL;
    require(is_group(node, group), E_INVALIDARG, kOneNode);
    require(reservation <= (local ? reservable_bytes() : 0), E_INVALIDARG,
            "Reservation is more than what QueryVideoMemoryInfo says to be available");
    if (local) reservation_ = reservation;
  });
}

}  // namespace weft::dxcore
