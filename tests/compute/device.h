#pragma once

// The D3D12 and DirectML objects that tests of whole dispatches need. Only Microsoft's headers are
// used here, so that such tests could run on any implementation of the two APIs.

#include <DirectML.h>
#include <wrl/client.h>

#include "compute/check.h"

namespace weft::testing {

using Microsoft::WRL::ComPtr;

// A D3D12 device with a DirectML device on it. Any thread may use it.
class ComputeDevice {
 public:
  explicit ComputeDevice(DML_CREATE_DEVICE_FLAGS flags = DML_CREATE_DEVICE_FLAG_NONE);

  ID3D12Device* d3d12() const { return d3d12_.Get(); }
  IDMLDevice1* dml() const { return dml_.Get(); }

  ComPtr<ID3D12CommandQueue> make_queue() const;  // COMPUTE
  ComPtr<ID3D12Fence> make_fence() const;

  // A buffer in COMMON (DEFAULT, with unordered access), GENERIC_READ (UPLOAD) or COPY_DEST
  // (READBACK). None for size 0.
  ComPtr<ID3D12Resource> make_buffer(UINT64 size_in_bytes,
                                     D3D12_HEAP_TYPE type = D3D12_HEAP_TYPE_DEFAULT) const;

  // Throws when either device has been removed.
  void check_not_removed() const;

 private:
  ComPtr<ID3D12Device> d3d12_;
  ComPtr<IDMLDevice1> dml_;
};

}  // namespace weft::testing
