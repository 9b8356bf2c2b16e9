#include "kernels/direct/in_place.h"

#include <algorithm>

#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"

#ifdef __AVX2__
#include "kernels/direct/in_place_source.h"
#include "kernels/direct/in_place_sums.h"
#ifdef __AVX512F__
#include "kernels/direct/in_place_three.h"
#else
#include "kernels/direct/in_place_square.h"
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

using Function = void (*)(Block& b);

// Where a column of the window reads, from the place of an output.
int64_t offset_of(const DirectInPlace& b, int64_t column) {
  if (b.plane.width == 0) return column + b.first.width;
  return (column / b.plane.window_width + b.plane.first_row) * b.plane.width +
         column % b.plane.window_width + b.plane.first_column;
}

// The lanes of each vector of outputs whose places are in [begin, end).
void set_lanes(std::uint16_t* masks, int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t vector = begin / kLanes, left = end - vector * kLanes;
    masks[vector] |= static_cast<std::uint16_t>(
        _bzhi_u32(kAllLanes, static_cast<unsigned>(std::min(left, kLanes))) &
        (~0u << (begin - vector * kLanes)));
    begin = (vector + 1) * kLanes;
  }
}

// The lanes of each vector of outputs of which a column of the window reads inside.
void inside_of(const DirectInPlace& b, int64_t column, int64_t vectors, std::uint16_t* masks) {
  if (b.plane.width == 0) {
    for (int64_t n = 0; n < vectors; ++n) {
      masks[n] = inside(n * kLanes * b.step.width + column + b.first.width, b.in_sizes.width,
                        b.step.width);
    }
    return;
  }
  std::fill_n(masks, vectors, std::uint16_t{0});
  const int64_t width = b.plane.width, rows = b.in_sizes.width / width;
  const int64_t down = column / b.plane.window_width + b.plane.first_row;
  const int64_t right = column % b.plane.window_width + b.plane.first_column;
  for (int64_t row = std::max<int64_t>(-down, 0); row < std::min(rows, rows - down); ++row) {
    set_lanes(masks, row * width + std::max<int64_t>(-right, 0),
              row * width + std::min(width, width - right));
  }
}

// How a block is cut: some rows of at most so many vectors of so many channels.
struct Cut {
  int64_t rows, vectors, channels;
  Function (*function)(int64_t vectors, int64_t channels, bool half);
  bool fetches = false;  // as Fetch says
};

// From the first channel on, the lines of a channel, or of as many as are summed together, spread
// over all columns of all blocks.
template <class T>
Fetch fetch_of(const DirectInPlace& b, const Cut& cut, int64_t strips) {
  if (!cut.fetches) return {static_cast<const char*>(b.in), 0, 0, 0};
  constexpr int64_t kElement = sizeof(T);
  const int64_t channels = std::min(cut.channels, b.channels);
  const int64_t layers =
      std::min((b.out_sizes.depth - 1) * b.step.depth + b.window.depth, b.in_sizes.depth);
  const auto rows_of = [&](int64_t outputs) {
    return std::min((outputs - 1) * b.step.height + b.window.height, b.in_sizes.height);
  };
  const int64_t rows = rows_of(b.out_sizes.height), width = b.in_sizes.width;
  const int64_t bytes = ((channels - 1) * b.in_channel_stride + (layers - 1) * b.in_strides.depth +
                         (rows - 1) * b.in_strides.height + width) *
                        kElement;
  // Not where half of them or more are gaps.
  const bool dense = bytes < 2 * channels * layers * rows * width * kElement;
  const int64_t blocks = b.out_sizes.depth * ((b.out_sizes.height - 1) / cut.rows + 1) * strips;
  const int64_t columns = blocks * b.window.depth * b.window.width;
  // Steps a bit longer than a line leave few out.
  const int64_t times = std::max<int64_t>((bytes / columns + kLine - 8) / kLine, 1);
  // Past what the first block reads and writes.
  const int64_t first = std::max<int64_t>(b.first.depth, 0) * b.in_strides.depth +
                        std::max<int64_t>(b.first.height, 0) * b.in_strides.height;
  const int64_t read = (rows_of(cut.rows) - 1) * b.in_strides.height + width;
  const int64_t written = (cut.rows - 1) * b.out_strides.height + b.out_sizes.width;
  const char* const in =
      static_cast<const char*>(b.in) + first * kElement + std::max(read * kElement, kInAhead);
  const char* const out = static_cast<const char*>(b.out) + std::max(written * kElement, kOutAhead);
  return {in, out - in, bytes / (columns * times), dense ? times : 0};
}

