#include <cstdint>
#include <type_traits>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/row_loops.h"
#include "kernels/resample/window.h"

#ifndef __AVX512BW__

namespace weft::kernels::WEFT_ISA {

#ifdef __AVX2__

namespace {

using std::int64_t;

constexpr int64_t kLanes = 8;

inline void store_8(float* to, __m256 x) noexcept { _mm256_storeu_ps(to, x); }
inline void store_8(std::uint16_t* to, __m256 x) noexcept {
  const __m128i half = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), half);
}

// A vector of each row, picked from a window of one vector or of two, of the row alone or mixed
// with another one.
template <class T, bool kOther, bool kWide>
class Column {
 public:
  // Of elements `at` and on of the output.
  Column(const LerpRows& k, int64_t at) noexcept
      : from_(static_cast<const T*>(k.row)),
        other_(static_cast<const T*>(k.other)),
        row_stride_(k.row_stride),
        between_(_mm256_set1_ps(k.between)) {
    const Picks& picks = *k.picks;
    const int64_t end = picks.row_count - (kWide ? 2 : 1) * kLanes;
    start_ = picks.index[at] < end ? picks.index[at] : end;
    weight_ = _mm256_loadu_ps(picks.t + at);
    mixes_ = _mm256_cmp_ps(weight_, _mm256_setzero_ps(), _CMP_GT_OQ);
    const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(picks.index + at));
    first_ = _mm256_sub_epi32(index, _mm256_set1_epi32(static_cast<std::int32_t>(start_)));
    second_ = _mm256_sub_epi32(first_, _mm256_castps_si256(mixes_));
  }

  __m256 make(int64_t row) const noexcept {
    const int64_t at = row * row_stride_ + start_;
    const __m256 low = load(at);
    __m256 a = _mm256_permutevar8x32_ps(low, first_);
    __m256 b = _mm256_permutevar8x32_ps(low, second_);
    if constexpr (kWide) {
      const __m256 high = load(at + kLanes);
      a = _mm256_blendv_ps(a, _mm256_permutevar8x32_ps(high, first_), is_high(first_));
      b = _mm256_blendv_ps(b, _mm256_permutevar8x32_ps(high, second_), is_high(second_));
    }
    return _mm256_blendv_ps(a, mix_8(a, b, weight_), mixes_);
  }

  void fetch(int64_t row) const noexcept {
    __builtin_prefetch(from_ + row * row_stride_ + start_);
    if constexpr (kOther) __builtin_prefetch(other_ + row * row_stride_ + start_);
  }

 private:
  __m256 load(int64_t i) const noexcept {
    const __m256 x = load_8(from_ + i);
    return kOther ? mix_8(x, load_8(other_ + i), between_) : x;
  }

  static __m256 is_high(__m256i i) noexcept {
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(i, _mm256_set1_epi32(kLanes - 1)));
  }

  const T* from_;
  const T* other_;
  int64_t row_stride_;
  __m256 between_;
  int64_t start_;
  __m256 weight_;
  __m256 mixes_;
  __m256i first_;
  __m256i second_;
};

// Down all rows, two columns at a time or one: their tables and rows stay in registers.
template <class T, bool kOther, bool kWide, bool kTwo>
void interpolate_columns(const LerpRows& k, int64_t at, int64_t next) noexcept {
  const Column<T, kOther, kWide> left(k, at), right(k, next);
  auto* to = static_cast<T*>(k.to);
  const int64_t rows_ahead = k.index[k.rows - 1] - k.index[0] + 1;
  const auto make = [&](int64_t row, __m256& x, __m256& y) {
    left.fetch(row + rows_ahead);
    x = left.make(row);
    if constexpr (kTwo) y = right.make(row);
  };
  const auto store = [&](__m256 x, __m256 y) {
    // Stores that wait for memory hold up everything else.
    __builtin_prefetch(to + k.rows * k.to_stride + at, 1);
    store_8(to + at, x);
    if constexpr (kTwo) store_8(to + next, y);
  };
  int64_t above = -1, below = -1;
  __m256 a{}, b{}, c{}, d{};  // of the rows above and below
  for (int64_t r = 0; r < k.rows; ++r, to += k.to_stride) {
    const int64_t row = k.index[r];
    if (row != above && row == below) {
      a = c;
      b = d;
    } else if (row != above) {
      make(row, a, b);
    }
    above = row;
    if (!(k.t[r] > 0)) {
      store(a, b);
      continue;
    }
    if (below != row + 1) make(row + 1, c, d);
    below = row + 1;
    const __m256 t = _mm256_set1_ps(k.t[r]);
    store(mix_8(a, c, t), mix_8(b, d, t));
  }
}

// The last vector begins within the one before.
template <class T, bool kOther, bool kWide>
void interpolate(const LerpRows& k) noexcept {
  const int64_t last = k.picks->count - kLanes;
  int64_t i = 0;
  for (; i < last; i += 2 * kLanes) {
    const int64_t next = i + kLanes < last ? i + kLanes : last;
    interpolate_columns<T, kOther, kWide, true>(k, i, next);
  }
  if (i < last + kLanes) interpolate_columns<T, kOther, kWide, false>(k, last, last);
}

template <class Lanes>
bool double_rows(const LerpRows& k) noexcept {
  k.other == nullptr ? interpolate_rows<Lanes, Doubler<Lanes, false>>(k)
                     : interpolate_rows<Lanes, Doubler<Lanes, true>>(k);
  return true;
}

// The elements that any vector needs, the last one included, wherever it begins.
int64_t reach_of(const Picks& picks) noexcept {
  const int64_t last = picks.count - 1;
  const int64_t end = picks.index[last] + (picks.t[last] > 0 ? 2 : 1);
  const int64_t reach = end - picks.index[picks.count - kLanes];
  return reach < picks.reach_8 ? picks.reach_8 : reach;
}

}  // namespace

#endif

template <class T>
bool lerp_rows([[maybe_unused]] const LerpRows& k) noexcept {
#ifdef __AVX2__
  const Picks& picks = *k.picks;
  if (picks.index == nullptr || picks.count < kLanes) return false;
  if (picks.doubles && picks.row_count >= kLanes) {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (k.past_caches && are_at_lines(k)) return double_rows<StreamedRows>(k);
    }
    return double_rows<RowLanes<T>>(k);
  }
  if (k.past_caches) return false;
  const int64_t reach = reach_of(picks);
  const bool wide = reach > kLanes;
  if (reach > 2 * kLanes || picks.row_count < (wide ? 2 : 1) * kLanes) return false;
  const auto columns = [&](auto has_other) {
    return wide ? interpolate<T, has_other, true> : interpolate<T, has_other, false>;
  };
  const auto all = k.other == nullptr ? columns(std::false_type()) : columns(std::true_type());
  // In blocks of rows that the first level of the caches holds twice.
  constexpr int64_t kBlock = 8192 / sizeof(T);
  const int64_t most = picks.count < kBlock / 2 ? kBlock / picks.count : 2;
  LerpRows block = k;
  for (int64_t done = 0; done < k.rows; done += block.rows) {
    block.rows = most < k.rows - done ? most : k.rows - done;
    block.index = k.index + done;
    block.t = k.t + done;
    block.to = static_cast<T*>(k.to) + done * k.to_stride;
    all(block);
  }
  return true;
#else
  return false;
#endif
}
template bool lerp_rows<float>(const LerpRows&) noexcept;
template bool lerp_rows<std::uint16_t>(const LerpRows&) noexcept;

}  // namespace weft::kernels::WEFT_ISA

#endif
