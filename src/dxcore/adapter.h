#pragma once

#include "com/adapter.h"
#include "com/object.h"

namespace weft::dxcore {

struct AdapterInterfaces : IDXCoreAdapter, com::IWeftAdapter {};

// The processor, as DXCore shows adapters. An integrated device that computes and does not draw.
class Adapter final : public com::Object<AdapterInterfaces, IDXCoreAdapter, com::IWeftAdapter> {
 public:
  // CORE_COMPUTE and GENERIC_ML.
  static bool has_attribute(REFGUID attribute) noexcept;

  bool IsValid() override { return true; }
  bool IsAttributeSupported(REFGUID attribute) override { return has_attribute(attribute); }

  // DXGI_ERROR_UNSUPPORTED for a property that the adapter has not, DXGI_ERROR_INVALID_CALL for one
  // that nobody knows, E_INVALIDARG where the buffer is too small.
  bool IsPropertySupported(DXCoreAdapterProperty property) override;
  HRESULT GetPropertySize(DXCoreAdapterProperty property, std::size_t* size) override;
  HRESULT GetProperty(DXCoreAdapterProperty property, std::size_t size, void* data) override;

  // AdapterMemoryBudget of node 0, and IsDriverUpdateInProgress.
  bool IsQueryStateSupported(DXCoreAdapterState state) override;
  HRESULT QueryState(DXCoreAdapterState state, std::size_t input_size, const void* input,
                     std::size_t output_size, void* output) override;
  bool IsSetStateSupported(DXCoreAdapterState) override { return false; }
  HRESULT SetState(DXCoreAdapterState state, std::size_t state_size, const void* state_details,
                   std::size_t input_size, const void* input) override;

  HRESULT GetFactory(REFIID riid, void** factory) override;
};

}  // namespace weft::dxcore
