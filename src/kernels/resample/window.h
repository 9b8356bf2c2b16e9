#pragma once

// Reads elements at indices that never decrease, as those of neighbouring outputs do: a vector of
// them mostly lies within two vectors of memory, which a shuffle picks from at once.
//
// GCC 12 takes undefined registers inside its own intrinsics for a mistake: some have a mask here
// that they do not need.
//
// Each function returns how many elements from 0 on it has done; where the instruction set has no
// such shuffle, none.

#include <cstdint>
#include <type_traits>

#include "kernels/one_nan.h"
#include "kernels/resample/resample.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace weft::kernels::WEFT_ISA {

// Asks for what will be read some time after elements [start, end) of a row, and of another one.
// Processors see by themselves what comes, but not across pages and to the next row.
template <class Element>
class InputAhead {
 public:
  InputAhead(const Element* row, const Element* other, const Picks& picks) noexcept
      : row_(row), other_(other), row_count_(picks.row_count), ahead_(picks.ahead) {
    if (distance_ > row_count_) distance_ = row_count_;
  }

  [[gnu::always_inline]] void fetch(std::int64_t start, std::int64_t end) const noexcept {
    constexpr std::int64_t kLine = 64 / sizeof(Element);
    for (std::int64_t k = start + distance_; k < end + distance_; k += kLine) {
      const std::int64_t place = k < row_count_ ? k : k - row_count_ + ahead_;
      __builtin_prefetch(row_ + place);
      if (other_ != nullptr) __builtin_prefetch(other_ + place);
    }
  }

 private:
  const Element* row_;
  const Element* other_;
  std::int64_t row_count_;
  std::int64_t ahead_;
  std::int64_t distance_ = 4096 / sizeof(Element);
};

#ifdef __AVX512BW__

// The first `count` lanes.
inline __mmask16 first_16(std::int64_t count) noexcept {
  return static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1);
}
inline __mmask8 first_8(std::int64_t count) noexcept {
  return static_cast<__mmask8>(count >= 8 ? 0xffu : (1u << count) - 1);
}
inline __mmask32 first_32(std::int64_t count) noexcept {
  return count >= 32 ? 0xffffffffu : (1u << count) - 1;
}

// What along_windows() needs of a type of rows.
struct Floats {
  using Element = float;
  using Real = float;
  using Vector = __m512;
  using Index = __m512i;
  using Mask = __mmask16;
  static constexpr std::int64_t kLanes = 16;
  static Mask first(std::int64_t count) noexcept { return count <= 0 ? Mask{0} : first_16(count); }
  static Vector load(Mask mask, const float* from) noexcept {
    return _mm512_maskz_loadu_ps(mask, from);
  }
  static Vector weights(Mask mask, const float* t) noexcept { return load(mask, t); }
  static Mask positive(Vector t) noexcept {
    return _mm512_cmp_ps_mask(t, _mm512_setzero_ps(), _CMP_GT_OQ);
  }
  static Index indices(Mask mask, const std::int32_t* index) noexcept {
    return _mm512_maskz_loadu_epi32(mask, index);
  }
  static Index minus(Index i, std::int32_t start) noexcept {
    return _mm512_sub_epi32(i, _mm512_set1_epi32(start));
  }
  static Index next(Index i, Mask mask) noexcept {
    return _mm512_mask_add_epi32(i, mask, i, _mm512_set1_epi32(1));
  }
  static Vector pick(Index i, Vector from) noexcept {
    return _mm512_maskz_permutexvar_ps(0xffff, i, from);
  }
  static Vector pick(Vector low, Index i, Vector high) noexcept {
    return _mm512_permutex2var_ps(low, i, high);
  }
  // The lower lanes of a and the upper ones of b.
  static Vector join(Vector a, Vector b) noexcept { return _mm512_mask_mov_ps(a, 0xff00, b); }
  static Vector gather(Mask mask, Index i, const float* row) noexcept {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, i, row, sizeof(float));
  }
  static Vector broadcast(float t) noexcept { return _mm512_set1_ps(t); }
  // What numbers of a row count as: of NaN that are mixed, either may be the result.
  static Vector tidy(Vector x) noexcept { return one_nan(x); }
  static Vector mix(Mask mixes, Vector a, Vector b, Vector t) noexcept {
    const Vector rest = _mm512_sub_ps(_mm512_set1_ps(1), t);
    return _mm512_mask_add_ps(a, mixes, _mm512_mul_ps(rest, a), _mm512_mul_ps(t, b));
  }
  static void store(float* to, Mask mask, Vector x) noexcept { _mm512_mask_storeu_ps(to, mask, x); }
};

