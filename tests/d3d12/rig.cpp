#include "d3d12/rig.h"

#include <poll.h>

namespace weft::test {

void DeviceTest::SetUp() {
  ASSERT_EQ(weft_d3d12_live_objects(), 0);
  ComPtr<ID3D12Debug> debug;
  ASSERT_EQ(D3D12GetDebugInterface(IID_PPV_ARGS(&debug)), S_OK);
  debug->EnableDebugLayer();
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_1_0_CORE, IID_PPV_ARGS(&device)), S_OK);
  D3D12_COMMAND_QUEUE_DESC desc = {};
  desc.Type = D3D12_COMMAND_LIST_TYPE_DIRECT;
  ASSERT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue)), S_OK);
  ASSERT_EQ(device->CreateCommandAllocator(desc.Type, IID_PPV_ARGS(&allocator)), S_OK);
  ASSERT_EQ(device->CreateCommandList(0, desc.Type, allocator.Get(), nullptr, IID_PPV_ARGS(&list)),
            S_OK);
  ASSERT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)), S_OK);
}

void DeviceTest::TearDown() {
  fence.Reset();
  list.Reset();
  allocator.Reset();
  queue.Reset();
  device.Reset();
  EXPECT_EQ(weft_d3d12_live_objects(), 0);
}

ComPtr<ID3D12Resource> DeviceTest::buffer(std::uint64_t size, D3D12_HEAP_TYPE type,
                                          D3D12_RESOURCE_FLAGS flags) {
  const D3D12_HEAP_PROPERTIES heap = heap_of(type);
  const D3D12_RESOURCE_DESC desc = buffer_desc(size, flags);
  D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
  if (type == D3D12_HEAP_TYPE_UPLOAD) state = D3D12_RESOURCE_STATE_GENERIC_READ;
  if (type == D3D12_HEAP_TYPE_READBACK) state = D3D12_RESOURCE_STATE_COPY_DEST;
  ComPtr<ID3D12Resource> resource;
  EXPECT_EQ(device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                            IID_PPV_ARGS(&resource)),
            S_OK);
  return resource;
}

ComPtr<ID3D12Resource> DeviceTest::upload(const std::vector<std::uint32_t>& values) {
  auto resource = buffer(values.size() * 4, D3D12_HEAP_TYPE_UPLOAD);
  void* data = nullptr;
  EXPECT_EQ(resource->Map(0, nullptr, &data), S_OK);
  std::memcpy(data, values.data(), values.size() * 4);
  resource->Unmap(0, nullptr);
  return resource;
}

std::vector<std::uint32_t> DeviceTest::read(const ComPtr<ID3D12Resource>& resource) {
  std::vector<std::uint32_t> values(resource->GetDesc().Width / 4);
  void* data = nullptr;
  EXPECT_EQ(resource->Map(0, nullptr, &data), S_OK);
  if (data) std::memcpy(values.data(), data, values.size() * 4);
  const D3D12_RANGE nothing = {0, 0};
  resource->Unmap(0, &nothing);
  return values;
}

void DeviceTest::wait() {
  if (FAILED(queue->Signal(fence.Get(), ++fence_value))) return;
  EXPECT_EQ(fence->SetEventOnCompletion(fence_value, nullptr), S_OK);
}

void DeviceTest::run() {
  ASSERT_EQ(list->Close(), S_OK) << messages();
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  wait();
  ASSERT_EQ(device->GetDeviceRemovedReason(), S_OK) << messages();
  ASSERT_EQ(allocator->Reset(), S_OK);
  ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
}

void DeviceTest::try_run() {
  ASSERT_EQ(list->Close(), S_OK) << messages();
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  wait();
}

std::vector<std::uint32_t> DeviceTest::contents(const ComPtr<ID3D12Resource>& resource) {
  const auto readback = buffer(resource->GetDesc().Width, D3D12_HEAP_TYPE_READBACK);
  list->CopyResource(readback.Get(), resource.Get());
  run();
  return read(readback);
}

std::string DeviceTest::messages() {
  ComPtr<ID3D12InfoQueue> info;
  if (FAILED(device.As(&info))) return {};
  std::string text;
  for (UINT64 i = 0; i < info->GetNumStoredMessages(); ++i) {
    SIZE_T size = 0;
    info->GetMessage(i, nullptr, &size);
    std::vector<std::uint64_t> storage((size + 7) / 8);
    auto* message = reinterpret_cast<D3D12_MESSAGE*>(storage.data());
    EXPECT_EQ(info->GetMessage(i, message, &size), S_OK);
    text.append(message->pDescription).append("\n");
  }
  return text;
}

bool TestEvent::wait(int milliseconds) const {
  pollfd poll = {descriptor_, POLLIN, 0};
  return ::poll(&poll, 1, milliseconds) == 1 && take() != 0;
}

}  // namespace weft::test
