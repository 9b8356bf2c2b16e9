#include "kernels/direct/in_place.h"

#include <algorithm>

#include "kernels/direct/direct_levels.h"
#include "kernels/one_nan.h"
#include "kernels/unrolled.h"

#ifdef __AVX512F__
#include <immintrin.h>

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// Vectors of 16, and of 8 for rows that need no more: these leave the shuffles a port of their own.
template <int kLanes>
struct Lanes;

template <>
struct Lanes<16> {
  using Vector = __m512;
  using Mask = __mmask16;
  static Vector set(float x) { return _mm512_set1_ps(x); }
  static Vector load(Mask mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
  // With a mask nothing else of memory is touched, which gcc's own loads cannot say.
  static Vector load(Mask mask, const std::uint16_t* from) {
    Vector x;
    asm("vcvtph2ps %2, %0 %{%1%} %{z%}"
        : "=v"(x)
        : "Yk"(mask), "m"(*reinterpret_cast<const __m256i_u*>(from)));
    return x;
  }
  static void store(Vector x, Mask mask, float* to) { _mm512_mask_storeu_ps(to, mask, x); }
  static void store(Vector x, Mask mask, std::uint16_t* to) {
    _mm256_mask_storeu_epi16(to, mask, _mm512_cvtps_ph(x, _MM_FROUND_NO_EXC));
  }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static Vector every_other(Vector low, Vector high) {
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_ps(low, even, high);
  }
};

template <>
struct Lanes<8> {
  using Vector = __m256;
  using Mask = __mmask8;
  static Vector set(float x) { return _mm256_set1_ps(x); }
  static Vector load(Mask mask, const float* from) { return _mm256_maskz_loadu_ps(mask, from); }
  static Vector load(Mask mask, const std::uint16_t* from) {
    Vector x;
    asm("vcvtph2ps %2, %0 %{%1%} %{z%}"
        : "=v"(x)
        : "Yk"(mask), "m"(*reinterpret_cast<const __m128i_u*>(from)));
    return x;
  }
  static void store(Vector x, Mask mask, float* to) { _mm256_mask_storeu_ps(to, mask, x); }
  static void store(Vector x, Mask mask, std::uint16_t* to) {
    _mm_mask_storeu_epi16(to, mask, _mm256_cvtps_ph(x, _MM_FROUND_NO_EXC));
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector every_other(Vector low, Vector high) {
    const __m256i even = _mm256_set_epi32(14, 12, 10, 8, 6, 4, 2, 0);
    return _mm256_permutex2var_ps(low, even, high);
  }
};

// Keeps a number in its register: gcc would rather load it at each use.
template <class Vector>
void keep(Vector& x) {
  asm("" : "+v"(x));
}

// Rows follow each other by one addition; gcc would keep the distance of each somewhere.
template <class T>
const T* step(const T* row, int64_t stride) {
  row += stride;
  asm("" : "+r"(row));
  return row;
}

// A block of outputs: some rows of some vectors of one layer, of one or two channels.
template <class T>
struct Block {
  const T* in;                   // of its first output, from which offsets count
  const int64_t* offsets;        // of the columns of the window
  const std::uint16_t* in_mask;  // of what is loaded, a column of the window after the other
  int64_t in_row_stride, in_layer_stride;
  int64_t top, bottom;  // the input rows of the block that lie inside
  const float* filter;
  int64_t layers, columns;  // of the window, layers those inside
  float bias[2];
  T* out;
  int64_t out_row_stride;
  std::uint16_t out_mask;  // of the last vector
  int64_t in_channel_stride, filter_channel_stride, out_channel_stride;
};

// Two channels at a time where one has not enough sums to hide how long one takes.
template <class T, int kLanes, int kRows, int kVectors, int kChannels, int kWindow, int kStep>
WEFT_UNROLLED void sum_block(const Block<T>& b) {
  using L = Lanes<kLanes>;
  using Vector = typename L::Vector;
  using Mask = typename L::Mask;
  constexpr int kInRows = (kRows - 1) * kStep + kWindow;
  constexpr int kAll = kVectors * kChannels;
  static_assert(kVectors == 1 || kChannels == 1);
  Vector sum[kRows][kAll];
#pragma GCC unroll 8
  for (auto& line : sum) {
#pragma GCC unroll 8
    for (Vector& s : line) s = L::set(0.0f);
  }
  const int64_t next = kChannels > 1 ? b.in_channel_stride : kLanes * kStep;  // vector
  const int64_t stride = b.in_row_stride, columns = b.columns, top = b.top, bottom = b.bottom;
  const float* factors = b.filter;
  const T* in_layer = b.in;
  for (int64_t k = b.layers; k > 0; --k, in_layer += b.in_layer_stride) {
    const std::uint16_t* masks = b.in_mask;
    for (int64_t j = 0; j < columns; ++j, ++factors) {
      Mask mask[kVectors * kStep];
#pragma GCC unroll 8
      for (Mask& m : mask) m = static_cast<Mask>(*masks++);
      Vector factor[kChannels][kWindow];
#pragma GCC unroll 2
      for (int c = 0; c < kChannels; ++c) {
        const float* number = factors + c * b.filter_channel_stride;
#pragma GCC unroll 8
        for (int i = 0; i < kWindow; ++i) {
          factor[c][i] = L::set(number[i * columns]);
          keep(factor[c][i]);
        }
      }
      const T* line = in_layer + b.offsets[j];
#pragma GCC unroll 32
      for (int i = 0; i < kInRows; ++i, line = step(line, stride)) {
        // Padding is less than a window.
        if (i < kWindow - 1 && i < top) continue;
        if (i > kInRows - kWindow && i >= bottom) continue;
        Vector x[kAll];
        const T* from_vector = line;
#pragma GCC unroll 8
        for (int n = 0; n < kAll; ++n, from_vector += next) {
          const Mask* const m = mask + n % kVectors * kStep;
          x[n] = L::load(m[0], from_vector);
          if constexpr (kStep == 2) {
            x[n] = L::every_other(x[n], L::load(m[1], from_vector + kLanes));
          }
          keep(x[n]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          const int h = i - r * kStep;
          if (h < 0 || h >= kWindow) continue;
#pragma GCC unroll 8
          for (int n = 0; n < kAll; ++n) {
            sum[r][n] = L::multiply_add(factor[n / kVectors][h], x[n], sum[r][n]);
          }
        }
      }
    }
    factors += (kWindow - 1) * columns;
  }
  const auto last = static_cast<Mask>(b.out_mask);
#pragma GCC unroll 2
  for (int c = 0; c < kChannels; ++c) {
    const Vector bias = L::set(b.bias[c]);
    T* to = b.out + c * b.out_channel_stride;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r, to += b.out_row_stride) {
#pragma GCC unroll 8
      for (int n = 0; n < kVectors; ++n) {
        const Vector x = one_nan(L::add(sum[r][c * kVectors + n], bias));
        L::store(x, n < kVectors - 1 ? static_cast<Mask>(-1) : last, to + n * kLanes);
      }
    }
  }
}

template <class T>
using Function = void (*)(const Block<T>& b);

template <class T, int kLanes, int kRows, int kWindow, int kStep>
Function<T> function_of(int64_t vectors) {
  if (kLanes == 8 || vectors == 1) return sum_block<T, kLanes, kRows, 1, 1, kWindow, kStep>;
  if constexpr (kLanes == 16) {
    if (vectors == 2) return sum_block<T, kLanes, kRows, 2, 1, kWindow, kStep>;
    return sum_block<T, kLanes, kRows, 3, 1, kWindow, kStep>;
  }
}

constexpr int64_t kLine = 64;  // bytes
constexpr int64_t kMostFetched = 4096;

// The lanes whose places, the first of which is `place`, lie in [0, size).
std::uint16_t inside(int64_t place, int64_t size, int lanes) {
  const auto before = static_cast<unsigned>(std::clamp<int64_t>(-place, 0, lanes));
  const auto end = static_cast<unsigned>(std::clamp<int64_t>(size - place, 0, lanes));
  return static_cast<std::uint16_t>(_bzhi_u32(~0u, end) & ~_bzhi_u32(~0u, before));
}

// Where a column of the window reads, from the place of an output, and the lanes that read inside.
struct Column {
  int64_t offset;
  std::uint16_t mask;
};

Column column_of(const DirectInPlace& b, int64_t column, int64_t place, int lanes) {
  const int64_t size = b.in_sizes.width;
  if (b.plane.width == 0) {
    const int64_t offset = column + b.first.width;
    return {offset, inside(place + offset, size, lanes)};
  }
  const int64_t width = b.plane.width;
  const int64_t rows = (column / b.plane.window_width + b.plane.first_row) * width;
  const int64_t right = column % b.plane.window_width + b.plane.first_column;
  const int64_t begin = std::max<int64_t>(-rows, 0), end = size - std::max<int64_t>(rows, 0);
  unsigned mask = inside(place - begin, end - begin, lanes);
  // Of each row the columns that would read the one before or after it.
  const int64_t left_out = right < 0 ? -right : right, first = right < 0 ? 0 : width - right;
  for (int64_t i = (place / width - 1) * width + first; i < place + lanes; i += width) {
    mask &= ~unsigned{inside(place - i, left_out, lanes)};
  }
  return {rows + right, static_cast<std::uint16_t>(mask)};
}

// Some rows at a time, of all columns. Strips are as wide as registers allow, all nearly the same.
template <class T, int kLanes, int kRows, int kWindow, int kStep>
void sum_channels(const DirectInPlace& b) {
  constexpr int64_t kMost = 3;
  const int64_t vectors = (b.out_sizes.width + kLanes - 1) / kLanes;
  const int64_t strips = (vectors + kMost - 1) / kMost;
  const int64_t width = vectors / strips, wider = vectors % strips;  // so many have one more
  const Function<T> wide =
      function_of<T, kLanes, kRows, kWindow, kStep>(wider > 0 ? width + 1 : width);
  const Function<T> narrow = function_of<T, kLanes, kRows, kWindow, kStep>(width);
  int64_t offsets[DirectInPlace::kMaxColumns];
  std::uint16_t masks[DirectInPlace::kMaxMasks];
  std::uint16_t* mask = masks;
  for (int64_t i = 0, first = 0; i < strips; ++i) {
    const int64_t loads = (i < wider ? width + 1 : width) * kStep;
    for (int64_t j = 0; j < b.window.width; ++j) {
      for (int64_t n = 0; n < loads; ++n) {
        const Column column = column_of(b, j, first + n * kLanes, kLanes);
        offsets[j] = column.offset;
        *mask++ = column.mask;
      }
    }
    first += loads * kLanes;
  }
  const bool pairs = vectors == 1;
  // Of channels so small the processor fetches the next ones too late.
  const int64_t fetched =
      pairs && b.in_channel_stride * static_cast<int64_t>(sizeof(T)) <= kMostFetched
          ? 2 * b.in_channel_stride
          : 0;
  for (int64_t channel = 0; channel < b.channels; channel += pairs ? 2 : 1) {
    Function<T> sum = wide;
    if (pairs && channel + 1 < b.channels) sum = sum_block<T, kLanes, kRows, 1, 2, kWindow, kStep>;
    const T* const in = static_cast<const T*>(b.in) + channel * b.in_channel_stride;
    T* const out = static_cast<T*>(b.out) + channel * b.out_channel_stride;
    const float* const filter = b.filter + channel * b.filter_channel_stride;
    for (int64_t i = 0; i < fetched; i += kLine / static_cast<int64_t>(sizeof(T))) {
      __builtin_prefetch(in + 2 * b.in_channel_stride + i);
    }
    Block<T> block;
    block.in_row_stride = b.in_strides.height;
    block.in_layer_stride = b.in_strides.depth;
    block.columns = b.window.width;
    block.offsets = offsets;
    for (int64_t c = 0; c < 2; ++c) {
      block.bias[c] = b.bias != nullptr && channel + c < b.channels ? b.bias[channel + c] : 0.0f;
    }
    block.in_channel_stride = b.in_channel_stride;
    block.filter_channel_stride = b.filter_channel_stride;
    block.out_channel_stride = b.out_channel_stride;
    block.out_row_stride = b.out_strides.height;
    for (int64_t layer = 0; layer < b.out_sizes.depth; ++layer) {
      const int64_t in_layer = layer * b.step.depth + b.first.depth;
      const int64_t front = std::max<int64_t>(-in_layer, 0);
      block.layers = std::min(b.window.depth, b.in_sizes.depth - in_layer) - front;
      block.filter = filter + front * kWindow * b.window.width;
      for (int64_t row = 0; row < b.out_sizes.height; row += kRows) {
        // The last rows are summed together with some before them, once more.
        const int64_t first = std::min(row, b.out_sizes.height - kRows);
        const int64_t in_row = first * kStep + b.first.height;
        block.top = -in_row;
        block.bottom = b.in_sizes.height - in_row;
        block.in = in + (in_layer + front) * b.in_strides.depth + in_row * b.in_strides.height;
        block.in_mask = masks;
        block.out = out + layer * b.out_strides.depth + first * b.out_strides.height;
        int64_t left = b.out_sizes.width;
        for (int64_t i = 0; i < strips; ++i) {
          const int64_t count = i < wider ? width + 1 : width;
          block.out_mask = inside(0, left - (count - 1) * kLanes, kLanes);
          (pairs || i < wider ? sum : narrow)(block);
          block.in += count * kStep * kLanes;
          block.in_mask += count * kStep * b.window.width;
          block.out += count * kLanes;
          left -= count * kLanes;
        }
      }
    }
  }
}

// Feature maps like to have a multiple of 7 rows; of others fewer are summed twice by 4.
template <class T, int kWindow, int kStep>
void sum_rows(const DirectInPlace& b) {
  const int64_t rows = b.out_sizes.height;
  const bool by_seven = rows >= 7 && (rows + 6) / 7 * 7 <= (rows + 3) / 4 * 4 + 2;
  if (rows < 4) return sum_channels<T, 16, 1, kWindow, kStep>(b);
  if (b.out_sizes.width <= 8) {
    return by_seven ? sum_channels<T, 8, 7, kWindow, kStep>(b)
                    : sum_channels<T, 8, 4, kWindow, kStep>(b);
  }
  return by_seven ? sum_channels<T, 16, 7, kWindow, kStep>(b)
                  : sum_channels<T, 16, 4, kWindow, kStep>(b);
}

template <int kWindow, int kStep>
void sum_window(const DirectInPlace& b) {
  b.half ? sum_rows<std::uint16_t, kWindow, kStep>(b) : sum_rows<float, kWindow, kStep>(b);
}

}  // namespace

void direct_in_place(const DirectInPlace& b) noexcept {
  if (b.step.height == 2) return b.window.height == 3 ? sum_window<3, 2>(b) : sum_window<5, 2>(b);
  switch (b.window.height) {
    case 3:
      return sum_window<3, 1>(b);
    case 5:
      return sum_window<5, 1>(b);
    default:
      return sum_window<7, 1>(b);
  }
}

}  // namespace weft::kernels::WEFT_ISA

#endif
