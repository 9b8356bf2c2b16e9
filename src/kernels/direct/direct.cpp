#include "kernels/direct/direct.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "kernels/direct/direct_levels.h"
#include "kernels/direct/direct_sums.h"
#include "kernels/direct/run.h"

namespace weft::kernels::WEFT_ISA {

namespace {

static_assert(kDirectColumns % kLanes == 0);

// Registers for sums. What is left holds a row of inputs and a factor.
constexpr int kSums = kLanes == 16 ? 24 : 12;

constexpr int64_t kLine = 64;  // bytes

// So far ahead of long sums the lines of outputs are fetched: the processor would begin too late.
constexpr int64_t kOutAhead = 2048;  // bytes

// Any taps. kHalf: the last vector is half full at most.
template <int M, int R, int N, bool kHalf = false>
WEFT_UNROLLED void sum_taps(const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                            int64_t /*first_row*/) {
  Sums<M, R, N> s;
  const float* factors_of_channel = b.filter;
  const DirectTerm* const end = b.terms + b.tap_count;
  for (int64_t c = 0; c < b.in_channels; ++c) {
    for (const DirectTerm* term = b.terms; term != end; ++term) {
      const float* from = in + term->offset;
      const float* factors = factors_of_channel + term->tap * M;
      for (int r = 0; r < R; ++r) {
        Vector x[N];
        for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes, kHalf && n == N - 1);
        from = step(from, b.in_row_stride);
        for (int m = 0; m < M; ++m) {
          const Vector factor = set(factors[m]);
          for (int n = 0; n < N; ++n) {
            s.sum[m][r][n] = multiply_add(factor, x[n], s.sum[m][r][n], kHalf && n == N - 1);
          }
        }
      }
    }
    in += b.in_channel_stride;
    factors_of_channel += b.tap_count * M;
  }
  s.finish(b, out, columns);
}

// One output channel, windows of H rows of which those S apart share input rows.
template <int R, int N, int H, int S, bool kHalf>
WEFT_UNROLLED void sum_rows(const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                            int64_t /*first_row*/) {
  Sums<1, R, N> s;
  const int64_t layer = H * b.window.columns;
  const float* factors = b.filter;
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride) {
    for (int64_t t = 0; t < b.tap_count; t += layer, factors += layer) {
      for (int64_t w = 0; w < b.window.columns; ++w) {
        sum_column<(H + S - 1) / S, kHalf>(s, in + b.taps[t + w], b.in_row_stride, factors + w,
                                           S * b.window.columns);
      }
      if constexpr (S == 2) {
        for (int64_t w = b.window.columns; w < 2 * b.window.columns; ++w) {
          sum_column<H / S, kHalf>(s, in + b.taps[t + w], b.in_row_stride, factors + w,
                                   S * b.window.columns);
        }
      }
    }
  }
  s.finish(b, out, columns);
}

// All columns of a band of H rows.
template <int H, int R, int N>
WEFT_UNROLLED void sum_band(Sums<1, R, N>& sums, const DirectBlock& b, const float* in,
                            const int64_t* taps, const float* factors, const RowsInside& inside) {
  Sums<1, R, N> s = sums;
  for (int64_t w = 0; w < b.window.columns; ++w) {
    sum_column<H, false>(s, in + taps[w], b.in_row_stride, factors + w, b.window.columns, inside);
  }
  sums = s;
}

// One output channel, windows of many rows.
template <int R, int N>
WEFT_UNROLLED void sum_bands(const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                             int64_t first_row) {
  Sums<1, R, N> s;
  const DirectWindow& window = b.window;
  const float* factors = b.filter;
  for (int64_t c = 0; c < b.in_channels; ++c, in += b.in_channel_stride) {
    for (int64_t t = 0; t < b.tap_count; t += window.rows * window.columns) {
      for (int64_t band = 0; band < window.bands(); ++band) {
        const int64_t first = window.band(band), rows = window.band(band + 1) - first;
        const int64_t begin = std::max(b.inside - first_row - first, int64_t{0});
        const int64_t end = std::min(b.inside_end - first_row - first, R + rows - 1);
        const int64_t* const taps = b.taps + t + first * window.columns;
        if (begin < end) {
          const RowsInside inside{begin, static_cast<std::uint64_t>(end - begin)};
          switch (rows) {
            case 4:
              sum_band<4>(s, b, in, taps, factors, inside);
              break;
            case 5:
              sum_band<5>(s, b, in, taps, factors, inside);
              break;
            case 6:
              sum_band<6>(s, b, in, taps, factors, inside);
              break;
            default:
              sum_band<7>(s, b, in, taps, factors, inside);
          }
        }
        factors += rows * window.columns;
      }
    }
  }
  s.finish(b, out, columns);
}

