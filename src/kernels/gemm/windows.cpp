#include "kernels/gemm/windows.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/gemm/strips.h"
#include "kernels/unrolled.h"

#ifdef __AVX512F__

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int kChannels = kGemmWindowsChannels, kTaps = kGemmWindowsTaps;
constexpr int64_t kLine = 64;  // bytes

// So many columns ahead the lines of results come nearer.
constexpr int64_t kAhead = 96;

inline Vector load_all(const float* from) { return load(from); }
inline Vector load_all(const std::uint16_t* from) {
  return Vector{_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
}
inline Vector load_some(__mmask16 mask, const float* from) {
  return Vector{_mm512_maskz_loadu_ps(mask, from)};
}
inline Vector load_some(__mmask16 mask, const std::uint16_t* from) {
  return Vector{_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, from))};
}
inline void store_some(Vector x, __mmask16 mask, float* to) {
  _mm512_mask_storeu_ps(to, mask, one_nan(x).raw);
}
inline void store_some(Vector x, __mmask16 mask, std::uint16_t* to) {
  _mm256_mask_storeu_epi16(to, mask, narrow(one_nan(x)));
}

// What rows that are not there read as.
template <class T>
inline constexpr std::array<T, 4 * kLanes> zeros{};

// Of 32 numbers, the even or the odd ones, within the quarters of both vectors; in_order() puts
// them in order. Ports that multiply-adds do not need do this, unlike a whole permutation.
template <bool kOdd>
inline Vector every_other(Vector low, Vector high) {
  return Vector{_mm512_shuffle_ps(low.raw, high.raw, kOdd ? 0xdd : 0x88)};
}
inline Vector in_order(Vector x) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  return Vector{_mm512_castpd_ps(_mm512_permutexvar_pd(order, _mm512_castps_pd(x.raw)))};
}

// Which of the lanes from column `first` on, one to the next, lie inside.
inline __mmask16 inside(int64_t first, int64_t columns) {
  const auto lanes = [&](int64_t end) { return std::clamp<int64_t>(end - first, 0, kLanes); };
  return static_cast<__mmask16>((1u << lanes(columns)) - (1u << lanes(0)));
}

// How the vectors of a block of outputs lie: one after the other in a row, no tap outside of the
// input, or some; or one in each of some rows, some taps outside.
enum class Lie { inside, columns, rows };

// Rows of a block of N vectors.
template <int N, Lie kLie>
inline constexpr int rows_of = 1 + (kLie == Lie::rows ? N - 1 : 0);

// How the windows read a row: `single`, columns side by side; else by two, the first two taps, or
// the last two, from the same loads: loads that begin at an even column cross no cache line where
// rows begin with one.
enum class Step { single, pair_first, pair_last };

// Columns that the windows move by.
template <Step kStep>
inline constexpr int columns_of = 1 + (kStep != Step::single ? 1 : 0);

// What is wanted soon: of later rows of the input, from column i on, those that no row before has
// read, and where results of a panel go.
template <class T>
struct Wanted {
  const T* in = nullptr;
  const int64_t* rows = nullptr;  // elements on
  int64_t row_count = 0;
  const T* out = nullptr;
};

// What N vectors of outputs, of row r from column i on, take of input rows.
template <class T, Step kStep, int N, Lie kLie>
class Taps {
 public:
  Taps(const GemmWindows& s, int64_t r, int64_t i)
      : s_(s),
        from_(static_cast<const T*>(s.in) + r * s.in_row_stride + kColumns * i),
        first_row_(r * s.row_step) {
    if constexpr (kLie != Lie::inside) {
      for (int n = 0; n < kMasks; ++n) {
        for (int w = 0; w < kTaps; ++w) {
          const int64_t column = s.first_column + kColumns * (i + n * kLanes) + w;
          for (int part = 0; part < kColumns; ++part) {
            masks_[n][w][part] = inside(column + part * kLanes, s.in_columns);
          }
        }
      }
    }
  }