// What is brought nearer with rows of so many channels: in the order in which it lies, where these
// follow each other, or the processor would see no stream. In turns, medians of one thread of Zen 4
// and two, us: 576 channels, 14x14, 3x3: 70, 50 and 40, 27.
Wanted wanted_with(int64_t channels, int64_t rows, int64_t row_bytes, int64_t channel_bytes) {
  const bool follow = channels > 1 && channel_bytes == rows * row_bytes;
  if (follow) return {nullptr, channels * row_bytes, row_bytes};
  return {nullptr, row_bytes, channel_bytes};
}

// Strips are as wide as a cut allows, all nearly the same. kAnywhere: the sums read nothing but the
// rows.
template <class T, bool kAnywhere = false, class In = T>
void sum_channels(const DirectInPlace& b, const Cut& cut) {
  const int64_t vectors = (b.out_sizes.width + kLanes - 1) / kLanes;
  const int64_t strips = (vectors + cut.vectors - 1) / cut.vectors;
  const int64_t width = vectors / strips, wider = vectors % strips;  // so many have one more
  int64_t offsets[DirectInPlace::kMaxColumns];
  std::uint16_t masks[DirectInPlace::kMaxMasks];
  for (int64_t j = 0; j < b.window.width; ++j) {
    offsets[j] = offset_of(b, j);
    if (strips == 1) {
      inside_of(b, j, vectors, masks + j * vectors);
      continue;
    }
    std::uint16_t all[DirectInPlace::kMaxMasks];
    inside_of(b, j, vectors, all);
    // Those of a strip together.
    for (int64_t i = 0, first = 0; i < strips; ++i) {
      const int64_t count = i < wider ? width + 1 : width;
      std::copy_n(all + first, count, masks + first * b.window.width + j * count);
      first += count;
    }
  }
  const bool half = b.halves && b.out_sizes.width <= vectors * kLanes - kLanes / 2;
  const Function wide = cut.function(wider > 0 ? width + 1 : width, 1, false);
  const Function narrow = cut.function(width, 1, false), last = cut.function(width, 1, half);
  constexpr int64_t kElement = sizeof(T);
  const Fetch fetch = fetch_of<T>(b, cut, strips);
  Block block;
  block.fetch = fetch;
  block.columns = b.window.width;
  block.offsets = offsets;
  block.rows = cut.rows;
  block.filter_channel_stride = b.filter_channel_stride;
  block.out_channel_stride = b.out_channel_stride;
  block.out_row_stride = b.out_strides.height;
  block.in_width = b.in_sizes.width;
  block.ramp = b.ramp;
  Source<In> source{};
  if constexpr (kAnywhere) {
    source = {static_cast<const T*>(b.in),
              b.in_channel_stride,
              b.in_strides.depth,
              b.in_strides.height,
              0,
              0,
              b.channels};
  }
  for (int64_t channel = 0; channel < b.channels; channel += block.channels) {
    if constexpr (!kAnywhere) {
      if (channel == source.end) source = source_of<T, In>(b, channel);
    }
    block.channels = std::min(cut.channels, source.end - channel);
    block.wanted = wanted_with(block.channels, b.in_sizes.height, b.in_strides.height * kElement,
                               b.in_channel_stride * kElement);
    block.wanted_out =
        wanted_with(block.channels, b.out_sizes.height, b.out_strides.height * kElement,
                    b.out_channel_stride * kElement);
    const Function at_end = block.channels > 1 ? cut.function(1, block.channels, half) : last;
    const In* const in = source.in + channel * source.channel_stride;
    T* const out = static_cast<T*>(b.out) + channel * b.out_channel_stride;
    const float* const filter = b.filter + channel * b.filter_channel_stride;
    block.in_row_stride = source.row_stride;
    block.in_layer_stride = source.layer_stride;
    block.in_channel_stride = source.channel_stride;
    for (int64_t c = 0; c < block.channels; ++c) {
      block.bias[c] = b.bias != nullptr ? b.bias[channel + c] : 0.0f;
    }
    block.fetch.in = fetch.in + channel * b.in_channel_stride * kElement;
    block.fetch.to_out =
        fetch.to_out + channel * (b.out_channel_stride - b.in_channel_stride) * kElement;
    for (int64_t layer = 0; layer < b.out_sizes.depth; ++layer) {
      const int64_t in_layer = layer * b.step.depth + b.first.depth;
      const int64_t front = std::max<int64_t>(-in_layer, 0);
      block.layers = std::min(b.window.depth, b.in_sizes.depth - in_layer) - front;
      block.filter = filter + front * b.window.height * b.window.width;
      for (int64_t row = 0; row < b.out_sizes.height; row += cut.rows) {
        // The last rows are summed together with some before them, once more.
        const int64_t first = std::min(row, b.out_sizes.height - cut.rows);
        const int64_t in_row = first * b.step.height + b.first.height;
        block.top = -in_row;
        block.bottom = b.in_sizes.height - in_row;
        const In* from = in + (in_layer + front - source.layer) * source.layer_stride +
                         (in_row - source.row) * source.row_stride;
        block.masks = masks;
        block.wanted.first =
            static_cast<const char*>(b.in) + kInAhead +
            (channel * b.in_channel_stride + (in_layer + front) * b.in_strides.depth +
             in_row * b.in_strides.height) *
                kElement;
        T* to = out + layer * b.out_strides.depth + first * b.out_strides.height;
        int64_t left = b.out_sizes.width;
        for (int64_t i = 0; i < strips; ++i) {
          const int64_t count = i < wider ? width + 1 : width;
          const int64_t read = count * kLanes * b.step.width;
          block.in = from;
          block.column = (b.out_sizes.width - left) * b.step.width;
          block.out = to;
          block.wanted_out.first = reinterpret_cast<const char*>(to) + kOutAhead;
          block.out_mask = inside(0, left - (count - 1) * kLanes);
          (i < wider ? wide : i < strips - 1 ? narrow : at_end)(block);
          from += read;
          block.masks += count * b.window.width;
          block.wanted.first += read * kElement;
          to += count * kLanes;
          left -= count * kLanes;
        }
      }
    }
  }
}

