#include "kernels/direct/direct.h"

#include <algorithm>
#include <cstddef>

#include "kernels/direct/direct_levels.h"
#include "kernels/half.h"
#include "kernels/unrolled.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {

namespace {

static_assert(kDirectColumns % kLanes == 0);

// Registers for sums. What is left holds a row of inputs and a factor.
constexpr int kSums = kLanes == 16 ? 24 : 12;

constexpr int64_t kLine = 64;  // bytes

// So far ahead of long sums the lines of outputs are fetched: the processor would begin too late.
constexpr int64_t kOutAhead = 2048;  // bytes

void store(Vector x, std::uint16_t* to) {
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
#ifdef __AVX2__
        ,
        mask_(hn::FirstN(vector_tag, static_cast<std::size_t>(count_)))
#endif
  {
  }

  void operator()(Vector x, float* to) const {
#ifdef __AVX2__
    hn::BlendedStore(x, mask_, vector_tag, to);
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
#ifdef __AVX2__
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
const float* step(const float* row, int64_t stride) {
  row += stride;
#ifdef __x86_64__
  asm("" : "+r"(row));
#endif
  return row;
}

// Any taps.
template <int M, int R, int N>
WEFT_UNROLLED void sum_taps(const DirectBlock& b, const float* in, int64_t out, int64_t columns) {
  Sums<M, R, N> s;
  const float* factors_of_channel = b.filter;
  const DirectTerm* const end = b.terms + b.tap_count;
  for (int64_t c = 0; c < b.in_channels; ++c) {
    for (const DirectTerm* term = b.terms; term != end; ++term) {
      const float* from = in + term->offset;
      const float* factors = factors_of_channel + term->tap * M;
      for (int r = 0; r < R; ++r) {
        Vector x[N];
        for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
        from = step(from, b.in_row_stride);
        for (int m = 0; m < M; ++m) {
          const Vector factor = set(factors[m]);
          for (int n = 0; n < N; ++n) {
            s.sum[m][r][n] = multiply_add(factor, x[n], s.sum[m][r][n]);
          }
        }
      }
    }
    in += b.in_channel_stride;
    factors_of_channel += b.tap_count * M;
  }
  s.finish(b, out, columns);
}

// H taps of a column of the window, in_row_stride apart. Their factors stay in registers, so that
// each input row is loaded once for all output rows that it is a part of.
template <int H, int R, int N>
[[gnu::always_inline]] WEFT_UNROLLED inline void sum_column(Sums<1, R, N>& s, const float* from,
                                                            int64_t row_stride,
                                                            const float* factors,
                                                            int64_t factor_stride) {
  Vector factor[H];
#pragma GCC unroll 16
  for (int h = 0; h < H; ++h) factor[h] = set(factors[h * factor_stride]);
#pragma GCC unroll 16
  for (int row = 0; row < R + H - 1; ++row, from = step(from, row_stride)) {
    Vector x[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const int h = row - r;
      if (h < 0 || h >= H) continue;
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) {
        s.sum[0][r][n] = multiply_add(factor[h], x[n], s.sum[0][r][n]);
      }
    }
  }
}

// One output channel, windows of H rows of which those S apart share input rows.
template <int R, int N, int H, int S>
WEFT_UNROLLED void sum_rows(const DirectBlock& b, const float* in, int64_t out, int64_t columns) {
  Sums<1, R, N> s;
  const int64_t layer = H * b.window.columns;
  const float* factors = b.filter;
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride) {
    for (int64_t t = 0; t < b.tap_count; t += layer, factors += layer) {
      for (int64_t w = 0; w < b.window.columns; ++w) {
        sum_column<(H + S - 1) / S>(s, in + b.taps[t + w], b.in_row_stride, factors + w,
                                    S * b.window.columns);
      }
      if constexpr (S == 2) {
        for (int64_t w = b.window.columns; w < 2 * b.window.columns; ++w) {
          sum_column<H / S>(s, in + b.taps[t + w], b.in_row_stride, factors + w,
                            S * b.window.columns);
        }
      }
    }
  }
  s.finish(b, out, columns);
}

// A run of taps, each with the one kFarTaps after it, which reads the same vectors for columns so
// much further on. With each of the first ones a line of what is wanted next comes nearer.
template <int N>
WEFT_UNROLLED void sum_far_taps(const DirectBlock& b, const float* in, int64_t out,
                                int64_t columns) {
  constexpr int kFar = kFarTaps / kLanes;
  Sums<1, 1, N> s;
  const float* factors = b.filter;
  const char* next = b.next;
  const auto* to = static_cast<const char*>(b.out) + out * (b.half ? 2 : 4) + kOutAhead;
  int64_t line = kLine;
  const auto fetch = [&] {
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(to, 1);
    next += line;
    to += line;
  };
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride, factors += b.tap_count) {
    for (int64_t first = 0; first < b.tap_count; first += 2 * kFarTaps) {
      const int64_t count = std::min(b.tap_count - first, 2 * kFarTaps);
      const int64_t pairs = std::max<int64_t>(count - kFarTaps, 0);
      const float* from = in + b.taps[first];
      const float* factor = factors + first;
      for (int64_t t = 0; t < pairs; ++t, ++from, ++factor) {
        const Vector near = set(factor[0]), far = set(factor[kFarTaps]);
        fetch();
#pragma GCC unroll 16
        for (int n = 0; n < N + kFar; ++n) {
          const Vector x = load_once(from + n * kLanes);
          if (n < N) s.sum[0][0][n] = multiply_add(near, x, s.sum[0][0][n]);
          if (n >= kFar) s.sum[0][0][n - kFar] = multiply_add(far, x, s.sum[0][0][n - kFar]);
        }
      }
      for (int64_t t = pairs; t < std::min(count, kFarTaps); ++t, ++from, ++factor) {
        const Vector near = set(factor[0]);
        fetch();
#pragma GCC unroll 16
        for (int n = 0; n < N; ++n) {
          s.sum[0][0][n] = multiply_add(near, load(from + n * kLanes), s.sum[0][0][n]);
        }
      }
      line = 0;  // enough are on their way
    }
  }
  s.finish(b, out, columns);
}

