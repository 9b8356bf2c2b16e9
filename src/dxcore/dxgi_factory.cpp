#include "dxcore/dxgi_factory.h"

#include <string>

#include "dxcore/answer.h"
#include "dxcore/dxgi_adapter.h"

namespace weft::dxcore {

namespace {

constexpr const char* kEnumerate = "IDXGIFactory::EnumAdapters";

// Nothing is said of an index behind the last: programs count so.
HRESULT give_adapter(UINT index, REFIID riid, void** adapter) noexcept {
  if (adapter && index != 0) {
    *adapter = nullptr;
    return DXGI_ERROR_NOT_FOUND;
  }
  return give_new<DxgiAdapter>(kEnumerate, E_INVALIDARG, riid, adapter);
}

template <class T>
HRESULT give_adapter(UINT index, T** adapter) noexcept {
  return give_adapter(index, __uuidof(T), reinterpret_cast<void**>(adapter));
}

}  // namespace

HRESULT make_dxgi_factory(UINT flags, REFIID riid, void** factory) noexcept {
  constexpr const char* method = "CreateDXGIFactory";
  if (factory) *factory = nullptr;
  return answer(method, [&] {
    require((flags & ~DXGI_CREATE_FACTORY_DEBUG) == 0, E_INVALIDARG,
            "Flags must be 0 or DXGI_CREATE_FACTORY_DEBUG");
    return give_new<DxgiFactory>(method, E_INVALIDARG, riid, factory, flags);
  });
}

HRESULT DxgiFactoryStubs::not_offered(std::string_view method) noexcept {
  return answer("IDXGIFactory7", [&]() -> HRESULT {
    throw com::Failure(DXGI_ERROR_UNSUPPORTED,
                       std::string(method) + " is not offered: there is no display");
  });
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
  return give_adapter(com::is_adapter_luid(luid) ? 0 : 1, riid, adapter);
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
