#pragma once

// Sums of windows of 3x3, 5x5 and 7x7 with AVX2. Only for in_place.cpp.

#include "kernels/direct/in_place_source.h"
#include "kernels/direct/in_place_sums.h"

namespace weft::kernels::WEFT_ISA {
namespace {

// So many rows of outputs, of one vector each, are summed together: feature maps like to have a
// multiple of 7. As many sums hide how long one takes.
inline int64_t rows_together(int64_t rows) {
  if (rows < 4) return 1;
  const int64_t by_seven = (rows + 6) / 7 * 7, by_four = (rows + 3) / 4 * 4;
  return rows >= 7 && by_seven * 9 <= by_four * 10 ? 7 : 4;
}

// Vectors of a row, all of which but the first and the last two read nothing beside it. The last
// one begins earlier where it would not be whole, unless it is the only one.
struct Columns {
  int64_t size, vectors;

  int64_t start(int64_t n) const { return n == 0 ? 0 : std::min(n * kLanes, size - kLanes); }
  // Number of its masks; -1: it needs none.
  int64_t masks(int64_t n) const {
    if (n == 0) return 0;
    return n < vectors - 2 ? -1 : n - vectors + 3;
  }
};

// One layer of the input under the window's: adds what the columns of the window make of it.
// `rows`: of the input, where the first column reads them.
template <class T, int kRows, int kWindow, int kStep, bool kMasked>
[[gnu::always_inline]] WEFT_UNROLLED inline void add_square(
    Vector (&sum)[kRows], const T* const (&rows)[(kRows - 1) * kStep + kWindow],
    const float* filter, const Mask* masks) {
#pragma GCC unroll 8
  for (int j = 0; j < kWindow; ++j) {
    Vector factor[kWindow];
#pragma GCC unroll 8
    for (int i = 0; i < kWindow; ++i) factor[i] = keep(set(filter[j * kWindow + i]));
    [[maybe_unused]] Mask mask;
    if constexpr (kMasked) mask = keep(masks[j]);
#pragma GCC unroll 32
    for (int i = 0; i < (kRows - 1) * kStep + kWindow; ++i) {
      Vector x = kStep == 2 ? load_every_other(rows[i] + j) : load(rows[i] + j);
      if constexpr (kMasked) x = only(x, mask);
      x = keep(x);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const int h = i - r * kStep;
        if (h >= 0 && h < kWindow) sum[r] = multiply_add(factor[h], x, sum[r]);
      }
    }
  }
}

// Some rows of outputs of one layer and channel.
template <class T>
struct SquareRows {
  const T* in;  // what the first tap of the first output reads, or would
  int64_t in_stride, in_layer_stride;
  int64_t top, bottom;  // the input rows inside, counted from there
  const float* filter;
  int64_t layers;  // of the window that lie inside, from that filter on
  Vector bias;
  const Ramp* ramp;  // or null
  T* out;
  int64_t out_stride;
  const char* wanted;  // memory that is brought nearer
  const char* wanted_out;
};

// One vector of each, from the first column on.
template <class T, int kRows, int kWindow, int kStep, bool kDeep, bool kMasked>
[[gnu::always_inline]] WEFT_UNROLLED inline void sum_square(const SquareRows<T>& s, int64_t column,
                                                            const Mask* masks, int64_t width) {
  constexpr int kInRows = (kRows - 1) * kStep + kWindow;
  alignas(kLine) static constexpr float kZeros[4 * kLanes] = {};
  const T* zeros = reinterpret_cast<const T*>(kZeros);
  asm("" : "+r"(zeros));  // or gcc makes branches of it
  Vector sum[kRows];
#pragma GCC unroll 16
  for (Vector& x : sum) x = set(0.0f);
  const T* layer = s.in + column * kStep;
  const float* filter = s.filter;
  for (int64_t k = kDeep ? s.layers : 1; k > 0; --k) {
    const T* rows[kInRows];
    const T* from = layer;
#pragma GCC unroll 32
    for (int i = 0; i < kInRows; ++i, from = step(from, s.in_stride)) {
      rows[i] = from;
      // Padding is less than a window.
      if (i < kWindow - 1 && i < s.top) rows[i] = zeros;
      if (i > kInRows - kWindow && i >= s.bottom) rows[i] = zeros;
      asm("" : "+r"(rows[i]));
    }
    add_square<T, kRows, kWindow, kStep, kMasked>(sum, rows, filter, masks);
    layer += s.in_layer_stride;
    filter += int64_t{kWindow} * kWindow;
  }
  // Of a part of a vector what is written too much is overwritten by the next row.
  const unsigned part = (1u << std::min(width, kLanes)) - 1;
  const bool whole = !kMasked || width >= kLanes;
  const bool follows = width >= kLanes / 2 && s.out_stride == width;
  T* out = s.out + column;
  finish(sum, {s.bias}, s.ramp);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, out += s.out_stride) {
    store(in_order<kStep>(sum[r]), whole || (follows && r < kRows - 1) ? kAllLanes : part, out);
  }
}

