#include "ops/window_case.h"

#include <algorithm>
#include <numeric>

namespace weft::testing {

namespace {

using Engine = std::mt19937_64;

std::uint32_t pick(Engine& engine, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>(
      std::uniform_int_distribution<std::uint64_t>(low, high)(engine));
}

bool once_in(Engine& engine, std::uint32_t n) { return pick(engine, 1, n) == 1; }

std::string text_of(const Dims& values) {
  std::string result = "{";
  for (const std::uint32_t value : values) result += std::to_string(value) + ' ';
  return result + '}';
}

DataType random_type(Engine& engine) {
  constexpr DataType types[] = {DataType::float16, DataType::float32, DataType::float64,
                                DataType::int8,    DataType::int16,   DataType::int32,
                                DataType::int64,   DataType::uint8,   DataType::uint16,
                                DataType::uint32,  DataType::uint64};
  return types[pick(engine, 0, std::size(types) - 1)];
}

// Strides that visit the dimensions in any order and leave gaps; an input may repeat dimensions.
Dims random_strides(Engine& engine, const Dims& sizes, bool is_input) {
  if (once_in(engine, 3)) return {};
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (once_in(engine, 2)) std::shuffle(order.begin(), order.end(), engine);
  Dims strides(sizes.size());
  std::uint32_t step = once_in(engine, 3) ? pick(engine, 1, 3) : 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step = step * sizes[order[i]] + (once_in(engine, 3) ? pick(engine, 0, 5) : 0);
  }
  if (is_input && once_in(engine, 3)) strides[pick(engine, 0, sizes.size() - 1)] = 0;
  return strides;
}

}  // namespace

void WindowCase::add_dimension(std::uint32_t window, std::uint32_t stride, std::uint32_t dilation,
                               std::uint32_t start, std::uint32_t end) {
  window_sizes.push_back(window);
  strides.push_back(stride);
  dilations.push_back(dilation);
  start_padding.push_back(start);
  end_padding.push_back(end);
}

bool WindowCase::set_columns() {
  std::uint64_t rows = image.sizes[1];
  std::uint64_t blocks = 1;
  for (const std::uint32_t size : window_sizes) rows *= size;
  for (const std::uint32_t count : block_counts()) blocks *= count;
  if (image.sizes[0] * rows * blocks > 60000) return false;
  columns.sizes = {image.sizes[0], static_cast<std::uint32_t>(rows),
                   static_cast<std::uint32_t>(blocks)};
  return true;
}

UnfoldParams WindowCase::unfold() const {
  return {.input = image,
          .output = columns,
          .window_sizes = window_sizes,
          .strides = strides,
          .dilations = dilations,
          .start_padding = start_padding,
          .end_padding = end_padding};
}

FoldParams WindowCase::fold() const {
  return {.input = columns,
          .output = image,
          .window_sizes = window_sizes,
          .strides = strides,
          .dilations = dilations,
          .start_padding = start_padding,
          .end_padding = end_padding};
}

Dims WindowCase::block_counts() const {
  Dims counts;
  for (std::size_t d = 0; d < window_sizes.size(); ++d) {
    const std::uint64_t padded =
        std::uint64_t{image.sizes[d + 2]} + start_padding[d] + end_padding[d];
    const std::uint64_t span = std::uint64_t{window_sizes[d] - 1} * dilations[d] + 1;
    counts.push_back(static_cast<std::uint32_t>((padded - span) / strides[d] + 1));
  }
  return counts;
}

std::string WindowCase::text() const {
  return std::string(name(image.data_type)) + " image " + text_of(image.sizes) +
         text_of(image.strides) + " columns " + text_of(columns.sizes) + text_of(columns.strides) +
         " windows " + text_of(window_sizes) + " strides " + text_of(strides) + " dilations " +
         text_of(dilations) + " padding " + text_of(start_padding) + text_of(end_padding);
}

