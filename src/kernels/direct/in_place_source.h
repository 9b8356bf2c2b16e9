#pragma once

// Where sums in place read: in the input, or in a copy of a part of it. Only for in_place.cpp.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"
#include "kernels/direct/in_place.h"

namespace weft::kernels::WEFT_ISA {
namespace {

using std::int64_t;

// Where some channels are read: in the input, or in a copy.
template <class In>
struct Source {
  const In* in;  // of channel 0 of the block
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

// Channels from `channel` on. Vectors that leave the rows must not leave the input, and have
// numbers of type In to read: what cannot be had in place is copied, some channels at a time.
template <class T, class In>
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
  if constexpr (std::is_same_v<T, In>) {
    const int64_t elements = (count - 1) * b.in_channel_stride + (layers - 1) * b.in_strides.depth +
                             (rows - 1) * b.in_strides.height + width;
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
  // Rows without gaps are one.
  const bool dense = b.in_strides.height == width;
  const int64_t layer_stride = rows * width;
  const int64_t channel_stride = DirectInPlace::copied_stride(layers * layer_stride);
  In* const to = reinterpret_cast<In*>(b.copy) +
                 (b.before + kDirectColumns - 1) / kDirectColumns * kDirectColumns;
  // In ascending order, since zeros may be written after each row.
  const int64_t runs = layers > 1 ? count : 1;
  for (int64_t c = 0; c < runs; ++c) {
    for (int64_t k = 0; k < layers; ++k) {
      const T* const first = from + c * b.in_channel_stride + k * b.in_strides.depth;
      In* const copy = to + c * channel_stride + k * layer_stride;
      if constexpr (sizeof(In) < sizeof(float)) {
        for (int64_t i = 0; i < count / runs; ++i) {
          for (int64_t r = 0; r < rows; ++r) {
            std::copy_n(first + i * b.in_channel_stride + r * b.in_strides.height, width,
                        copy + i * channel_stride + r * width);
          }
        }
      } else {
        const DirectRows r{.from = first,
                           .from_channel_stride = b.in_channel_stride,
                           .from_row_stride = b.in_strides.height,
                           .from_stride = 1,
                           .to = copy,
                           .to_odd = nullptr,
                           .to_channel_stride = channel_stride,
                           .to_row_stride = width,
                           .channels = count / runs,
                           .rows = dense ? 1 : rows,
                           .columns = dense ? layer_stride : width};
        sizeof(T) == sizeof(float) ? direct_load_f32(r) : direct_load_f16(r);
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