struct Halves : Floats {
  using Element = std::uint16_t;
  static Vector load(Mask mask, const std::uint16_t* from) noexcept {
    return _mm512_maskz_cvtph_ps(mask, _mm256_maskz_loadu_epi16(mask, from));
  }
  static Vector gather(Mask mask, Index i, const std::uint16_t* row) noexcept {
    std::int32_t index[kLanes];
    std::uint16_t elements[kLanes];
    _mm512_storeu_epi32(index, _mm512_maskz_mov_epi32(mask, i));
    for (std::int64_t k = 0; k < kLanes; ++k) elements[k] = row[index[k]];
    return load(0xffff, elements);
  }
};

struct Doubles {
  using Element = double;
  using Real = double;
  using Vector = __m512d;
  using Index = __m512i;
  using Mask = __mmask8;
  static constexpr std::int64_t kLanes = 8;
  static Mask first(std::int64_t count) noexcept { return count <= 0 ? Mask{0} : first_8(count); }
  static Vector load(Mask mask, const double* from) noexcept {
    return _mm512_maskz_loadu_pd(mask, from);
  }
  static Vector weights(Mask mask, const float* t) noexcept {
    return _mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, t));
  }
  static Mask positive(Vector t) noexcept {
    return _mm512_cmp_pd_mask(t, _mm512_setzero_pd(), _CMP_GT_OQ);
  }
  static Index indices(Mask mask, const std::int32_t* index) noexcept {
    return _mm512_maskz_cvtepi32_epi64(mask, _mm256_maskz_loadu_epi32(mask, index));
  }
  static Index minus(Index i, std::int32_t start) noexcept {
    return _mm512_sub_epi64(i, _mm512_set1_epi64(start));
  }
  static Index next(Index i, Mask mask) noexcept {
    return _mm512_mask_add_epi64(i, mask, i, _mm512_set1_epi64(1));
  }
  static Vector pick(Index i, Vector from) noexcept {
    return _mm512_maskz_permutexvar_pd(0xff, i, from);
  }
  static Vector pick(Vector low, Index i, Vector high) noexcept {
    return _mm512_permutex2var_pd(low, i, high);
  }
  static Vector join(Vector a, Vector b) noexcept { return _mm512_mask_mov_pd(a, 0xf0, b); }
  static Vector gather(Mask mask, Index i, const double* row) noexcept {
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, i, row, sizeof(double));
  }
  static Vector broadcast(float t) noexcept { return _mm512_set1_pd(double{t}); }
  static Vector tidy(Vector x) noexcept { return x; }  // made of integers
  static Vector mix(Mask mixes, Vector a, Vector b, Vector t) noexcept {
    return _mm512_mask_add_pd(a, mixes, a, _mm512_mul_pd(t, _mm512_sub_pd(b, a)));
  }
  static void store(double* to, Mask mask, Vector x) noexcept {
    _mm512_mask_storeu_pd(to, mask, x);
  }
};

