// What one dispatch of a tiny operator costs, from recording it to knowing that it is done, and
// what of it is the price of handing work to another thread and hearing back.
//
//   weft_bench_directml
//
// Counters: the median and the 99th percentile of single iterations, in microseconds.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "compute/commands.h"
#include "compute/device.h"
#include "weft/weft.h"

namespace weft {
namespace {

using testing::Bindings;
using testing::Commands;
using testing::ComPtr;
using testing::ComputeDevice;
using testing::Part;

// Runs the loop of a benchmark and takes the time of each iteration.
template <class Body>
void time_each(benchmark::State& state, const Body& body) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> microseconds;
  for ([[maybe_unused]] auto _ : state) {
    const Clock::time_point start = Clock::now();
    body();
    const std::chrono::duration<double, std::micro> time = Clock::now() - start;
    microseconds.push_back(time.count());
  }
  std::sort(microseconds.begin(), microseconds.end());
  const auto at = [&](double share) {
    return microseconds[static_cast<std::size_t>(static_cast<double>(microseconds.size() - 1) *
                                                 share)];
  };
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
}

constexpr UINT kElements = 64;

// RELU of 64 floats through the DirectML API, ready to be recorded again and again.
class TinyDispatch {
 public:
  TinyDispatch() {
    const UINT sizes[] = {1, 1, 1, kElements};
    DML_BUFFER_TENSOR_DESC buffer = {};
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    buffer.TotalTensorSizeInBytes = UINT64{4} * kElements;
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&tensor, &tensor};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    ComPtr<IDMLOperator> op;
    WEFT_CHECK_HR(device_.dml()->CreateOperator(&desc, IID_PPV_ARGS(&op)));
    WEFT_CHECK_HR(device_.dml()->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE,
                                                 IID_PPV_ARGS(&compiled_)));
    Commands(device_).initialize(compiled_.Get());
    make_table();
    make_list();
  }

  void record() {
    WEFT_CHECK_HR(allocator_->Reset());
    WEFT_CHECK_HR(list_->Reset(allocator_.Get(), nullptr));
    ID3D12DescriptorHeap* heaps[] = {heap_.Get()};
    list_->SetDescriptorHeaps(1, heaps);
    recorder_->RecordDispatch(list_.Get(), compiled_.Get(), table_.Get());
    WEFT_CHECK_HR(list_->Close());
  }

  void execute() {
    ID3D12CommandList* lists[] = {list_.Get()};
    queue_->ExecuteCommandLists(1, lists);
  }

  void signal_and_wait() {
    WEFT_CHECK_HR(queue_->Signal(fence_.Get(), ++value_));
    WEFT_CHECK_HR(fence_->SetEventOnCompletion(value_, nullptr));
  }

  void check() const { device_.check_not_removed(); }

 private:
  void make_table() {
    const UINT count = compiled_->GetBindingProperties().RequiredDescriptorCount;
    const D3D12_DESCRIPTOR_HEAP_DESC heap = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, count,
                                             D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    WEFT_CHECK_HR(device_.d3d12()->CreateDescriptorHeap(&heap, IID_PPV_ARGS(&heap_)));
    const DML_BINDING_TABLE_DESC desc = {compiled_.Get(),
                                         heap_->GetCPUDescriptorHandleForHeapStart(),
                                         heap_->GetGPUDescriptorHandleForHeapStart(), count};
    WEFT_CHECK_HR(device_.dml()->CreateBindingTable(&desc, IID_PPV_ARGS(&table_)));
    const Part input[] = {{input_.Get()}};
    const Bindings inputs(input);
    table_->BindInputs(1, inputs.descs());
    const Part output[] = {{output_.Get()}};
    const Bindings outputs(output);
    table_->BindOutputs(1, outputs.descs());
  }

  void make_list() {
    constexpr auto kType = D3D12_COMMAND_LIST_TYPE_COMPUTE;
    ID3D12Device* d3d12 = device_.d3d12();
    WEFT_CHECK_HR(d3d12->CreateCommandAllocator(kType, IID_PPV_ARGS(&allocator_)));
    WEFT_CHECK_HR(
        d3d12->CreateCommandList(0, kType, allocator_.Get(), nullptr, IID_PPV_ARGS(&list_)));
    WEFT_CHECK_HR(list_->Close());
    WEFT_CHECK_HR(device_.dml()->CreateCommandRecorder(IID_PPV_ARGS(&recorder_)));
  }

  ComputeDevice device_;
  ComPtr<ID3D12CommandQueue> queue_ = device_.make_queue();
  ComPtr<ID3D12Fence> fence_ = device_.make_fence();
  ComPtr<ID3D12Resource> input_ = device_.make_buffer(UINT64{4} * kElements);
  ComPtr<ID3D12Resource> output_ = device_.make_buffer(UINT64{4} * kElements);
  ComPtr<IDMLCompiledOperator> compiled_;
  ComPtr<IDMLCommandRecorder> recorder_;
  ComPtr<ID3D12DescriptorHeap> heap_;
  ComPtr<IDMLBindingTable> table_;
  ComPtr<ID3D12CommandAllocator> allocator_;
  ComPtr<ID3D12GraphicsCommandList> list_;
  UINT64 value_ = 0;
};

