// What libdxcore.so exports: DXCore's one function, and DXGI's factories, whose library Linux
// lacks.

#include "com/live_objects.h"
#include "dxcore/adapter_factory.h"
#include "dxcore/answer.h"

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

WEFT_EXPORT HRESULT DXCoreCreateAdapterFactory(REFIID riid, void** factory) {
  return weft::dxcore::give_new<weft::dxcore::AdapterFactory>("DXCoreCreateAdapterFactory",
                                                              E_POINTER, riid, factory);
}

WEFT_EXPORT std::int64_t weft_dxcore_live_objects() { return weft::com::live_objects(); }
