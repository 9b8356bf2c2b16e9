// Queues and fences: order, waiting, events, and what is released too early.

#include <fcntl.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "d3d12/rig.h"
#include "d3d12/test_work.h"

namespace weft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Queues : public DeviceTest {
 protected:
  ComPtr<ID3D12CommandQueue> another_queue() {
    D3D12_COMMAND_QUEUE_DESC desc = {};
    ComPtr<ID3D12CommandQueue> made;
    EXPECT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&made)), S_OK);
    return made;
  }
  ComPtr<ID3D12Fence> another_fence(std::uint64_t value = 0) {
    ComPtr<ID3D12Fence> made;
    EXPECT_EQ(device->CreateFence(value, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&made)), S_OK);
    return made;
  }
  // Records work that runs the body, and executes it.
  void execute(const ComPtr<ID3D12CommandQueue>& on, std::function<void()> body) {
    ComPtr<ID3D12CommandAllocator> its_allocator;
    ComPtr<ID3D12GraphicsCommandList> its_list;
    const auto type = on->GetDesc().Type;
    ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&its_allocator)), S_OK);
    ASSERT_EQ(
        device->CreateCommandList(0, type, its_allocator.Get(), nullptr, IID_PPV_ARGS(&its_list)),
        S_OK);
    record(its_list, {}, std::move(body));
    ASSERT_EQ(its_list->Close(), S_OK);
    ID3D12CommandList* lists[] = {its_list.Get()};
    on->ExecuteCommandLists(1, lists);
  }  // the list and its allocator may go while the work is pending
};

TEST_F(Queues, WorkIsAsynchronousAndInOrder) {
  std::vector<int> order;
  std::atomic<bool> go{false};
  execute(queue, [&] { go.wait(false); });
  for (int i = 0; i < 4; ++i) execute(queue, [&order, i] { order.push_back(i); });
  ASSERT_EQ(queue->Signal(fence.Get(), 1), S_OK);
  EXPECT_EQ(fence->GetCompletedValue(), 0U);
  go = true;
  go.notify_one();
  ASSERT_EQ(fence->SetEventOnCompletion(1, nullptr), S_OK);
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST_F(Queues, AWaitIsSatisfiedByALaterSignalOfTheProgram) {
  const auto gate = another_fence();
  std::atomic<bool> ran{false};
  ASSERT_EQ(queue->Wait(gate.Get(), 5), S_OK);
  execute(queue, [&] { ran = true; });
  queue->Signal(fence.Get(), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(ran);
  ASSERT_EQ(gate->Signal(4), S_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(ran);
  ASSERT_EQ(gate->Signal(5), S_OK);
  fence->SetEventOnCompletion(1, nullptr);
  EXPECT_TRUE(ran);
}

TEST_F(Queues, QueuesWaitForEachOther) {
  const auto other = another_queue();
  const auto there = another_fence(), back = another_fence();
  std::string order;  // each access is ordered by the fences
  for (std::uint64_t i = 1; i <= 100; ++i) {
    other->Wait(there.Get(), i);
    execute(other, [&] { order += 'b'; });
    other->Signal(back.Get(), i);
    execute(queue, [&] { order += 'a'; });
    queue->Signal(there.Get(), i);
    queue->Wait(back.Get(), i);
  }
  wait();
  std::string expected;
  for (int i = 0; i < 100; ++i) expected += "ab";
  EXPECT_EQ(order, expected);
}

TEST_F(Queues, EventsAreSetOnceTheValueIsReached) {
  const TestEvent event, at_once;
  ASSERT_EQ(fence->SetEventOnCompletion(2, event.handle()), S_OK);
  fence->Signal(1);
  EXPECT_EQ(event.take(), 0U);
  fence->Signal(3);
  EXPECT_EQ(event.take(), 1U);
  ASSERT_EQ(fence->SetEventOnCompletion(3, at_once.handle()), S_OK);
  EXPECT_EQ(at_once.take(), 1U);
  ASSERT_EQ(fence->SetEventOnCompletion(9, event.handle()), S_OK);
  queue->Signal(fence.Get(), 9);
  EXPECT_TRUE(event.wait());
}

TEST_F(Queues, AnEventMayBeClosedBeforeItIsSet) {
  {
    const TestEvent event;
    ASSERT_EQ(fence->SetEventOnCompletion(1, event.handle()), S_OK);
  }
  EXPECT_EQ(fence->Signal(1), S_OK);
}

TEST_F(Queues, WhatIsNoEventIsRefused) {
  EXPECT_EQ(fence->SetEventOnCompletion(1, reinterpret_cast<HANDLE>(std::intptr_t{123456})),
            E_HANDLE);
  EXPECT_EQ(fence->SetEventOnCompletion(1, reinterpret_cast<HANDLE>(std::intptr_t{-5})), E_HANDLE);
  EXPECT_THAT(messages(), HasSubstr("must be an eventfd descriptor or null"));
}

TEST_F(Queues, WhatIsOpenButNoEventIsRefusedToo) {
  int pipe[2] = {};
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC | O_NONBLOCK), 0);
  EXPECT_EQ(fence->SetEventOnCompletion(0, reinterpret_cast<HANDLE>(std::intptr_t{pipe[1]})),
            E_HANDLE);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), -1) << "something was written into a pipe";
  for (const int end : pipe) ::close(end);
}

