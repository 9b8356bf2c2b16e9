#pragma once

#include "com/object.h"
#include "com/private_data.h"
#include "dxcore/dxgi_stubs.h"

namespace weft::dxcore {

// Gives out adapters: there is one, and it is also the one that every preference and "WARP" mean.
class DxgiFactory final
    : public com::Object<DxgiFactoryStubs, IDXGIFactory7, IDXGIFactory6, IDXGIFactory5,
                         IDXGIFactory4, IDXGIFactory3, IDXGIFactory2, IDXGIFactory1, IDXGIFactory,
                         IDXGIObject> {
 public:
  explicit DxgiFactory(UINT flags) : flags_(flags) {}

  // IDXGIObject
  HRESULT SetPrivateData(REFGUID id, UINT size, const void* data) override {
    return private_data_.set(id, size, data);
  }
  HRESULT SetPrivateDataInterface(REFGUID id, const IUnknown* object) override {
    return private_data_.set_interface(id, const_cast<IUnknown*>(object));
  }
  HRESULT GetPrivateData(REFGUID id, UINT* size, void* data) override {
    return private_data_.get(id, size, data);
  }
  HRESULT GetParent(REFIID riid, void** parent) override;

  // DXGI_ERROR_NOT_FOUND for every index but 0.
  HRESULT EnumAdapters(UINT index, IDXGIAdapter** adapter) override;
  HRESULT EnumAdapters1(UINT index, IDXGIAdapter1** adapter) override;
  HRESULT EnumAdapterByGpuPreference(UINT index, DXGI_GPU_PREFERENCE preference, REFIID riid,
                                     void** adapter) override;
  HRESULT EnumAdapterByLuid(LUID luid, REFIID riid, void** adapter) override;
  HRESULT EnumWarpAdapter(REFIID riid, void** adapter) override;

  // Adapters neither come nor go.
  BOOL IsCurrent() override { return TRUE; }
  HRESULT RegisterAdaptersChangedEvent(HANDLE event, DWORD* cookie) override;
  HRESULT UnregisterAdaptersChangedEvent(DWORD) override { return S_OK; }

  UINT GetCreationFlags() override { return flags_; }
  HRESULT CheckFeatureSupport(DXGI_FEATURE feature, void* data, UINT size) override;

 private:
  UINT flags_;
  com::PrivateData private_data_;
};

// E_INVALIDARG on unknown flags, E_NOINTERFACE on an interface that factories have not.
HRESULT make_dxgi_factory(UINT flags, REFIID riid, void** factory) noexcept;

}  // namespace weft::dxcore
