#pragma once

#include <atomic>

#include "com/object.h"
#include "com/private_data.h"
#include "dxcore/dxgi_stubs.h"

namespace weft::dxcore {

// The processor, as DXGI shows adapters: all memory is the system's, and all of it local.
class DxgiAdapter final
    : public com::Object<DxgiAdapterStubs, IDXGIAdapter4, IDXGIAdapter3, IDXGIAdapter2,
                         IDXGIAdapter1, IDXGIAdapter, IDXGIObject, com::IWeftAdapter> {
 public:
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
  // A factory; all are alike.
  HRESULT GetParent(REFIID riid, void** parent) override;

  HRESULT GetDesc(DXGI_ADAPTER_DESC* desc) override;
  HRESULT GetDesc1(DXGI_ADAPTER_DESC1* desc) override;
  HRESULT GetDesc2(DXGI_ADAPTER_DESC2* desc) override;
  HRESULT GetDesc3(DXGI_ADAPTER_DESC3* desc) override;

  // The budget is the memory that the process may use, the usage what it uses.
  HRESULT QueryVideoMemoryInfo(UINT node, DXGI_MEMORY_SEGMENT_GROUP group,
                               DXGI_QUERY_VIDEO_MEMORY_INFO* info) override;
  // Remembered; memory is never taken away anyway.
  HRESULT SetVideoMemoryReservation(UINT node, DXGI_MEMORY_SEGMENT_GROUP group,
                                    UINT64 reservation) override;

 private:
  com::PrivateData private_data_;
  std::atomic<UINT64> reservation_{0};
};

}  // namespace weft::dxcore
