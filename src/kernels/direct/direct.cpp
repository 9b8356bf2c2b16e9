#include "kernels/direct/direct.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "kernels/direct/direct_levels.h"
#include "kernels/direct/vectors.h"
#include "kernels/half.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {

namespace {

static_assert(kDirectColumns % kLanes == 0);

// Registers for sums. What is left holds a row of inputs and a factor.
constexpr int kSums = kLanes == 16 ? 24 : 12;

// Stores the first `count` columns, fewer than kLanes.
class PartialStore {
 public:
#ifdef __AVX2__  // masked stores that leave the rest of memory alone
  explicit PartialStore(int64_t count)
      : mask_(hn::FirstN(vector_tag, static_cast<std::size_t>(std::max<int64_t>(count, 0)))) {}
  void operator()(Vector x, float* to) const { hn::BlendedStore(x, mask_, vector_tag, to); }

 private:
  hn::Mask<decltype(vector_tag)> mask_;
#else
  explicit PartialStore(int64_t count) : count_(count) {}
  void operator()(Vector x, float* to) const {
    float all[kLanes];
    store(x, all);
    for (int64_t i = 0; i < count_; ++i) to[i] = all[i];
  }

 private:
  int64_t count_;
#endif
};

// Sums of M output channels, R rows, N times kLanes columns, in registers.
template <int M, int R, int N>
struct Sums {
  Vector sum[M][R][N];

  WEFT_UNROLLED Sums() {
#pragma GCC unroll 4
    for (auto& channel : sum) {
#pragma GCC unroll 8
      for (auto& row : channel) {
#pragma GCC unroll 8
        for (Vector& s : row) s = set(0.0f);
      }
    }
  }

