#include "ops/window_axes.h"

#include "ops/checker.h"
#include "ops/layout.h"

namespace weft::ops {

namespace {

using std::int64_t;

// A digit that is always 0 takes the simplest steps.
Digit digit(int64_t count, int64_t step, std::uint64_t column_step) {
  if (count == 1) return {1, 1, 0};
  return {count, step, static_cast<int64_t>(column_step)};
}

WindowAxis plain_axis(int64_t size, int64_t image_step, std::uint64_t column_step) {
  return {size, image_step, 0, digit(1, 1, 0), digit(size, 1, column_step)};
}

bool same_product(int64_t value, int64_t a, int64_t b) {
  return base::multiply(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)) ==
         static_cast<std::uint64_t>(value);
}

// Positions of a merged axis have to stay far from the end of int64.
bool in_range(int64_t value, int64_t factor) {
  const auto result =
      base::multiply(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(factor));
  return result && *result < (std::uint64_t{1} << 60);
}

// Whether `inner` runs through all its positions before `outer` takes one step, in both tensors.
bool mergeable(const WindowAxis& outer, const WindowAxis& inner) {
  if (!inner.plain()) return false;
  return outer.block.step == 1 &&
         (outer.block.count == 1 ||
          same_product(outer.block.column_step, inner.block.column_step, inner.block.count)) &&
         (outer.image == 1 || same_product(outer.image_step, inner.image_step, inner.image)) &&
         in_range(outer.start, inner.image) &&
         in_range(outer.window.count * outer.window.step, inner.image);
}

WindowAxis merge(const WindowAxis& outer, const WindowAxis& inner) {
  WindowAxis result = inner;
  result.image = outer.image * inner.image;
  result.start = outer.start * inner.image;
  result.window = outer.window;
  result.window.step *= inner.image;
  result.overlaps = outer.overlaps;
  result.block.count = outer.block.count * inner.block.count;
  return result;
}

}  // namespace

std::vector<WindowAxis> window_axes(const SlidingWindow& window) {
  const Layout image = layout_of(window.image);
  const Layout columns = layout_of(window.columns);
  const std::size_t count = window.spatial_count();
  const Dims strides = or_default(window.strides, count, 1);
  const Dims dilations = or_default(window.dilations, count, 1);
  const Dims start_padding = or_default(window.start_padding, count, 0);
  const Dims end_padding = or_default(window.end_padding, count, 0);

  std::vector<WindowAxis> axes(count + 2);
  // Unsigned: past the last digit that counts, these may leave int64.
  auto row_step = static_cast<std::uint64_t>(columns.strides[columns.rank - 2]);
  auto block_step = static_cast<std::uint64_t>(columns.strides[columns.rank - 1]);
  for (std::size_t d = count; d-- > 0;) {
    const int64_t size = image.sizes[d + 2];
    const int64_t elements = window.window_sizes[d];
    const auto blocks = static_cast<int64_t>(
        *window_count(window.image.sizes[d + 2], window.window_sizes[d], strides[d], dilations[d],
                      start_padding[d], end_padding[d]));
    axes[d + 2] = {size,
                   image.strides[d + 2],
                   start_padding[d],
                   digit(elements, dilations[d], row_step),
                   digit(blocks, strides[d], block_step),
                   blocks > 1 && (elements - 1) * dilations[d] >= strides[d]};
    row_step *= static_cast<std::uint64_t>(elements);
    block_step *= static_cast<std::uint64_t>(blocks);
  }
  axes[1] = plain_axis(image.sizes[1], image.strides[1], row_step);
  axes[0] = plain_axis(image.sizes[0], image.strides[0],
                       static_cast<std::uint64_t>(columns.strides[columns.rank - 3]));

  std::vector<WindowAxis> merged;
  for (const WindowAxis& axis : axes) {
    if (axis.image == 1 && axis.plain()) continue;
    if (!merged.empty() && mergeable(merged.back(), axis)) {
      merged.back() = merge(merged.back(), axis);
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back(plain_axis(1, 0, 0));
  return merged;
}

}  // namespace weft::ops
