#include "kernels/gemm/strided.h"

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/gemm/strips.h"
#include "kernels/unrolled.h"

#ifdef __AVX512F__

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int kChannels = kGemmStridedChannels, kTaps = kGemmStridedTaps;
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

// Which of the columns from `first` on lie inside.
inline __mmask16 inside(int64_t first, int64_t columns) {
  const auto lanes = [&](int64_t end) { return std::clamp<int64_t>(end - first, 0, kLanes); };
  return static_cast<__mmask16>((1u << lanes(columns)) - (1u << lanes(0)));
}

// What N vectors of outputs of row r from column i on take of input rows. With kPairFirst the first
// two taps come from the same loads, else the last two: loads that begin at an even column cross no
// cache line where rows begin with one.
template <class T, bool kPairFirst, int N, bool kMasked>
class Taps {
 public:
  Taps(const GemmStrided& s, int64_t r, int64_t i)
      : s_(s),
        from_(static_cast<const T*>(s.in) + r * s.in_row_stride + 2 * i),
        first_row_(r * s.row_step) {
    if constexpr (kMasked) {
      for (int w = 0; w < kTaps; ++w) {
        const int64_t column = s.first_column + 2 * i + w;
        masks_[w][0] = inside(column, s.in_columns);
        masks_[w][1] = inside(column + kLanes, s.in_columns);
      }
    }
  }

  // Brings what the output row that follows is the first to read nearer.
  [[gnu::always_inline]] void fetch(int64_t k) const {
    if (!s_.rows[k].is_new) return;
    const auto* line = reinterpret_cast<const char*>(from_ + s_.rows[k].in + s_.in_row_stride);
    constexpr int64_t kLines = int64_t{2} * N * kLanes * sizeof(T) / kLine;
#pragma GCC unroll 8
    for (int64_t i = 0; i < kLines; ++i, line += kLine) __builtin_prefetch(line);
  }

  // Calls use(w, x) for taps w in [kFirst, kEnd) of row k, in their order.
  template <int kFirst, int kEnd, class Use>
  [[gnu::always_inline]] void each(int64_t k, const Use& use) const {
    const T* const from = from_ + s_.rows[k].in;
    bool row_inside = true;
    if constexpr (kMasked) {
      const int64_t row = first_row_ + s_.rows[k].row;
      row_inside = row >= 0 && row < s_.in_rows;
    }
    Vector low[N], high[N], x[N];
    const auto load = [&](int w) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        low[n] = part(from, w, n, 0, row_inside);
        high[n] = part(from, w, n, 1, row_inside);
        x[n] = every_other<false>(low[n], high[n]);
      }
    };
    const auto take_odd = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) x[n] = every_other<true>(low[n], high[n]);
    };
    if constexpr (kFirst == 0) {
      load(0);
      use(0, x);
    }
    if constexpr (kFirst <= 1 && kEnd > 1) {
      kPairFirst ? take_odd() : load(1);
      use(1, x);
    }
    if constexpr (kEnd > 2) {
      if (kPairFirst || kFirst == 2) {
        load(2);
      } else {
        take_odd();
      }
      use(2, x);
    }
  }

 private:
  [[gnu::always_inline]] Vector part(const T* from, int w, int n, int half, bool row_inside) const {
    const T* const at = from + w + (2 * n + half) * kLanes;
    Vector x;
    if constexpr (kMasked) {
      x = load_some(row_inside ? masks_[w][half] : __mmask16{0}, at);
    } else {
      x = load_all(at);
    }
    keep(x);
    return x;
  }

  const GemmStrided& s_;
  const T* from_;
  int64_t first_row_;
  __mmask16 masks_[kTaps][2];
};