template <class Lanes, bool kOther, bool kFetches>
void along_vectors(const typename Lanes::Element* row, const typename Lanes::Element* other,
                   float between, const Picks& picks, typename Lanes::Real* to) noexcept {
  using Vector = typename Lanes::Vector;
  using Mask = typename Lanes::Mask;
  constexpr std::int64_t kLanes = Lanes::kLanes;
  constexpr Mask kAll = static_cast<Mask>(0xffff);
  [[maybe_unused]] const InputAhead input(row, kOther ? other : nullptr, picks);
  const std::int32_t* const index = picks.index;
  const float* const t = picks.t;
  const std::int64_t count = picks.count;
  // Windows lie within the row, so that those of one row have the same masks.
  const Mask low_lanes = Lanes::first(picks.row_count);
  const Mask high_lanes = Lanes::first(picks.row_count - kLanes);
  const std::int32_t reach = kLanes == 16 ? picks.reach_16 : picks.reach_8;
  const std::int64_t most = reach <= kLanes ? kLanes : 2 * kLanes;  // elements of a window
  const auto end = static_cast<std::int32_t>(picks.row_count < most ? 0 : picks.row_count - most);
  const Vector weight_between = Lanes::broadcast(between);
  const auto load = [=](Mask mask, std::int64_t k) {
    const Vector x = Lanes::tidy(Lanes::load(mask, row + k));
    if constexpr (!kOther) return x;
    return Lanes::mix(kAll, x, Lanes::tidy(Lanes::load(mask, other + k)), weight_between);
  };
  const auto windows = [=](std::int32_t start, auto first, auto second, Vector& a, Vector& b) {
    const Vector low = load(low_lanes, start);
    if (reach <= kLanes) {
      a = Lanes::pick(first, low);
      b = Lanes::pick(second, low);
    } else {
      const Vector high = load(high_lanes, start + kLanes);
      a = Lanes::pick(low, first, high);
      b = Lanes::pick(low, second, high);
    }
  };
  // Each half of the lanes from windows of its own, where gathering would take longer.
  const bool halves = kLanes == 16 && reach > 2 * kLanes && picks.reach_8 <= 2 * kLanes;
  const auto half = [=](std::int32_t first, auto indices, Mask mixes, Vector& a, Vector& b) {
    const std::int32_t start = first < end ? first : end;
    const auto relative = Lanes::minus(indices, start);
    const Vector low = load(kAll, start);
    const Vector high = load(kAll, start + kLanes);
    a = Lanes::pick(low, relative, high);
    b = Lanes::pick(low, Lanes::next(relative, mixes), high);
  };
  const auto gather = [=](Mask mask, auto k) {
    const Vector x = Lanes::tidy(Lanes::gather(mask, k, row));
    if constexpr (!kOther) return x;
    return Lanes::mix(kAll, x, Lanes::tidy(Lanes::gather(mask, k, other)), weight_between);
  };
  const auto group = [&](std::int64_t i, Mask mask) __attribute__((always_inline)) {
    const Vector weight = Lanes::weights(mask, t + i);
    const Mask mixes = Lanes::positive(weight);
    const std::int32_t start = index[i] < end ? index[i] : end;
    const auto first = Lanes::indices(mask, index + i);
    Vector a;
    Vector b;
    if (reach <= 2 * kLanes) {
      const auto relative = Lanes::minus(first, start);
      windows(start, relative, Lanes::next(relative, mixes), a, b);
    } else if (halves && mask == kAll) {
      Vector c;
      Vector d;
      half(index[i], first, mixes, a, b);
      half(index[i + kLanes / 2], first, mixes, c, d);
      a = Lanes::join(a, c);
      b = Lanes::join(b, d);
    } else {
      a = gather(mask, first);
      b = gather(mask, Lanes::next(first, mixes));
    }
    Lanes::store(to + i, mask, Lanes::mix(mixes, a, b, weight));
  };
  std::int64_t i = 0;
  for (; i + kLanes <= count && i < 16; i += kLanes) group(i, kAll);
  if (picks.same_end >= 16 + 2 * kLanes && reach <= 2 * kLanes) {
    // The tables stay in registers: loads beside many stores that wait for memory take their time,
    // even from the nearest cache.
    const Vector weight = Lanes::weights(kAll, t + i);
    const Mask mixes = Lanes::positive(weight);
    std::int32_t start = index[i];
    const auto first = Lanes::minus(Lanes::indices(kAll, index + i), start);
    const auto second = Lanes::next(first, mixes);
    const std::int32_t step = picks.step * static_cast<std::int32_t>(kLanes / 8);
    for (; i + kLanes <= picks.same_end && start <= end; i += kLanes, start += step) {
      Vector a;
      Vector b;
      windows(start, first, second, a, b);
      if (kFetches) input.fetch(start, start + step);
      __builtin_prefetch(to + i + kWriteAhead / sizeof(*to), 1);
      Lanes::store(to + i, kAll, Lanes::mix(mixes, a, b, weight));
    }
  }
  for (; i + kLanes <= count; i += kLanes) {
    if (kFetches) input.fetch(index[i], index[i + kLanes - 1]);
    group(i, kAll);
  }
  if (i < count) group(i, Lanes::first(count - i));
}