  // Calls use(w, x) for taps w in [kFirst, kEnd) of row k, in their order.
  template <int kFirst, int kEnd, class Use>
  [[gnu::always_inline]] WEFT_UNROLLED void each(int64_t k, const Use& use) const {
    const T* from[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const int64_t vector = kLie == Lie::rows ? n * s_.in_row_stride : kLanes * kColumns * n;
      from[n] = from_ + s_.rows[k].in + vector;
      if constexpr (kLie != Lie::inside) {
        const int64_t row = first_row_ + s_.rows[k].row + (kLie == Lie::rows ? n * s_.row_step : 0);
        from[n] = row >= 0 && row < s_.in_rows ? from[n] : zeros<T>.data();
      }
    }
    // Both of a pair at once: what they come from need not stay in registers.
    Vector x[N], odd[N];
    const auto load = [&](int w) WEFT_UNROLLED __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        x[n] = part(from[n], w, n, 0);
        if constexpr (kStep != Step::single) {
          const Vector low = x[n], high = part(from[n], w, n, 1);
          x[n] = every_other<false>(low, high);
          odd[n] = every_other<true>(low, high);
        }
      }
    };
    if constexpr (kFirst == 0) {
      load(0);
      use(0, x);
    }
    if constexpr (kFirst <= 1 && kEnd > 1) {
      if constexpr (kStep == Step::pair_first) {
        use(1, odd);
      } else {
        load(1);
        use(1, x);
      }
    }
    if constexpr (kEnd > 2) {
      if constexpr (kStep == Step::pair_last) {
        if constexpr (kFirst == 2) load(1);  // not a column past what the last tap reads
        use(2, odd);
      } else {
        load(2);
        use(2, x);
      }
    }
  }

 private:
  static constexpr int kColumns = columns_of<kStep>;
  static constexpr int kMasks = 1 + (kLie == Lie::columns ? N - 1 : 0);

  [[gnu::always_inline]] WEFT_UNROLLED Vector part(const T* from, int w, int n, int part) const {
    const T* const at = from + w + part * kLanes;
    Vector x;
    if constexpr (kLie == Lie::inside) {
      x = load_all(at);
    } else {
      x = load_some(masks_[kMasks > 1 ? n : 0][w][part], at);
    }
    keep(x);
    return x;
  }

  const GemmWindows& s_;
  const T* from_;
  int64_t first_row_;
  __mmask16 masks_[kMasks][kTaps][kColumns];
};

// The sums of N vectors of outputs, of row r from column i on, of the channels of P panels from p
// on.
template <class T, Step kStep, bool kBiasTerms, int P, int N, Lie kLie>
WEFT_UNROLLED void sum_block(const GemmWindows& s, int64_t p, int64_t r, int64_t i,
                             Wanted<T> wanted) {
  constexpr int kM = P * kChannels;
  // The last terms are all taps of the last row and the last one of the row before.
  static_assert(kGemmBiasTerms == kTaps + 1);
  const int64_t whole = s.row_count - (kBiasTerms ? 2 : 0);
  const int64_t vector = kLie == Lie::rows ? s.out_row_stride : kLanes;
  const Taps<T, kStep, N, kLie> taps(s, r, i);
  Vector sums[kM][N];
#pragma GCC unroll 16
  for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) sums[m][n] = set(0.0f);
  }
  const float* a[P];
#pragma GCC unroll 2
  for (int q = 0; q < P; ++q) a[q] = s.a + (p + q) * s.a_panel_stride;
  const auto multiply = [&](int w, const Vector(&x)[N]) WEFT_UNROLLED
      __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
      Vector factor = set(a[m / kChannels][w * kChannels + m % kChannels]);
      if (N > 1) keep(factor);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) accumulate(factor, x[n], sums[m][n]);
    }
  };
  const auto fetch_results = [&]() WEFT_UNROLLED __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) __builtin_prefetch(wanted.out + n * vector);
    wanted.out += s.out_channel_stride;
  };
  const auto fetch_input = [&](int64_t k) WEFT_UNROLLED __attribute__((always_inline)) {
    constexpr int64_t kInRows = rows_of<N, kLie>;
    constexpr int64_t kBytes = columns_of<kStep> * N / kInRows * kLanes * int64_t{sizeof(T)};
    // Of short rows, of which one follows the other, the last line is the first of the next one.
    constexpr int64_t kEnd = kLie == Lie::rows ? kBytes : kBytes + 1;
    const T* row = wanted.in + wanted.rows[k];
#pragma GCC unroll 4
    for (int64_t n = 0; n < kInRows; ++n, row += s.in_row_stride) {
      const auto* line = reinterpret_cast<const char*>(row);
#pragma GCC unroll 8
      for (int64_t at = 0; at < kEnd; at += kLine) __builtin_prefetch(line + at);
    }
  };
  for (int64_t k = 0; k < whole; ++k) {
    if (k < wanted.row_count) fetch_input(k);
    if (k < kM) fetch_results();
    taps.template each<0, kTaps>(k, multiply);
#pragma GCC unroll 2
    for (int q = 0; q < P; ++q) a[q] += kTaps * kChannels;
  }
  for (int64_t k = whole; k < wanted.row_count; ++k) fetch_input(k);
  for (int64_t k = whole; k < kM; ++k) fetch_results();
  if constexpr (kBiasTerms) {
    taps.template each<0, 2>(whole, multiply);
  }
  // Else gcc would keep them in memory.
