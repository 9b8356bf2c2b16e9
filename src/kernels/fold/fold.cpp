#include "kernels/fold/fold.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/fold/ahead.h"
#include "kernels/fold/fold_levels.h"
#include "kernels/half.h"
#include "kernels/lanes.h"
#include "kernels/one_nan.h"
#include "kernels/square.h"
#include "kernels/unrolled.h"
#ifdef __AVX512BW__
#include "kernels/interleave.h"
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// float16 as its bits.
enum class Half : std::uint16_t {};

template <class T>
T widen(T value) {
  return value;
}
float widen(Half value) { return widen_half(static_cast<std::uint16_t>(value)); }

template <class Sum, class T>
void add_row(Sum* __restrict sum, const T* __restrict from, int64_t step, int64_t count) {
  if (step == 1) {
    for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<Sum>(sum[i] + widen(from[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<Sum>(sum[i] + widen(from[i * step]));
  }
}

#ifdef __F16C__
// The compiler does not find the conversion of eight at a time.
void add_row(float* __restrict sum, const Half* __restrict from, int64_t step, int64_t count) {
  int64_t i = 0;
  if (step == 1) {
    for (; i + 8 <= count; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(sum + i, _mm256_add_ps(_mm256_loadu_ps(sum + i), _mm256_cvtph_ps(half)));
    }
  }
  for (; i < count; ++i) sum[i] += widen(from[i * step]);
}
#endif

template <class Sum, class T>
void add_any(const FoldBox& k) {
  for (int64_t plane = 0; plane < k.planes; ++plane) {
    Sum* const first = static_cast<Sum*>(k.sum) + plane * k.sum_plane;
    if (k.start) {
      for (int64_t row = 0; row < k.rows; ++row) {
        Sum* const sum = first + row * k.sum_row;
        for (int64_t i = 0; i < k.count; ++i) sum[i] = 0;
      }
    }
    for (int64_t t = 0; t < k.term_count; ++t) {
      const FoldTerm term = k.terms[t];
      Sum* sum = first + term.begin;
      const T* from =
          static_cast<const T*>(term.from) + plane * k.from_plane + term.begin * k.from_step;
      const int64_t count = term.end - term.begin;
      for (int64_t row = 0; row < k.rows; ++row) {
        add_row(sum, from, k.from_step, count);
        sum += k.sum_row;
        from += k.from_row;
      }
    }
  }
}

#ifdef __AVX2__
#ifdef __AVX512BW__
constexpr int64_t kVectorBytes = 64;
#else
constexpr int64_t kVectorBytes = 32;
#endif

// What is added at once.
template <class Sum>
struct Sums {
  using Type __attribute__((vector_size(kVectorBytes))) = Sum;
};
template <>
struct Sums<Half> : Sums<float> {};  // once widened
template <class Sum>
using VectorOf = typename Sums<Sum>::Type;

#ifdef __AVX512BW__

template <class T>
struct Bits {
  using Type = T;
};
template <>
struct Bits<float> {
  using Type = std::uint32_t;
};
template <>
struct Bits<double> {
  using Type = std::uint64_t;
};
template <class T>
using BitsOf = typename Bits<T>::Type;

using Mask = std::uint64_t;
template <class T>
constexpr bool kHasLanes = true;

Mask mask_of(int64_t begin, int64_t end) { return lane_mask(begin, end); }

template <class T>
VectorOf<T> load(Mask mask, const T* from) {
  return reinterpret_cast<VectorOf<T>>(load_lanes(mask, reinterpret_cast<const BitsOf<T>*>(from)));
}
VectorOf<float> load(Mask mask, const Half* from) {
  const auto lanes = static_cast<__mmask16>(mask);
  return reinterpret_cast<VectorOf<float>>(
      _mm512_maskz_cvtph_ps(lanes, _mm256_maskz_loadu_epi16(lanes, from)));
}

template <class T>
VectorOf<T> load(const T* from) {
  return reinterpret_cast<VectorOf<T>>(_mm512_loadu_si512(from));
}
VectorOf<float> load(const Half* from) {
  return reinterpret_cast<VectorOf<float>>(
      _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}

template <class Sum>
void store(Mask mask, Sum* to, VectorOf<Sum> values) {
  store_lanes(mask, reinterpret_cast<BitsOf<Sum>*>(to), reinterpret_cast<__m512i>(values));
}

#else

// AVX2 leaves out lanes of 4 bytes.
using Mask = __m256i;
template <class T>
constexpr bool kHasLanes = sizeof(T) == 4;

Mask mask_of(int64_t begin, int64_t end) {
  const auto bound = [](int64_t lane) {
    return _mm256_set1_epi32(static_cast<int>(std::clamp<int64_t>(lane, 0, 8)));
  };
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_andnot_si256(_mm256_cmpgt_epi32(bound(begin), lane),
                             _mm256_cmpgt_epi32(bound(end), lane));
}

template <class T>
VectorOf<T> load(Mask mask, const T* from) {
  return reinterpret_cast<VectorOf<T>>(
      _mm256_maskload_epi32(reinterpret_cast<const int*>(from), mask));
}

#endif

// A lane that a term has nothing for adds +0, which changes no sum: sums start at +0, so none is
// ever -0.
template <class Sum, class T, int terms>
void add_terms(const FoldBox& k) {
  constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(Sum));
  constexpr int64_t kVectors = 32;  // whose masks are worked out at once
  const int64_t ahead = k.ahead;
  for (int64_t first = 0; first < k.count; first += kVectors * kLanes) {
    Mask all[kVectors];
    Mask before[kVectors];
    Mask has[kVectors][terms];
    const int64_t vectors = std::min(kVectors, (k.count - first + kLanes - 1) / kLanes);
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = first + v * kLanes;
      all[v] = mask_of(0, k.count - at);
      before[v] = k.start ? Mask{} : all[v];
      for (int t = 0; t < terms; ++t) {
        has[v][t] = mask_of(k.terms[t].begin - at, k.terms[t].end - at);
      }
    }
    const auto add_rows = [&](int64_t plane, int64_t row, auto row_count) {
      constexpr int kRows = decltype(row_count)::value;
      Sum* sum = static_cast<Sum*>(k.sum) + plane * k.sum_plane + row * k.sum_row + first;
      const int64_t offset = plane * k.from_plane + row * k.from_row + first;
      const T* from[terms];
      for (int t = 0; t < terms; ++t) from[t] = static_cast<const T*>(k.terms[t].from) + offset;
      for (int64_t v = 0; v < vectors; ++v) {
        VectorOf<Sum> values[kRows];
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) values[r] = load(before[v], sum + r * k.sum_row);
#pragma GCC unroll 4
        for (int t = 0; t < terms; ++t) {
          const Mask mask = has[v][t];
#pragma GCC unroll 4
          for (int r = 0; r < kRows; ++r) {
            const T* const at = from[t] + r * k.from_row;
            if (ahead != 0) __builtin_prefetch(at + ahead);
            values[r] += load(mask, at);
          }
          from[t] += kLanes;
        }
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
#ifdef __AVX512BW__
          store(all[v], sum + r * k.sum_row, values[r]);
#else
          const int64_t count = std::min(kLanes, k.count - first - v * kLanes);
          store_first(reinterpret_cast<__m256>(values[r]),
                      reinterpret_cast<float*>(sum + r * k.sum_row), count);
#endif
        }
        sum += kLanes;
      }
    };
    for (int64_t plane = 0; plane < k.planes; ++plane) {
      int64_t row = 0;
      for (; row + 4 <= k.rows; row += 4) {
        add_rows(plane, row, std::integral_constant<int, 4>{});
      }
      for (; row < k.rows; ++row) add_rows(plane, row, std::integral_constant<int, 1>{});
    }
  }
}