template <class T, int kRows, int kWindow, int kStep, bool kDeep>
WEFT_UNROLLED void sum_square_rows(SquareRows<T>& s, const Columns& columns,
                                   const Mask (&masks)[3][kWindow]) {
  constexpr int64_t kBytes = kRows * kLanes * sizeof(T);
  for (int64_t n = 0; n < columns.vectors; ++n) {
    // With each vector of outputs what it takes.
    for (int64_t i = 0; i < kBytes * kStep * kStep; i += kLine) __builtin_prefetch(s.wanted + i);
    for (int64_t i = 0; i < kBytes; i += kLine) __builtin_prefetch(s.wanted_out + i, 1);
    s.wanted += kBytes * kStep * kStep;
    s.wanted_out += kBytes;
    const int64_t start = columns.start(n), masked = columns.masks(n);
    if (masked < 0) {
      sum_square<T, kRows, kWindow, kStep, kDeep, false>(s, start, nullptr, columns.size);
    } else {
      sum_square<T, kRows, kWindow, kStep, kDeep, true>(s, start, masks[masked], columns.size);
    }
  }
}

// kDeep: under windows of several layers.
template <class T, int kWindow, int kStep, bool kDeep>
void sum_squares(const DirectInPlace& b) {
  const int64_t width = b.out_sizes.width, height = b.out_sizes.height;
  const Columns columns = {width, (width + kLanes - 1) / kLanes};
  Mask masks[3][kWindow];
  for (int64_t n = 0; n < columns.vectors; ++n) {
    const int64_t number = columns.masks(n);
    if (number < 0) continue;
    for (int64_t j = 0; j < kWindow; ++j) {
      masks[number][j] = lanes_of<kStep>(
          inside(columns.start(n) * kStep + j + b.first.width, b.in_sizes.width, kStep));
    }
  }
  const int64_t together = rows_together(height);
  const auto sum = together == 7   ? sum_square_rows<T, 7, kWindow, kStep, kDeep>
                   : together == 4 ? sum_square_rows<T, 4, kWindow, kStep, kDeep>
                                   : sum_square_rows<T, 1, kWindow, kStep, kDeep>;
  Source<T> source{};
  SquareRows<T> s;
  s.out_stride = b.out_strides.height;
  s.ramp = b.ramp;
  for (int64_t channel = 0; channel < b.channels; ++channel) {
    if (channel == source.end) source = source_of<T>(b, channel);
    s.bias = set(b.bias != nullptr ? b.bias[channel] : 0.0f);
    s.in_stride = source.row_stride;
    s.in_layer_stride = source.layer_stride;
    const T* const in = source.in + channel * source.channel_stride + b.first.width;
    for (int64_t layer = 0; layer < b.out_sizes.depth; ++layer) {
      const int64_t in_layer = layer * b.step.depth + b.first.depth;
      const int64_t front = std::max<int64_t>(-in_layer, 0);
      s.layers = std::min(b.window.depth, b.in_sizes.depth - in_layer) - front;
      s.filter = b.filter + channel * b.filter_channel_stride + front * kWindow * kWindow;
      for (int64_t row = 0; row < height; row += together) {
        // The last rows are summed together with some before them, once more.
        const int64_t first = std::min(row, height - together);
        const int64_t in_row = first * kStep + b.first.height;
        s.in = in + (in_layer + front - source.layer) * source.layer_stride +
               (in_row - source.row) * source.row_stride;
        s.top = -in_row;
        s.bottom = b.in_sizes.height - in_row;
        s.out = static_cast<T*>(b.out) + channel * b.out_channel_stride +
                layer * b.out_strides.depth + first * b.out_strides.height;
        // Of the layers under the window the last one is new; after the last output, the next
        // channel's first one.
        s.wanted = reinterpret_cast<const char*>(
                       static_cast<const T*>(b.in) + channel * b.in_channel_stride +
                       (in_layer + b.window.depth - 1) * b.in_strides.depth +
                       in_row * b.in_strides.height) +
                   kInAhead;
        s.wanted_out = reinterpret_cast<const char*>(s.out) + kOutAhead;
        sum(s, columns, masks);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
