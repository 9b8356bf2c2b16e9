#pragma once

#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "com/ptr.h"
#include "com/windows.h"

namespace weft::com {

// What GetPrivateData, SetPrivateData, SetPrivateDataInterface and SetName keep for an object.
// Any thread.
class PrivateData {
 public:
  // Unknown ID: DXGI_ERROR_NOT_FOUND, *size 0. Null data: the size. Too small: DXGI_ERROR_MORE_DATA
  // and the size. An interface comes with a reference of its own.
  HRESULT get(REFGUID id, UINT* size, void* data) const noexcept;
  // Null data with size 0 deletes.
  HRESULT set(REFGUID id, UINT size, const void* data) noexcept;
  HRESULT set_interface(REFGUID id, IUnknown* object) noexcept;
  // Stored, terminator and all, under WKPDID_D3DDebugObjectNameW. Null deletes.
  HRESULT set_name(PCWSTR name) noexcept;

  // The name in UTF-8 (of WKPDID_D3DDebugObjectNameW, else ...ObjectName); empty when none was set.
  std::string name() const;

 private:
  using Value = std::variant<std::vector<std::byte>, Ptr<IUnknown>>;

  mutable std::mutex mutex_;
  std::map<std::string, Value> values_;  // by the 16 bytes of the ID
};

}  // namespace weft::com