#ifdef __AVX512F__
template <class T, int kRows, int kVectors, int kChannels, int kWindow, int kStep, class In>
Function block_of(bool half) {
  return half ? sum_block<T, kRows, kVectors, kChannels, kWindow, kStep, true, In>
              : sum_block<T, kRows, kVectors, kChannels, kWindow, kStep, false, In>;
}

template <class T, int kRows, int kWindow, int kStep, class In>
Function block_function(int64_t vectors, int64_t channels, bool half) {
  if (channels > 1) return block_of<T, kRows, 1, 2, kWindow, kStep, In>(half);
  if (vectors == 1) return block_of<T, kRows, 1, 1, kWindow, kStep, In>(half);
  if (vectors == 2) return block_of<T, kRows, 2, 1, kWindow, kStep, In>(half);
  return block_of<T, kRows, 3, 1, kWindow, kStep, In>(half);
}

// Of one channel, with so many vectors as registers have room for.
template <class T, int kRows, int kMost, int kWindow, class In>
Function tall_function([[maybe_unused]] int64_t vectors, int64_t /*channels*/, bool half) {
  if constexpr (kMost > 2) {
    if (vectors > 2) return block_of<T, kRows, kMost, 1, kWindow, 1, In>(half);
  }
  if constexpr (kMost > 1) {
    if (vectors > 1) return block_of<T, kRows, 2, 1, kWindow, 1, In>(half);
  }
  return block_of<T, kRows, 1, 1, kWindow, 1, In>(half);
}

template <class T, bool kHalf>
Function three_of(int64_t vectors) {
  constexpr Function of_vectors[] = {sum_three<T, 1, 1, kHalf>, sum_three<T, 2, 1, kHalf>,
                                     sum_three<T, 3, 1, kHalf>, sum_three<T, 4, 1, kHalf>,
                                     sum_three<T, 5, 1, kHalf>, sum_three<T, 6, 1, kHalf>,
                                     sum_three<T, 7, 1, kHalf>};
  return of_vectors[vectors - 1];
}

template <class T>
Function three_function(int64_t vectors, int64_t channels, bool half) {
  if (channels > 1) return half ? sum_three<T, 1, 2, true> : sum_three<T, 1, 2, false>;
  return half ? three_of<T, true>(vectors) : three_of<T, false>(vectors);
}

template <class T, int kWindow, int kStep>
Function narrow_function(int64_t /*vectors*/, int64_t channels, bool /*half*/) {
  return channels > 2 ? sum_narrow<T, 2, kWindow, kStep> : sum_narrow<T, 1, kWindow, kStep>;
}