  WEFT_UNROLLED void finish(const DirectBlock& b, float* out, int64_t columns) {
    if (b.bias != nullptr) {
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m) {
        const Vector bias = set(b.bias[m]);
#pragma GCC unroll 8
        for (auto& row : sum[m]) {
#pragma GCC unroll 8
          for (Vector& s : row) s = add(s, bias);
        }
      }
    }
    const PartialStore store_last(columns - (N - 1) * kLanes);
    const bool whole = columns >= N * kLanes;
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        float* to = out + m * b.out_channel_stride + r * b.out_row_stride;
#pragma GCC unroll 8
        for (int n = 0; n < N - 1; ++n) store(sum[m][r][n], to + n * kLanes);
        if (whole) {
          store(sum[m][r][N - 1], to + (N - 1) * kLanes);
        } else {
          store_last(sum[m][r][N - 1], to + (N - 1) * kLanes);
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
WEFT_UNROLLED void sum_taps(const DirectBlock& b, const float* in, float* out, int64_t columns) {
  Sums<M, R, N> s;
  const float* factors = b.filter;
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride) {
    for (int64_t t = 0; t < b.tap_count; ++t, factors += M) {
      const float* from = in + b.taps[t];
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
  }
  s.finish(b, out, columns);
}

// One output channel, windows of H rows: column by column of the window, whose H factors stay in
// registers, so that each input row is loaded once for all output rows that it is a part of.
template <int R, int N, int H>
WEFT_UNROLLED void sum_rows(const DirectBlock& b, const float* in, float* out, int64_t columns) {
  Sums<1, R, N> s;
  const int64_t layer = H * b.window_columns;
  const float* factors = b.filter;
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride) {
    for (int64_t t = 0; t < b.tap_count; t += layer, factors += layer) {
      for (int64_t w = 0; w < b.window_columns; ++w) {
        Vector factor[H];
        for (int h = 0; h < H; ++h) {
          factor[h] = set(factors[h * b.window_columns + w]);
        }
        const float* from = in + b.taps[t + w];
#pragma GCC unroll 16
        for (int row = 0; row < R + H - 1; ++row, from = step(from, b.in_row_stride)) {
          Vector x[N];
          for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r) {
            const int h = row - r;
            if (h < 0 || h >= H) continue;
            for (int n = 0; n < N; ++n) {
              s.sum[0][r][n] = multiply_add(factor[h], x[n], s.sum[0][r][n]);
            }
          }
        }
      }
    }
  }
  s.finish(b, out, columns);
}

using Function = void (*)(const DirectBlock& b, const float* in, float* out, int64_t columns);

template <int M, int R, int N>
Function function_for(int64_t window_rows) {
  if constexpr (M == 1) {
    switch (window_rows) {
      case 2:
        return sum_rows<R, N, 2>;
      case 3:
        return sum_rows<R, N, 3>;
      case 5:
        return sum_rows<R, N, 5>;
      case 7:
        return sum_rows<R, N, 7>;
    }
  }
  return sum_taps<M, R, N>;
}

// All rows of a strip of N times kLanes columns, R rows at a time: 7, since feature maps like to
// have a multiple of 7 rows, or fewer where registers or rows do not suffice. The last rows are
// summed together with some before them, once more, rather than fewer at a time.
template <int M, int R, int N>
void sum_strip(const DirectBlock& b, int64_t column) {
  constexpr int kFewer = R > 4 ? 4 : R / 2;
  if constexpr (R > 1 && M * R * N > kSums) {
    return sum_strip<M, kFewer, N>(b, column);
  } else {
    if constexpr (R > 1) {
      if (b.rows < R) return sum_strip<M, kFewer, N>(b, column);
    }
    const Function function = function_for<M, R, N>(b.window_rows);
    for (int64_t row = 0; row < b.rows; row += R) {
      const int64_t first = std::min(row, b.rows - R);
      function(b, b.in + first * b.in_row_stride + column,
               b.out + first * b.out_row_stride + column, b.columns - column);
    }
  }
}

void sum_long_rows(const DirectBlock& b) {
  int64_t column = 0;
  for (; b.columns - column > 7 * kLanes; column += 8 * kLanes) {
    sum_strip<1, 1, 8>(b, column);
  }
  for (; b.columns - column > kLanes; column += 2 * kLanes) sum_strip<1, 1, 2>(b, column);
  if (column < b.columns) sum_strip<1, 1, 1>(b, column);
}

// Strips as wide as registers allow, all nearly the same.
template <int M, int R, int kMost>
void sum_strips(const DirectBlock& b) {
  int64_t left = (b.columns + kLanes - 1) / kLanes;
  int64_t strips = (left + kMost - 1) / kMost;
  for (int64_t column = 0; strips > 0; --strips) {
    const int64_t width = (left + strips - 1) / strips;
    switch (width) {
      case 1:
        sum_strip<M, R, 1>(b, column);
        break;
      case 2:
        sum_strip<M, R, std::min(2, kMost)>(b, column);
        break;
      case 3:
        sum_strip<M, R, std::min(3, kMost)>(b, column);
        break;
      default:
        sum_strip<M, R, kMost>(b, column);
    }
    column += width * kLanes;
    left -= width;
  }
}

template <int M>
void sum_block(const DirectBlock& b) {
  if constexpr (M == 1) {
    // Enough sums to hide how long one takes.
    if (b.rows < 4 && b.columns > 4 * kLanes) return sum_long_rows(b);
    return sum_strips<1, 7, 3>(b);
  } else {
    return sum_strips<M, 7, std::min(4, kSums / M)>(b);
  }
}

template <class T, class LoadRow>
void load_rows(const DirectRows& r, const LoadRow& load_row) {
  const T* from = static_cast<const T*>(r.from);
  float* to = r.to;
  // Not read again after each store, which might, for all that the compiler knows, change them.
  const int64_t from_stride = r.from_row_stride, to_stride = r.to_row_stride;
  for (int64_t row = r.rows; row > 0; --row) {
    load_row(from, to);
    from += from_stride;
    to += to_stride;
  }
}

#ifdef __AVX2__  // masked loads that leave the rest of memory alone

auto mask_of(int64_t count) {
  return hn::FirstN(vector_tag, static_cast<std::size_t>(std::clamp<int64_t>(count, 0, kLanes)));
}

void load_dense(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / kLanes * kLanes;
  const auto mask = mask_of(r.columns - whole);
  load_rows<float>(r, [=](const float* from, float* to) {
    for (int64_t i = 0; i < whole; i += kLanes) {
      store(load(from + i), to + i);
    }
    hn::StoreU(hn::MaskedLoad(mask, vector_tag, from + whole), vector_tag, to + whole);
  });
}

// Of the last number that is kept, the one after it is not read.
void load_every_other(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / kLanes * kLanes;
  const int64_t rest = 2 * (r.columns - whole) - 1;
  const auto low_mask = mask_of(rest);
  const auto high_mask = mask_of(rest - kLanes);
  load_rows<float>(r, [=](const float* from, float* to) {
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Vector low = hn::LoadU(vector_tag, from + 2 * i);
      const Vector high = hn::LoadU(vector_tag, from + 2 * i + kLanes);
      hn::StoreU(hn::ConcatEven(vector_tag, high, low), vector_tag, to + i);
    }
    const Vector low = hn::MaskedLoad(low_mask, vector_tag, from + 2 * whole);
    const Vector high = hn::MaskedLoad(high_mask, vector_tag, from + 2 * whole + kLanes);
    hn::StoreU(hn::ConcatEven(vector_tag, high, low), vector_tag, to + whole);
  });
}

