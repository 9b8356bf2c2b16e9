#pragma once

// Sums of all rows of a block under small windows, in the registers of AVX-512. Only for
// in_place.cpp.

#include "kernels/direct/in_place_sums.h"
#include "kernels/interleave.h"

namespace weft::kernels::WEFT_ISA {
namespace {

// The halves of a vector to two channels. An extraction to memory, which gcc would make of the
// second one, touches all of it.
inline void store_halves(Vector x, __mmask8 mask, float* low, float* high) {
  __m256 second = _mm512_extractf32x8_ps(x, 1);
  asm("" : "+v"(second));
  _mm256_mask_storeu_ps(low, mask, _mm512_castps512_ps256(x));
  _mm256_mask_storeu_ps(high, mask, second);
}
inline void store_halves(Vector x, __mmask8 mask, std::uint16_t* low, std::uint16_t* high) {
  const __m256i narrow = _mm512_cvtps_ph(x, _MM_FROUND_NO_EXC);
  _mm_mask_storeu_epi16(low, mask, _mm256_castsi256_si128(narrow));
  _mm_mask_storeu_epi16(high, mask, _mm256_extracti128_si256(narrow, 1));
}

// All rows of some vectors, for windows of 3 x 3: each column of an input row is loaded once, for
// the three rows of outputs that it is a part of. Vectors between the first and the last one lie
// inside. kHalf: the last one is half full at most.
template <class T, int kVectors, int kChannels, bool kHalf>
WEFT_UNROLLED void sum_three(Block& b) {
  constexpr int kAll = kVectors * kChannels;
  Vector factor[kChannels][3][3], bias[kChannels];
#pragma GCC unroll 2
  for (int c = 0; c < kChannels; ++c) {
    bias[c] = keep(set(b.bias[c]));
#pragma GCC unroll 16
    for (int i = 0; i < 9; ++i) {
      factor[c][i % 3][i / 3] = keep(set(b.filter[c * b.filter_channel_stride + i]));
    }
  }
  Mask left[3], right[3];
#pragma GCC unroll 3
  for (int64_t j = 0; j < 3; ++j) {
    left[j] = b.masks[j * kVectors];
    right[j] = b.masks[j * kVectors + kVectors - 1];
  }
  const int64_t next = kChannels > 1 ? b.in_channel_stride : kLanes;  // vector
  const int64_t end = b.rows + 2, top = b.top, bottom = b.bottom, stride = b.in_row_stride;
  const int64_t out_stride = b.out_row_stride, out_next = b.out_channel_stride;
  const Ramp* const bent = b.ramp;
  const Wanted in_ahead = b.wanted, out_ahead = b.wanted_out;
  Vector sum[3][kAll] = {};  // of rows that are not complete, the first ones first
  const T* row = static_cast<const T*>(b.in) + b.offsets[0];
  const char *wanted = in_ahead.first, *wanted_out = out_ahead.first;
  T* out = static_cast<T*>(b.out);
  // A line holds two vectors of float16.
  const auto fetches = [](int v) { return sizeof(T) == sizeof(float) || v % 2 == 0; };
  constexpr int64_t kBytes = kLanes * sizeof(T);
  for (int64_t i = 0; i < end; ++i, row = step(row, stride), wanted += in_ahead.row_stride) {
    if (i >= top && i < bottom) {
      const T* from = row;
#pragma GCC unroll 8
      for (int n = 0; n < kAll; ++n, from += next) {
        const int v = n % kVectors, c = n / kVectors;
        const bool half = kHalf && v == kVectors - 1;
        if (fetches(v)) __builtin_prefetch(wanted + v * kBytes + c * in_ahead.channel_stride);
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) {
          const Vector x = load(from + j, half);
          const Mask mask = v == 0 ? left[j] : v < kVectors - 1 ? static_cast<Mask>(-1) : right[j];
#pragma GCC unroll 3
          for (int r = 0; r < 3; ++r) {
            sum[r][n] = multiply_add(factor[c][2 - r][j], x, sum[r][n], mask, half);
          }
        }
      }
    }
    if (i >= 2) {
      finish(sum[0], bias, bent);
#pragma GCC unroll 8
      for (int n = 0; n < kAll; ++n) {
        const int v = n % kVectors, c = n / kVectors;
        T* const to = out + v * kLanes + c * out_next;
        if (fetches(v)) {
          __builtin_prefetch(wanted_out + v * kBytes + c * out_ahead.channel_stride, 1);
        }
        store(sum[0][n], v < kVectors - 1 ? static_cast<Mask>(-1) : b.out_mask, to);
      }
      out += out_stride;
      wanted_out += out_ahead.row_stride;
    }
#pragma GCC unroll 8
    for (int n = 0; n < kAll; ++n) {
      sum[0][n] = sum[1][n];
      sum[1][n] = sum[2][n];
      sum[2][n] = set(0.0f);
    }
  }
}

// All rows, of up to 8 outputs and 16 inputs, of two or four channels, two in a vector: what a
// column of the window reads is a permutation of two rows.
template <class T, int kPairs, int kWindow, int kStep>
WEFT_UNROLLED void sum_narrow(Block& b) {
  constexpr int kLive = (kWindow + kStep - 1) / kStep;
  constexpr int kTaps = kWindow * kWindow;
  const auto halves = [](float low, float high) {
    return _mm512_mask_broadcastss_ps(set(low), 0xff00, _mm_set_ss(high));
  };
  Vector factor[kPairs][kTaps], bias[kPairs];
  const T* in[2 * kPairs];
  T* out[2 * kPairs];
#pragma GCC unroll 2
  for (int p = 0; p < kPairs; ++p) {
    // The last channel once more where one is missing.
    const int64_t channels[] = {int64_t{2} * p, std::min<int64_t>(2 * p + 1, b.channels - 1)};
    const float* filters[2];
#pragma GCC unroll 2
    for (int c = 0; c < 2; ++c) {
      in[2 * p + c] = static_cast<const T*>(b.in) + channels[c] * b.in_channel_stride;
      out[2 * p + c] = static_cast<T*>(b.out) + channels[c] * b.out_channel_stride;
      filters[c] = b.filter + channels[c] * b.filter_channel_stride;
    }
    for (int t = 0; t < kTaps; ++t) factor[p][t] = halves(filters[0][t], filters[1][t]);
    bias[p] = keep(halves(b.bias[channels[0]], b.bias[channels[1]]));
  }
  const __m512i lanes =
      kStep == 2 ? even_numbers()
                 : _mm512_set_epi32(23, 22, 21, 20, 19, 18, 17, 16, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i places[kWindow];
  Mask mask[kWindow];
#pragma GCC unroll 8
  for (int j = 0; j < kWindow; ++j) {
    places[j] = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(b.offsets[j])));
    mask[j] = static_cast<Mask>((b.masks[j] & 0xff) * 0x101);
  }
  [[maybe_unused]] const auto in_mask =
      static_cast<Mask>(_bzhi_u32(0xffffu, static_cast<unsigned>(b.in_width)));
  const auto load_row = [&](const T* row) {
    if constexpr (sizeof(T) == sizeof(float)) return load(row);
    return keep(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(in_mask, row)));
  };
  const auto out_mask = static_cast<__mmask8>(b.out_mask);
  const int64_t end = b.rows + kLive - 1, top = b.top, bottom = b.bottom;
  const int64_t stride = b.in_row_stride, out_stride = b.out_row_stride;
  const Wanted in_ahead = b.wanted, out_ahead = b.wanted_out;
  Vector sum[kLive][kPairs] = {};  // of rows that are not complete, the first ones first
  const char *wanted = in_ahead.first, *wanted_out = out_ahead.first;
  int64_t place = 0, to = 0;
  for (int64_t i = 0; i < end; ++i) {
#pragma GCC unroll 2
    for (int s = 0; s < kStep; ++s, place += stride, wanted += in_ahead.row_stride) {
      const int64_t row = i * kStep + s;
      if (row < top || row >= bottom) continue;
      Vector low[kPairs], high[kPairs];
#pragma GCC unroll 2
      for (int p = 0; p < kPairs; ++p) {
        low[p] = load_row(in[2 * p] + place);
        high[p] = load_row(in[2 * p + 1] + place);
        __builtin_prefetch(wanted + int64_t{2} * p * in_ahead.channel_stride);
        __builtin_prefetch(wanted + (int64_t{2} * p + 1) * in_ahead.channel_stride);
      }
#pragma GCC unroll 8
      for (int j = 0; j < kWindow; ++j) {
#pragma GCC unroll 2
        for (int p = 0; p < kPairs; ++p) {
          const Vector x = keep(_mm512_permutex2var_ps(low[p], places[j], high[p]));
#pragma GCC unroll 8
          for (int r = 0; r < kLive; ++r) {
            const int h = s + (kLive - 1 - r) * kStep;
            if (h >= kWindow) continue;
            sum[r][p] = multiply_add(factor[p][j * kWindow + h], x, sum[r][p], mask[j]);
          }
        }
      }
    }
    if (i >= kLive - 1) {
      // The ramp read anew: kept, it would drive a vector out of its register.
      finish(sum[0], bias, b.ramp);
#pragma GCC unroll 2
      for (int p = 0; p < kPairs; ++p) {
        __builtin_prefetch(wanted_out + int64_t{2} * p * out_ahead.channel_stride, 1);
        __builtin_prefetch(wanted_out + (int64_t{2} * p + 1) * out_ahead.channel_stride, 1);
        store_halves(sum[0][p], out_mask, out[2 * p] + to, out[2 * p + 1] + to);
      }
      to += out_stride;
      wanted_out += out_ahead.row_stride;
    }
#pragma GCC unroll 2
    for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 8
      for (int r = 0; r < kLive - 1; ++r) sum[r][p] = sum[r + 1][p];
      sum[kLive - 1][p] = set(0.0f);
    }
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