// The sums of N vectors of outputs of row r from column i on, of the channels of P panels from p
// on. `wanted`: where results are written soon.
template <class T, bool kPairFirst, bool kBiasTerms, int P, int N, bool kMasked>
WEFT_UNROLLED void sum_block(const GemmStrided& s, int64_t p, int64_t r, int64_t i,
                             const T* wanted) {
  constexpr int kM = P * kChannels;
  // The last terms are all taps of the last row and the last one of the row before.
  static_assert(kGemmBiasTerms == kTaps + 1);
  const int64_t whole = s.row_count - (kBiasTerms ? 2 : 0);
  const bool fetches = p == 0;
  const Taps<T, kPairFirst, N, kMasked> taps(s, r, i);
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
  const auto fetch_results = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) __builtin_prefetch(wanted + n * kLanes);
    wanted += s.out_channel_stride;
  };
  for (int64_t k = 0; k < whole; ++k) {
    if (fetches) taps.fetch(k);
    if (k < kM) fetch_results();
    taps.template each<0, kTaps>(k, multiply);
#pragma GCC unroll 2
    for (int q = 0; q < P; ++q) a[q] += kTaps * kChannels;
  }
  for (int64_t k = whole; fetches && k < s.row_count; ++k) taps.fetch(k);
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
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const Taps<T, kPairFirst, 1, kMasked> of_vector(s, r, i + n * kLanes);
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
      }
    }
  } else if (s.bias != nullptr) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
      const Vector bias = set(s.bias[p * kChannels + m]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sums[m][n] = add(sums[m][n], bias);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) sums[m][n] = in_order(sums[m][n]);
  }
  if (s.relu) {
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sums[m][n] = relu(sums[m][n]);
    }
  }
  T* to = static_cast<T*>(s.out) + p * kChannels * s.out_channel_stride + r * s.out_row_stride + i;
  if constexpr (kMasked) {
    const __mmask16 mask = inside(i, s.out_columns);
#pragma GCC unroll 16
    for (int m = 0; m < kM; ++m, to += s.out_channel_stride) store_some(sums[m][0], mask, to);
  } else {
    store_sums(sums, to, s.out_channel_stride);
  }
}

template <class T, bool kPairFirst, bool kBiasTerms>
void sum_all(const GemmStrided& s) {
  // Outputs [begin, end) read no column outside.
  const int64_t begin = s.first_column < 0 ? kLanes : 0;
  const int64_t readable = s.in_columns - s.first_column - kTaps;
  const int64_t end = readable < 0 ? 0 : std::min(readable / 2 + 1, s.out_columns);
  const bool may_be_inside = -s.first_column <= 2 * begin;
  const int64_t ahead = std::min(kAhead, s.out_columns);
  const T* const out = static_cast<const T*>(s.out);
  for (int64_t r = 0; r < s.out_rows; ++r) {
    bool rows_inside = may_be_inside;
    for (int64_t k = 0; k < s.row_count; ++k) {
      const int64_t row = s.rows[k].row + r * s.row_step;
      rows_inside &= row >= 0 && row < s.in_rows;
    }
    for (int64_t p = 0; p < s.panels; ++p) {
      const T* const here = out + p * kChannels * s.out_channel_stride + r * s.out_row_stride;
      const T* const after = p + 1 < s.panels ? here + kChannels * s.out_channel_stride
                                              : out + (r + 1) * s.out_row_stride;
      for (int64_t i = 0; i < s.out_columns;) {
        const int64_t column = i + ahead;
        const T* const wanted =
            column < s.out_columns ? here + column : after + column - s.out_columns;
        const int64_t vectors = rows_inside && i >= begin ? (end - i) / kLanes : 0;
        if (vectors == 3 || vectors > 4) {
          sum_block<T, kPairFirst, kBiasTerms, 1, 3, false>(s, p, r, i, wanted);
          i += 3 * kLanes;
        } else if (vectors >= 2) {
          sum_block<T, kPairFirst, kBiasTerms, 1, 2, false>(s, p, r, i, wanted);
          i += 2 * kLanes;
        } else {
          // Sums of two panels: those of one are too few for all multiply-adds to overlap.
          if (p % 2 == 0 && p + 1 < s.panels) {
            sum_block<T, kPairFirst, kBiasTerms, 2, 1, true>(s, p, r, i, wanted);
          } else if (p % 2 == 0) {
            sum_block<T, kPairFirst, kBiasTerms, 1, 1, true>(s, p, r, i, wanted);
          }
          i += kLanes;
        }
      }
    }
  }
}

template <class T, bool kBiasTerms>
void sum_pairs(const GemmStrided& s) {
  s.first_column % 2 == 0 ? sum_all<T, true, kBiasTerms>(s) : sum_all<T, false, kBiasTerms>(s);
}

}  // namespace

void gemm_strided(const GemmStrided& s) noexcept {
  if (s.half) return sum_pairs<std::uint16_t, false>(s);
  s.bias_terms ? sum_pairs<float, true>(s) : sum_pairs<float, false>(s);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
