#include "compute/device.h"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace weft::testing {

void check(HRESULT result, const char* call) {
  if (SUCCEEDED(result)) return;
  char code[16];
  std::snprintf(code, sizeof code, "0x%08x", static_cast<unsigned>(result));
  throw std::runtime_error(std::string(call) + " gave " + code);
}

ComputeDevice::ComputeDevice(DML_CREATE_DEVICE_FLAGS flags) {
  WEFT_CHECK_HR(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&d3d12_)));
  WEFT_CHECK_HR(DMLCreateDevice1(d3d12_.Get(), flags, DML_FEATURE_LEVEL_6_4, IID_PPV_ARGS(&dml_)));
}

ComPtr<ID3D12CommandQueue> ComputeDevice::make_queue() const {
  D3D12_COMMAND_QUEUE_DESC desc = {};
  desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
  ComPtr<ID3D12CommandQueue> queue;
  WEFT_CHECK_HR(d3d12_->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue)));
  return queue;
}

ComPtr<ID3D12Fence> ComputeDevice::make_fence() const {
  ComPtr<ID3D12Fence> fence;
  WEFT_CHECK_HR(d3d12_->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)));
  return fence;
}

ComPtr<ID3D12Resource> ComputeDevice::make_buffer(UINT64 size_in_bytes,
                                                  D3D12_HEAP_TYPE type) const {
  if (size_in_bytes == 0) return nullptr;
  D3D12_HEAP_PROPERTIES heap = {};
  heap.Type = type;
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Width = size_in_bytes;
  desc.Height = 1;
  desc.DepthOrArraySize = 1;
  desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
  if (type == D3D12_HEAP_TYPE_DEFAULT) desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
  if (type == D3D12_HEAP_TYPE_UPLOAD) state = D3D12_RESOURCE_STATE_GENERIC_READ;
  if (type == D3D12_HEAP_TYPE_READBACK) state = D3D12_RESOURCE_STATE_COPY_DEST;
  ComPtr<ID3D12Resource> buffer;
  WEFT_CHECK_HR(d3d12_->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                                IID_PPV_ARGS(&buffer)));
  return buffer;
}

void ComputeDevice::check_not_removed() const {
  WEFT_CHECK_HR(d3d12_->GetDeviceRemovedReason());
  WEFT_CHECK_HR(dml_->GetDeviceRemovedReason());
}

}  // namespace weft::testing