TEST_F(Queues, SeveralThreadsWaitForOneFence) {
  std::vector<std::thread> threads;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    threads.emplace_back([&, i] { EXPECT_EQ(fence->SetEventOnCompletion(i, nullptr), S_OK); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (std::uint64_t i = 1; i <= 8; ++i) queue->Signal(fence.Get(), i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fence->GetCompletedValue(), 8U);
}

TEST_F(Queues, FencesCanGoBack) {
  fence->Signal(10);
  fence->Signal(3);
  EXPECT_EQ(fence->GetCompletedValue(), 3U);
  ComPtr<ID3D12Fence1> newer;
  ASSERT_EQ(fence.As(&newer), S_OK);
  EXPECT_EQ(newer->GetCreationFlags(), D3D12_FENCE_FLAG_NONE);
}

TEST_F(Queues, SeveralFencesAtOnce) {
  const auto a = another_fence(), b = another_fence();
  ID3D12Fence* fences[] = {a.Get(), b.Get()};
  const UINT64 values[] = {1, 2};
  const TestEvent any, all;
  ASSERT_EQ(device->SetEventOnMultipleFenceCompletion(
                fences, values, 2, D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY, any.handle()),
            S_OK);
  ASSERT_EQ(device->SetEventOnMultipleFenceCompletion(
                fences, values, 2, D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL, all.handle()),
            S_OK);
  b->Signal(2);
  EXPECT_EQ(any.take(), 1U);
  EXPECT_EQ(all.take(), 0U);
  a->Signal(1);
  EXPECT_EQ(any.take(), 0U);
  EXPECT_EQ(all.take(), 1U);
  EXPECT_EQ(device->SetEventOnMultipleFenceCompletion(fences, values, 2,
                                                      D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL, nullptr),
            S_OK);
  EXPECT_EQ(device->SetEventOnMultipleFenceCompletion(fences, values, 0,
                                                      D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL, nullptr),
            E_INVALIDARG);
}

TEST_F(Queues, AReleasedQueueStillDoesItsWork) {
  const auto gate = another_fence();
  auto other = another_queue();
  std::atomic<bool> ran{false};
  other->Wait(gate.Get(), 1);
  execute(other, [&] { ran = true; });
  other->Signal(fence.Get(), 1);
  other.Reset();
  EXPECT_FALSE(ran);
  gate->Signal(1);
  fence->SetEventOnCompletion(1, nullptr);
  EXPECT_TRUE(ran);
}

std::ptrdiff_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

std::uint64_t stack_bytes() {
  pthread_attr_t attributes;
  std::size_t size = 0;
  EXPECT_EQ(::pthread_getattr_default_np(&attributes), 0);
  EXPECT_EQ(::pthread_attr_getstacksize(&attributes, &size), 0);
  ::pthread_attr_destroy(&attributes);
  return size;
}

// Their threads go with them, not with the device.
TEST_F(Queues, ReleasedWithWorkPendingLeaveNothingBehind) {
  constexpr std::uint64_t kQueues = 64;
  const auto gate = another_fence();
  const std::ptrdiff_t threads = thread_count();
  const std::uint64_t before = mapped_bytes();
  for (std::uint64_t i = 1; i <= kQueues; ++i) {
    another_queue()->Wait(gate.Get(), i);
    gate->Signal(i);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (thread_count() != threads && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    ASSERT_EQ(thread_count(), threads);
  }
  EXPECT_LT(mapped_bytes(), before + kQueues / 2 * stack_bytes());
}

TEST_F(Queues, AReleasedFenceIsStillSignalled) {
  const auto other = another_queue();
  {
    const auto between = another_fence();
    other->Wait(between.Get(), 1);
    queue->Signal(between.Get(), 1);
  }
  other->Signal(fence.Get(), 1);
  EXPECT_EQ(fence->SetEventOnCompletion(1, nullptr), S_OK);
}

TEST_F(Queues, TimestampsGrow) {
  const D3D12_QUERY_HEAP_DESC desc = {D3D12_QUERY_HEAP_TYPE_TIMESTAMP, 4, 0};
  ComPtr<ID3D12QueryHeap> heap;
  ASSERT_EQ(device->CreateQueryHeap(&desc, IID_PPV_ARGS(&heap)), S_OK);
  const auto target = buffer(24, D3D12_HEAP_TYPE_READBACK);
  UINT64 frequency = 0, before = 0, cpu = 0;
  ASSERT_EQ(queue->GetTimestampFrequency(&frequency), S_OK);
  EXPECT_GT(frequency, 0U);
  ASSERT_EQ(queue->GetClockCalibration(&before, &cpu), S_OK);
  list->EndQuery(heap.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 1);
  list->EndQuery(heap.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 2);
  list->ResolveQueryData(heap.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 1, 2, target.Get(), 8);
  run();
  void* data = nullptr;
  ASSERT_EQ(target->Map(0, nullptr, &data), S_OK);
  const auto* ticks = static_cast<const std::uint64_t*>(data);
  EXPECT_EQ(ticks[0], 0U);
  EXPECT_GE(ticks[1], before);
  EXPECT_GE(ticks[2], ticks[1]);

  list->EndQuery(heap.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 4);
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  list->Reset(allocator.Get(), nullptr);
  list->ResolveQueryData(heap.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 0, 4, target.Get(), 0);
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("4 timestamps from byte 0 on do not fit"));
}

TEST_F(Queues, CopyQueuesHaveTimestampsOfTheirOwn) {
  const auto heap_for = [&](D3D12_QUERY_HEAP_TYPE type) {
    const D3D12_QUERY_HEAP_DESC desc = {type, 1, 0};
    ComPtr<ID3D12QueryHeap> heap;
    EXPECT_EQ(device->CreateQueryHeap(&desc, IID_PPV_ARGS(&heap)), S_OK);
    return heap;
  };
  const auto copies = heap_for(D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP);
  const auto others = heap_for(D3D12_QUERY_HEAP_TYPE_TIMESTAMP);
  list->EndQuery(copies.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 0);
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("COPY lists, and no others, write into heaps of type COPY"));

  const auto type = D3D12_COMMAND_LIST_TYPE_COPY;
  ComPtr<ID3D12CommandAllocator> copy_allocator;
  ComPtr<ID3D12GraphicsCommandList> copy_list;
  ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&copy_allocator)), S_OK);
  ASSERT_EQ(
      device->CreateCommandList(0, type, copy_allocator.Get(), nullptr, IID_PPV_ARGS(&copy_list)),
      S_OK);
  copy_list->EndQuery(copies.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 0);
  EXPECT_EQ(copy_list->Close(), S_OK);
  ASSERT_EQ(copy_list->Reset(copy_allocator.Get(), nullptr), S_OK);
  copy_list->EndQuery(others.Get(), D3D12_QUERY_TYPE_TIMESTAMP, 0);
  EXPECT_EQ(copy_list->Close(), E_INVALIDARG);
}

