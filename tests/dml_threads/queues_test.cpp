// Queues that wait for each other and for the CPU, and the ways in which the CPU waits for them.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "compute/commands.h"
#include "compute/layers.h"

namespace weft::testing {
namespace {

class Event {
 public:
  Event() : descriptor_(eventfd(0, EFD_CLOEXEC)) {}
  ~Event() { close(descriptor_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  HANDLE handle() const {
    return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(descriptor_));
  }
  bool wait() const {
    eventfd_t value = 0;
    return eventfd_read(descriptor_, &value) == 0;
  }

 private:
  int descriptor_;
};

// Layer after layer, each on the queue after that of the one before, which it waits for; the first
// waits for the CPU.
TEST(Queues, WaitForEachOther) {
  const ComputeDevice device;
  constexpr Layer kLayer = {
      .input_channels = 3, .output_channels = 3, .height = 16, .width = 16, .owned = false};
  constexpr unsigned kSteps = 9;
  std::array<std::unique_ptr<Commands>, 3> queues;
  for (auto& queue : queues) queue = std::make_unique<Commands>(device);

  Commands setup(device);
  const auto filter = setup.make_buffer(sample_floats(kLayer.filter_bytes(), 1));
  const auto bias = setup.make_buffer(sample_floats(kLayer.bias_bytes(), 2));
  const ComPtr<IDMLOperator> op = make_operator(device.dml(), kLayer);
  ComPtr<IDMLCompiledOperator> compiled;
  WEFT_CHECK_HR(
      device.dml()->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
  setup.initialize(compiled.Get());
  std::vector<ComPtr<ID3D12Resource>> images = {
      setup.make_buffer(sample_floats(kLayer.input_bytes(), 3))};
  for (unsigned i = 0; i < kSteps; ++i) images.push_back(device.make_buffer(kLayer.output_bytes()));
  const auto dispatch = [&](unsigned step) {
    return Dispatch{.compiled = compiled.Get(),
                    .inputs = {{images[step].Get()}, {filter.Get()}, {bias.Get()}},
                    .outputs = {{images[step + 1].Get()}},
                    .persistent = {}};
  };

  const ComPtr<ID3D12Fence> start = device.make_fence();
  const ComPtr<ID3D12Fence> done = device.make_fence();
  for (unsigned round = 0; round < kSteps / 3; ++round) {
    for (unsigned q = 0; q < 3; ++q) {
      const unsigned step = 3 * round + q;
      WEFT_CHECK_HR(
          queues[q]->queue()->Wait(step == 0 ? start.Get() : done.Get(), step == 0 ? 1 : step));
      queues[q]->record(dispatch(step));
      queues[q]->submit();
      WEFT_CHECK_HR(queues[q]->queue()->Signal(done.Get(), step + 1));
    }
    if (round == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(done->GetCompletedValue(), 0u);
      WEFT_CHECK_HR(start->Signal(1));
    }
    for (auto& queue : queues) queue->finish();
  }
  // The queue gets to this signal after the one that finish() waits for.
  WEFT_CHECK_HR(done->SetEventOnCompletion(kSteps, nullptr));
  EXPECT_EQ(done->GetCompletedValue(), kSteps);
  const std::vector<std::byte> result = setup.download(images[kSteps].Get());

  for (unsigned step = 0; step < kSteps; ++step) {
    setup.record(dispatch(step));
    setup.record_barrier();
  }
  setup.run();
  EXPECT_EQ(setup.download(images[kSteps].Get()), result);
}

// Blocking calls, events and looking, by many threads at one fence.
TEST(Queues, WakeEveryWaiter) {
  const ComputeDevice device;
  const ComPtr<ID3D12CommandQueue> queue = device.make_queue();
  for (unsigned round = 0; round < 20; ++round) {
    const ComPtr<ID3D12Fence> fence = device.make_fence();
    std::vector<std::thread> waiters;
    for (unsigned i = 0; i < 6; ++i) {
      waiters.emplace_back([&, i] {
        const UINT64 target = 1 + i % 3;
        if (i % 2 == 0) {
          EXPECT_EQ(fence->SetEventOnCompletion(target, nullptr), S_OK);
        } else {
          const Event event;
          EXPECT_EQ(fence->SetEventOnCompletion(target, event.handle()), S_OK);
          EXPECT_TRUE(event.wait());
        }
        EXPECT_GE(fence->GetCompletedValue(), target);
      });
    }
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    for (UINT64 value = 1; value <= 3; ++value) {
      if (value == 2) {
        WEFT_CHECK_HR(fence->Signal(value));
      } else {
        WEFT_CHECK_HR(queue->Signal(fence.Get(), value));
      }
      while (fence->GetCompletedValue() < value) std::this_thread::yield();
    }
    for (std::thread& waiter : waiters) waiter.join();
  }
}

// Queues that go while work is under way, with all that is of the device gone before.
TEST(Queues, FinishWhatTheyWereGiven) {
  for (unsigned round = 0; round < 10; ++round) {
    ComPtr<ID3D12Fence> start;
    ComPtr<ID3D12Fence> done;
    {
      const ComputeDevice device;
      start = device.make_fence();
      done = device.make_fence();
      const ComPtr<ID3D12CommandQueue> queue = device.make_queue();
      WEFT_CHECK_HR(queue->Wait(start.Get(), 1));
      WEFT_CHECK_HR(queue->Signal(done.Get(), 7));
    }
    std::thread starter([&] { EXPECT_EQ(start->Signal(1), S_OK); });
    EXPECT_EQ(done->SetEventOnCompletion(7, nullptr), S_OK);
    starter.join();
  }
}

}  // namespace
}  // namespace weft::testing
