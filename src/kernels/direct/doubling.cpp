#include "kernels/direct/doubling.h"

#include <algorithm>

#include "kernels/direct/direct_levels.h"

#ifdef __AVX2__
#include "kernels/direct/direct_sums.h"
#ifdef __AVX512F__
#include "kernels/interleave.h"
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int64_t kLine = 64;  // bytes

// Lines of the output are fetched that far ahead: the processor would begin too late. One thread of
// Zen 5, 64 channels of 128x128, AVX-512: 1536 bytes ahead 236 us, 4096: 152, 8192: 114, 24576:
// 136.
constexpr int64_t kAhead = 8192;  // bytes

// Two vectors, their numbers by turns.
struct Pair {
  Vector first, second;
};

inline Pair by_turns(Vector a, Vector b) {
#ifdef __AVX512F__
  const __m512 x[] = {a.raw, b.raw};
  return {Vector{interleaved<2>(x, 0)}, Vector{interleaved<2>(x, 1)}};
#else
  const Vector low = hn::InterleaveLower(vector_tag, a, b);
  const Vector high = hn::InterleaveUpper(vector_tag, a, b);
  return {hn::ConcatLowerLower(vector_tag, high, low), hn::ConcatUpperUpper(vector_tag, high, low)};
#endif
}

// The sums of N times kLanes pairs of columns of two rows.
template <int N, int kShift>
[[gnu::always_inline]] WEFT_UNROLLED inline void sum_pairs(const DirectDoubling& b, const float* in,
                                                           Vector (&sum)[2][2][N]) {
#pragma GCC unroll 2
  for (auto& row : sum) {
#pragma GCC unroll 2
    for (auto& column : row) {
#pragma GCC unroll 4
      for (Vector& s : column) s = set(0.0f);
    }
  }
  const float* factor = b.filter;
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h, in += b.in_row_stride) {
#pragma GCC unroll 3
    for (int w = 0; w < 2 + kShift; ++w) {
      Vector x[N];
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) x[n] = load_once(in + w + n * kLanes);
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) {
        const int from = p % 2 == 1 ? w - kShift : w;  // the tap
        if (from < 0 || from > 1) continue;
        const Vector f = set(*factor++);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) {
          sum[p / 2][p % 2][n] = multiply_add(f, x[n], sum[p / 2][p % 2][n]);
        }
      }
    }
  }
}

// Of two vectors of a row those columns that are inside.
template <class T>
[[gnu::noinline]] void store_inside(const DirectDoubling& b, Pair pair, int64_t column, T* row) {
  T all[2 * kLanes];
  store(pair.first, all);
  store(pair.second, all + kLanes);
  const int64_t begin = std::max<int64_t>(b.column_begin - column, 0);
  const int64_t end = std::min(b.column_end - column, 2 * kLanes);
  for (int64_t i = begin; i < end; ++i) row[column + i] = all[i];
}

// 2 * N vectors of a row, from column `column` on.
template <class T, int N>
[[gnu::always_inline]] WEFT_UNROLLED inline void store_row(const DirectDoubling& b,
                                                           const Vector (&sum)[2][N],
                                                           int64_t column, T* row) {
  const Vector bias = set(b.bias);
  const auto pair_of = [&](int64_t n) {
    const auto result = [&](Vector x) {
      x = one_nan(add(x, bias));
      return b.ramp != nullptr ? ramp(x, *b.ramp) : x;
    };
    return by_turns(result(sum[0][n]), result(sum[1][n]));
  };
  T* const to = row + column;
  constexpr int64_t kColumns = kLanes * 2 * N;
  for (int64_t i = 0; i < kColumns * static_cast<int64_t>(sizeof(T)); i += kLine) {
    __builtin_prefetch(reinterpret_cast<const char*>(to) + kAhead + i, 1);
  }
  if (column >= b.column_begin && column + kColumns <= b.column_end) {
#pragma GCC unroll 4
    for (int64_t n = 0; n < N; ++n) {
      const Pair pair = pair_of(n);
      store(pair.first, to + 2 * n * kLanes);
      store(pair.second, to + (2 * n + 1) * kLanes);
    }
    return;
  }
  for (int64_t n = 0; n < N; ++n) store_inside(b, pair_of(n), column + 2 * n * kLanes, row);
}

template <class T, int N, int kShift>
[[gnu::always_inline]] WEFT_UNROLLED inline void sum_strip(const DirectDoubling& b, int64_t row,
                                                           int64_t column) {
  Vector sum[2][2][N];
  sum_pairs<N, kShift>(b, b.in + row * b.in_row_stride + column, sum);
#pragma GCC unroll 2
  for (int a = 0; a < 2; ++a) {
    const int64_t y = 2 * row + a;
    if (y < b.row_begin || y >= b.row_end) continue;
    store_row<T, N>(b, sum[a], 2 * column, static_cast<T*>(b.out) + y * b.out_row_stride);
  }
}

template <class T, int kShift>
void sum_rows(const DirectDoubling& b) {
  constexpr int64_t kMost = kLanes == 16 ? 4 : 2;  // vectors, as registers have room for
  const float* next = b.next;
  for (int64_t row = 0; row < b.rows; ++row, next += b.next_row_stride) {
    for (int64_t i = 0; i < b.columns && next != nullptr; i += kLine / 4) {
      __builtin_prefetch(next + i, 0, 2);
    }
    int64_t column = 0;
    for (; column + (kMost - 1) * kLanes < b.columns; column += kMost * kLanes) {
      sum_strip<T, kMost, kShift>(b, row, column);
    }
    for (; column < b.columns; column += kLanes) sum_strip<T, 1, kShift>(b, row, column);
  }
}

template <class T>
void sum(const DirectDoubling& b) {
  b.shift == 0 ? sum_rows<T, 0>(b) : sum_rows<T, 1>(b);
}

}  // namespace

void direct_double(const DirectDoubling& b) noexcept {
  b.half ? sum<std::uint16_t>(b) : sum<float>(b);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
