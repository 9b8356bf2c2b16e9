// What is left of a device after its removal, and the faults that users can ask for.

#include <cstdlib>
#include <thread>

#include "d3d12/rig.h"
#include "d3d12/test_work.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Removal : public DeviceTest {};

TEST_F(Removal, EveryMethodSaysSo) {
  const auto up = buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  EXPECT_EQ(device->GetDeviceRemovedReason(), S_OK);
  device->RemoveDevice();
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_DEVICE_REMOVED);
  EXPECT_THAT(messages(), HasSubstr("RemoveDevice: the program asked for it"));

  constexpr HRESULT kRemoved = DXGI_ERROR_DEVICE_REMOVED;
  const auto type = D3D12_COMMAND_LIST_TYPE_DIRECT;
  void* data = nullptr;
  ComPtr<ID3D12CommandQueue> made_queue;
  ComPtr<ID3D12CommandAllocator> made_allocator;
  ComPtr<ID3D12Fence> made_fence;
  ComPtr<ID3D12Resource> made;
  D3D12_COMMAND_QUEUE_DESC desc = {};
  const D3D12_HEAP_PROPERTIES heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  const D3D12_RESOURCE_DESC resource_desc = buffer_desc(16, D3D12_RESOURCE_FLAG_NONE);
  D3D12_FEATURE_DATA_ARCHITECTURE architecture = {};
  UINT64 frequency = 0;
  EXPECT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&made_queue)), kRemoved);
  EXPECT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&made_allocator)), kRemoved);
  EXPECT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&made_fence)), kRemoved);
  EXPECT_EQ(
      device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &resource_desc,
                                      D3D12_RESOURCE_STATE_COMMON, nullptr, IID_PPV_ARGS(&made)),
      kRemoved);
  EXPECT_EQ(
      device->CheckFeatureSupport(D3D12_FEATURE_ARCHITECTURE, &architecture, sizeof architecture),
      kRemoved);
  EXPECT_EQ(up->Map(0, nullptr, &data), kRemoved);
  EXPECT_EQ(list->Close(), kRemoved);
  EXPECT_EQ(list->Reset(allocator.Get(), nullptr), kRemoved);
  EXPECT_EQ(allocator->Reset(), kRemoved);
  EXPECT_EQ(queue->Signal(fence.Get(), 1), kRemoved);
  EXPECT_EQ(queue->Wait(fence.Get(), 1), kRemoved);
  EXPECT_EQ(queue->GetTimestampFrequency(&frequency), kRemoved);
  EXPECT_EQ(fence->Signal(1), kRemoved);
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);  // nothing happens
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_DEVICE_REMOVED);
}

TEST_F(Removal, WaitsComeBack) {
  const TestEvent event;
  ASSERT_EQ(fence->SetEventOnCompletion(5, event.handle()), S_OK);
  ASSERT_EQ(queue->Wait(fence.Get(), 9), S_OK);
  std::thread waiting([&] { EXPECT_EQ(fence->SetEventOnCompletion(7, nullptr), S_OK); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  device->RemoveDevice();
  waiting.join();
  EXPECT_TRUE(event.wait());
  EXPECT_EQ(fence->GetCompletedValue(), UINT64_MAX);
  EXPECT_EQ(fence->SetEventOnCompletion(100, event.handle()), S_OK);
  EXPECT_TRUE(event.wait());
}

TEST_F(Removal, WorkInTheQueueIsDropped) {
  ComPtr<ID3D12Fence> gate;
  ASSERT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&gate)), S_OK);
  const auto work = record(list, {});
  ASSERT_EQ(list->Close(), S_OK);
  queue->Wait(gate.Get(), 1);
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  device->RemoveDevice();
  queue.Reset();
  list.Reset();
  gate.Reset();
  fence.Reset();
  allocator.Reset();
  device.Reset();
  EXPECT_EQ(work->runs(), 0);
}

// WEFT_FAULT is read once, so each of these runs in a process of its own.
class FaultDeathTest : public testing::Test {
 protected:
  FaultDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

struct Plain {
  Plain() {
    D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device));
    D3D12_COMMAND_QUEUE_DESC desc = {};
    device->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue));
    device->CreateCommandAllocator(desc.Type, IID_PPV_ARGS(&allocator));
    device->CreateCommandList(0, desc.Type, allocator.Get(), nullptr, IID_PPV_ARGS(&list));
    device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence));
  }
  ComPtr<ID3D12Device> device;
  ComPtr<ID3D12CommandQueue> queue;
  ComPtr<ID3D12CommandAllocator> allocator;
  ComPtr<ID3D12GraphicsCommandList> list;
  ComPtr<ID3D12Fence> fence;
};

void remove_at_second_dispatch() {
  setenv("WEFT_FAULT", "device_removed@2", 1);
  setenv("WEFT_LOG", "error", 1);
  Plain plain;
  const auto work = record(plain.list, {});
  com::query<d3d12::IWorkList>(plain.list.Get())->record(work);
  com::query<d3d12::IWorkList>(plain.list.Get())->record(work);
  plain.list->Close();
  ID3D12CommandList* lists[] = {plain.list.Get()};
  plain.queue->ExecuteCommandLists(1, lists);
  plain.queue->Signal(plain.fence.Get(), 1);
  plain.fence->SetEventOnCompletion(1, nullptr);
  const bool right = work->runs() == 1 &&
                     plain.device->GetDeviceRemovedReason() == DXGI_ERROR_DEVICE_REMOVED &&
                     plain.fence->GetCompletedValue() == UINT64_MAX;
  std::exit(right ? 0 : 1);
}

TEST_F(FaultDeathTest, RemovesTheDeviceAtADispatch) {
  EXPECT_EXIT(remove_at_second_dispatch(), testing::ExitedWithCode(0),
              "weft: error: WEFT_FAULT asks for device_removed at this dispatch");
}

void run_out_of_memory_at_second_allocation() {
  setenv("WEFT_FAULT", "out_of_memory@2", 1);
  setenv("WEFT_LOG", "error", 1);
  Plain plain;
  const D3D12_HEAP_PROPERTIES heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  const D3D12_RESOURCE_DESC desc = buffer_desc(16, D3D12_RESOURCE_FLAG_NONE);
  const HRESULT expected[] = {S_OK, E_OUTOFMEMORY, S_OK};
  for (const HRESULT result : expected) {
    ComPtr<ID3D12Resource> made;
    if (plain.device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc,
                                              D3D12_RESOURCE_STATE_COMMON, nullptr,
                                              IID_PPV_ARGS(&made)) != result) {
      std::exit(1);
    }
  }
  std::exit(0);
}

TEST_F(FaultDeathTest, RunsOutOfMemoryAtAnAllocation) {
  EXPECT_EXIT(run_out_of_memory_at_second_allocation(), testing::ExitedWithCode(0),
              "CreateCommittedResource: WEFT_FAULT asks for out_of_memory");
}

}  // namespace
}  // namespace weft::test
