#include "kernels/direct/channels.h"

#include <algorithm>

#include "kernels/direct/direct_levels.h"

#ifdef __AVX2__
#include "kernels/direct/direct_sums.h"

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int64_t kLine = 64;  // bytes

// What is read next is brought nearer meanwhile, so many lines of each layer of each channel at a
// time, in the order in which they lie in memory: the many rows that are read by turns are more
// than the processor would follow.
struct Ahead {
  const char* at;  // of the first channel of a chain
  int64_t channel_stride, layer_stride, lines;

  // Inlined, because compilers drop calls of functions that do nothing else.
  [[gnu::always_inline]] void fetch(int64_t channel, int64_t layer) const {
    const char* line = at + channel * channel_stride + layer * layer_stride;
    for (int64_t i = 0; i < lines; i += 4, line += 4 * kLine) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) __builtin_prefetch(line + j * kLine);
    }
  }
};

// Lanes [begin, end) of a vector.
class Lanes {
 public:
  Lanes(int64_t begin, int64_t end)
      : begin_(static_cast<unsigned>(std::clamp<int64_t>(begin, 0, kLanes))),
        end_(static_cast<unsigned>(std::clamp<int64_t>(end, 0, kLanes))) {}
  bool none() const { return begin_ >= end_; }
  Vector load(const float* from) const {
    const auto mask = hn::AndNot(hn::FirstN(vector_tag, begin_), hn::FirstN(vector_tag, end_));
    return hn::MaskedLoad(mask, vector_tag, from);
  }
#ifdef __AVX512F__
  Vector load(const std::uint16_t* from) const {
    const auto mask = static_cast<__mmask16>((1u << end_) - (1u << begin_));
    return Vector{_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, from))};
  }
#endif

 private:
  unsigned begin_, end_;
};

// Adds the terms of kWindow rows of the window, of one channel, to the sums of kRows rows of a
// vector each. Each input row is loaded once for all of them: their factors stay in registers.
// kEdge: some of what is read lies outside.
template <class T, int M, int kRows, int kWindow, bool kEdge>
[[gnu::always_inline]] WEFT_UNROLLED inline void add_rows(const DirectChannels& b, const T* from,
                                                          const float* factors, int64_t row,
                                                          int64_t column, Vector (&sum)[M][kRows]) {
  constexpr int kRead = kRows + kWindow - 1;
  const int64_t stride = b.row_step * b.in_row_stride;
  for (int64_t w = 0; w < b.window_columns; ++w, factors += M) {
    const int64_t left = column + w * b.column_distance;
    const Lanes lanes(-left, b.in_columns - left);
    if (kEdge && lanes.none()) continue;
    Vector factor[kWindow][M];
#pragma GCC unroll 4
    for (int j = 0; j < kWindow; ++j) {
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m) factor[j][m] = set(factors[j * b.filter_row_stride + m]);
    }
    const T* line = from + w * b.column_distance;
#pragma GCC unroll 16
    for (int i = 0; i < kRead; ++i, line += stride) {
      if (kEdge) {
        const int64_t at = row + i * b.row_step;
        if (at < 0 || at >= b.in_rows) continue;
      }
      Vector x = kEdge ? lanes.load(line) : load_whole(line);
      keep(x);
#pragma GCC unroll 4
      for (int j = 0; j < kWindow; ++j) {
        const int r = i - j;
        if (r < 0 || r >= kRows) continue;
#pragma GCC unroll 4
        for (int m = 0; m < M; ++m) sum[m][r] = multiply_add(factor[j][m], x, sum[m][r]);
      }
    }
  }
}

// The terms of some channels, kBand rows of the window at a time and kRest that are left.
template <class T, int M, int kRows, int kBand, int kRest, bool kEdge>
[[gnu::always_inline]] WEFT_UNROLLED inline void add_chain(const DirectChannels& b, const T* in,
                                                           const float* filter, int64_t channels,
                                                           int64_t row, int64_t column,
                                                           const Ahead& ahead,
                                                           Vector (&sum)[M][kRows]) {
  in += row * b.in_row_stride + column;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t k = 0; k < b.window_layers; ++k) {
      const T* const from = in + c * b.in_channel_stride + k * b.in_layer_stride;
      const float* const factors = filter + c * b.filter_channel_stride + k * b.filter_layer_stride;
      ahead.fetch(c, k);
      int64_t h = 0;
      for (; h + kBand <= b.window_rows; h += kBand) {
        add_rows<T, M, kRows, kBand, kEdge>(b, from + h * b.row_distance * b.in_row_stride,
                                            factors + h * b.filter_row_stride,
                                            row + h * b.row_distance, column, sum);
      }
      if constexpr (kRest > 0) {
        add_rows<T, M, kRows, kRest, kEdge>(b, from + h * b.row_distance * b.in_row_stride,
                                            factors + h * b.filter_row_stride,
                                            row + h * b.row_distance, column, sum);
      }
    }
  }
}

template <class Out, int M, int kRows>
WEFT_UNROLLED inline void finish(const DirectChannels& b, int64_t row, int64_t column,
                                 const Vector (&sum)[M][kRows]) {
  const int64_t count = b.columns - column;
  const PartialStore store_some(std::min(count, kLanes - 1));
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m) {
    if (m >= b.stored_channels) return;
    const Vector bias = set(b.bias != nullptr ? b.bias[m] : -0.0f);
    Out* to = static_cast<Out*>(b.out) + m * b.out_channel_stride + row * b.out_row_stride + column;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, to += b.out_row_stride) {
      if (row + r >= b.rows) break;
      Vector x = one_nan(add(sum[m][r], bias));
      if (b.ramp != nullptr) x = ramp(x, *b.ramp);
      count >= kLanes ? store(x, to) : store_some(x, to);
    }
  }
}

