#pragma once

// Whole vectors of rows as they are loaded, and sums in registers: how they are stored, and how the
// taps of a window's column are added. Only for direct.cpp, direct_load.cpp and channels.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/direct/direct.h"
#include "kernels/half.h"
#include "kernels/halves.h"
#include "kernels/part.h"
#include "kernels/unrolled.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {
namespace {

#ifdef __AVX2__
inline Vector load_whole(const float* from) { return load(from); }
inline Vector load_whole(const std::uint16_t* from) {
#ifdef __AVX512F__
  return Vector{_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
#else
  return Vector{_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
#endif
}
#endif

// Where `half` is set, which the compiler knows, only the first half is of use.
inline Vector load_once(const float* from, [[maybe_unused]] bool half) {
#ifdef __AVX512F__
  if (half) {
    Vector x = Vector{from_half(_mm256_loadu_ps(from))};
    keep(x);
    return x;
  }
#endif
  return load_once(from);
}
inline Vector multiply_add(Vector a, Vector b, Vector c, [[maybe_unused]] bool half) {
#ifdef __AVX512F__
  if (half) {
    return Vector{from_half(_mm256_fmadd_ps(half_of(a.raw), half_of(b.raw), half_of(c.raw)))};
  }
#endif
  return multiply_add(a, b, c);
}

inline void store(Vector x, std::uint16_t* to) {
#if defined(__AVX512F__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(x.raw, _MM_FROUND_NO_EXC));
#elif defined(__AVX2__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x.raw, _MM_FROUND_NO_EXC));
#else
  float all[kLanes];
  store(x, all);
  for (int64_t i = 0; i < kLanes; ++i) to[i] = narrow_half(all[i]);
#endif
}

// Stores the first `count` columns, fewer than kLanes, and leaves the rest of memory alone.
class PartialStore {
 public:
  explicit PartialStore(int64_t count)
      : count_(std::max<int64_t>(count, 0))
#ifdef __AVX512F__
        ,
        mask_(hn::FirstN(vector_tag, static_cast<std::size_t>(count_)))
#endif
  {
  }

  void operator()(Vector x, float* to) const {
#if defined(__AVX512F__)
    hn::BlendedStore(x, mask_, vector_tag, to);
#elif defined(__AVX2__)
    store_part(x.raw, 0, count_, to);
#else
    store_some(x, to);
#endif
  }
  void operator()(Vector x, std::uint16_t* to) const {
#ifdef __AVX512F__
    const auto mask = static_cast<__mmask16>((1u << count_) - 1);
    _mm256_mask_storeu_epi16(to, mask, _mm512_cvtps_ph(x.raw, _MM_FROUND_NO_EXC));
#elif defined(__AVX2__)
    store_some_halves(_mm256_cvtps_ph(x.raw, _MM_FROUND_NO_EXC), to, count_);
#else
    store_some(x, to);
#endif
  }

 private:
  template <class T>
  void store_some(Vector x, T* to) const {
    T all[kLanes];
    store(x, all);
    for (int64_t i = 0; i < count_; ++i) to[i] = all[i];
  }

  int64_t count_;
#ifdef __AVX512F__
  hn::Mask<decltype(vector_tag)> mask_;
#endif
};

// Sums of M output channels, R rows, N times kLanes columns, in registers.
template <int M, int R, int N>
struct Sums {
  Vector sum[M][R][N];

  WEFT_UNROLLED Sums() {
#pragma GCC unroll 4
    for (auto& channel : sum) {
#pragma GCC unroll 16
      for (auto& row : channel) {
#pragma GCC unroll 16
        for (Vector& s : row) s = set(0.0f);
      }
    }
  }

  // To the output from element `out` on.
  WEFT_UNROLLED void finish(const DirectBlock& b, int64_t out, int64_t columns) {
    if (b.bias != nullptr) {
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m) {
        const Vector bias = set(b.bias[m]);
#pragma GCC unroll 16
        for (auto& row : sum[m]) {
#pragma GCC unroll 16
          for (Vector& s : row) s = add(s, bias);
        }
      }
    }
    if (b.ramp != nullptr) {
#pragma GCC unroll 4
      for (auto& channel : sum) {
#pragma GCC unroll 16
        for (auto& row : channel) {
#pragma GCC unroll 16
          for (Vector& s : row) s = ramp(s, *b.ramp);
        }
      }
    }
    if (b.half) {
      store_all(b, static_cast<std::uint16_t*>(b.out) + out, columns);
    } else {
      store_all(b, static_cast<float*>(b.out) + out, columns);
    }
  }

 private:
  template <class T>
  WEFT_UNROLLED void store_all(const DirectBlock& b, T* out, int64_t columns) const {
    const PartialStore store_last(columns - (N - 1) * kLanes);
    const bool whole = columns >= N * kLanes;
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        T* to = out + m * b.out_channel_stride + r * b.out_row_stride;
#pragma GCC unroll 16
        for (int n = 0; n < N - 1; ++n) store(one_nan(sum[m][r][n]), to + n * kLanes);
        if (whole) {
          store(one_nan(sum[m][r][N - 1]), to + (N - 1) * kLanes);
        } else {
          store_last(one_nan(sum[m][r][N - 1]), to + (N - 1) * kLanes);
        }
      }
    }
  }
};

// Rows follow each other by one addition; gcc would keep the distance of each in memory.
inline const float* step(const float* row, int64_t stride) {
  row += stride;
#ifdef __x86_64__
  asm("" : "+r"(row));
#endif
  return row;
}

struct AllRows {
  static constexpr bool contains(int64_t) { return true; }
};

// Input rows that are not padding.
struct RowsInside {
  int64_t begin;
  std::uint64_t count;
  bool contains(int64_t row) const { return static_cast<std::uint64_t>(row - begin) < count; }
};

// H taps of a column of the window, in_row_stride apart. Their factors stay in registers, so that
// each input row of `inside` is loaded once for all output rows that it is a part of. kHalf: the
// last vector is half full at most.
template <int H, bool kHalf, int R, int N, class Rows = AllRows>
[[gnu::always_inline]] WEFT_UNROLLED inline void sum_column(Sums<1, R, N>& s, const float* from,
                                                            int64_t row_stride,
                                                            const float* factors,
                                                            int64_t factor_stride,
                                                            const Rows& inside = {}) {
  Vector factor[H];
#pragma GCC unroll 16
  for (int h = 0; h < H; ++h) factor[h] = set(factors[h * factor_stride]);
#pragma GCC unroll 16
  for (int row = 0; row < R + H - 1; ++row, from = step(from, row_stride)) {
    if (!inside.contains(row)) continue;
    Vector x[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes, kHalf && n == N - 1);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const int h = row - r;
      if (h < 0 || h >= H) continue;
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) {
        s.sum[0][r][n] = multiply_add(factor[h], x[n], s.sum[0][r][n], kHalf && n == N - 1);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
