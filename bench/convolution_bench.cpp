// What share of the machine's multiply-adds a convolution reaches, one thread, each instruction
// set.
//
//   weft_bench --benchmark_filter='Convolution|MultiplyAddPeak'

#include <benchmark/benchmark.h>

#include "time_runs.h"
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
  for ([[maybe_unused]] auto _ : state) {
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
  ConvolutionParams params{.input = {.sizes = {1, 64, 56, 56}},
                           .filter = {.sizes = {64, 64, 3, 3}},
                           .start_padding = {1, 1},
                           .end_padding = {1, 1}};
  params.output.sizes = output_sizes(params);
  time_runs(state, params, isa, threads);
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
