#pragma once

// What of DXGI a machine without pictures has not: outputs, windows, swap chains.

#include <string_view>

#include "com/adapter.h"
#include "directml/compat/dxgi1_6.h"

namespace weft::dxcore {

class DxgiAdapterStubs : public IDXGIAdapter4, public com::IWeftAdapter {
 public:
  // IDXGIAdapter
  HRESULT EnumOutputs(UINT, IDXGIOutput** output) override {
    if (!output) return E_INVALIDARG;
    *output = nullptr;
    return DXGI_ERROR_NOT_FOUND;
  }
  HRESULT CheckInterfaceSupport(REFGUID, LARGE_INTEGER*) override { return DXGI_ERROR_UNSUPPORTED; }

  // IDXGIAdapter3. There is no protected content, and the budget never changes.
  HRESULT RegisterHardwareContentProtectionTeardownStatusEvent(HANDLE, DWORD* cookie) override {
    return never_signalled(cookie);
  }
  void UnregisterHardwareContentProtectionTeardownStatus(DWORD) override {}
  HRESULT RegisterVideoMemoryBudgetChangeNotificationEvent(HANDLE, DWORD* cookie) override {
    return never_signalled(cookie);
  }
  void UnregisterVideoMemoryBudgetChangeNotification(DWORD) override {}

 private:
  static HRESULT never_signalled(DWORD* cookie) noexcept {
    if (!cookie) return E_INVALIDARG;
    *cookie = 1;
    return S_OK;
  }
};

class DxgiFactoryStubs : public IDXGIFactory7 {
 public:
  // IDXGIFactory
  HRESULT MakeWindowAssociation(HWND, UINT) override { return S_OK; }
  HRESULT GetWindowAssociation(HWND* window) override {
    if (!window) return E_INVALIDARG;
    *window = 0;
    return S_OK;
  }
  HRESULT CreateSwapChain(IUnknown*, DXGI_SWAP_CHAIN_DESC*, IDXGISwapChain** chain) override {
    return not_offered("CreateSwapChain", chain);
  }
  HRESULT CreateSoftwareAdapter(HMODULE, IDXGIAdapter** adapter) override {
    return not_offered("CreateSoftwareAdapter", adapter);
  }

  // IDXGIFactory2
  BOOL IsWindowedStereoEnabled() override { return FALSE; }
  HRESULT CreateSwapChainForHwnd(IUnknown*, HWND, const DXGI_SWAP_CHAIN_DESC1*,
                                 const DXGI_SWAP_CHAIN_FULLSCREEN_DESC*, IDXGIOutput*,
                                 IDXGISwapChain1** chain) override {
    return not_offered("CreateSwapChainForHwnd", chain);
  }
  HRESULT CreateSwapChainForCoreWindow(IUnknown*, IUnknown*, const DXGI_SWAP_CHAIN_DESC1*,
                                       IDXGIOutput*, IDXGISwapChain1** chain) override {
    return not_offered("CreateSwapChainForCoreWindow", chain);
  }
  HRESULT CreateSwapChainForComposition(IUnknown*, const DXGI_SWAP_CHAIN_DESC1*, IDXGIOutput*,
                                        IDXGISwapChain1** chain) override {
    return not_offered("CreateSwapChainForComposition", chain);
  }
  HRESULT GetSharedResourceAdapterLuid(HANDLE, LUID* luid) override {
    return not_offered("GetSharedResourceAdapterLuid", luid);
  }
  HRESULT RegisterStereoStatusWindow(HWND, UINT, DWORD* cookie) override {
    return not_offered("RegisterStereoStatusWindow", cookie);
  }
  HRESULT RegisterStereoStatusEvent(HANDLE, DWORD* cookie) override {
    return not_offered("RegisterStereoStatusEvent", cookie);
  }
  void UnregisterStereoStatus(DWORD) override {}
  HRESULT RegisterOcclusionStatusWindow(HWND, UINT, DWORD* cookie) override {
    return not_offered("RegisterOcclusionStatusWindow", cookie);
  }
  HRESULT RegisterOcclusionStatusEvent(HANDLE, DWORD* cookie) override {
    return not_offered("RegisterOcclusionStatusEvent", cookie);
  }
  void UnregisterOcclusionStatus(DWORD) override {}

 private:
  // Names the method in the log, and gives DXGI_ERROR_UNSUPPORTED.
  static HRESULT not_offered(std::string_view method) noexcept;
  template <class T>
  static HRESULT not_offered(std::string_view method, T* out) noexcept {
    if (out) *out = {};
    return not_offered(method);
  }
};

}  // namespace weft::dxcore
