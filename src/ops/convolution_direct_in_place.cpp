// Depthwise sums of DirectConvolution straight from the input (kernels/direct/in_place.h).

#include <algorithm>
#include <array>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "ops/convolution_direct.h"

namespace weft::ops {

using kernels::DirectExtent;
using kernels::DirectInPlace;
using kernels::kDirectColumns;

namespace {

// What is copied should stay in the first-level cache.
constexpr std::int64_t kCopiedFloats = 4 << 10;

// Results of some channels wait in the cache for an activation.
constexpr std::int64_t kInPlaceBatchBytes = 256 << 10;

// Whole planes: their taps share no rows, but layers.
constexpr std::int64_t kFewestLayers = 4;
constexpr double kFullerLanes = 0.85;

// So that every output reads something inside.
bool pads_less_than_window(const ConvolutionAxis& axis) {
  const Phase phase = axis.phase(0);
  return phase.first_offset > -phase.taps &&
         (phase.count - 1) * phase.in_step + phase.first_offset < axis.in_size();
}

// Whether each output is the sum of a window of one channel, whose taps follow each other.
bool sums_windows(const ConvolutionGeometry& g) {
  if (g.in_channels != 1 || g.out_channels != 1 || g.in_strides[kWidth] != 1 ||
      g.out_strides[kWidth] != 1 || !pads_less_than_window(g.axes[kDepth])) {
    return false;
  }
  return std::all_of(g.axes.begin(), g.axes.end(), [](const ConvolutionAxis& axis) {
    const Phase phase = axis.phase(0);
    return axis.phase_count() == 1 && phase.taps > 0 && phase.step == 1 &&
           (phase.taps == 1 || phase.offset_step == 1);
  });
}

// Whether there are kernels for such windows where they are of one row.
bool has_run(const ConvolutionGeometry& g, DataType type, const kernels::DirectKernels& kernels) {
  const auto& [depth, height, width] = g.axes;
  const Phase columns = width.phase(0);
  return (kernels.in_place_512 || type == DataType::float32) && depth.phase(0).taps == 1 &&
         height.phase(0).taps == 1 && pads_less_than_window(height) && columns.in_step == 1 &&
         DirectInPlace::has_run(kernels.isa, width.in_size(), columns.count, columns.taps,
                                -columns.first_offset);
}

}  // namespace

// Loads of whole vectors of AVX-512 nearly all cross lines, those of AVX2 half of them, and where
// the former take two turns they save nothing. In turns, one thread of Zen 4 and two, us, copied
// and by runs of AVX2: 512 rows of 500, 3 taps, 119 and 67, 47 and 35; 400, 7 taps, 144 and 82, 71
// and 45; 256 of 500, 15 taps, 115 and 55, 60 and 32; 512 of 400, 51 taps, 314 and 236, 163 and
// 119; but 512 of 500, 31 taps, in place with AVX-512 160 and 82, by those of AVX2 175 and 90.
const kernels::DirectKernels& DirectConvolution::kernels_for(const ConvolutionGeometry& g,
                                                             DataType type,
                                                             const PlanOptions& options) noexcept {
  const kernels::DirectKernels& kernels =
      kernels::direct_kernels(base::choose_isa(options.max_isa));
  const kernels::DirectKernels& shorter = kernels::direct_kernels(std::min(kernels.isa, Isa::avx2));
  const bool is_shorter = base::halves_vectors() && sums_windows(g) && !has_run(g, type, kernels) &&
                          has_run(g, type, shorter);
  return is_shorter ? shorter : kernels;
}

bool DirectConvolution::suits_in_place() const noexcept {
  const ConvolutionGeometry& g = geometry_;
  if (kernels_.in_place == nullptr || !general_.stores_sums() || !sums_windows(g)) return false;
  if (whole_planes_ || suits_run()) return true;
  const Phase rows = g.axes[kHeight].phase(0), columns = g.axes[kWidth].phase(0);
  // With AVX2 every other number takes two loads, once for each row of each layer: for several
  // layers more than a copy.
  if (!kernels_.in_place_512 && rows.in_step == 2 && g.axes[kDepth].phase(0).taps > 1) return false;
  const std::int64_t loads = base::divide_up(columns.count, kernels_.lanes());
  return rows.in_step == columns.in_step && DirectInPlace::has_masks(loads, columns.taps) &&
         pads_less_than_window(g.axes[kHeight]) && pads_less_than_window(g.axes[kWidth]) &&
         DirectInPlace::has_window(rows.taps, rows.in_step);
}

// Layers take the place of rows then, and planes without gaps are rows. Never by threads.
bool DirectConvolution::suits_whole_planes() const noexcept {
  const auto& [depth, height, width] = geometry_.axes;
  const std::int64_t rows = height.max_count(), columns = width.max_count();
  for (const ConvolutionAxis& axis : geometry_.axes) {
    if (axis.phase(0).in_step != 1) return false;
  }
  const std::int64_t taps = height.phase(0).taps * width.phase(0).taps;
  const std::int64_t loads = base::divide_up(rows * columns, kernels_.lanes());
  const std::int64_t loads_by_rows = rows * base::divide_up(columns, kernels_.lanes());
  return height.in_size() == rows && width.in_size() == columns && box_[kHeight] == rows &&
         box_[kWidth] == columns && geometry_.in_strides[kHeight] == columns &&
         geometry_.out_strides[kHeight] == columns && depth.max_count() >= kFewestLayers &&
         pads_less_than_window(depth) && DirectInPlace::has_window(depth.phase(0).taps, 1) &&
         DirectInPlace::has_masks(loads, taps) &&
         static_cast<double>(loads) < kFullerLanes * static_cast<double>(loads_by_rows);
}

// Parts of rows, which are all but equal, are for AVX2 as good as rows.
bool DirectConvolution::suits_run() const noexcept {
  constexpr std::int64_t kLongPart = 4096;
  const bool fits = box_[kWidth] == geometry_.axes[kWidth].max_count() ||
                    (kernels_.isa == Isa::avx2 && box_[kWidth] >= kLongPart);
  return fits && has_run(geometry_, data_type_, kernels_);
}

// In place, no other windows are of one row.
bool DirectConvolution::sums_runs() const noexcept {
  return in_place_ && !whole_planes_ && geometry_.axes[kHeight].phase(0).taps == 1;
}

// Floats that a channel of a tile is copied to.
std::int64_t DirectConvolution::copied_floats() const noexcept {
  std::int64_t floats = geometry_.axes[kWidth].in_size();
  for (const int d : {kDepth, kHeight}) {
    floats *= std::min((box_[d] - 1) * step_[d] + spread_[d] + 1, geometry_.axes[d].in_size());
  }
  return DirectInPlace::copied_stride(floats);
}

void DirectConvolution::use_no_planes() noexcept {
  group_floats_ = 0;
  const std::int64_t bytes = box_[kDepth] * box_[kHeight] * box_[kWidth] * element_bytes_;
  // Two channels at a time.
  batch_ = std::min(std::clamp<std::int64_t>(kInPlaceBatchBytes / bytes, 2, kMaxBatch) / 2 * 2,
                    group_block_);
  if (sums_runs()) {
    const std::int64_t in_size = geometry_.axes[kWidth].in_size();
    slot_bytes_ = data_type_ == DataType::float16
                      ? base::slot_bytes(2 * DirectInPlace::run_floats(in_size, box_[kWidth]) *
                                         static_cast<std::int64_t>(sizeof(float)))
                      : 0;
    return;
  }
  const std::int64_t pairs = kCopiedFloats / copied_floats() / 2;
  copied_ = pairs == 0 && box_[kWidth] > kDirectColumns ? 1 : std::max<std::int64_t>(2 * pairs, 2);

  const Phase rows = geometry_.axes[kHeight].phase(0), columns = geometry_.axes[kWidth].phase(0);
  const std::int64_t in_size = geometry_.axes[kWidth].in_size();
  const std::int64_t end = (boxes_[kWidth] - 1) * box_[kWidth] +
                           static_cast<std::int64_t>(base::round_up(box_[kWidth], kDirectColumns));
  before_ = -columns.first_offset;
  after_ = end * columns.in_step + columns.first_offset + columns.taps - 1 - in_size;
  if (whole_planes_) {
    before_ -= rows.first_offset * in_size;
    after_ += (rows.first_offset + rows.taps - 1) * in_size + kDirectColumns;
  }
  readable_ = dense_bytes();
  before_ = std::max<std::int64_t>(before_, 0);
  after_ = std::max<std::int64_t>(after_, 0);
  const auto around = base::round_up(before_, kDirectColumns) + after_ + kDirectColumns;
  slot_bytes_ = base::slot_bytes((copied_ * copied_floats() + around) * sizeof(float));
}

// Bytes of an input without gaps; 0 with some.
std::int64_t DirectConvolution::dense_bytes() const noexcept {
  const ConvolutionGeometry& g = geometry_;
  std::int64_t elements = 1;
  const auto follows = [&](std::int64_t size, std::int64_t stride) {
    const bool dense = size == 1 || stride == elements;
    elements *= size;
    return dense;
  };
  for (int d = kSpatial; d-- > 0;) {
    if (!follows(g.axes[d].in_size(), g.in_strides[d])) return 0;
  }
  const bool dense = follows(g.groups, g.in_channel_stride) && follows(g.batch, g.in_batch_stride);
  return dense ? elements * element_bytes_ : 0;
}

// The window of a group, as the sums take it.
DirectConvolution::Extent DirectConvolution::window_in_place() const noexcept {
  const auto& [depth, height, width] = phases_[0].phases;
  if (whole_planes_) return {1, depth.taps, height.taps * width.taps};
  return {depth.taps, height.taps, width.taps};
}

// Filters lie row by row; the sums take the numbers of a column together.
void DirectConvolution::put_columns_first(std::byte* packed) const noexcept {
  const auto [layers, rows, columns] = window_in_place();
  if (rows == 1) return;
  std::array<float, DirectInPlace::kMaxRows * DirectInPlace::kMaxColumns> by_columns;
  for (std::int64_t group = 0; group < geometry_.groups; ++group) {
    const float* const first = filter_.panel(packed, group, 0, phases_[0].class_offset);
    auto* layer =
        reinterpret_cast<float*>(packed + (reinterpret_cast<const std::byte*>(first) - packed));
    for (std::int64_t k = 0; k < layers; ++k, layer += rows * columns) {
      float* to = by_columns.data();
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t i = 0; i < rows; ++i) *to++ = layer[i * columns + j];
      }
      std::copy(by_columns.data(), to, layer);
    }
  }
}