// A run of taps. With each of the first ones a line of what is wanted next comes nearer.
template <int N>
WEFT_UNROLLED void sum_run(const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                           int64_t /*first_row*/) {
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
    for (int64_t first = 0; first < b.tap_count; first += kRunTaps) {
      add_run(s.sum[0][0], in + b.taps[first], factors + first,
              std::min(b.tap_count - first, kRunTaps), fetch);
      line = 0;  // enough are on their way
    }
  }
  s.finish(b, out, columns);
}

using Function = void (*)(const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                          int64_t first_row);

// All sums of some rows and of `width` columns, of which the first `columns` are wanted.
template <class T>
void store_sums(const DirectBlock& b, const float* sums, T* out, int64_t rows, int64_t width,
                int64_t columns) {
  for (int64_t m = 0; m < b.out_channels; ++m) {
    const Vector bias = set(b.bias != nullptr ? b.bias[m] : -0.0f);
    for (int64_t r = 0; r < rows; ++r, sums += width) {
      T* const to = out + m * b.out_channel_stride + r * b.out_row_stride;
      for (int64_t i = 0; i < std::min(width, columns); i += kLanes) {
        Vector sum = one_nan(add(load(sums + i), bias));
        if (b.ramp != nullptr) sum = ramp(sum, *b.ramp);
        if (columns - i >= kLanes) {
          store(sum, to + i);
        } else {
          PartialStore(columns - i)(sum, to + i);
        }
      }
    }
  }
}

// The sums of each chain are added to those before it, then the bias.
void sum_chains(Function sum, const DirectBlock& b, const float* in, int64_t out, int64_t columns,
                int64_t first_row, int64_t rows, int64_t width) {
  alignas(kLine) float all[kSums * kLanes], next[kSums * kLanes];
  DirectBlock chain = b;
  chain.bias = nullptr;
  chain.ramp = nullptr;
  chain.half = false;
  chain.out_row_stride = width;
  chain.out_channel_stride = rows * width;
  for (int64_t c = 0; c < b.in_channels; c += b.chain_channels) {
    chain.in_channels = std::min(b.chain_channels, b.in_channels - c);
    chain.filter = b.filter + c * b.tap_count * b.out_channels;
    chain.out = c == 0 ? all : next;
    sum(chain, in + c * b.in_channel_stride, 0, width, first_row);
    if (c == 0) continue;
    for (int64_t i = 0; i < b.out_channels * rows * width; i += kLanes) {
      store(add(load(all + i), load(next + i)), all + i);
    }
  }
  if (b.half) {
    store_sums(b, all, static_cast<std::uint16_t*>(b.out) + out, rows, width, columns);
  } else {
    store_sums(b, all, static_cast<float*>(b.out) + out, rows, width, columns);
  }
}

// From column and row `first_row` on: rows and `width` columns at a time.
void sum_block(Function sum, const DirectBlock& b, const float* in, int64_t out, int64_t columns,
               int64_t first_row, int64_t rows, int64_t width) {
  if (b.in_channels <= b.chain_channels) {
    sum(b, in, out, columns, first_row);
  } else {
    sum_chains(sum, b, in, out, columns, first_row, rows, width);
  }
}

// Beside them seven factors, in AVX-512.
constexpr int kBandVectors = 2;

// Most vectors of a row whose sums have room beside the factors of a column of the window.
int64_t most_vectors(const DirectBlock& b) {
  if (b.window.kind == DirectWindow::Kind::bands) return kBandVectors;
  return kLanes < 16 && b.window.rows > 3 * b.window.step ? 2 : 3;
}