template <class Element>
struct LanesOf;
template <>
struct LanesOf<float> : Floats {};
template <>
struct LanesOf<std::uint16_t> : Halves {};
template <>
struct LanesOf<double> : Doubles {};

template <class Element, class Real>
std::int64_t along_windows(const Element* row, const Element* other, float between,
                           const Picks& picks, Real* to) noexcept {
  using Lanes = LanesOf<Element>;
  const auto vectors = [&](auto has_other, auto fetches) {
    along_vectors<Lanes, has_other, fetches>(row, other, between, picks, to);
  };
  const std::true_type yes;
  const std::false_type no;
  if (other == nullptr) {
    picks.ahead == 0 ? vectors(no, no) : vectors(no, yes);
  } else {
    picks.ahead == 0 ? vectors(yes, no) : vectors(yes, yes);
  }
  return picks.count;
}

#else

#ifdef __AVX2__

inline __m256 load_8(const float* from) noexcept { return one_nan(_mm256_loadu_ps(from)); }
inline __m256 load_8(const std::uint16_t* from) noexcept {
  return one_nan(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}

inline __m256 mix_8(__m256 a, __m256 b, __m256 t) noexcept {
  const __m256 rest = _mm256_sub_ps(_mm256_set1_ps(1), t);
  return _mm256_add_ps(_mm256_mul_ps(rest, a), _mm256_mul_ps(t, b));
}

// Whole vectors, where all are within a window.
template <bool kFetches, class Element>
std::int64_t along_vectors(const Element* row, const Element* other, float between,
                           const Picks& picks, float* to) noexcept {
  if (picks.row_count < 16 || picks.reach_8 > 16) return 0;
  const bool twice = picks.reach_8 > 8;
  const auto end = static_cast<std::int32_t>(picks.row_count - (twice ? 16 : 8));
  [[maybe_unused]] const InputAhead input(row, other, picks);
  const __m256 weight_between = _mm256_set1_ps(between);
  const auto load = [=](std::int64_t k) {
    const __m256 x = load_8(row + k);
    return other == nullptr ? x : mix_8(x, load_8(other + k), weight_between);
  };
  std::int64_t i = 0;
  for (; i + 8 <= picks.count; i += 8) {
    const std::int32_t* index = picks.index + i;
    const std::int32_t start = *index < end ? *index : end;
    if (kFetches) input.fetch(index[0], index[7]);
    const __m256 weight = _mm256_loadu_ps(picks.t + i);
    const __m256 mixes = _mm256_cmp_ps(weight, _mm256_setzero_ps(), _CMP_GT_OQ);
    const __m256i indices = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    const __m256i first = _mm256_sub_epi32(indices, _mm256_set1_epi32(start));
    const __m256i second = _mm256_sub_epi32(first, _mm256_castps_si256(mixes));
    const __m256 low = load(start);
    __m256 a = _mm256_permutevar8x32_ps(low, first);
    __m256 b = _mm256_permutevar8x32_ps(low, second);
    if (twice) {
      const __m256 high = load(start + 8);
      const __m256i end_of_low = _mm256_set1_epi32(7);
      a = _mm256_blendv_ps(a, _mm256_permutevar8x32_ps(high, first),
                           _mm256_castsi256_ps(_mm256_cmpgt_epi32(first, end_of_low)));
      b = _mm256_blendv_ps(b, _mm256_permutevar8x32_ps(high, second),
                           _mm256_castsi256_ps(_mm256_cmpgt_epi32(second, end_of_low)));
    }
    _mm256_storeu_ps(to + i, _mm256_blendv_ps(a, mix_8(a, b, weight), mixes));
  }
  return i;
}

template <class Element>
std::int64_t along_windows(const Element* row, const Element* other, float between,
                           const Picks& picks, float* to) noexcept {
  return (picks.ahead == 0 ? along_vectors<false, Element>
                           : along_vectors<true, Element>)(row, other, between, picks, to);
}

#endif

template <class Element, class Real>
std::int64_t along_windows(const Element*, const Element*, float, const Picks&, Real*) noexcept {
  return 0;
}

#endif

}  // namespace weft::kernels::WEFT_ISA
