#pragma once

// What of ID3D12CommandQueue the software device has not: tiled resources.

#include <string_view>

#include "com/windows.h"
#include "d3d12/private.h"

namespace weft::d3d12 {

class CommandQueueStubs : public ID3D12CommandQueue {
 public:
  // ID3D12CommandQueue
  void UpdateTileMappings(ID3D12Resource*, UINT, const D3D12_TILED_RESOURCE_COORDINATE*,
                          const D3D12_TILE_REGION_SIZE*, ID3D12Heap*, UINT,
                          const D3D12_TILE_RANGE_FLAGS*, const UINT*, const UINT*,
                          D3D12_TILE_MAPPING_FLAGS) override {
    not_offered("UpdateTileMappings");
  }
  void CopyTileMappings(ID3D12Resource*, const D3D12_TILED_RESOURCE_COORDINATE*, ID3D12Resource*,
                        const D3D12_TILED_RESOURCE_COORDINATE*, const D3D12_TILE_REGION_SIZE*,
                        D3D12_TILE_MAPPING_FLAGS) override {
    not_offered("CopyTileMappings");
  }

 protected:
  // Names the method in the log, and gives E_NOTIMPL.
  virtual HRESULT not_offered(std::string_view method) noexcept = 0;
};

}  // namespace weft::d3d12
