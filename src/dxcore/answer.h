#pragma once

#include <string>
#include <string_view>

#include "com/guard.h"
#include "com/log.h"
#include "com/ptr.h"

namespace weft::dxcore {

// The body of a method, which throws com::Failure or gives an HRESULT. Failures that are thrown go
// to the log: "METHOD: TEXT".
template <class Body>
HRESULT answer(std::string_view method, const Body& body) noexcept {
  const auto report = [&](HRESULT, std::string_view text) {
    try {
      com::log(com::Severity::error, std::string(method).append(": ").append(text));
    } catch (...) {  // out of memory: the HRESULT has to do
    }
  };
  return com::guard(report, body);
}

// Throws com::Failure unless the rule holds.
inline void require(bool holds, HRESULT code, const char* text) {
  if (!holds) throw com::Failure(code, text);
}

// Makes an object and gives it out as the interface asked for. `null_code`: of a null `out`.
template <class T, class... Arguments>
HRESULT give_new(std::string_view method, HRESULT null_code, REFIID riid, void** out,
                 const Arguments&... arguments) {
  if (out) *out = nullptr;
  return answer(method, [&] {
    require(out != nullptr, null_code, "the out pointer is null");
    const auto object = com::Ptr<T>::adopt(new T(arguments...));
    require(SUCCEEDED(object->QueryInterface(riid, out)), E_NOINTERFACE,
            "riid is no interface of the new object");
  });
}

}  // namespace weft::dxcore
