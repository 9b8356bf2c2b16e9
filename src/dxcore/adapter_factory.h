#pragma once

#include "com/object.h"

namespace weft::dxcore {

class AdapterFactory final : public com::Object<IDXCoreAdapterFactory, IDXCoreAdapterFactory> {
 public:
  // The adapters that have all the attributes; at least one has to be named.
  HRESULT CreateAdapterList(std::uint32_t count, const GUID* attributes, REFIID riid,
                            void** list) override;
  HRESULT GetAdapterByLuid(const LUID& luid, REFIID riid, void** adapter) override;

  // Nothing ever happens to the adapter, so nothing is ever told.
  bool IsNotificationTypeSupported(DXCoreNotificationType type) override;
  HRESULT RegisterEventNotification(IUnknown* object, DXCoreNotificationType type,
                                    PFN_DXCORE_NOTIFICATION_CALLBACK callback, void* context,
                                    std::uint32_t* cookie) override;
  HRESULT UnregisterEventNotification(std::uint32_t cookie) override;
};

}  // namespace weft::dxcore
