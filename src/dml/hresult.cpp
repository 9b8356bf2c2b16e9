#include "dml/hresult.h"

#include <cstdio>

#include "dml/interfaces.h"

namespace weft::dml {

namespace {

struct Name {
  HRESULT code;
  const char* name;
};

constexpr Name names[] = {{S_OK, "S_OK"},
                          {S_FALSE, "S_FALSE"},
                          {E_INVALIDARG, "E_INVALIDARG"},
                          {E_NOINTERFACE, "E_NOINTERFACE"},
                          {E_OUTOFMEMORY, "E_OUTOFMEMORY"},
                          {E_POINTER, "E_POINTER"},
                          {E_FAIL, "E_FAIL"},
                          {DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_UNSUPPORTED"},
                          {DXGI_ERROR_NOT_FOUND, "DXGI_ERROR_NOT_FOUND"},
                          {DXGI_ERROR_MORE_DATA, "DXGI_ERROR_MORE_DATA"},
                          {DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_REMOVED"},
                          {DXGI_ERROR_DEVICE_HUNG, "DXGI_ERROR_DEVICE_HUNG"}};

}  // namespace

std::string hresult_text(HRESULT code) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", static_cast<unsigned>(code));
  for (const Name& each : names) {
    if (each.code == code) return std::string(each.name) + " (" + number + ")";
  }
  return number;
}

}  // namespace weft::dml
