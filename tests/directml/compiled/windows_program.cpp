// A program as it would be written for Windows: its headers, an adapter from DXGI, an event to wait
// for. Links against the three libraries; interface IDs come from them.

#include <Windows.h>
#include <d3d12.h>
#include <dxgi1_6.h>
#include <initguid.h>
#include <wil/resource.h>
#include <wil/result.h>
#include <wrl.h>

#define DML_TARGET_VERSION_USE_LATEST
#include <DirectML.h>

#include <cstdio>

using Microsoft::WRL::ComPtr;

// {7b1c4f3e-5d0a-4f5e-9b3b-2f8f6c7e1d10}
DEFINE_GUID(kMyData, 0x7b1c4f3e, 0x5d0a, 0x4f5e, 0x9b, 0x3b, 0x2f, 0x8f, 0x6c, 0x7e, 0x1d, 0x10);

int main() try {
  ComPtr<IDXGIFactory6> factory;
  THROW_IF_FAILED(CreateDXGIFactory2(0, IID_PPV_ARGS(&factory)));
  ComPtr<IDXGIAdapter1> adapter;
  THROW_IF_FAILED(factory->EnumAdapterByGpuPreference(0, DXGI_GPU_PREFERENCE_HIGH_PERFORMANCE,
                                                      IID_PPV_ARGS(&adapter)));
  ComPtr<IDXGIAdapter1> none;
  THROW_HR_IF(E_FAIL, factory->EnumAdapters1(1, &none) != DXGI_ERROR_NOT_FOUND);
  DXGI_ADAPTER_DESC1 desc = {};
  THROW_IF_FAILED(adapter->GetDesc1(&desc));
  std::printf("adapter %ls, software %u\n", desc.Description, desc.Flags);
  ComPtr<IDXGIAdapter3> adapter3;
  THROW_IF_FAILED(adapter.As(&adapter3));
  DXGI_QUERY_VIDEO_MEMORY_INFO memory = {};
  THROW_IF_FAILED(adapter3->QueryVideoMemoryInfo(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, &memory));
  THROW_HR_IF(E_FAIL, memory.Budget == 0 || memory.CurrentUsage == 0);

  ComPtr<ID3D12Device> device;
  THROW_IF_FAILED(D3D12CreateDevice(adapter.Get(), D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)));
  const LUID luid = device->GetAdapterLuid();
  THROW_HR_IF(E_FAIL, luid.LowPart != desc.AdapterLuid.LowPart);
  ComPtr<IDXGIAdapter4> same;
  THROW_IF_FAILED(factory->EnumAdapterByLuid(luid, IID_PPV_ARGS(&same)));

  ComPtr<IDMLDevice1> dml;
  THROW_IF_FAILED(DMLCreateDevice(device.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&dml)));
  THROW_IF_FAILED(dml->SetPrivateData(kMyData, 4, "abc"));
  char data[4] = {};
  UINT size = sizeof data;
  THROW_IF_FAILED(dml->GetPrivateData(kMyData, &size, data));
  ComPtr<ID3D12Device> parent;
  THROW_IF_FAILED(dml->GetParentDevice(IID_PPV_ARGS(&parent)));
  std::printf("data %s, same device %d\n", data, parent.Get() == device.Get());

  D3D12_COMMAND_QUEUE_DESC queue_desc = {};
  ComPtr<ID3D12CommandQueue> queue;
  THROW_IF_FAILED(device->CreateCommandQueue(&queue_desc, IID_PPV_ARGS(&queue)));
  ComPtr<ID3D12Fence> fence;
  THROW_IF_FAILED(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)));
  wil::unique_handle event(CreateEvent(nullptr, FALSE, FALSE, nullptr));
  THROW_LAST_ERROR_IF_NULL(event);
  THROW_IF_FAILED(fence->SetEventOnCompletion(7, event.get()));
  const bool early = WaitForSingleObject(event.get(), 0) == WAIT_OBJECT_0;
  THROW_IF_FAILED(queue->Signal(fence.Get(), 7));
  const bool done = WaitForSingleObjectEx(event.get(), INFINITE, FALSE) == WAIT_OBJECT_0;
  std::printf("event early %d, done %d, value %d\n", early, done,
              static_cast<int>(fence->GetCompletedValue()));
  OutputDebugStringW(L"done\n");
} catch (const wil::ResultException& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
