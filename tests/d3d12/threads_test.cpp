// Eight threads record and execute on three queues at once; meant for the thread sanitizer.

#include <thread>

#include "d3d12/rig.h"
#include "d3d12/test_work.h"

namespace weft::test {
namespace {

class Threads : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    D3D12_COMMAND_QUEUE_DESC desc = {};
    for (auto& each : queues) {
      ASSERT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&each)), S_OK);
    }
  }
  void TearDown() override {
    for (auto& each : queues) each.Reset();
    DeviceTest::TearDown();
  }

  // Uploads numbers, adds one to each on a queue, copies them back on another, and compares.
  void round_trip(std::uint32_t seed) {
    const ComPtr<ID3D12CommandQueue>& first = queues[seed % 3];
    const ComPtr<ID3D12CommandQueue>& second = queues[(seed + 1) % 3];
    const auto type = D3D12_COMMAND_LIST_TYPE_DIRECT;
    ComPtr<ID3D12CommandAllocator> allocators[2];
    ComPtr<ID3D12GraphicsCommandList> lists[2];
    ComPtr<ID3D12Fence> done;
    ASSERT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&done)), S_OK);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&allocators[i])), S_OK);
      ASSERT_EQ(
          device->CreateCommandList(0, type, allocators[i].Get(), nullptr, IID_PPV_ARGS(&lists[i])),
          S_OK);
    }
    const auto source = upload({seed, seed + 1, seed + 2, seed + 3});
    const auto middle = writable(16);
    const auto target = buffer(16, D3D12_HEAP_TYPE_READBACK);
    lists[0]->CopyResource(middle.Get(), source.Get());
    const auto barrier =
        transition(middle, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    lists[0]->ResourceBarrier(1, &barrier);
    record(lists[0], {use_of(middle, TestWork::Access::write, "numbers")},
           [memory = memory_of(middle)] {
             for (int i = 0; i < 4; ++i) ++reinterpret_cast<std::uint32_t*>(memory->bytes)[i];
           });
    lists[1]->CopyResource(target.Get(), middle.Get());
    for (int i = 0; i < 2; ++i) ASSERT_EQ(lists[i]->Close(), S_OK);
    ID3D12CommandList* list0[] = {lists[0].Get()};
    ID3D12CommandList* list1[] = {lists[1].Get()};
    // What is waited for is posted first, so that no ring of queues waits for itself.
    first->ExecuteCommandLists(1, list0);
    first->Signal(done.Get(), 1);
    second->Wait(done.Get(), 1);
    second->ExecuteCommandLists(1, list1);
    second->Signal(done.Get(), 2);
    ASSERT_EQ(done->SetEventOnCompletion(2, nullptr), S_OK);
    EXPECT_THAT(read(target), testing::ElementsAre(seed + 1, seed + 2, seed + 3, seed + 4));
  }

  ComPtr<ID3D12CommandQueue> queues[3];
};

TEST_F(Threads, ShareADeviceAndItsQueues) {
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 20; ++i) round_trip(t * 100 + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::test