void DirectConvolution::sum_in_place(const RunArguments& arguments, const std::byte* packed,
                                     const Tile& tile, const Batch& batch,
                                     float* copy) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto extent = [](const Extent& x) { return DirectExtent{x[0], x[1], x[2]}; };
  Extent sizes, first;
  std::int64_t out = tile.image * g.out_batch_stride + batch.first * g.out_channel_stride;
  for (int d = 0; d < kSpatial; ++d) {
    const Phase& phase = phases_[0].phases[d];
    sizes[d] = g.axes[d].in_size();
    first[d] = tile.first[d] * phase.in_step + phase.first_offset;
    out += tile.first[d] * g.out_strides[d];
  }
  DirectInPlace::Plane plane{};
  Extent out_sizes = tile.size, in_strides = g.in_strides, out_strides = g.out_strides;
  if (whole_planes_) {
    plane = {sizes[kWidth], phases_[0].phases[kWidth].taps, first[kHeight], first[kWidth]};
    for (Extent* x : {&sizes, &out_sizes}) {
      *x = {1, (*x)[kDepth], (*x)[kHeight] * (*x)[kWidth]};
    }
    first = {0, first[kDepth], 0};
    in_strides = {0, in_strides[kDepth], 1};
    out_strides = {0, out_strides[kDepth], 1};
  }
  float bias[kMaxBatch];
  const auto* biases = static_cast<const std::byte*>(arguments.inputs[2]);
  if (biases != nullptr) {
    rows_.load(data_type_)(biases + batch.first * g.bias_stride * element_bytes_, g.bias_stride,
                           bias, batch.count);
  }
  const auto* input = static_cast<const std::byte*>(arguments.inputs[0]);
  std::byte* const to = static_cast<std::byte*>(arguments.outputs[0]) + out * element_bytes_;
  kernels_.in_place({
      .in = input +
            (tile.image * g.in_batch_stride + batch.first * g.in_channel_stride) * element_bytes_,
      .in_sizes = extent(sizes),
      .in_strides = extent(in_strides),
      .window = extent(window_in_place()),
      .step = extent(step_),
      .first = extent(first),
      .plane = plane,
      .run = sums_runs(),
      .halves = base::halves_vectors(),
      .before = before_,
      .after = after_,
      .readable = input,
      .readable_end = input + readable_,
      .copy = copy,
      .copied = copied_,
      .filter = filter_.panel(packed, batch.first, 0, phases_[0].class_offset),
      .bias = biases != nullptr ? bias : nullptr,
      .ramp = general_.ramp(),
      .out = to,
      .half = data_type_ == DataType::float16,
      .out_sizes = extent(out_sizes),
      .out_strides = extent(out_strides),
      .channels = batch.count,
      .in_channel_stride = g.in_channel_stride,
      .filter_channel_stride = filter_.panel(packed, 1, 0, 0) - filter_.panel(packed, 0, 0, 0),
      .out_channel_stride = g.out_channel_stride,
  });
  if (general_.only_ramps()) return;
  auto* const results = reinterpret_cast<float*>(to);
  for (std::int64_t n = 0; n < batch.count; ++n) {
    for (std::int64_t d = 0; d < tile.size[kDepth]; ++d) {
      activate_rows(results + n * g.out_channel_stride + d * g.out_strides[kDepth],
                    tile.size[kHeight], g.out_strides[kHeight], tile.size[kWidth]);
    }
  }
}

}  // namespace weft::ops
