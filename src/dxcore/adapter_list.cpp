#include "dxcore/adapter_list.h"

#include "dxcore/adapter.h"
#include "dxcore/adapter_factory.h"
#include "dxcore/answer.h"

namespace weft::dxcore {

HRESULT AdapterList::GetAdapter(std::uint32_t index, REFIID riid, void** adapter) {
  if (!adapter) return E_POINTER;
  *adapter = nullptr;
  return index < count_ ? give_new<Adapter>(riid, adapter) : E_INVALIDARG;
}

HRESULT AdapterList::GetFactory(REFIID riid, void** factory) {
  return give_new<AdapterFactory>(riid, factory);
}

HRESULT AdapterList::Sort(std::uint32_t count, const DXCoreAdapterPreference* preferences) {
  if (count == 0 || !preferences) return E_INVALIDARG;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!IsAdapterPreferenceSupported(preferences[i])) return DXGI_ERROR_UNSUPPORTED;
  }
  return S_OK;
}

bool AdapterList::IsAdapterPreferenceSupported(DXCoreAdapterPreference preference) {
  return preference == DXCoreAdapterPreference::Hardware ||
         preference == DXCoreAdapterPreference::MinimumPower ||
         preference == DXCoreAdapterPreference::HighPerformance;
}

}  // namespace weft::dxcore
