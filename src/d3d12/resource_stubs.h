#pragma once

// What of ID3D12Resource2 the software device has not: pictures, protected sessions.

#include <string_view>

#include "com/windows.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

class ResourceStubs : public ID3D12Resource2, public IBufferResource {
 public:
  // ID3D12Resource
  HRESULT WriteToSubresource(UINT, const D3D12_BOX*, const void*, UINT, UINT) override {
    return not_offered("WriteToSubresource");
  }
  HRESULT ReadFromSubresource(void*, UINT, UINT, UINT, const D3D12_BOX*) override {
    return not_offered("ReadFromSubresource");
  }

  // ID3D12Resource1
  HRESULT GetProtectedResourceSession(REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("GetProtectedResourceSession");
  }

 protected:
  // Names the method in the log, and gives E_NOTIMPL.
  virtual HRESULT not_offered(std::string_view method) noexcept = 0;
};

}  // namespace weft::d3d12
