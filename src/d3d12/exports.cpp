// What libd3d12.so exports.

#include "com/adapter.h"
#include "com/live_objects.h"
#include "d3d12/debug.h"
#include "d3d12/device.h"
#include "d3d12/device_child.h"
#include "d3d12/feature_level.h"
#include "d3d12/refuse.h"

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

namespace weft::d3d12 {

namespace {

// The body of a function; every failure leaves a message that begins with its name.
template <class Body>
HRESULT answer(std::string_view function, const Body& body) noexcept {
  const auto report = [&](HRESULT, std::string_view text) {
    try {
      com::log(com::Severity::error, join(function, ": ", text));
    } catch (...) {  // out of memory: the HRESULT has to do
    }
  };
  return com::guard(report, body);
}

HRESULT not_offered(std::string_view function) noexcept {
  return answer(function,
                []() -> HRESULT { refuse(E_NOTIMPL, "the software device does not have it"); });
}

HRESULT create_device(IUnknown* adapter, D3D_FEATURE_LEVEL minimum, REFIID riid, void** device) {
  require(!adapter || com::query<com::IWeftAdapter>(adapter),
          "pAdapter is not an adapter of Weft; null is the default one");
  require(is_supported(minimum), "MinimumFeatureLevel is ", minimum,
          ", must be a level up to 12_1");
  if (!device) return S_FALSE;
  const auto made = com::Ptr<Device>::adopt(new Device(Debug::layer_is_on()));
  return give(*made, riid, device);
}

}  // namespace

}  // namespace weft::d3d12

using namespace weft;

WEFT_EXPORT HRESULT D3D12CreateDevice(IUnknown* adapter, D3D_FEATURE_LEVEL minimum_level,
                                      REFIID riid, void** device) {
  d3d12::clear(device);
  return d3d12::answer("D3D12CreateDevice",
                       [&] { return d3d12::create_device(adapter, minimum_level, riid, device); });
}

WEFT_EXPORT HRESULT D3D12GetDebugInterface(REFIID riid, void** debug) {
  d3d12::clear(debug);
  return d3d12::answer("D3D12GetDebugInterface",
                       [&] { return d3d12::give_new<d3d12::Debug>(riid, debug); });
}

WEFT_EXPORT HRESULT D3D12GetInterface(REFCLSID, REFIID, void** object) {
  d3d12::clear(object);
  return d3d12::not_offered("D3D12GetInterface");
}

WEFT_EXPORT HRESULT D3D12EnableExperimentalFeatures(UINT, const IID*, void*, UINT*) {
  return d3d12::not_offered("D3D12EnableExperimentalFeatures");
}

WEFT_EXPORT HRESULT D3D12SerializeRootSignature(const D3D12_ROOT_SIGNATURE_DESC*,
                                                D3D_ROOT_SIGNATURE_VERSION, ID3DBlob** blob,
                                                ID3DBlob** error) {
  if (blob) *blob = nullptr;
  if (error) *error = nullptr;
  return d3d12::not_offered("D3D12SerializeRootSignature");
}

WEFT_EXPORT HRESULT D3D12SerializeVersionedRootSignature(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC*,
                                                         ID3DBlob** blob, ID3DBlob** error) {
  if (blob) *blob = nullptr;
  if (error) *error = nullptr;
  return d3d12::not_offered("D3D12SerializeVersionedRootSignature");
}

WEFT_EXPORT HRESULT D3D12CreateRootSignatureDeserializer(LPCVOID, SIZE_T, REFIID, void** object) {
  d3d12::clear(object);
  return d3d12::not_offered("D3D12CreateRootSignatureDeserializer");
}

WEFT_EXPORT HRESULT D3D12CreateVersionedRootSignatureDeserializer(LPCVOID, SIZE_T, REFIID,
                                                                  void** object) {
  d3d12::clear(object);
  return d3d12::not_offered("D3D12CreateVersionedRootSignatureDeserializer");
}

WEFT_EXPORT std::int64_t weft_d3d12_live_objects() { return com::live_objects(); }
