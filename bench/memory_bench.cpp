// What strides cost: the same tensors packed, channels last, repeated. One thread; layers of real
// networks and how time grows with the bytes are what `weft bench` is for.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <variant>

#include "time_runs.h"
#include "weft/weft.h"

namespace weft {
namespace {

UnfoldParams unfold_3x3(const Dims& sizes) {
  UnfoldParams params{.input = {.sizes = sizes},
                      .window_sizes = {3, 3},
                      .start_padding = {1, 1},
                      .end_padding = {1, 1}};
  params.output.sizes = output_sizes(params);
  return params;
}

FoldParams fold_3x3(const Dims& sizes) {
  FoldParams params{.output = {.sizes = sizes},
                    .window_sizes = {3, 3},
                    .start_padding = {1, 1},
                    .end_padding = {1, 1}};
  params.input.sizes = input_sizes(params);
  return params;
}

ResampleParams resample_x2(const Dims& sizes, InterpolationMode mode) {
  ResampleParams params{.input = {.sizes = sizes}, .interpolation_mode = mode};
  params.scales = {1, 1, 2, 2};
  params.output.sizes = output_sizes(params);
  return params;
}

void time_at_best(benchmark::State& state, const OperatorParams& params) {
  const std::uint64_t elements = std::visit(
      [](const auto& p) {
        return element_count(p.input.sizes).value_or(0) + element_count(p.output.sizes).value_or(0);
      },
      params);
  const std::uint64_t bytes = elements * sizeof(float);
  time_runs(state, params, best_isa(), 1);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

enum class Memory { packed, channels_last, repeated_input };

// Strides of a (N, C, H, W) tensor that lies in memory as (N, H, W, C).
Dims channels_last(const Dims& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], 1, sizes[3] * sizes[1], sizes[1]};
}

// The image as NHWC (the columns of UNFOLD and FOLD stay packed), or its channels all the same one.
void set_strides(Memory memory, TensorDesc& image, bool is_input) {
  if (memory == Memory::channels_last) image.strides = channels_last(image.sizes);
  if (memory != Memory::repeated_input || !is_input) return;
  image.strides = {image.sizes[2] * image.sizes[3], 0, image.sizes[3], 1};
}

void strided_unfold(benchmark::State& state, Memory memory) {
  UnfoldParams params = unfold_3x3({1, 64, 56, 56});
  set_strides(memory, params.input, true);
  time_at_best(state, params);
}
void strided_fold(benchmark::State& state, Memory memory) {
  FoldParams params = fold_3x3({1, 64, 56, 56});
  set_strides(memory, params.output, false);
  time_at_best(state, params);
}
void strided_linear(benchmark::State& state, Memory memory) {
  ResampleParams params = resample_x2({1, 64, 128, 128}, InterpolationMode::linear);
  set_strides(memory, params.input, true);
  set_strides(memory, params.output, false);
  time_at_best(state, params);
}
BENCHMARK_CAPTURE(strided_unfold, packed, Memory::packed)->Name("Strided/unfold/packed");
BENCHMARK_CAPTURE(strided_unfold, nhwc, Memory::channels_last)->Name("Strided/unfold/nhwc");
BENCHMARK_CAPTURE(strided_unfold, same, Memory::repeated_input)->Name("Strided/unfold/repeated");
BENCHMARK_CAPTURE(strided_fold, packed, Memory::packed)->Name("Strided/fold/packed");
BENCHMARK_CAPTURE(strided_fold, nhwc, Memory::channels_last)->Name("Strided/fold/nhwc");
BENCHMARK_CAPTURE(strided_linear, packed, Memory::packed)->Name("Strided/linear/packed");
BENCHMARK_CAPTURE(strided_linear, nhwc, Memory::channels_last)->Name("Strided/linear/nhwc");
BENCHMARK_CAPTURE(strided_linear, same, Memory::repeated_input)->Name("Strided/linear/repeated");

}  // namespace
}  // namespace weft
