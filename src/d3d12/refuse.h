#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "com/guard.h"

namespace weft::d3d12 {

inline void append(std::string& text, std::string_view part) { text += part; }
inline void append(std::string& text, std::integral auto number) { text += std::to_string(number); }
template <class E>
requires std::is_enum_v<E>
void append(std::string& text, E value) { append(text, static_cast<std::int64_t>(value)); }

// The parts one after the other: words and numbers.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

// Leaves the method with that HRESULT and a message made of the parts: parameter, value, rule.
template <class... Parts>
[[noreturn]] void refuse(HRESULT code, const Parts&... parts) {
  throw com::Failure(code, join(parts...));
}

// Refuses with E_INVALIDARG unless the rule holds.
template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) refuse(E_INVALIDARG, parts...);
}

// A mask of nodes that an object is for; 0 stands for the first.
inline void check_node_mask(const char* name, UINT mask) {
  require(mask <= 1, name, " is ", mask, ", must be 0 or 1: there is one node");
}

// "{189819F1-1DB6-4B57-BE54-1821339B85F7}".
inline std::string text_of(REFGUID id) {
  char text[39];
  std::snprintf(text, sizeof text, "{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}",
                static_cast<unsigned>(id.Data1), id.Data2, id.Data3, id.Data4[0], id.Data4[1],
                id.Data4[2], id.Data4[3], id.Data4[4], id.Data4[5], id.Data4[6], id.Data4[7]);
  return text;
}

}  // namespace weft::d3d12
