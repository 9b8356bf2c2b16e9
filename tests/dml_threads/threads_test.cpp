// 8 threads that create, compile, record and execute on 3 queues at once, on one device.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "compute/commands.h"
#include "compute/layers.h"

namespace weft::testing {
namespace {

constexpr unsigned kThreads = 8;
constexpr unsigned kQueues = 3;
constexpr unsigned kRounds = 12;

// An operator of its own kind for each round, some large enough to be computed by several threads.
Layer layer_of(unsigned round) {
  return {.input_channels = 1 + round % 4,
          .output_channels = 2 + round % 3,
          .height = round % 4 == 0 ? 60u : 5 + round,
          .width = round % 4 == 0 ? 80u : 9u,
          .relu = round % 2 == 0,
          .owned = round % 3 != 0};
}

class Threads : public ::testing::Test {
 protected:
  // Calls body(thread) on all threads at once; what one throws fails the test.
  static void on_all_threads(const std::function<void(unsigned)>& body) {
    std::atomic<unsigned> waiting{kThreads};
    std::vector<std::string> failures(kThreads);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        --waiting;
        while (waiting != 0) std::this_thread::yield();
        try {
          body(t);
        } catch (const std::exception& error) {
          failures[t] = error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  }

  ID3D12CommandQueue* queue(unsigned index) { return queues_[index % kQueues].Get(); }

  ComPtr<IDMLCompiledOperator> compile(const Layer& layer) {
    const ComPtr<IDMLOperator> op = make_operator(device_.dml(), layer);
    ComPtr<IDMLCompiledOperator> compiled;
    WEFT_CHECK_HR(
        device_.dml()->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
    return compiled;
  }

  // Creates, compiles, initializes and executes, all on one list.
  std::vector<std::byte> run(Commands& commands, const Layer& layer, unsigned seed) {
    const auto input = commands.make_buffer(sample_floats(layer.input_bytes(), seed));
    const auto filter = commands.make_buffer(sample_floats(layer.filter_bytes(), seed + 1));
    const auto bias = commands.make_buffer(sample_floats(layer.bias_bytes(), seed + 2));
    const auto output = device_.make_buffer(layer.output_bytes());
    const std::vector<Part> weights = {{}, {filter.Get()}, {bias.Get()}};
    std::vector<Part> inputs = {{input.Get()}, {}, {}};
    if (!layer.owned) inputs = {{input.Get()}, {filter.Get()}, {bias.Get()}};

    const ComPtr<IDMLCompiledOperator> compiled = compile(layer);
    const auto persistent =
        commands.record_initialization(compiled.Get(), layer.owned ? weights : std::vector<Part>());
    commands.record_barrier();
    commands.record({.compiled = compiled.Get(),
                     .inputs = inputs,
                     .outputs = {{output.Get()}},
                     .persistent = {persistent.Get()}});
    commands.run();
    return commands.download(output.Get());
  }

  ComputeDevice device_;
  std::array<ComPtr<ID3D12CommandQueue>, kQueues> queues_ = {
      device_.make_queue(), device_.make_queue(), device_.make_queue()};
};

TEST_F(Threads, CreateCompileRecordAndExecute) {
  std::vector<std::vector<std::byte>> expected;
  {
    Commands commands(device_);
    for (unsigned round = 0; round < kRounds; ++round) {
      expected.push_back(run(commands, layer_of(round), round));
    }
  }
  std::atomic<unsigned> right{0};
  on_all_threads([&](unsigned thread) {
    for (unsigned round = 0; round < kRounds; ++round) {
      const unsigned kind = (round + thread) % kRounds;
      Commands commands(device_, queue(thread + round));
      if (run(commands, layer_of(kind), kind) == expected[kind]) ++right;
    }
  });
  EXPECT_EQ(right, kThreads * kRounds);
}

// One compiled operator and one persistent resource for all.
TEST_F(Threads, ShareACompiledOperator) {
  const Layer layer = layer_of(4);
  Commands setup(device_);
  const auto input = setup.make_buffer(sample_floats(layer.input_bytes(), 1));
  const auto filter = setup.make_buffer(sample_floats(layer.filter_bytes(), 2));
  const auto bias = setup.make_buffer(sample_floats(layer.bias_bytes(), 3));
  const Part weights[] = {{}, {filter.Get()}, {bias.Get()}};
  const ComPtr<IDMLCompiledOperator> compiled = compile(layer);
  const auto persistent = setup.initialize(compiled.Get(), weights);
  const auto execute = [&](Commands& commands) {
    const auto output = device_.make_buffer(layer.output_bytes());
    commands.record({.compiled = compiled.Get(),
                     .inputs = {{input.Get()}, {}, {}},
                     .outputs = {{output.Get()}},
                     .persistent = {persistent.Get()}});
    commands.run();
    return commands.download(output.Get());
  };
  const std::vector<std::byte> expected = execute(setup);
  std::atomic<unsigned> right{0};
  on_all_threads([&](unsigned thread) {
    Commands commands(device_, queue(thread));
    for (unsigned round = 0; round < kRounds; ++round) {
      if (execute(commands) == expected) ++right;
    }
  });
  EXPECT_EQ(right, kThreads * kRounds);
}

// What may be asked of a device from every thread.
TEST_F(Threads, NameAndAskObjects) {
  const ComPtr<IDMLCompiledOperator> compiled = compile(layer_of(1));
  on_all_threads([&](unsigned thread) {
    const GUID id = {thread % 2, 1, 2, {}};
    for (unsigned round = 0; round < 50; ++round) {
      WEFT_CHECK_HR(compiled->SetName(thread % 2 ? L"odd" : L"even"));
      WEFT_CHECK_HR(compiled->SetPrivateData(id, sizeof round, &round));
      unsigned data = 0;
      UINT size = sizeof data;
      WEFT_CHECK_HR(compiled->GetPrivateData(id, &size, &data));
      IDMLPageable* const pageables[] = {compiled.Get()};
      WEFT_CHECK_HR(device_.dml()->MakeResident(1, pageables));
      WEFT_CHECK_HR(device_.dml()->Evict(1, pageables));
      device_.check_not_removed();
    }
  });
}

}  // namespace
}  // namespace weft::testing
