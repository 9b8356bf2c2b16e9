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
  constexpr const char* method = "IDXCoreAdapterFactory::CreateAdapterList";
  if (list) *list = nullptr;
  return answer(method, [&] {
    require(list != nullptr, E_POINTER, "ppvAdapterList is null");
    require(count != 0 && attributes, E_INVALIDARG,
            "numAttributes is 0 or filterAttributes null: name at least one attribute");
    const bool has_all = std::all_of(attributes, attributes + count, Adapter::has_attribute);
    return give_new<AdapterList>(method, E_POINTER, riid, list, has_all ? 1U : 0U);
  });
}

HRESULT AdapterFactory::GetAdapterByLuid(const LUID& luid, REFIID riid, void** adapter) {
  constexpr const char* method = "IDXCoreAdapterFactory::GetAdapterByLuid";
  if (adapter) *adapter = nullptr;
  return answer(method, [&] {
    require(adapter != nullptr, E_POINTER, "ppvAdapter is null");
    require(com::is_adapter_luid(luid), E_INVALIDARG, "no adapter has that LUID");
    return give_new<Adapter>(method, E_POINTER, riid, adapter);
  });
}

bool AdapterFactory::IsNotificationTypeSupported(DXCoreNotificationType type) {
  return type <= DXCoreNotificationType::AdapterHardwareContentProtectionTeardown;
}

HRESULT AdapterFactory::RegisterEventNotification(IUnknown* object, DXCoreNotificationType type,
                                                  PFN_DXCORE_NOTIFICATION_CALLBACK callback, void*,
                                                  std::uint32_t* cookie) {
  if (cookie) *cookie = 0;
  return answer("IDXCoreAdapterFactory::RegisterEventNotification", [&] {
    require(object && callback && cookie, E_POINTER,
            "dxCoreObject, notificationCallback and eventCookie must not be null");
    require(IsNotificationTypeSupported(type), DXGI_ERROR_INVALID_CALL,
            "notificationType is none that there is");
    *cookie = kCookie;
  });
}

HRESULT AdapterFactory::UnregisterEventNotification(std::uint32_t cookie) {
  return answer("IDXCoreAdapterFactory::UnregisterEventNotification", [&] {
    require(cookie == kCookie, E_INVALIDARG, "eventCookie is none that was given out");
  });
}

}  // namespace weft::dxcore