using Function = void (*)(const DirectBlock& b, const float* in, int64_t out, int64_t columns);

// Most vectors of a row whose sums have room beside the factors of a column of the window.
int64_t most_vectors(const DirectBlock& b) {
  return kLanes < 16 && b.window.rows > 3 * b.window.step ? 2 : 3;
}

// Rows are worth sharing where there are several.
template <int M, int R, int N>
Function function_for(const DirectBlock& b) {
  if constexpr (M == 1 && R >= 4) {
    const auto is = [&](int rows, int step) {
      return b.window.kind == DirectWindow::Kind::rows && b.window.rows == rows &&
             b.window.step == step;
    };
    if (is(2, 1)) return sum_rows<R, N, 2, 1>;
    if (is(3, 1)) return sum_rows<R, N, 3, 1>;
    if (is(3, 2)) return sum_rows<R, N, 3, 2>;
    if (is(5, 2)) return sum_rows<R, N, 5, 2>;
    if constexpr (N < 3 || kLanes == 16) {  // as most_vectors() says
      if (is(5, 1)) return sum_rows<R, N, 5, 1>;
      if (is(7, 1)) return sum_rows<R, N, 7, 1>;
    }
  }
  return sum_taps<M, R, N>;
}

// Brings the memory nearer that is wanted next, a bit with every few sums.
class Fetch {
 public:
  explicit Fetch(const DirectBlock& b)
      : next_(b.next),
        end_(b.next + b.next_bytes),
        bytes_a_vector_(b.next_bytes * kLanes / (b.groups * b.rows * b.columns) + 1) {}
  void operator()(int64_t vectors) {
    due_ += vectors * bytes_a_vector_;
    for (; due_ > 0 && next_ < end_; due_ -= kLine, next_ += kLine) {
      __builtin_prefetch(next_, 0, 2);
    }
  }
  // The first of some lines that the caller fetches; `otherwise` where none is left.
  const char* lines(int64_t count, const void* otherwise) {
    if (next_ >= end_) return static_cast<const char*>(otherwise);
    next_ += count * kLine;
    return next_ - count * kLine;
  }

 private:
  const char* next_;
  const char* end_;
  int64_t bytes_a_vector_;
  int64_t due_ = 0;
};

template <int M>
void to_next_group(DirectBlock& b) {
  b.in += b.in_group_stride;
  b.filter += b.filter_group_stride;
  if (b.bias != nullptr) b.bias += M;
  b.out = static_cast<char*>(b.out) + b.out_group_stride * (b.half ? 2 : 4);
}

// Rows that are summed at a time, of a strip of columns.
struct Strip {
  Function function;
  int64_t rows;
};

// As many rows, at most R, as there are and registers suffice for.
template <int M, int R, int N>
Strip strip_for(const DirectBlock& b) {
  constexpr int kFewer = R > 4 ? 4 : R / 2;
  if constexpr (R > 1 && M * R * N > kSums) {
    return strip_for<M, kFewer, N>(b);
  } else {
    if constexpr (R > 1) {
      if (b.rows < R) return strip_for<M, kFewer, N>(b);
    }
    return {function_for<M, R, N>(b), R};
  }
}

