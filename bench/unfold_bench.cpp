// How fast UNFOLD copies windows, one thread, each instruction set. bench/compare_torch.py puts
// PyTorch's figures beside these.
//
//   weft_bench --benchmark_filter=Unfold

#include <benchmark/benchmark.h>

#include "time_runs.h"
#include "weft/weft.h"

namespace weft {
namespace {

void unfold_3x3(benchmark::State& state, Isa isa) {
  UnfoldParams params{.input = {.sizes = {1, 64, 56, 56}},
                      .window_sizes = {3, 3},
                      .start_padding = {1, 1},
                      .end_padding = {1, 1}};
  params.output.sizes = output_sizes(params);
  time_runs(state, params, isa, 1);
  state.SetBytesProcessed(state.iterations() * 64 * 9 * 56 * 56 * std::int64_t{sizeof(float)});
}
BENCHMARK_CAPTURE(unfold_3x3, base, Isa::base)->Name("Unfold/64x56x56_3x3/base");
BENCHMARK_CAPTURE(unfold_3x3, sse4, Isa::sse4)->Name("Unfold/64x56x56_3x3/sse4");
BENCHMARK_CAPTURE(unfold_3x3, avx2, Isa::avx2)->Name("Unfold/64x56x56_3x3/avx2");
BENCHMARK_CAPTURE(unfold_3x3, avx512, Isa::avx512)->Name("Unfold/64x56x56_3x3/avx512");

}  // namespace
}  // namespace weft
