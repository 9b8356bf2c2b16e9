// What share of the machine's multiply-adds a convolution reaches, one thread, each instruction
// set.
//
//   weft_bench --benchmark_filter='Convolution|MultiplyAddPeak'

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "weft/weft.h"

namespace weft {
namespace {

// The most that plain x86-64 can do: separate SSE multiplications and additions, in registers.
void sse_multiply_add_peak(benchmark::State& state) {
  using Vector = float __attribute__((vector_size(16)));
  constexpr int kChains = 12;  // enough to hide the latency of both
  Vector sums[kChains] = {};
  Vector factor = {1.5f, 1.5f, 1.5f, 1.5f};
  Vector step = {0.5f, 0.5f, 0.5f, 0.5f};
  constexpr int kRounds = 1000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(factor);
    for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
      for (int c = 0; c < kChains; ++c) {
        asm volatile("" : "+x"(factor));  // a product each, not one for all
        sums[c] += factor * step;
      }
    }
    for (Vector& sum : sums) benchmark::DoNotOptimize(sum);
  }
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * 4 * kChains * kRounds,
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sse_multiply_add_peak)->Name("MultiplyAddPeak/sse");

void convolution_3x3(benchmark::State& state, Isa isa, unsigned threads) {
  const std::vector<Isa> machine = machine_isas();
  if (std::find(machine.begin(), machine.end(), isa) == machine.end()) {
    state.SkipWithError("this machine lacks the instruction set");
    return;
  }
  ConvolutionParams params{.input = {.sizes = {1, 64, 56, 56}},
                           .filter = {.sizes = {64, 64, 3, 3}},
                           .start_padding = {1, 1},
                           .end_padding = {1, 1}};
  params.output.sizes = output_sizes(params);
  const Plan convolution =
      plan(params, {.threads = threads, .max_isa = isa, .prepare_filter = true});
  std::vector<float> input(64 * 56 * 56, 0.5f), filter(64 * 64 * 9, 0.25f), output(64 * 56 * 56);
  const auto aligned = [](std::vector<std::byte>& memory, std::uint64_t size) {
    memory.resize(size + 256);
    void* data = memory.data();
    std::size_t space = memory.size();
    return Buffer{std::align(256, size, data, space), size};
  };
  std::vector<std::byte> workspace_memory, prepared_memory;
  const Buffer workspace = aligned(workspace_memory, convolution.workspace_size_in_bytes());
  const Buffer prepared = aligned(prepared_memory, convolution.prepared_size_in_bytes());
  convolution.prepare({filter.data(), filter.size() * 4}, prepared);
  const ConstBuffer inputs[] = {{input.data(), input.size() * 4}, {}, {}};
  const Buffer outputs[] = {{output.data(), output.size() * 4}};
  const Bindings bindings{.inputs = inputs, .outputs = outputs, .prepared = prepared};
  for (auto _ : state) {
    if (convolution.run(bindings, workspace) != ErrorCode::ok) state.SkipWithError("run failed");
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * 64 * 64 * 9 * 56 * 56,
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(convolution_3x3, base_1, Isa::base, 1u)->Name("Convolution/64x56x56_3x3/base");
BENCHMARK_CAPTURE(convolution_3x3, sse4_1, Isa::sse4, 1u)->Name("Convolution/64x56x56_3x3/sse4");
BENCHMARK_CAPTURE(convolution_3x3, avx2_1, Isa::avx2, 1u)->Name("Convolution/64x56x56_3x3/avx2");
BENCHMARK_CAPTURE(convolution_3x3, avx512_1, Isa::avx512, 1u)
    ->Name("Convolution/64x56x56_3x3/avx512");
BENCHMARK_CAPTURE(convolution_3x3, avx512_2, Isa::avx512, 2u)
    ->Name("Convolution/64x56x56_3x3/avx512/threads:2")
    ->UseRealTime();

}  // namespace
}  // namespace weft