#pragma GCC unroll 16
  for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) keep(sums[m][n]);
  }
  if constexpr (kBiasTerms) {
    constexpr Lie kLieOfOne = kLie == Lie::rows ? Lie::columns : kLie;
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const Taps<T, kStep, 1, kLieOfOne> of_vector(s, kLie == Lie::rows ? r + n : r,
                                                   kLie == Lie::rows ? i : i + n * kLanes);
      Vector last[kGemmBiasTerms];
      of_vector.template each<2, kTaps>(
          whole, [&](int, const Vector(&x)[1]) __attribute__((always_inline)) { last[0] = x[0]; });
      of_vector.template each<0, kTaps>(
          whole + 1, [&](int w, const Vector(&x)[1])
                         __attribute__((always_inline)) { last[w + 1] = x[0]; });
      // Broadcast anew for each vector: they fill no registers.
      const float* bias = s.bias + p * kChannels;
      asm("" : "+r"(bias));
#pragma GCC unroll 2
      for (int q = 0; q < P; ++q) asm("" : "+r"(a[q]));
#pragma GCC unroll 16
      for (int m = 0; m < kM; ++m) {
        const float* const factors = a[m / kChannels] + 2 * kChannels + m % kChannels;
        Vector x = set(bias[m]);
#pragma GCC unroll 4
        for (int64_t t = 0; t < kGemmBiasTerms; ++t) {
          x = multiply_add(set(factors[t * kChannels]), last[t], x);
        }
        sums[m][n] = add(sums[m][n], x);
        keep(sums[m][n]);
      }
    }
  } else if (s.bias != nullptr) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
      const Vector bias = set(s.bias[p * kChannels + m]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        sums[m][n] = add(sums[m][n], bias);
        keep(sums[m][n]);
      }
    }
  }
  if constexpr (kStep != Step::single) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sums[m][n] = in_order(sums[m][n]);
    }
  }
  if (s.ramp != nullptr) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sums[m][n] = ramp(sums[m][n], *s.ramp);
    }
  }
  T* to = static_cast<T*>(s.out) + p * kChannels * s.out_channel_stride + r * s.out_row_stride + i;
  if constexpr (kLie == Lie::inside) {
    store_sums(sums, to, s.out_channel_stride);
  } else {
    const __mmask16 first = inside(i, s.out_columns);
    const __mmask16 last = kLie == Lie::rows ? first : inside(i + (N - 1) * kLanes, s.out_columns);
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m, to += s.out_channel_stride) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        store_some(sums[m][n], n + 1 < N ? first : last, to + n * vector);
      }
    }
  }
}

template <class T, Step kStep, bool kBiasTerms>
class Windows {
 public:
  explicit Windows(const GemmWindows& s)
      : s_(s),
        ahead_(std::min(kAhead, s.out_columns)),
        rows_ahead_(s.out_columns > kLanes ? 1 : kRows) {
    for (int64_t k = 0; k < s.row_count; ++k) {
      rows_[k] = s.rows[k].in;
      if (s.rows[k].is_new) new_rows_[new_count_++] = s.rows[k].in;
    }
  }

  void sum_all() const {
    if (s_.out_columns > kLanes) {
      for (int64_t r = 0; r < s_.out_rows; ++r) sum_row(r);
      return;
    }
    int64_t r = 0;
    for (; r + kRows <= s_.out_rows; r += kRows) {
      for (int64_t p = 0; p < s_.panels; ++p) sum<1, kRows, Lie::rows>(p, r, 0);
    }
    for (; r < s_.out_rows; ++r) {
      for (int64_t p = 0; p < s_.panels; ++p) sum_vector(p, r, 0);
    }
  }