// Without the rig: the device goes while work is pending.
class Released : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)), S_OK);
    D3D12_COMMAND_QUEUE_DESC desc = {};
    for (auto& queue : queues) {
      ASSERT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue)), S_OK);
    }
    for (auto& fence : fences) {
      ASSERT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)), S_OK);
    }
  }
  void release() {
    for (auto& queue : queues) queue.Reset();
    for (auto& fence : fences) fence.Reset();
    device.Reset();
    EXPECT_EQ(weft_d3d12_live_objects(), 0);
  }

  ComPtr<ID3D12Device> device;
  ComPtr<ID3D12CommandQueue> queues[2];
  ComPtr<ID3D12Fence> fences[2];
};

TEST_F(Released, TheDeviceWaitsForPendingWork) {
  ComPtr<ID3D12CommandAllocator> allocator;
  ComPtr<ID3D12GraphicsCommandList> list;
  const auto type = D3D12_COMMAND_LIST_TYPE_DIRECT;
  ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&allocator)), S_OK);
  ASSERT_EQ(device->CreateCommandList(0, type, allocator.Get(), nullptr, IID_PPV_ARGS(&list)),
            S_OK);
  std::atomic<bool> ran{false};
  record(list, {}, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ran = true;
  });
  ASSERT_EQ(list->Close(), S_OK);
  ID3D12CommandList* lists[] = {list.Get()};
  queues[0]->ExecuteCommandLists(1, lists);
  list.Reset();
  allocator.Reset();
  release();
  EXPECT_TRUE(ran);
}

