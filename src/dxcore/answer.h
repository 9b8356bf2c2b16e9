#pragma once

#include "com/guard.h"
#include "com/log.h"
#include "com/ptr.h"

namespace weft::dxcore {

// The body of a method; failures go to the log.
template <class Body>
HRESULT answer(const Body& body) noexcept {
  return com::guard([](HRESULT, std::string_view text) { com::log(com::Severity::error, text); },
                    body);
}

// Makes an object and gives it out as the interface asked for.
template <class T, class... Arguments>
HRESULT give_new(REFIID riid, void** out, const Arguments&... arguments) {
  if (!out) return E_POINTER;
  *out = nullptr;
  return answer([&] {
    const auto object = com::Ptr<T>::adopt(new T(arguments...));
    return object->QueryInterface(riid, out);
  });
}

}  // namespace weft::dxcore