void load_pairs(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / (2 * kLanes) * (2 * kLanes);
  const auto low_mask = mask_of(r.columns - whole);
  const auto high_mask = mask_of(r.columns - whole - kLanes);
  const int64_t odd = r.to_odd - r.to;
  const auto store = [odd](Vector low, Vector high, float* to) {
    hn::StoreU(hn::ConcatEven(vector_tag, high, low), vector_tag, to);
    hn::StoreU(hn::ConcatOdd(vector_tag, high, low), vector_tag, to + odd);
  };
  if (r.columns <= kLanes) {
    const Vector zero = hn::Zero(vector_tag);
    return load_rows<float>(r, [=](const float* from, float* to) {
      store(hn::MaskedLoad(low_mask, vector_tag, from), zero, to);
    });
  }
  load_rows<float>(r, [=](const float* from, float* to) {
    for (int64_t i = 0; i < whole; i += 2 * kLanes) {
      store(hn::LoadU(vector_tag, from + i), hn::LoadU(vector_tag, from + i + kLanes), to + i / 2);
    }
    store(hn::MaskedLoad(low_mask, vector_tag, from + whole),
          hn::MaskedLoad(high_mask, vector_tag, from + whole + kLanes), to + whole / 2);
  });
}

#endif

void load_row(const std::uint16_t* from, int64_t stride, float* to, int64_t columns) {
  int64_t i = 0;
  if (stride == 1) {
#ifdef __AVX512F__
    for (; i < columns; i += 16) {
      const auto mask =
          static_cast<__mmask16>(columns - i >= 16 ? 0xffff : (1 << (columns - i)) - 1);
      _mm512_storeu_ps(to + i,
                       _mm512_maskz_cvtph_ps(mask, _mm256_maskz_loadu_epi16(mask, from + i)));
    }
#elif defined(__F16C__)
    for (; i + 8 <= columns; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
    }
#endif
  }
  for (; i < columns; ++i) to[i] = widen_half(from[i * stride]);
}

}  // namespace

void direct_multiply(const DirectBlock& b) noexcept {
  switch (b.out_channels) {
    case 1:
      return sum_block<1>(b);
    case 2:
      return sum_block<2>(b);
    case 3:
      return sum_block<3>(b);
    default:
      return sum_block<4>(b);
  }
}

void direct_load_f32(const DirectRows& r) noexcept {
#ifdef __AVX2__
  if (r.from_stride == 1) return load_dense(r);
  if (r.to_odd != nullptr) return load_pairs(r);
  if (r.from_stride == 2) return load_every_other(r);
#endif
  const int64_t odd = r.to_odd - r.to;
  load_rows<float>(r, [&](const float* from, float* to) {
    if (r.to_odd != nullptr) {
      for (int64_t i = 0; i < r.columns; ++i) to[i / 2 + i % 2 * odd] = from[i];
    } else {
      for (int64_t i = 0; i < r.columns; ++i) to[i] = from[i * r.from_stride];
    }
  });
}

void direct_load_f16(const DirectRows& r) noexcept {
  const int64_t odd = r.to_odd - r.to;
  const int64_t columns = r.columns, stride = r.from_stride;
  if (r.to_odd != nullptr) {
    load_rows<std::uint16_t>(r, [=](const std::uint16_t* from, float* to) {
      load_row(from, 2, to, (columns + 1) / 2);
      load_row(from + 1, 2, to + odd, columns / 2);
    });
  } else {
    load_rows<std::uint16_t>(
        r, [=](const std::uint16_t* from, float* to) { load_row(from, stride, to, columns); });
  }
}

}  // namespace weft::kernels::WEFT_ISA
