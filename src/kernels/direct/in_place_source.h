#pragma once

// Where sums in place read: in the input, or in a copy of a part of it. Only for in_place.cpp.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/direct/direct.h"
#include "kernels/direct/in_place.h"
#include "kernels/direct/in_place_sums.h"

namespace weft::kernels::WEFT_ISA {
namespace {

using std::int64_t;

// Where some channels are read: in the input, or in a copy.
template <class T>
struct Source {
  const T* in;  // of channel 0 of the block
  int64_t channel_stride, layer_stride, row_stride;
  int64_t layer, row;  // the first layer and row that are there
  int64_t end;         // of the channels
};

template <class T>
bool lies_inside(const DirectInPlace& b, const T* first, int64_t elements) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  return begin >= reinterpret_cast<std::uintptr_t>(b.readable) + b.before * sizeof(T) &&
         begin + (elements + b.after) * sizeof(T) <=
             reinterpret_cast<std::uintptr_t>(b.readable_end);
}

template <class T>
void copy_row(const T* from, int64_t width, T* to) {
  std::copy_n(from, width, to);
}
#ifdef __AVX512F__
// What it writes past the end is of rows to come, or memory that vectors may read.
inline void copy_row(const std::uint16_t* from, int64_t width, float* to) {
  for (int64_t i = 0; i < width; i += kLanes) {
    const __m256i halves = _mm256_maskz_loadu_epi16(inside(i, width), from + i);
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(halves));
  }
}
#endif

// Channels from `channel` on. Vectors that leave the rows must not leave the input: what cannot be
// had in place is copied, some channels at a time, and so is what is widened.
template <class T, class In = T>
Source<In> source_of(const DirectInPlace& b, int64_t channel) {
  const auto [d, h, w] = b.first;
  const int64_t layer = std::max<int64_t>(d, 0), row = std::max<int64_t>(h, 0);
  const int64_t layers =
      std::min((b.out_sizes.depth - 1) * b.step.depth + d + b.window.depth, b.in_sizes.depth) -
      layer;
  const int64_t rows =
      std::min((b.out_sizes.height - 1) * b.step.height + h + b.window.height, b.in_sizes.height) -
      row;
  const int64_t width = b.in_sizes.width;
  const int64_t count = std::min(b.copied, b.channels - channel);
  const T* from = static_cast<const T*>(b.in) + channel * b.in_channel_stride +
                  layer * b.in_strides.depth + row * b.in_strides.height;
  const int64_t elements = (count - 1) * b.in_channel_stride + (layers - 1) * b.in_strides.depth +
                           (rows - 1) * b.in_strides.height + width;
  if constexpr (std::is_same_v<T, In>) {
    if (lies_inside(b, from, elements)) {
      return {from - channel * b.in_channel_stride,
              b.in_channel_stride,
              b.in_strides.depth,
              b.in_strides.height,
              layer,
              row,
              channel + count};
    }
  }
  const int64_t layer_stride = rows * width;
  const int64_t channel_stride = DirectInPlace::copied_stride(layers * layer_stride);
  In* const to = reinterpret_cast<In*>(b.copy) +
                 (b.before + kDirectColumns - 1) / kDirectColumns * kDirectColumns;
  for (int64_t c = 0; c < count; ++c) {
    for (int64_t k = 0; k < layers; ++k) {
      for (int64_t r = 0; r < rows; ++r) {
        copy_row(from + c * b.in_channel_stride + k * b.in_strides.depth + r * b.in_strides.height,
                 width, to + c * channel_stride + k * layer_stride + r * width);
      }
    }
  }
  return {to - channel * channel_stride,
          channel_stride,
          layer_stride,
          width,
          layer,
          row,
          channel + count};
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
