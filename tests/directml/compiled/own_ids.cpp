// A program that defines the interface IDs itself, as many do.

#include <directml.h>

#define WEFT_ID(since, name, ...) WINADAPTER_IID(name, __VA_ARGS__);
#include <wrl/client.h>

#include "../ids.def"

HRESULT create_device(ID3D12Device* d3d12, Microsoft::WRL::ComPtr<IDMLDevice1>* device) {
  return DMLCreateDevice1(d3d12, DML_CREATE_DEVICE_FLAG_DEBUG, DML_FEATURE_LEVEL_5_0,
                          IID_PPV_ARGS(device->GetAddressOf()));
}