template <class Sum, class T>
void add_lanes(const FoldBox& k) {
  if constexpr (kHasLanes<T>) {
    if (k.from_step == 1) {
      switch (k.term_count) {
        case 1:
          return add_terms<Sum, T, 1>(k);
        case 2:
          return add_terms<Sum, T, 2>(k);
        case 3:
          return add_terms<Sum, T, 3>(k);
        case 4:
          return add_terms<Sum, T, 4>(k);
        default:
          break;
      }
    }
  }
  add_any<Sum, T>(k);
}

#else

template <class Sum, class T>
void add_lanes(const FoldBox& k) {
  add_any<Sum, T>(k);
}

#endif

template <class Sum, class T>
void add(const FoldBox& k) {
  if (k.count != 1 || k.sum_plane != 1) return add_lanes<Sum, T>(k);
  // Planes of one element a row are one row.
  FoldBox row = k;
  row.planes = 1;
  row.count = k.planes;
  row.from_step = k.from_plane;
  for (FoldTerm& term : row.terms) {
    if (term.end != 0) term.end = term.begin == 0 ? k.planes : 0;
    term.begin = 0;
  }
  add_lanes<Sum, T>(row);
}

#ifdef __AVX512BW__

// The type of a lane of VectorOf<T>.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// Rounds what is float16 in memory.
template <class T>
void store_sums(Mask mask, T* to, VectorOf<T> sums) {
  if constexpr (std::is_same_v<T, Half>) {
    const auto lanes = static_cast<__mmask16>(mask);
    _mm256_mask_storeu_epi16(to, lanes,
                             _mm512_maskz_cvtps_ph(lanes, one_nan(reinterpret_cast<__m512>(sums)),
                                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  } else if constexpr (std::is_same_v<T, float>) {
    store<T>(mask, to, reinterpret_cast<VectorOf<T>>(one_nan(reinterpret_cast<__m512>(sums))));
  } else {
    store<T>(mask, to, sums);
  }
}

constexpr int kLanes = 16;
constexpr __mmask16 kAllLanes = 0xffff;
constexpr int64_t kMaxVectors = 36;  // whose masks are worked out at once

// The masks of vectors from index `first` on, by term.
using TermMasks = __mmask16[FoldRows::kMaxTerms];
struct RowMasks {
  TermMasks all[kMaxVectors];

  RowMasks(const FoldRows& k, int64_t term_count, int64_t first, int64_t vectors) {
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = first + v * kLanes;
      for (int64_t t = 0; t < term_count; ++t) {
        all[v][t] = static_cast<__mmask16>(mask_of(k.terms[t].begin - at, k.terms[t].end - at));
      }
    }
  }
};

// Calls use(row, i, masks) for all vectors of all rows, so many `together`; i is the first index.
template <class T, int lines_ahead, int together, class Use>
void each_vector(const FoldRows& k, int64_t term_count, int64_t planes, const Use& use) {
  static_assert(kMaxVectors % together == 0);
  constexpr int64_t kElements = int64_t{together} * kLanes;
  Ahead<T, lines_ahead> ahead(k, term_count, planes,
                              k.rows * ((k.count + kElements - 1) / kElements));
  for (int64_t first = 0; first < k.count; first += kMaxVectors * kLanes) {
    const int64_t vectors = std::min(kMaxVectors, (k.count - first + kLanes - 1) / kLanes);
    const RowMasks masks(k, term_count, first, (vectors + together - 1) / together * together);
    for (int64_t row = 0; row < k.rows; ++row) {
      for (int64_t v = 0; v < vectors; v += together) {
        ahead.step();
        use(row, first + v * kLanes, masks.all + v);
      }
    }
  }
}

// Calls use(from) for each part that has the row.
template <class T, class Use>
void each_part(const FoldRows& k, int64_t row, const Use& use) {
  for (int64_t part = 0; part < k.part_count; ++part) {
    const FoldRows::Part& p = k.parts[part];
    if (p.begin <= row && row < p.end) use(static_cast<const T*>(p.from) + row * k.from_row);
  }
}

// Few phases, which neighbours take by turns. The terms of so many vectors of each are looked up
// together; `inner` says that no term lacks a lane of those between the first and the last.
template <class T, int phases, int together, bool inner>
WEFT_UNROLLED void interleaved_rows(const FoldRows& k) {
  constexpr int kLineVectors = 4 / sizeof(T);
  constexpr int64_t kNextVectors = together * kLanes + kLanes - 1;
  const int64_t elements = (k.count - 1) * phases + k.last;
  const int64_t term_count = k.term_end[phases - 1];
  each_vector<T, 1, together>(
      k, term_count, 1, [&](int64_t row, int64_t i, const TermMasks* masks) {
        VectorOf<T> sums[together][phases] = {};
        each_part<T>(k, row, [&](const T* from) {
          from += i;
          int64_t t = 0;
#pragma GCC unroll 4
          for (int p = 0; p < phases; ++p) {
            for (; t < k.term_end[p]; ++t) {
#pragma GCC unroll 4
              for (int64_t v = 0; v < together; ++v) {
                const T* const at = from + k.terms[t].offset + v * kLanes;
                if (v % kLineVectors == 0) __builtin_prefetch(at + kNextVectors);
                const bool whole = inner && v > 0 && v + 1 < together;
                sums[v][p] += whole ? load(at) : load(masks[v][t], at);
              }
            }
          }
        });
        T* const to = static_cast<T*>(k.to) + row * k.to_row;
#pragma GCC unroll 4
        for (int64_t v = 0; v < together; ++v) {
          __m512 rows[phases];
#pragma GCC unroll 4
          for (int p = 0; p < phases; ++p) rows[p] = reinterpret_cast<__m512>(sums[v][p]);
#pragma GCC unroll 4
          for (int64_t n = 0; n < phases; ++n) {
            const int64_t at = (i + v * kLanes) * phases + n * kLanes;
            store_sums(mask_of(0, elements - at), to + at,
                       reinterpret_cast<VectorOf<T>>(interleaved<phases>(rows, n)));
          }
        }
      });
}

template <class T, int phases>
void few_phases(const FoldRows& k) {
  constexpr int64_t kMostTogether = phases == 1 ? 4 : 3;
  const int64_t vectors = (k.count + kLanes - 1) / kLanes;
  const int64_t groups = (vectors + kMostTogether - 1) / kMostTogether;
  const int64_t together = (vectors + groups - 1) / groups;
  if (together == 1) return interleaved_rows<T, phases, 1, false>(k);
  if (together == 2) return interleaved_rows<T, phases, 2, false>(k);
  if constexpr (phases == 1) {
    const int64_t last = (groups * together - 1) * kLanes;
    const bool inner = std::all_of(k.terms, k.terms + k.term_end[0], [&](const auto& term) {
      return term.begin <= kLanes && term.end >= last;
    });
    if (together == 4) {
      return inner ? interleaved_rows<T, 1, 4, true>(k) : interleaved_rows<T, 1, 4, false>(k);
    }
    if (inner) return interleaved_rows<T, 1, 3, true>(k);
  }
  interleaved_rows<T, phases, 3, false>(k);
}

// Where the next vector ends: the one line that it needs and this one does not.
constexpr int64_t kNextEnd = 2 * kLanes - 1;

// Many phases: their vectors are transposed.
template <class T>
WEFT_UNROLLED void square_rows(const FoldRows& k) {
  constexpr int64_t kPair = 128;
  const int64_t term_count = k.term_end[0];
  const bool pairs = k.to_step * static_cast<int64_t>(sizeof(T)) % kPair == 0;
  each_vector<T, 4, 1>(k, term_count, kLanes, [&](int64_t row, int64_t i, const TermMasks* masks) {
    VectorOf<T> sums[kLanes] = {};
    each_part<T>(k, row, [&](const T* from) {
      from += i;
      for (int64_t t = 0; t < term_count; ++t) {
        const __mmask16 mask = (*masks)[t];
        const T* const at = from + k.terms[t].offset;
        if (mask == kAllLanes) {
#pragma GCC unroll 16
          for (int64_t p = 0; p < kLanes; ++p) {
            __builtin_prefetch(at + p * k.from_plane + kNextEnd);
            sums[p] += load(at + p * k.from_plane);
          }
        } else {
#pragma GCC unroll 16
          for (int64_t p = 0; p < kLanes; ++p) {
            __builtin_prefetch(at + p * k.from_plane + kNextEnd);
            sums[p] += load(mask, at + p * k.from_plane);
          }
        }
      }
    });
    rounds<SumOf<T>, kLanes>(sums);
    T* const to = static_cast<T*>(k.to) + row * k.to_row + i * k.to_step;
    const int64_t count = k.count - i;
    // Lines by pairs, the second for the square beside this one, which follows. Overlap-add of 626
    // frames of 1024 at a step of 256, in turns: 242 us, 281 line by line.
    if (count > kLanes && (!pairs || reinterpret_cast<std::uintptr_t>(to) % kPair < kPair / 2)) {
#pragma GCC unroll 16
      for (int64_t l = 0; l < kLanes; ++l) {
        const auto* const line = reinterpret_cast<const char*>(to + (kLanes + l) * k.to_step);
        fetch_to_write(line);
        if (pairs) fetch_to_write(line + kPair / 2);
      }
    }
#pragma GCC unroll 16
    for (int64_t l = 0; l < kLanes; ++l) {
      if (l >= count) break;
      store_sums(mask_of(0, l + 1 < count ? kLanes : k.last), to + l * k.to_step, sums[l]);
    }
  });
}

template <class T>
void fold_rows(const FoldRows& k) {
  if (k.phases == FoldRows::kSquare) return square_rows<T>(k);
  if (k.phases == 1) return few_phases<T, 1>(k);
  if (k.phases == 2) return few_phases<T, 2>(k);
  if (k.phases == 3) return few_phases<T, 3>(k);
  few_phases<T, 4>(k);
}

#else

template <class T>
void fold_rows(const FoldRows&) {}

#endif

template <class Sum>
void tidy(void* sums, int64_t count) {
  auto* const sum = static_cast<Sum*>(sums);
  for (int64_t i = 0; i < count; ++i) sum[i] = one_nan(sum[i]);
}

}  // namespace

void fold_rows_i32(const FoldRows& k) noexcept { fold_rows<std::uint32_t>(k); }
void fold_rows_f32(const FoldRows& k) noexcept { fold_rows<float>(k); }
void fold_rows_f16(const FoldRows& k) noexcept { fold_rows<Half>(k); }
void fold_i8(const FoldBox& k) noexcept { add<std::uint8_t, std::uint8_t>(k); }
void fold_i16(const FoldBox& k) noexcept { add<std::uint16_t, std::uint16_t>(k); }
void fold_i32(const FoldBox& k) noexcept { add<std::uint32_t, std::uint32_t>(k); }
void fold_i64(const FoldBox& k) noexcept { add<std::uint64_t, std::uint64_t>(k); }
void fold_f16(const FoldBox& k) noexcept { add<float, Half>(k); }
void fold_f32(const FoldBox& k) noexcept { add<float, float>(k); }
void fold_f64(const FoldBox& k) noexcept { add<double, double>(k); }
void tidy_f32(void* sums, int64_t count) noexcept { tidy<float>(sums, count); }
void tidy_f64(void* sums, int64_t count) noexcept { tidy<double>(sums, count); }

}  // namespace weft::kernels::WEFT_ISA