// R: 7, since feature maps like to have a multiple of 7 rows.
template <int M, int R, int kMost>
Strip strip_for_width(const DirectBlock& b, int64_t vectors) {
  switch (vectors) {
    case 1:
      return strip_for<M, R, 1>(b);
    case 2:
      return strip_for<M, R, std::min(2, kMost)>(b);
    case 3:
      return strip_for<M, R, std::min(3, kMost)>(b);
    default:
      return strip_for<M, R, kMost>(b);
  }
}

// Some rows at a time, of all columns. Strips are as wide as registers allow, all nearly the same.
template <int M, int kMost>
void sum_strips(DirectBlock& b, int64_t most) {
  const int64_t vectors = (b.columns + kLanes - 1) / kLanes;
  const int64_t strips = (vectors + most - 1) / most;
  const int64_t width = vectors / strips, wider = vectors % strips;  // so many have one more
  const auto [wide, step] = strip_for_width<M, 7, kMost>(b, wider > 0 ? width + 1 : width);
  const Function narrow = wider == 0  ? wide
                          : step == 7 ? strip_for_width<M, 7, kMost>(b, width).function
                          : step == 4 ? strip_for_width<M, 4, kMost>(b, width).function
                          : step == 2 ? strip_for_width<M, 2, kMost>(b, width).function
                                      : strip_for_width<M, 1, kMost>(b, width).function;
  Fetch fetch(b);
  for (int64_t group = 0; group < b.groups; ++group) {
    for (int64_t row = 0; row < b.rows; row += step) {
      // The last rows are summed together with some before them, once more.
      const int64_t first = std::min(row, b.rows - step);
      const float* in = b.in + first * b.in_row_stride;
      const int64_t out = first * b.out_row_stride;
      int64_t column = 0;
      fetch(step * vectors);
      for (int64_t i = 0; i < strips; ++i) {
        (i < wider ? wide : narrow)(b, in + column, out + column, b.columns - column);
        column += (i < wider ? width + 1 : width) * kLanes;
      }
    }
    to_next_group<M>(b);
  }
}

template <int kWidth>
void sum_long_row(DirectBlock& b, const float* in, int64_t out, int64_t vectors, Fetch& fetch) {
  const bool run = b.window.kind == DirectWindow::Kind::run;
  const Function sum = run ? sum_far_taps<kWidth> : sum_taps<1, 1, kWidth>;
  for (int64_t column = 0; column < b.columns; column += kWidth * kLanes) {
    // The last are summed together with some before them.
    const int64_t first = std::min(column, (vectors - kWidth) * kLanes);
    if (run) {
      b.next = fetch.lines(kFarTaps, in);
    } else {
      fetch(kWidth);
    }
    sum(b, in + first, out + first, b.columns - first);
  }
}

// One row after the other.
void sum_long_rows(DirectBlock& b, Fetch& fetch) {
  constexpr int kWidth = 8;
  constexpr int kWider = kLanes == 16 ? 16 : 8;  // reads less for each sum
  const int64_t vectors = (b.columns + kLanes - 1) / kLanes;
  for (int64_t row = 0; row < b.rows; ++row) {
    const float* in = b.in + row * b.in_row_stride;
    const int64_t out = row * b.out_row_stride;
    if (vectors >= kWider && (vectors + kWidth - 1) / kWidth % 2 == 0) {
      sum_long_row<kWider>(b, in, out, vectors, fetch);
    } else if (vectors >= kWidth) {
      sum_long_row<kWidth>(b, in, out, vectors, fetch);
    } else {
      fetch(vectors);
      int64_t column = 0;
      for (; b.columns - column > kLanes; column += 2 * kLanes) {
        sum_taps<1, 1, 2>(b, in + column, out + column, b.columns - column);
      }
      if (column < b.columns) sum_taps<1, 1, 1>(b, in + column, out + column, b.columns - column);
    }
  }
}

template <int M>
void sum_groups(DirectBlock b) {
  constexpr int kMost = M == 1 ? 3 : std::min(4, kSums / M);
  // Enough sums to hide how long one takes.
  if (M == 1 && b.rows < 4 && b.columns > 4 * kLanes) {
    Fetch fetch(b);
    for (int64_t group = 0; group < b.groups; ++group) {
      sum_long_rows(b, fetch);
      to_next_group<M>(b);
    }
    return;
  }
  sum_strips<M, kMost>(b, M == 1 ? most_vectors(b) : kMost);
}

}  // namespace

void direct_multiply(const DirectBlock& b) noexcept {
  switch (b.out_channels) {
    case 1:
      return sum_groups<1>(b);
    case 2:
      return sum_groups<2>(b);
    case 3:
      return sum_groups<3>(b);
    default:
      return sum_groups<4>(b);
  }
}

}  // namespace weft::kernels::WEFT_ISA