// The whole: list reset, RecordDispatch, Close, ExecuteCommandLists, Signal, wait.
void dispatch(benchmark::State& state) {
  TinyDispatch tiny;
  time_each(state, [&] {
    tiny.record();
    tiny.execute();
    tiny.signal_and_wait();
  });
  tiny.check();
}
BENCHMARK(dispatch)->Name("Dispatch/whole")->UseRealTime();

// The part of it that the recording thread does alone.
void record(benchmark::State& state) {
  TinyDispatch tiny;
  time_each(state, [&] { tiny.record(); });
}
BENCHMARK(record)->Name("Dispatch/record")->UseRealTime();

// An empty queue: Signal and wait.
void fence(benchmark::State& state) {
  TinyDispatch tiny;
  time_each(state, [&] { tiny.signal_and_wait(); });
}
BENCHMARK(fence)->Name("Dispatch/fence")->UseRealTime();

// The same plan through the C++ API.
void plan_run(benchmark::State& state) {
  const ElementWiseParams params{.input = {.sizes = {1, 1, 1, kElements}},
                                 .output = {.sizes = {1, 1, 1, kElements}},
                                 .function = {.type = OperatorType::activation_relu}};
  const Plan relu = plan(params);
  std::array<float, kElements> input{};
  std::array<float, kElements> output{};
  const ConstBuffer inputs[] = {{input.data(), sizeof input}};
  const Buffer outputs[] = {{output.data(), sizeof output}};
  time_each(state, [&] { relu.run({.inputs = inputs, .outputs = outputs}); });
}
BENCHMARK(plan_run)->Name("Plan/run");

// Wakes a thread that sleeps and sleeps until it answers: two wake-ups.
void wake_sleepers(benchmark::State& state) {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;  // 0: mine, 1: the other's, 2: the end
  std::thread other([&] {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return turn != 0; });
      if (turn == 2) return;
      turn = 0;
      changed.notify_one();
    }
  });
  const auto set = [&](int to) {
    const std::lock_guard lock(mutex);
    turn = to;
    changed.notify_one();
  };
  time_each(state, [&] {
    set(1);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return turn == 0; });
  });
  set(2);
  other.join();
}
BENCHMARK(wake_sleepers)->Name("TwoWakeUps/sleeping")->UseRealTime();

// The same between threads that look instead of sleeping.
void wake_spinners(benchmark::State& state) {
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (;;) {
      const int now = turn.load(std::memory_order_acquire);
      if (now == 2) return;
      if (now == 1) turn.store(0, std::memory_order_release);
    }
  });
  time_each(state, [&] {
    turn.store(1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) != 0) {
    }
  });
  turn.store(2, std::memory_order_release);
  other.join();
}
BENCHMARK(wake_spinners)->Name("TwoWakeUps/spinning")->UseRealTime();

}  // namespace
}  // namespace weft
