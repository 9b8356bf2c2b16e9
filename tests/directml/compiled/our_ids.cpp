// The header of interface IDs has the right ones; so have DXCore and D3D12 after DirectML.h.

#include <directml/dmlguids.h>
#include <dxcore.h>
#include <dxguids/dxguids.h>

#define WEFT_ID(since, name, l, w1, w2, ...)                                                  \
  static_assert(ConstexprIsEqualGUID(uuidof<name>(), GUID{l, w1, w2, {__VA_ARGS__}}), #name); \
  static_assert(ConstexprIsEqualGUID(__uuidof(name), uuidof<name>()), #name);
#include "../ids.def"

static_assert(ConstexprIsEqualGUID(__uuidof(IDXCoreAdapter), uuidof<IDXCoreAdapter>()), "");
static_assert(ConstexprIsEqualGUID(__uuidof(ID3D12Device9), uuidof<ID3D12Device9>()), "");
static_assert(ConstexprIsEqualGUID(__uuidof(ID3D12InfoQueue1), uuidof<ID3D12InfoQueue1>()), "");