WindowCase random_distant_windows(Engine& engine) {
  for (;;) {
    WindowCase c;
    const std::uint32_t spatial = pick(engine, 1, 3);
    c.image.sizes = {pick(engine, 1, 2), pick(engine, 1, 3)};
    for (std::uint32_t d = 0; d < spatial; ++d) {
      const bool last = d + 1 == spatial;
      const std::uint32_t blocks = pick(engine, 1, last ? 40 : 5);
      const std::uint32_t window = pick(engine, 1, last ? 40 : 6);
      const std::uint32_t most = last && once_in(engine, 4) ? 100 : 40;
      const std::uint32_t stride = once_in(engine, 3) ? window : pick(engine, 1, last ? most : 6);
      const std::uint32_t dilation = once_in(engine, 6) ? pick(engine, 2, 3) : 1;
      const std::uint32_t span = (blocks - 1) * stride + (window - 1) * dilation + 1;
      // Some of it may be padding; what is left at the end belongs to no block.
      const std::uint32_t start = once_in(engine, 2) ? pick(engine, 0, span - 1) / 2 : 0;
      const std::uint32_t end = once_in(engine, 2) ? (span - 1 - start) / 2 : 0;
      c.image.sizes.push_back(span - start - end + pick(engine, 0, stride - 1));
      c.add_dimension(window, stride, dilation, start, end);
    }
    std::uint64_t pixels = 1;
    for (const std::uint32_t size : c.image.sizes) pixels *= size;
    if (pixels > 200000 || !c.set_columns()) continue;
    c.image.data_type = c.columns.data_type = random_type(engine);
    return c;
  }
}

WindowCase random_window_case(Engine& engine, bool columns_are_output) {
  for (;;) {
    WindowCase c;
    const std::uint32_t spatial = pick(engine, 1, once_in(engine, 3) ? 6 : 3);
    const std::uint32_t largest = spatial == 1 ? 200 : spatial == 2 ? 24 : spatial == 3 ? 8 : 4;
    c.image.sizes = {pick(engine, 1, 3), pick(engine, 1, once_in(engine, 4) ? 20 : 3)};
    for (std::uint32_t d = 0; d < spatial; ++d) {
      const std::uint32_t size = pick(engine, 1, once_in(engine, 4) ? 1 : largest);
      c.image.sizes.push_back(size);
      const bool plain = once_in(engine, 4);
      const bool huge = !plain && once_in(engine, 8);
      std::uint32_t window = plain ? 1 : pick(engine, 1, std::min(largest, 5u));
      std::uint32_t start = plain ? 0 : pick(engine, 0, 3);
      std::uint32_t end = plain ? 0 : pick(engine, 0, 3);
      if (huge) (once_in(engine, 2) ? start : end) = pick(engine, UINT32_MAX - 9, UINT32_MAX);
      const std::uint64_t padded = std::uint64_t{size} + start + end;
      window = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, padded));
      // The widest dilation that fits, or a small one; a stride of a few, or of a few blocks.
      const std::uint64_t widest =
          window == 1 ? 4 : std::min<std::uint64_t>((padded - 1) / (window - 1), UINT32_MAX);
      const std::uint32_t dilation =
          huge && once_in(engine, 2)
              ? static_cast<std::uint32_t>(widest)
              : pick(engine, 1, std::min<std::uint64_t>(widest, once_in(engine, 2) ? 1 : 4));
      const std::uint64_t spread = padded - std::uint64_t{window - 1} * dilation;
      std::uint32_t stride = plain ? 1 : pick(engine, 1, once_in(engine, 2) ? 1 : 4);
      if (spread > 1000 || once_in(engine, 16)) {
        stride = pick(engine, std::max<std::uint64_t>(spread / 3, 1),
                      std::min<std::uint64_t>(spread + 3, UINT32_MAX));
      }
      c.add_dimension(window, stride, dilation, start, end);
    }
    if (!c.set_columns()) continue;
    if (once_in(engine, 8)) c.columns.sizes.insert(c.columns.sizes.begin(), spatial - 1, 1);
    c.image.data_type = c.columns.data_type = random_type(engine);
    c.image.strides = random_strides(engine, c.image.sizes, columns_are_output);
    c.columns.strides = random_strides(engine, c.columns.sizes, !columns_are_output);
    return c;
  }
}

}  // namespace weft::testing
