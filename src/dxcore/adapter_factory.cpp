#include "dxcore/adapter_factory.h"

#include <algorithm>

#include "dxcore/adapter.h"
#include "dxcore/adapter_list.h"
#include "dxcore/answer.h"

namespace weft::dxcore {

namespace {

constexpr std::uint32_t kCookie = 1;

}  // namespace

HRESULT AdapterFactory::CreateAdapterList(std::uint32_t count, const GUID* attributes, REFIID riid,
                                          void** list) {
  if (!list) return E_POINTER;
  *list = nullptr;
  if (count == 0 || !attributes) return E_INVALIDARG;
  const bool has_all = std::all_of(attributes, attributes + count, Adapter::has_attribute);
  return give_new<AdapterList>(riid, list, has_all ? 1U : 0U);
}

HRESULT AdapterFactory::GetAdapterByLuid(const LUID& luid, REFIID riid, void** adapter) {
  if (!adapter) return E_POINTER;
  *adapter = nullptr;
  const bool found =
      luid.LowPart == com::kAdapterLuid.LowPart && luid.HighPart == com::kAdapterLuid.HighPart;
  return found ? give_new<Adapter>(riid, adapter) : E_INVALIDARG;
}

bool AdapterFactory::IsNotificationTypeSupported(DXCoreNotificationType type) {
  return type <= DXCoreNotificationType::AdapterHardwareContentProtectionTeardown;
}

HRESULT AdapterFactory::RegisterEventNotification(IUnknown* object, DXCoreNotificationType type,
                                                  PFN_DXCORE_NOTIFICATION_CALLBACK callback, void*,
                                                  std::uint32_t* cookie) {
  if (!object || !callback || !cookie) return E_POINTER;
  *cookie = 0;
  if (!IsNotificationTypeSupported(type)) return DXGI_ERROR_INVALID_CALL;
  *cookie = kCookie;
  return S_OK;
}

HRESULT AdapterFactory::UnregisterEventNotification(std::uint32_t cookie) {
  return cookie == kCookie ? S_OK : E_INVALIDARG;
}

}  // namespace weft::dxcore