TEST_F(Released, EventsOfPendingSignalsAreSet) {
  const TestEvent event;
  fences[0]->SetEventOnCompletion(1, event.handle());
  queues[0]->Wait(fences[1].Get(), 1);
  queues[0]->Signal(fences[0].Get(), 1);
  queues[1]->Signal(fences[1].Get(), 1);
  release();
  EXPECT_TRUE(event.wait());
}

TEST_F(Released, WaitsThatNothingCanEndAreEnded) {
  queues[0]->Wait(fences[1].Get(), 1);
  queues[0]->Signal(fences[0].Get(), 1);
  queues[1]->Wait(fences[0].Get(), 1);
  queues[1]->Signal(fences[1].Get(), 1);
  release();
}

// The last reference to the device lies in work, which the queue's thread drops.
TEST_F(Released, ByItsOwnQueue) {
  ComPtr<ID3D12CommandAllocator> allocator;
  ComPtr<ID3D12GraphicsCommandList> list;
  const auto type = D3D12_COMMAND_LIST_TYPE_DIRECT;
  ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&allocator)), S_OK);
  ASSERT_EQ(device->CreateCommandList(0, type, allocator.Get(), nullptr, IID_PPV_ARGS(&list)),
            S_OK);
  record(list, {}, [kept = device] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  ASSERT_EQ(list->Close(), S_OK);
  ID3D12CommandList* lists[] = {list.Get()};
  queues[0]->ExecuteCommandLists(1, lists);
  list.Reset();
  allocator.Reset();
  for (auto& queue : queues) queue.Reset();
  for (auto& fence : fences) fence.Reset();
  device.Reset();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (weft_d3d12_live_objects() != 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(weft_d3d12_live_objects(), 0);
}

}  // namespace
}  // namespace weft::test
