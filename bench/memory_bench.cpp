// How the cost of moving data grows: with the bytes, and with strides that are not packed. One
// thread; layers of real networks are what `weft bench` is for.
//
//   weft_bench --benchmark_filter=Sweep      outputs of 1 KiB to 4 GiB: bytes read and written
//   weft_bench --benchmark_filter=Strided    the same tensors packed, channels last, repeated

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <variant>

#include "time_runs.h"
#include "weft/weft.h"

namespace weft {
namespace {

constexpr std::int64_t kSmallest = std::int64_t{1} << 10, kLargest = std::int64_t{1} << 32;

// An image with so many elements: as square as it gets, then in channels of 64 x 64.
Dims image(std::int64_t elements) {
  constexpr std::int64_t kSide = 64;
  std::int64_t side = 1;
  while (side < kSide && 4 * side * side <= elements) side *= 2;
  return {1, static_cast<std::uint32_t>(elements / (side * side)), static_cast<std::uint32_t>(side),
          static_cast<std::uint32_t>(side)};
}

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
  const auto free_bytes = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                          static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (bytes > free_bytes / 4 * 3) {
    state.SkipWithError("this machine has too little free memory");
    return;
  }
  time_runs(state, params, best_isa(), 1);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

// The range is the bytes of the larger tensor: nine elements (unfold, fold) or four (resample) for
// one of the image.
void sweep_unfold(benchmark::State& state) {
  time_at_best(state, unfold_3x3(image(state.range(0) / 4 / 9)));
}
void sweep_fold(benchmark::State& state) {
  time_at_best(state, fold_3x3(image(state.range(0) / 4 / 9)));
}
void sweep_nearest(benchmark::State& state) {
  time_at_best(state,
               resample_x2(image(state.range(0) / 4 / 4), InterpolationMode::nearest_neighbor));
}
void sweep_linear(benchmark::State& state) {
  time_at_best(state, resample_x2(image(state.range(0) / 4 / 4), InterpolationMode::linear));
}
BENCHMARK(sweep_unfold)->Name("Sweep/unfold_3x3")->RangeMultiplier(4)->Range(kSmallest, kLargest);
BENCHMARK(sweep_fold)->Name("Sweep/fold_3x3")->RangeMultiplier(4)->Range(kSmallest, kLargest);
BENCHMARK(sweep_nearest)->Name("Sweep/nearest_x2")->RangeMultiplier(4)->Range(kSmallest, kLargest);
BENCHMARK(sweep_linear)->Name("Sweep/linear_x2")->RangeMultiplier(4)->Range(kSmallest, kLargest);

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
