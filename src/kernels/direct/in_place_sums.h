#pragma once

// Sums of blocks of outputs, read where the input lies or from a copy. Only for in_place.cpp
// and in_place_runs.cpp, with AVX-512 or AVX2.

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/one_nan.h"
#include "kernels/ramp.h"
#include "kernels/unrolled.h"
#ifdef __AVX512F__
#include "kernels/halves.h"
#include "kernels/interleave.h"
#endif

namespace weft::kernels::WEFT_ISA {
namespace {

using std::int64_t;

inline constexpr int64_t kLine = 64;  // bytes

// How far ahead of the sums their memory is fetched, in bytes: the processor would begin too late
// with outputs, and with inputs wherever a page ends.
inline constexpr int64_t kInAhead = 8192;
inline constexpr int64_t kOutAhead = 4096;

#ifdef __AVX512F__
using Vector = __m512;
using Mask = __mmask16;
inline constexpr int64_t kLanes = 16;
inline constexpr std::uint16_t kAllLanes = 0xffff;

inline Vector set(float x) { return _mm512_set1_ps(x); }

// Keeps a number in its register: gcc would rather load it at each use.
inline Vector keep(Vector x) {
  asm("" : "+v"(x));
  return x;
}

// As _mm512_loadu_ps(), for numbers that are used several times. Where `half` is set, which the
// compiler knows, only the first half of the result is of use.
inline Vector load(const float* from, bool half = false) {
  return keep(half ? from_half(_mm256_loadu_ps(from)) : _mm512_loadu_ps(from));
}
inline Vector load(const std::uint16_t* from, bool half = false) {
  const auto* numbers = reinterpret_cast<const __m128i*>(from);
  return keep(half ? from_half(_mm256_cvtph_ps(_mm_loadu_si128(numbers)))
                   : _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}

// Of two vectors every other number.
inline Vector load_every_other(const float* from, bool half) {
  if (!half) return every_other(load(from), load(from + kLanes));
  return from_half(_mm256_permutex2var_ps(_mm256_loadu_ps(from),
                                          _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14),
                                          _mm256_loadu_ps(from + kLanes / 2)));
}
inline Vector load_every_other(const std::uint16_t* from, bool half) {
  if (!half) return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_loadu_si512(from)));
  return from_half(_mm256_cvtph_ps(
      _mm256_cvtepi32_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))));
}

// The lanes of some bits.
template <int kStep>
Mask lanes_of(std::uint16_t bits) {
  return bits;
}

// Of x those lanes; where sums have a mask themselves, all.
inline Vector only(Vector x, Mask /*mask*/) { return x; }

// c where the mask is not set, which costs nothing; masks of loads do.
inline Vector multiply_add(Vector a, Vector b, Vector c, Mask mask, bool half = false) {
  if (!half) return _mm512_mask3_fmadd_ps(a, b, c, mask);
  return from_half(
      _mm256_mask3_fmadd_ps(half_of(a), half_of(b), half_of(c), static_cast<__mmask8>(mask)));
}

template <int kStep>
Vector in_order(Vector x) {
  return x;
}

inline Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }

inline void store(Vector x, Mask mask, float* to) { _mm512_mask_storeu_ps(to, mask, x); }
inline void store(Vector x, Mask mask, std::uint16_t* to) {
  _mm256_mask_storeu_epi16(to, mask, _mm512_cvtps_ph(x, _MM_FROUND_NO_EXC));
}

#else
using Vector = __m256;
using Mask = __m256;
inline constexpr int64_t kLanes = 8;
inline constexpr std::uint16_t kAllLanes = 0xff;

inline Vector set(float x) { return _mm256_set1_ps(x); }

inline Vector keep(Vector x) {
  asm("" : "+x"(x));
  return x;
}

inline Vector load(const float* from, bool /*half*/ = false) { return _mm256_loadu_ps(from); }
inline Vector load_once(const float* from) { return keep(load(from)); }
inline Vector load(const std::uint16_t* from, bool /*half*/ = false) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

template <int kStep>
Mask lanes_of(std::uint16_t bits) {
  const __m256i lanes = kStep == 2 ? _mm256_setr_epi32(1, 2, 16, 32, 4, 8, 64, 128)
                                   : _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_castsi256_ps(
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lanes), lanes));
}
inline Vector only(Vector x, Mask mask) { return keep(_mm256_and_ps(x, mask)); }

inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline Vector multiply_add(Vector a, Vector b, Vector c, Mask /*mask*/, bool /*half*/) {
  return multiply_add(a, b, c);
}

// Every other number of two vectors, those of their halves together until in_order().
inline Vector every_other(Vector low, Vector high) { return _mm256_shuffle_ps(low, high, 0x88); }
template <class T>
Vector load_every_other(const T* from, bool /*half*/ = false) {
  return every_other(load(from), load(from + kLanes));
}
template <int kStep>
Vector in_order(Vector x) {
  if constexpr (kStep == 1) return x;
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8));
}

inline Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }

// Stores with a mask take AMD's processors 18 operations and more.
inline void store(Vector x, unsigned mask, float* to) {
  if (mask == kAllLanes) return _mm256_storeu_ps(to, x);
  __m128 half = _mm256_castps256_ps128(x);
  if ((mask & 8) != 0) {
    _mm_storeu_ps(to, half);
    half = _mm256_extractf128_ps(x, 1);
    to += 4;
    mask >>= 4;
  }
  if ((mask & 2) != 0) {
    _mm_storel_pi(reinterpret_cast<__m64*>(to), half);
    half = _mm_movehl_ps(half, half);
    to += 2;
    mask >>= 2;
  }
  if ((mask & 1) != 0) _mm_store_ss(to, half);
}
inline void store(Vector x, unsigned mask, std::uint16_t* to) {
  const __m128i halves = _mm256_cvtps_ph(x, _MM_FROUND_NO_EXC);
  if (mask == kAllLanes) return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
  store_some_halves(halves, to, __builtin_popcount(mask));
}
#endif

// Whole sums become results. The biases are of as many channels, whose sums follow each other.
template <int N, std::size_t kChannels>
[[gnu::always_inline]] WEFT_UNROLLED inline void finish(Vector (&sum)[N],
                                                        const Vector (&bias)[kChannels],
                                                        const Ramp* bent) {
  constexpr int kOfChannel = N / static_cast<int>(kChannels);
#pragma GCC unroll 32
  for (int n = 0; n < N; ++n) sum[n] = kernels::one_nan(add(sum[n], bias[n / kOfChannel]));
  if (bent == nullptr) return;
#pragma GCC unroll 32
  for (Vector& s : sum) s = ramp(s, *bent);
}

// The lanes whose places, every `step` from `place` on, lie in [0, size).
inline std::uint16_t inside(int64_t place, int64_t size, int64_t step = 1) {
  const auto reaching = [&](int64_t end) {
    return static_cast<unsigned>(std::clamp<int64_t>((end - place + step - 1) / step, 0, kLanes));
  };
  return static_cast<std::uint16_t>(_bzhi_u32(~0u, reaching(size)) & ~_bzhi_u32(~0u, reaching(0)));
}

// Rows follow each other by one addition; gcc would keep the distance of each somewhere.
template <class T>
const T* step(const T* row, int64_t stride) {
  row += stride;
  asm("" : "+r"(row));
  return row;
}

// Memory that is brought nearer in the order in which it lies, so many times with each column of a
// window: lines of the input and, where outputs lie as close as inputs, of the output.
struct Fetch {
  const char* in;
  int64_t to_out;  // bytes from there
  int64_t step;    // bytes
  int64_t times;
};

// Memory that is brought nearer with each row of each channel; strides in bytes.
struct Wanted {
  const char* first;
  int64_t row_stride, channel_stride;
};

// A block of outputs: some rows of some vectors of one layer, of some channels.
struct Block {
  const void* in;              // of its first output, from which offsets count
  int64_t column, in_width;    // where that lies in a row, and the row's size
  const int64_t* offsets;      // of the columns of the window
  const std::uint16_t* masks;  // of the vectors, a column of the window after the other
  int64_t in_row_stride, in_layer_stride;
  int64_t rows;         // of outputs
  int64_t top, bottom;  // the input rows of the block that lie inside
  const float* filter;
  int64_t layers, columns;  // of the window, layers those inside
  float bias[4];
  const Ramp* ramp;  // or null
  void* out;
  int64_t out_row_stride;
  std::uint16_t out_mask;  // of the last vector
  int64_t channels;
  int64_t in_channel_stride, filter_channel_stride, out_channel_stride;
  Fetch fetch;                // for sum_block(), which moves it on
  Wanted wanted, wanted_out;  // for the others
};

