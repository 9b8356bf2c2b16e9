#include "ops/split_plan.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "ops/axis_window.h"
#include "ops/convolution_tiling.h"

namespace weft::ops {

namespace {

// Of all positions and taps of a dimension, in the padding, too.
std::int64_t pairs_of(const ConvolutionAxis& axis) noexcept {
  std::int64_t pairs = 0;
  for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
    const Phase phase = axis.phase(p);
    pairs += phase.taps * phase.count;
  }
  return pairs;
}

}  // namespace

std::int64_t split_parts(DataType type) noexcept { return type == DataType::float16 ? 2 : 3; }

std::int64_t pairs_inside(const ConvolutionAxis& axis) noexcept {
  std::int64_t pairs = 0;
  for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
    const Phase phase = axis.phase(p);
    for (std::int64_t j = 0; j < phase.taps; ++j) {
      const auto [first, end] = axis.inside(phase, phase.offset(j));
      pairs += std::max<std::int64_t>(end - first, 0);
    }
  }
  return pairs;
}

std::int64_t least_taps(const ConvolutionAxis& axis) noexcept {
  // Where taps are next to each other, the first and the last position of a phase have the fewest.
  std::int64_t least = axis.window();
  for (std::int64_t p = 0; p < axis.phase_count() && least > 1; ++p) {
    const Phase phase = axis.phase(p);
    if (phase.taps == 0) continue;
    for (const std::int64_t position : {std::int64_t{0}, phase.count - 1}) {
      const auto [begin, end] = taps_inside(phase, position, 1, axis.in_size());
      const bool apart = std::abs(phase.offset_step) > 1;
      least = std::clamp<std::int64_t>(apart ? 1 : end - begin, 1, least);
    }
  }
  return least;
}

bool needs_all_products(const ConvolutionGeometry& geometry) noexcept {
  constexpr std::int64_t kEnough = 256;
  std::int64_t terms = geometry.in_channels;
  for (const ConvolutionAxis& axis : geometry.axes) terms *= least_taps(axis);
  return terms < kEnough;
}

double general_seconds(const ConvolutionParams& params, const PlanOptions& options) {
  // A second, with AVX-512 on one core at 2.8 GHz; a Zen 4 at 3.7 GHz takes longer, but by
  // Winograd's algorithm no longer: 256 to 512 channels, 20x20, 3x3, stride 2, 2010 us, by that
  // 1780. Taps in the padding are left out, but by windows of one row with more than three. Sums
  // are rounded to float16, rows of a step beyond 1 are taken apart, one by one.
  const bool halved = base::choose_isa(options.max_isa) == Isa::avx512 && base::halves_vectors();
  const double operations = halved ? 1.2e11 : 1.4e11;
  constexpr double kHalf = 0.03e-9, kTakenApart = 0.33e-9, kRow = 8e-9;
  constexpr std::int64_t kCounted = 1 << 16;
  const ConvolutionGeometry g(params);
  const std::uint64_t outputs = *element_count(params.output.sizes);
  double terms = 2 * static_cast<double>(g.in_channels * g.out_channels) *
                 static_cast<double>(g.groups * g.batch);
  const ConvolutionAxis& row = g.axes[kWidth];
  const bool pads_rows = row.window() == g.window() && row.window() > kernels::kPaddedTaps;
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.phase_count() > kCounted / axis.window()) {
      terms *= static_cast<double>(axis.window()) * static_cast<double>(axis.out_size()) /
               static_cast<double>(axis.phase_count());
      continue;
    }
    const bool padded = pads_rows && &axis == &row;
    terms *= static_cast<double>(padded ? pairs_of(axis) : pairs_inside(axis));
  }
  const bool half = params.output.data_type == DataType::float16;
  const bool taken_apart = row.phase(0).in_step > 1 && !suits_windows(params, g, options);
  const auto inputs = static_cast<double>(*element_count(params.input.sizes));
  const double rows = inputs / static_cast<double>(row.in_size());
  return terms / operations + (half ? kHalf * static_cast<double>(outputs) : 0) +
         (taken_apart ? kTakenApart * inputs + kRow * rows : 0);
}

SplitPlan::SplitPlan(const ConvolutionParams& params, const PlanOptions& options)
    : general_(params, options),
      geometry_(general_.geometry()),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(params.input.data_type)),
      rows_(kernels::row_kernels(base::choose_isa(options.max_isa))),
      plain_results_(general_.only_ramps()),
      all_products_(needs_all_products(geometry_)) {
  type = OperatorType::convolution;
  inputs = general_.inputs;
  outputs = general_.outputs;
}

void SplitPlan::set_memory(const PlanOptions& options, std::uint64_t filter_bytes, unsigned slots,
                           std::uint64_t slot_bytes, std::uint64_t shared_bytes) {
  filter_bytes_ = filter_bytes;
  const std::uint64_t filters = filter_bytes + general_.filter_size_in_bytes();
  (options.prepare_filter ? prepared_size_in_bytes : workspace_size_in_bytes) = filters;
  workspace_size_in_bytes +=
      base::round_up(geometry_.batch * sizeof(SharedRange), base::kWorkspaceAlignment) +
      std::max(slots * slot_bytes + shared_bytes, general_.slots_size_in_bytes());
}

void SplitPlan::load_bias(const RunArguments& arguments, std::int64_t group,
                          std::int64_t first_block, std::int64_t blocks,
                          float* bias) const noexcept {
  const std::int64_t channel = first_block * kernels::kSplitBlock;
  const std::int64_t first = group * geometry_.out_channels + channel;
  const std::int64_t count =
      std::min(blocks * kernels::kSplitBlock, geometry_.out_channels - channel);
  if (const auto* from = static_cast<const std::byte*>(arguments.inputs[2])) {
    rows_.load(data_type_)(from + first * geometry_.bias_stride * element_bytes_,
                           geometry_.bias_stride, bias, count);
  } else {
    std::fill_n(bias, count, 0.0f);
  }
}

void SplitPlan::prepare(const void* filter, void* prepared) const noexcept {
  auto* memory = static_cast<std::byte*>(prepared);
  pack_filter(filter, memory);
  general_.pack_filter(filter, memory + filter_bytes_);
}

void SplitPlan::run(const RunArguments& arguments) const noexcept {
  std::byte* workspace = arguments.workspace;
  auto* ranges = reinterpret_cast<SharedRange*>(workspace);
  for (std::int64_t i = 0; i < geometry_.batch; ++i) new (ranges + i) SharedRange;
  workspace += base::round_up(geometry_.batch * sizeof(SharedRange), base::kWorkspaceAlignment);
  const auto* packed = static_cast<const std::byte*>(arguments.prepared);
  if (prepared_size_in_bytes == 0) {
    pack_filter(arguments.inputs[1], workspace);
    packed = workspace;
    workspace += filter_bytes_ + general_.filter_size_in_bytes();
  }
  const kernels::SplitRange filter = stored_range(packed);
  // A filter that no image would be safe with is not worth trying.
  const bool try_unit = is_safe({}, filter);
  if (try_unit) run_tiles(arguments, packed, workspace, ranges);
  bool general_is_packed = prepared_size_in_bytes != 0;
  for (std::int64_t image = 0; image < geometry_.batch; ++image) {
    if (try_unit && is_safe(ranges[image].get(), filter)) continue;
    auto* general = const_cast<std::byte*>(packed) + filter_bytes_;
    if (!general_is_packed) general_.pack_filter(arguments.inputs[1], general);
    general_is_packed = true;
    general_.run_image(arguments, general, image, workspace);
  }
}

}  // namespace weft::ops
