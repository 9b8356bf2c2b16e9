#pragma once

// What of ID3D12Heap1 the software device has not: protected sessions.

#include <string_view>

#include "com/windows.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

class HeapStubs : public ID3D12Heap1 {
 public:
  // ID3D12Heap1
  HRESULT GetProtectedResourceSession(REFIID, void** object) override {
    if (object) *object = nullptr;
    return not_offered("GetProtectedResourceSession");
  }

 protected:
  // Names the method in the log, and gives E_NOTIMPL.
  virtual HRESULT not_offered(std::string_view method) noexcept = 0;
};

}  // namespace weft::d3d12
