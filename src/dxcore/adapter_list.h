#pragma once

#include "com/object.h"

namespace weft::dxcore {

// The adapters with the attributes asked for: the one there is, or none.
class AdapterList final : public com::Object<IDXCoreAdapterList, IDXCoreAdapterList> {
 public:
  explicit AdapterList(std::uint32_t count) : count_(count) {}

  // E_INVALIDARG behind the last one.
  HRESULT GetAdapter(std::uint32_t index, REFIID riid, void** adapter) override;
  std::uint32_t GetAdapterCount() override { return count_; }
  bool IsStale() override { return false; }
  HRESULT GetFactory(REFIID riid, void** factory) override;
  // One adapter is sorted.
  HRESULT Sort(std::uint32_t count, const DXCoreAdapterPreference* preferences) override;
  bool IsAdapterPreferenceSupported(DXCoreAdapterPreference preference) override;

 private:
  std::uint32_t count_;
};

}  // namespace weft::dxcore
