#pragma once

#include <cstdint>
#include <cstring>

// DirectML's declarations for this library's sources. The interface IDs are functions that
// interface_ids.cpp defines; the declarations here keep the compiler from making up others.

#include "com/windows.h"
// DirectML.h needs the above.
#include "directml/DirectML.h"

extern "C++" {
// A type's name cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define WEFT_DML_INTERFACE(type)         \
  template <>                            \
  const GUID& __wsl_stub_uuidof<type>(); \
  template <>                            \
  const GUID& __wsl_stub_uuidof<type*>();
// NOLINTEND(bugprone-macro-parentheses)

WEFT_DML_INTERFACE(IDMLObject)
WEFT_DML_INTERFACE(IDMLDevice)
WEFT_DML_INTERFACE(IDMLDevice1)
WEFT_DML_INTERFACE(IDMLDeviceChild)
WEFT_DML_INTERFACE(IDMLPageable)
WEFT_DML_INTERFACE(IDMLOperator)
WEFT_DML_INTERFACE(IDMLDispatchable)
WEFT_DML_INTERFACE(IDMLCompiledOperator)
WEFT_DML_INTERFACE(IDMLOperatorInitializer)
WEFT_DML_INTERFACE(IDMLBindingTable)
WEFT_DML_INTERFACE(IDMLCommandRecorder)
WEFT_DML_INTERFACE(IDMLDebugDevice)
#undef WEFT_DML_INTERFACE
}

namespace weft::dml {

// The number in an enumeration that the application has filled in. Reading it as the enumeration
// would be undefined where it is none of its values.
template <class Enum>
std::uint32_t raw(const Enum& value) noexcept {
  static_assert(sizeof value == sizeof(std::uint32_t));
  std::uint32_t number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace weft::dml
