#include "dxcore/adapter_list.h"

#include "dxcore/adapter.h"
#include "dxcore/adapter_factory.h"
#include "dxcore/answer.h"

namespace weft::dxcore {

HRESULT AdapterList::GetAdapter(std::uint32_t index, REFIID riid, void** adapter) {
  constexpr const char* method = "IDXCoreAdapterList::GetAdapter";
  if (adapter) *adapter = nullptr;
  return answer(method, [&] {
    require(adapter != nullptr, E_POINTER, "ppvAdapter is null");
    require(index < count_, E_INVALIDARG, "index lies behind the last adapter");
    return give_new<Adapter>(method, E_POINTER, riid, adapter);
  });
}

HRESULT AdapterList::GetFactory(REFIID riid, void** factory) {
  return give_new<AdapterFactory>("IDXCoreAdapterList::GetFactory", E_POINTER, riid, factory);
}

HRESULT AdapterList::Sort(std::uint32_t count, const DXCoreAdapterPreference* preferences) {
  return answer("IDXCoreAdapterList::Sort", [&] {
    require(count != 0 && preferences, E_INVALIDARG,
            "numPreferences is 0 or preferences null: name at least one preference");
    for (std::uint32_t i = 0; i < count; ++i) {
      require(IsAdapterPreferenceSupported(preferences[i]), DXGI_ERROR_UNSUPPORTED,
              "a preference is none of Hardware, MinimumPower, HighPerformance");
    }
  });
}

bool AdapterList::IsAdapterPreferenceSupported(DXCoreAdapterPreference preference) {
  return preference == DXCoreAdapterPreference::Hardware ||
         preference == DXCoreAdapterPreference::MinimumPower ||
         preference == DXCoreAdapterPreference::HighPerformance;
}

}  // namespace weft::dxcore