template <class T>
void fetch_output(const T* to) {
  __builtin_prefetch(reinterpret_cast<const char*>(to) + kOutAhead, 1);
}

// Two channels at a time where one has not enough sums to hide how long one takes.
// In: of the rows that are read, T: of the outputs. kHalf: the last vector is half full at most.
template <class T, int kRows, int kVectors, int kChannels, int kWindow, int kStep, bool kHalf,
          class In = T>
WEFT_UNROLLED void sum_block(Block& b) {
  constexpr int kInRows = (kRows - 1) * kStep + kWindow;
  constexpr int kAll = kVectors * kChannels;
  static_assert(kVectors == 1 || kChannels == 1);
  const auto half = [](int n) { return kHalf && n % kVectors == kVectors - 1; };
  Vector sum[kRows][kAll];
#pragma GCC unroll 16
  for (auto& line : sum) {
#pragma GCC unroll 16
    for (Vector& s : line) s = set(0.0f);
  }
  const int64_t next = kChannels > 1 ? b.in_channel_stride : kLanes * kStep;  // vector
  const int64_t stride = b.in_row_stride, columns = b.columns, top = b.top, bottom = b.bottom;
  const char* wanted = b.fetch.in;
  const float* factors = b.filter;
  const auto* in_layer = static_cast<const In*>(b.in);
  for (int64_t k = b.layers; k > 0; --k, in_layer += b.in_layer_stride) {
    const std::uint16_t* masks = b.masks;
    for (int64_t j = 0; j < columns; ++j, factors += kWindow) {
      for (int64_t i = b.fetch.times; i > 0; --i, wanted += b.fetch.step) {
        __builtin_prefetch(wanted);
        if constexpr (kStep == 1) __builtin_prefetch(wanted + b.fetch.to_out, 1);
      }
      Mask mask[kVectors];
#pragma GCC unroll 16
      for (Mask& m : mask) m = lanes_of<kStep>(*masks++);
      Vector factor[kChannels][kWindow];
#pragma GCC unroll 2
      for (int c = 0; c < kChannels; ++c) {
        const float* number = factors + c * b.filter_channel_stride;
#pragma GCC unroll 16
        for (int i = 0; i < kWindow; ++i) factor[c][i] = keep(set(number[i]));
      }
      const In* line = in_layer + b.offsets[j];
#pragma GCC unroll 32
      for (int i = 0; i < kInRows; ++i, line = step(line, stride)) {
        // Padding is less than a window.
        if (i < kWindow - 1 && i < top) continue;
        if (i > kInRows - kWindow && i >= bottom) continue;
        Vector x[kAll];
        const In* from = line;
#pragma GCC unroll 16
        for (int n = 0; n < kAll; ++n, from += next) {
          x[n] = kStep == 2 ? keep(load_every_other(from, half(n))) : load(from, half(n));
          x[n] = only(x[n], mask[n % kVectors]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const int h = i - r * kStep;
          if (h < 0 || h >= kWindow) continue;
#pragma GCC unroll 16
          for (int n = 0; n < kAll; ++n) {
            sum[r][n] =
                multiply_add(factor[n / kVectors][h], x[n], sum[r][n], mask[n % kVectors], half(n));
          }
        }
      }
    }
  }
  Vector bias[kChannels];
#pragma GCC unroll 2
  for (int c = 0; c < kChannels; ++c) bias[c] = set(b.bias[c]);
#pragma GCC unroll 16
  for (auto& line : sum) finish(line, bias, b.ramp);
#pragma GCC unroll 2
  for (int c = 0; c < kChannels; ++c) {
    T* to = static_cast<T*>(b.out) + c * b.out_channel_stride;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, to += b.out_row_stride) {
#pragma GCC unroll 16
      for (int n = 0; n < kVectors; ++n) {
        const auto mask = n < kVectors - 1 ? kAllLanes : b.out_mask;
        if constexpr (kStep > 1) fetch_output(to + n * kLanes);
        store(in_order<kStep>(sum[r][c * kVectors + n]), mask, to + n * kLanes);
      }
    }
  }
  b.fetch.in = wanted;
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
