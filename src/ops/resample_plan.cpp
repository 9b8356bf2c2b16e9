#include "ops/resample_plan.h"

#include "base/checked.h"
#include "ops/layout.h"

namespace weft::ops {

namespace {

using base::divide_up;
using std::int64_t;

// Elements that a tile writes, or reads where those are more: enough to use its tables often, and
// rows that neighbours in it both read, few enough for many threads.
constexpr int64_t kMinResampleElements = int64_t{16} * 1024;
constexpr int64_t kMaxResampleBytes = int64_t{128} * 1024;
constexpr int64_t kWantedResampleTiles = 64;

// Rows shorter than this are mostly overhead.
constexpr int64_t kShortRow = 16;

// Whether every o gives the coordinate o. Up to 2^23, multiples of 0.5 add without rounding.
bool is_identity(const ResampleAxis& axis) {
  const float offset = axis.output_pixel_offset;
  if (axis.scale != 1 || axis.input_pixel_offset != -offset) return false;
  const double largest = static_cast<double>(axis.output_size) + std::fabs(offset);
  return axis.output_size <= axis.input_size && std::floor(2 * offset) == 2 * offset &&
         largest <= 0x1p23;
}

std::vector<ResampleAxis> used_axes(const ResampleParams& params) {
  const Layout input = layout_of(params.input);
  const Layout output = layout_of(params.output);
  std::vector<ResampleAxis> axes;
  for (int d = 0; d < output.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    ResampleAxis axis{input.sizes[i],
                      output.sizes[i],
                      input.strides[i],
                      output.strides[i],
                      params.scales[i],
                      params.input_pixel_offsets.empty() ? 0.5f : params.input_pixel_offsets[i],
                      params.output_pixel_offsets.empty() ? -0.5f : params.output_pixel_offsets[i],
                      false};
    if (axis.input_size == 1) axis.input_stride = 0;
    axis.direct = axis.input_size == 1 || is_identity(axis);
    if (axis.direct) axis.input_size = axis.output_size;  // no more is read
    if (!axis.direct || axis.output_size != 1) axes.push_back(axis);
  }
  return axes;
}

// Direct neighbours that one stride steps through become one.
void merge(std::vector<ResampleAxis>& axes) {
  std::stable_sort(axes.begin(), axes.end(), [](const ResampleAxis& a, const ResampleAxis& b) {
    return a.output_stride > b.output_stride;
  });
  std::vector<ResampleAxis> merged;
  for (const ResampleAxis& next : axes) {
    ResampleAxis* last = merged.empty() ? nullptr : &merged.back();
    if (last != nullptr && last->direct && next.direct &&
        last->input_stride == next.input_stride * next.output_size &&
        last->output_stride == next.output_stride * next.output_size) {
      const int64_t size = last->output_size * next.output_size;
      *last = next;
      last->input_size = last->output_size = size;
    } else {
      merged.push_back(next);
    }
  }
  axes = std::move(merged);
}

}  // namespace

ResampleGeometry::ResampleGeometry(const ResampleParams& params, int64_t max_chunk)
    : outer(used_axes(params)), inner{1, 1, 0, 1, 1, 0.5f, -0.5f, true} {
  merge(outer);
  if (!outer.empty()) {
    const auto length = [](const ResampleAxis& a) { return std::max(a.input_size, a.output_size); };
    const auto long_enough = [&](const ResampleAxis& a) { return length(a) >= kShortRow; };
    const auto shorter = [&](const ResampleAxis& a, const ResampleAxis& b) {
      return length(a) < length(b);
    };
    const auto last = std::find_if(outer.rbegin(), outer.rend(), long_enough);
    const auto best = last != outer.rend() ? last.base() - 1
                                           : std::max_element(outer.begin(), outer.end(), shorter);
    inner = *best;
    outer.erase(best);
  }
  for (const ResampleAxis& axis : outer) rows *= axis.output_size;
  const int64_t chunks = divide_up(inner.output_size, max_chunk);
  chunk = divide_up(inner.output_size, chunks);  // as long as each other: a short one costs as much
  double read = static_cast<double>(inner.input_size);  // may pass 2^63 where much is repeated
  for (const ResampleAxis& axis : outer) read *= static_cast<double>(axis.input_size);
  const double row_elements =
      std::max(static_cast<double>(chunk), read / static_cast<double>(rows * chunks));
  const int64_t most = kMaxResampleBytes / byte_size(params.input.data_type);
  const double elements =
      std::clamp<double>(row_elements * static_cast<double>(rows * chunks) / kWantedResampleTiles,
                         kMinResampleElements, static_cast<double>(most));
  rows_per_tile = std::clamp<int64_t>(static_cast<int64_t>(elements / row_elements), 1, rows);
  tiles = chunks * divide_up(rows, rows_per_tile);
}

bool ResampleGeometry::direct() const noexcept {
  return inner.direct && std::all_of(outer.begin(), outer.end(),
                                     [](const ResampleAxis& axis) { return axis.direct; });
}

int64_t ResampleGeometry::take_channels() noexcept {
  if (outer.empty() || inner.direct) return 1;
  const ResampleAxis& last = outer.back();
  const int64_t channels = last.output_size;
  if (!last.direct || last.input_stride != 1 || last.output_stride != 1 ||
      inner.input_stride != channels || inner.output_stride != channels) {
    return 1;
  }
  outer.pop_back();
  rows /= channels;
  rows_per_tile = divide_up(rows_per_tile, channels);
  tiles = divide_up(inner.output_size, chunk) * divide_up(rows, rows_per_tile);
  return channels;
}

std::string ResampleGeometry::text(unsigned slots) const {
  return std::to_string(tiles) + " tiles of " + std::to_string(rows_per_tile) + 'x' +
         std::to_string(chunk) + " elements, " + threads_text(slots);
}

ResampleGeometry::Tile ResampleGeometry::tile(int64_t index) const noexcept {
  const int64_t chunks = divide_up(inner.output_size, chunk);
  const int64_t first = index % chunks * chunk;
  const int64_t first_row = index / chunks * rows_per_tile;
  return {first, std::min(chunk, inner.output_size - first), first_row,
          std::min(rows_per_tile, rows - first_row)};
}

}  // namespace weft::ops