 private:
  static constexpr int64_t kRows = 3;

  void sum_row(int64_t r) const {
    bool rows_inside = true;
    for (int64_t k = 0; k < s_.row_count; ++k) {
      const int64_t row = s_.rows[k].row + r * s_.row_step;
      rows_inside &= row >= 0 && row < s_.in_rows;
    }
    const int64_t all = (s_.out_columns + kLanes - 1) / kLanes;
    for (int64_t p = 0; p < s_.panels; ++p) {
      for (int64_t v = 0; v < all;) {
        const int64_t i = v * kLanes;
        const int64_t vectors = rows_inside ? vectors_inside(i) : 0;
        if (vectors == 3 || vectors > 4) {
          sum<1, 3, Lie::inside>(p, r, i);
          v += 3;
        } else if (vectors >= 2) {
          sum<1, 2, Lie::inside>(p, r, i);
          v += 2;
        } else if ((all - v) % 2 == 0) {
          sum<1, 2, Lie::columns>(p, r, i);
          v += 2;
        } else {
          sum_vector(p, r, i);
          v += 1;
        }
      }
    }
  }

  // From column i on, those that read nothing outside: of pairs that begin with the third tap, the
  // second ones, too.
  int64_t vectors_inside(int64_t i) const {
    if (s_.first_column + s_.column_step * i < 0) return 0;
    constexpr int64_t kRead = kStep == Step::pair_first ? kTaps + 1 : kTaps;
    const int64_t readable = s_.in_columns - s_.first_column - kRead;
    if (readable < 0) return 0;
    return (std::min(readable / s_.column_step + 1, s_.out_columns) - i) / kLanes;
  }

  // Of two panels: the sums of one are too few for all multiply-adds to overlap.
  void sum_vector(int64_t p, int64_t r, int64_t i) const {
    if (p % 2 != 0) return;
    p + 1 < s_.panels ? sum<2, 1, Lie::columns>(p, r, i) : sum<1, 1, Lie::columns>(p, r, i);
  }

  template <int P, int N, Lie kLie>
  void sum(int64_t p, int64_t r, int64_t i) const {
    Wanted<T> wanted;
    if (p == 0) {
      int64_t row = r + rows_ahead_;
      wanted.in = static_cast<const T*>(s_.in) + s_.column_step * i;
      if (row >= s_.out_rows) {
        row -= s_.out_rows;
        wanted.in += s_.next_in;
      }
      wanted.in += row * s_.in_row_stride;
      const bool first = row < rows_of<N, kLie>;
      wanted.rows = first ? rows_.data() : new_rows_.data();
      wanted.row_count = first ? s_.row_count : new_count_;
    }
    const int64_t column = i + ahead_;
    wanted.out = column < s_.out_columns
                     ? out(p, r) + column
                     : next_out(p, r, rows_of<N, kLie>) + column - s_.out_columns;
    sum_block<T, kStep, kBiasTerms, P, N, kLie>(s_, p, r, i, wanted);
  }

  const T* out(int64_t p, int64_t r) const {
    return static_cast<const T*>(s_.out) + p * kChannels * s_.out_channel_stride +
           r * s_.out_row_stride;
  }
  const T* next_out(int64_t p, int64_t r, int64_t rows) const {
    if (p + 1 < s_.panels) return out(p + 1, r);
    return r + rows < s_.out_rows ? out(0, r + rows) : out(0, 0) + s_.next_out;
  }

  const GemmWindows& s_;
  int64_t ahead_, rows_ahead_;  // of columns of results, and rows of input
  std::array<int64_t, kGemmWindowsRows> rows_, new_rows_;
  int64_t new_count_ = 0;
};

template <class T, bool kBiasTerms>
void sum_windows(const GemmWindows& s) {
  if (s.column_step == 1) {
    Windows<T, Step::single, kBiasTerms>(s).sum_all();
  } else if (s.first_column % 2 == 0) {
    Windows<T, Step::pair_first, kBiasTerms>(s).sum_all();
  } else {
    Windows<T, Step::pair_last, kBiasTerms>(s).sum_all();
  }
}

}  // namespace

void gemm_windows(const GemmWindows& s) noexcept {
  if (s.half) return sum_windows<std::uint16_t, false>(s);
  s.bias_terms ? sum_windows<float, true>(s) : sum_windows<float, false>(s);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