template <class T, int kWindow, int kStep>
void sum_window(const DirectInPlace& b) {
  const int64_t rows = b.out_sizes.height, columns = b.out_sizes.width;
  const int64_t pair = columns <= kLanes ? 2 : 1;
  if (b.plane.width == 0 && b.window.depth == 1 && b.window.width == kWindow) {
    if (columns <= 8 && b.in_sizes.width <= kLanes) {
      constexpr bool kAnywhere = sizeof(T) < sizeof(float);
      return sum_channels<T, kAnywhere>(b, {rows, 1, 4, narrow_function<T, kWindow, kStep>});
    }
    if constexpr (kWindow == 3 && kStep == 1) {
      if (DirectInPlace::has_three(b.in_sizes.width, columns, -b.first.width)) {
        return sum_channels<T>(b, {rows, 7, pair, three_function<T>});
      }
    }
  }
  // So many columns of a window read the same numbers that float16 is widened in a copy. 96
  // channels, 56x56, on one core of a Xeon: 262 us, 240 so; 240 of 28x28, 5x5, though: 90, 105.
  using In = std::conditional_t<kStep == 1 && kWindow == 7, float, T>;
  const auto sum = [&](const Cut& cut) { sum_channels<T, false, In>(b, cut); };
  const auto rounded = [&](int64_t n) { return (rows + n - 1) / n * n; };
  // The more rows, the fewer loads for each sum: nearly all of them cross cache lines. In turns,
  // us: 7x7, 64x64, by four rows 573, by eight 470; 3x3x3 of 13 layers, by seven 284, by 13 246; on
  // one core of a Xeon 7x7, 96 channels of 56x56, by seven and two vectors 232, by 14 and one 208.
  if constexpr (kStep == 1) {
    if constexpr (kWindow == 3) {
      if (pair == 1 && rows % 13 == 0) {
        return sum({13, 2, 1, tall_function<T, 13, 2, kWindow, In>, true});
      }
    } else if (rows % 14 == 0) {
      return sum({14, 1, 1, tall_function<T, 14, 1, kWindow, In>, true});
    }
    constexpr int kMost = kWindow == 3 ? 3 : 2;
    const bool fits = kMost == 3 || (columns + kLanes - 1) / kLanes % 2 == 0;  // no vector alone
    if (pair == 1 && fits && rounded(8) < rounded(7)) {
      return sum({8, kMost, 1, tall_function<T, 8, kMost, kWindow, In>, true});
    }
  }
  // Feature maps like to have a multiple of 7 rows; of others fewer are summed twice by 4.
  const bool by_seven = rows >= 7 && rounded(7) <= rounded(4) + 2;
  if (rows < 4) return sum({1, 3, pair, block_function<T, 1, kWindow, kStep, In>, true});
  by_seven ? sum({7, 3, pair, block_function<T, 7, kWindow, kStep, In>, true})
           : sum({4, 3, pair, block_function<T, 4, kWindow, kStep, In>, true});
}

#else
template <class T, int kRows, int kWindow, int kStep>
Function one_vector(int64_t /*vectors*/, int64_t /*channels*/, bool /*half*/) {
  return sum_block<T, kRows, 1, 1, kWindow, kStep, false>;
}

template <class T, int kWindow, int kStep>
void sum_window(const DirectInPlace& b) {
  // Every output has a column of the window inside.
  const bool pads_little = b.first.width > -kWindow &&
                           (b.out_sizes.width - 1) * kStep + b.first.width < b.in_sizes.width;
  if (b.plane.width == 0 && b.window.width == kWindow && pads_little) {
    if (b.window.depth == 1) return sum_squares<T, kWindow, kStep, false>(b);
    if constexpr (kWindow == 3) return sum_squares<T, kWindow, kStep, true>(b);
  }
  const int64_t rows = rows_together(b.out_sizes.height);
  const auto sum = [&](auto function) { sum_channels<T>(b, {rows, 1, 1, function, true}); };
  if (rows == 7) return sum(one_vector<T, 7, kWindow, kStep>);
  rows == 4 ? sum(one_vector<T, 4, kWindow, kStep>) : sum(one_vector<T, 1, kWindow, kStep>);
}
#endif

template <class T>
void sum(const DirectInPlace& b) {
  if (b.step.height == 2)
    return b.window.height == 3 ? sum_window<T, 3, 2>(b) : sum_window<T, 5, 2>(b);
  if (b.window.height == 3) return sum_window<T, 3, 1>(b);
  b.window.height == 5 ? sum_window<T, 5, 1>(b) : sum_window<T, 7, 1>(b);
}

}  // namespace

void direct_in_place(const DirectInPlace& b) noexcept {
  if (b.run) return direct_in_place_runs(b);
  b.half ? sum<std::uint16_t>(b) : sum<float>(b);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
