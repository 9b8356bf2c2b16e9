#pragma once

#include <concepts>
#include <cstdint>
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

}  // namespace weft::d3d12
