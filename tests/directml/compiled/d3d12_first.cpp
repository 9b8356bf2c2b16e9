// As programs for Windows begin: d3d12.h without a word about winadapter.h, an inline function that
// asks for interface IDs, and only then DirectML.h.

#include <d3d12.h>
#include <wrl/client.h>

inline HRESULT device_of(ID3D12DeviceChild* child, Microsoft::WRL::ComPtr<ID3D12Device>* device) {
  return child->GetDevice(IID_PPV_ARGS(device->GetAddressOf()));
}

#include <DirectML.h>

HRESULT device_of(ID3D12Fence* fence) {
  Microsoft::WRL::ComPtr<ID3D12Device> device;
  return device_of(fence, &device);
}
