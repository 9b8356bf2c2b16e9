#include "dxcore/dxgi_factory.h"

#include <new>
#include <string>

#include "com/log.h"
#include "com/ptr.h"
#include "dxcore/dxgi_adapter.h"

namespace weft::dxcore {

namespace {

template <class T, class... Arguments>
HRESULT give_new(REFIID riid, void** out, Arguments... arguments) noexcept {
  if (!out) return E_INVALIDARG;
  *out = nullptr;
  const auto object = com::Ptr<T>::adopt(new (std::nothrow) T(arguments...));
  return object ? object->QueryInterface(riid, out) : E_OUTOFMEMORY;
}

HRESULT give_adapter(UINT index, REFIID riid, void** adapter) noexcept {
  if (!adapter) return E_INVALIDARG;
  *adapter = nullptr;
  return index == 0 ? give_new<DxgiAdapter>(riid, adapter) : DXGI_ERROR_NOT_FOUND;
}

template <class T>
HRESULT give_adapter(UINT index, T** adapter) noexcept {
  return give_adapter(index, __uuidof(T), reinterpret_cast<void**>(adapter));
}

}  // namespace

HRESULT make_dxgi_factory(UINT flags, REFIID riid, void** factory) noexcept {
  if (factory) *factory = nullptr;
  if (flags & ~DXGI_CREATE_FACTORY_DEBUG) return E_INVALIDARG;
  return give_new<DxgiFactory>(riid, factory, flags);
}

HRESULT DxgiFactoryStubs::not_offered(std::string_view method) noexcept {
  if (com::logs(com::Severity::warning)) {
    try {
      com::log(com::Severity::warning,
               "IDXGIFactory7::" + std::string(method) + " is not offered: there is no display");
    } catch (const std::bad_alloc&) {  // the message is lost, the answer is not
    }
  }
  return DXGI_ERROR_UNSUPPORTED;
}

HRESULT DxgiFactory::GetParent(REFIID, void** parent) {
  if (parent) *parent = nullptr;
  return E_NOINTERFACE;
}

HRESULT DxgiFactory::EnumAdapters(UINT index, IDXGIAdapter** adapter) {
  return give_adapter(index, adapter);
}

HRESULT DxgiFactory::EnumAdapters1(UINT index, IDXGIAdapter1** adapter) {
  return give_adapter(index, adapter);
}

HRESULT DxgiFactory::EnumAdapterByGpuPreference(UINT index, DXGI_GPU_PREFERENCE, REFIID riid,
                                                void** adapter) {
  return give_adapter(index, riid, adapter);
}

HRESULT DxgiFactory::EnumAdapterByLuid(LUID luid, REFIID riid, void** adapter) {
  const bool ours =
      luid.LowPart == com::kAdapterLuid.LowPart && luid.HighPart == com::kAdapterLuid.HighPart;
  return give_adapter(ours ? 0 : 1, riid, adapter);
}

HRESULT DxgiFactory::EnumWarpAdapter(REFIID riid, void** adapter) {
  return give_adapter(0, riid, adapter);
}

HRESULT DxgiFactory::RegisterAdaptersChangedEvent(HANDLE, DWORD* cookie) {
  if (!cookie) return E_INVALIDARG;
  *cookie = 1;
  return S_OK;
}

HRESULT DxgiFactory::CheckFeatureSupport(DXGI_FEATURE feature, void* data, UINT size) {
  if (feature != DXGI_FEATURE_PRESENT_ALLOW_TEARING || !data || size != sizeof(BOOL)) {
    return E_INVALIDARG;
  }
  *static_cast<BOOL*>(data) = FALSE;
  return S_OK;
}

}  // namespace weft::dxcore

// The entry points, declared in dxgi.h and dxgi1_3.h.
#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

WEFT_EXPORT HRESULT CreateDXGIFactory(REFIID riid, void** factory) {
  return weft::dxcore::make_dxgi_factory(0, riid, factory);
}

WEFT_EXPORT HRESULT CreateDXGIFactory1(REFIID riid, void** factory) {
  return weft::dxcore::make_dxgi_factory(0, riid, factory);
}

WEFT_EXPORT HRESULT CreateDXGIFactory2(UINT flags, REFIID riid, void** factory) {
  return weft::dxcore::make_dxgi_factory(flags, riid, factory);
}