// After the sums of a chain from channel `first` on, of some output rows from `row` on, which read
// the input up to its row `end`.
template <class T>
Ahead next_of(const DirectChannels& b, int64_t first, int64_t row, int64_t end, int64_t rows) {
  const int64_t window = (b.window_rows - 1) * b.row_distance + 1;
  const T* at = static_cast<const T*>(b.in) + first * b.in_channel_stride;
  int64_t begin = end;
  if (row + rows < b.rows) {
    end += rows * b.row_step;
  } else {
    if (first + b.chain_channels < b.in_channels) {
      at += b.chain_channels * b.in_channel_stride;
      begin = b.first_row;
    } else {
      at = static_cast<const T*>(b.next);
      begin = b.next_first_row;
    }
    end = begin + (rows - 1) * b.row_step + window;
  }
  begin = std::clamp<int64_t>(begin, 0, b.in_rows);
  end = std::clamp(end, begin, b.in_rows);
  at += begin * b.in_row_stride + std::max<int64_t>(b.first_column, 0);
  constexpr int64_t kElement = sizeof(T);
  const int64_t bytes = (end - begin) * b.in_row_stride * kElement;
  const int64_t bytes_a_line = (b.columns + kLanes - 1) / kLanes * kLine;
  // Not where half of them or more are gaps.
  const bool dense = b.in_row_stride < 2 * b.columns;
  return {reinterpret_cast<const char*>(at), b.in_channel_stride * kElement,
          b.in_layer_stride * kElement, dense ? (bytes + bytes_a_line - 1) / bytes_a_line : 0};
}

template <class T, int M, int kBand, int kRest>
void sum_channels(const DirectChannels& b) {
  constexpr int kRows = DirectChannels::block_rows(kLanes, M);
  for (int64_t first = 0; first < b.in_channels; first += b.chain_channels) {
    const int64_t channels = std::min(b.chain_channels, b.in_channels - first);
    const bool last = first + channels == b.in_channels;
    const T* const in = static_cast<const T*>(b.in) + first * b.in_channel_stride;
    const float* const filter = b.filter + first * b.filter_channel_stride;
    float* kept = b.sums;
    for (int64_t row = 0; row < b.rows; row += kRows) {
      const int64_t top = b.first_row + row * b.row_step;
      const int64_t bottom = top + (kRows - 1) * b.row_step + (b.window_rows - 1) * b.row_distance;
      Ahead ahead = next_of<T>(b, first, row, bottom + 1, kRows);
      const bool rows_inside = top >= 0 && bottom < b.in_rows;
      for (int64_t column = 0; column < b.columns; column += kLanes) {
        const int64_t left = b.first_column + column;
        const int64_t begin =
            left + std::min<int64_t>((b.window_columns - 1) * b.column_distance, 0);
        const int64_t end =
            left + std::max<int64_t>((b.window_columns - 1) * b.column_distance, 0) + kLanes;
        Vector sum[M][kRows];
#pragma GCC unroll 4
        for (int m = 0; m < M; ++m) {
#pragma GCC unroll 16
          for (int r = 0; r < kRows; ++r) sum[m][r] = set(0.0f);
        }
        if (rows_inside && begin >= 0 && end <= b.in_columns) {
          add_chain<T, M, kRows, kBand, kRest, false>(b, in, filter, channels, top, left, ahead,
                                                      sum);
        } else {
          add_chain<T, M, kRows, kBand, kRest, true>(b, in, filter, channels, top, left, ahead,
                                                     sum);
        }
        if (first > 0) {
#pragma GCC unroll 4
          for (int m = 0; m < M; ++m) {
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) {
              sum[m][r] = add(load(kept + kLanes * (m * kRows + r)), sum[m][r]);
            }
          }
        }
        if (last) {
          b.half_out ? finish<std::uint16_t>(b, row, column, sum)
                     : finish<float>(b, row, column, sum);
        } else {
#pragma GCC unroll 4
          for (int m = 0; m < M; ++m) {
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) store(sum[m][r], kept + kLanes * (m * kRows + r));
          }
        }
        kept += kLanes * M * kRows;
        ahead.at += ahead.lines * kLine;
      }
    }
  }
}

template <class T, int M>
void sum_windows(const DirectChannels& b) {
#ifdef __AVX512F__
  if (b.window_rows % 3 == 0) return sum_channels<T, M, 3, 0>(b);
  if (b.window_rows % 3 == 1) return sum_channels<T, M, 3, 1>(b);
  sum_channels<T, M, 3, 2>(b);
#else
  if constexpr (DirectChannels::has(kLanes, M)) sum_channels<T, M, 1, 0>(b);
#endif
}

template <class T>
void sum_outputs(const DirectChannels& b) {
  switch (b.out_channels) {
    case 1:
      return sum_windows<T, 1>(b);
    case 2:
      return sum_windows<T, 2>(b);
    case 3:
      return sum_windows<T, 3>(b);
    default:
      return sum_windows<T, 4>(b);
  }
}

}  // namespace

void direct_channels(const DirectChannels& b) noexcept {
#ifdef __AVX512F__
  if (b.half) return sum_outputs<std::uint16_t>(b);
#endif
  sum_outputs<float>(b);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