// Rows are worth sharing where there are several. kHalf: the last vector is half full at most.
template <int M, int R, int N, bool kHalf>
Function function_for(const DirectBlock& b) {
  if constexpr (M == 1 && N <= kBandVectors) {
    if (b.window.kind == DirectWindow::Kind::bands) return sum_bands<R, N>;
  }
  if constexpr (M == 1 && R >= 4) {
    const auto is = [&](int rows, int step) {
      return b.window.kind == DirectWindow::Kind::rows && b.window.rows == rows &&
             b.window.step == step;
    };
    if (is(2, 1)) return sum_rows<R, N, 2, 1, kHalf>;
    if (is(3, 1)) return sum_rows<R, N, 3, 1, kHalf>;
    if (is(3, 2)) return sum_rows<R, N, 3, 2, kHalf>;
    if (is(5, 2)) return sum_rows<R, N, 5, 2, kHalf>;
    if constexpr (N < 3 || kLanes == 16) {  // as most_vectors() says
      if (is(5, 1)) return sum_rows<R, N, 5, 1, kHalf>;
      if (is(7, 1)) return sum_rows<R, N, 7, 1, kHalf>;
    }
  }
  return sum_taps<M, R, N, kHalf>;
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
Strip strip_for(const DirectBlock& b, bool half) {
  constexpr int kFewer = R > 4 ? 4 : R / 2;
  if constexpr (R > 1 && M * R * N > kSums) {
    return strip_for<M, kFewer, N>(b, half);
  } else {
    if constexpr (R > 1) {
      if (b.rows < R) return strip_for<M, kFewer, N>(b, half);
    }
    if constexpr (kLanes == 16) {
      if (half) return {function_for<M, R, N, true>(b), R};
    }
    return {function_for<M, R, N, false>(b), R};
  }
}

// R: 7, since feature maps like to have a multiple of 7 rows.
template <int M, int R, int kMost>
Strip strip_for_width(const DirectBlock& b, int64_t vectors, bool half) {
  switch (vectors) {
    case 1:
      return strip_for<M, R, 1>(b, half);
    case 2:
      return strip_for<M, R, std::min(2, kMost)>(b, half);
    case 3:
      return strip_for<M, R, std::min(3, kMost)>(b, half);
    default:
      return strip_for<M, R, kMost>(b, half);
  }
}

// The same for rows that are known.
template <int M, int kMost>
Function function_for_width(const DirectBlock& b, int64_t rows, int64_t vectors, bool half) {
  switch (rows) {
    case 7:
      return strip_for_width<M, 7, kMost>(b, vectors, half).function;
    case 4:
      return strip_for_width<M, 4, kMost>(b, vectors, half).function;
    case 2:
      return strip_for_width<M, 2, kMost>(b, vectors, half).function;
    default:
      return strip_for_width<M, 1, kMost>(b, vectors, half).function;
  }
}

// Shorter rows have lines in common. With AVX-512, which has other sums for most of such layers,
// nothing was gained.
constexpr int64_t kManyColumns = 32;
constexpr bool kFetchesOutput = kLanes < 16;

// Rows of the output that come after those that are summed: the processor would begin too late. In
// turns, one thread of Zen 4, AVX2, depthwise 3x3: 32 channels, 112x112: 321 us, so 250; asked for
// to be written, not read, 252.
void fetch_output(const DirectBlock& b, int64_t begin, int64_t end) {
  const int64_t bytes = b.half ? 2 : 4;
  for (int64_t r = begin; r < end; ++r) {
    const auto* row = static_cast<const char*>(b.out) + r * b.out_row_stride * bytes;
    for (int64_t i = 0; i < b.columns * bytes; i += kLine) __builtin_prefetch(row + i, 1);
  }
}

// Some rows at a time, of all columns. Strips are as wide as registers allow, all nearly the same.
template <int M, int kMost>
void sum_strips(DirectBlock& b, int64_t most) {
  const int64_t vectors = (b.columns + kLanes - 1) / kLanes;
  const int64_t strips = (vectors + most - 1) / most;
  const int64_t width = vectors / strips, wider = vectors % strips;  // so many have one more
  const auto [wide, step] = strip_for_width<M, 7, kMost>(b, wider > 0 ? width + 1 : width, false);
  const bool half = b.halves && b.columns <= vectors * kLanes - kLanes / 2;
  const Function narrow = function_for_width<M, kMost>(b, step, width, false);
  const Function last = function_for_width<M, kMost>(b, step, width, half);
  Fetch fetch(b);
  for (int64_t group = 0; group < b.groups; ++group) {
    for (int64_t row = 0; row < b.rows; row += step) {
      // The last rows are summed together with some before them, once more.
      const int64_t first = std::min(row, b.rows - step);
      const float* in = b.in + first * b.in_row_stride;
      const int64_t out = first * b.out_row_stride;
      int64_t column = 0;
      fetch(step * vectors);
      if (kFetchesOutput && M == 1 && b.columns >= kManyColumns) {
        fetch_output(b, first + step, std::min(first + 2 * step, b.rows));
      }
      for (int64_t i = 0; i < strips; ++i) {
        const int64_t columns = (i < wider ? width + 1 : width) * kLanes;
        sum_block(i < wider        ? wide
                  : i < strips - 1 ? narrow
                                   : last,
                  b, in + column, out + column, b.columns - column, first, step, columns);
        column += columns;
      }
    }
    to_next_group<M>(b);
  }
}

template <int kWidth, bool kRun>
void sum_long_row(DirectBlock& b, const float* in, int64_t out, int64_t row, int64_t vectors,
                  Fetch& fetch) {
  constexpr Function sum = kRun ? sum_run<kWidth> : sum_taps<1, 1, kWidth>;
  for (int64_t column = 0; column < b.columns; column += kWidth * kLanes) {
    // The last are summed together with some before them.
    const int64_t first = std::min(column, (vectors - kWidth) * kLanes);
    if (kRun) {
      b.next = fetch.lines(kFarTaps, in);
    } else {
      fetch(kWidth);
    }
    sum_block(sum, b, in + first, out + first, b.columns - first, row, 1, kWidth * kLanes);
  }
}

using LongRow = void (*)(DirectBlock& b, const float* in, int64_t out, int64_t row, int64_t vectors,
                         Fetch& fetch);

// Of so many vectors, several at a time; null: no more than two.
template <bool kRun>
LongRow long_row(int64_t vectors) {
  constexpr int kWidth = 8, kWider = 2 * kWidth;
  if constexpr (kRun && kLanes == 8) {
    constexpr LongRow kOfRun[] = {sum_long_row<5, true>, sum_long_row<6, true>,
                                  sum_long_row<7, true>, sum_long_row<8, true>,
                                  sum_long_row<9, true>};
    static_assert(std::size(kOfRun) == kMostOfRun - kFewestOfRun + 1);
    if (vectors >= kFewestOfRun) return kOfRun[run_width(vectors) - kFewestOfRun];
  }
  if (vectors < kWidth) return nullptr;
  if constexpr (kLanes == 16) {  // reads less for each sum
    const bool even = (vectors + kWidth - 1) / kWidth % 2 == 0;
    if (vectors >= kWider && even) return sum_long_row<kWider, kRun>;
  }
  return sum_long_row<kWidth, kRun>;
}

// One row after the other.
void sum_long_rows(DirectBlock& b, Fetch& fetch) {
  const int64_t vectors = (b.columns + kLanes - 1) / kLanes;
  const bool run = b.window.kind == DirectWindow::Kind::run;
  const LongRow sum = run ? long_row<true>(vectors) : long_row<false>(vectors);
  for (int64_t row = 0; row < b.rows; ++row) {
    const float* in = b.in + row * b.in_row_stride;
    const int64_t out = row * b.out_row_stride;
    if (sum != nullptr) {
      sum(b, in, out, row, vectors, fetch);
      continue;
    }
    fetch(vectors);
    int64_t column = 0;
    for (; b.columns - column > kLanes; column += 2 * kLanes) {
      sum_block(sum_taps<1, 1, 2>, b, in + column, out + column, b.columns - column, row, 1,
                2 * kLanes);
    }
    if (column < b.columns) {
      sum_block(sum_taps<1, 1, 1>, b, in + column, out + column, b.columns - column, row, 1,
                kLanes);
    }
  }
}

template <int M>
void sum_groups(DirectBlock b) {
  constexpr int kMost = M == 1 ? 3 : std::min(4, kSums / M);
  // Enough sums to hide how long one takes.
  const bool bands = b.window.kind == DirectWindow::Kind::bands;
  if (M == 1 && !bands && b.rows < 4 && b.columns > 4 * kLanes) {
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
