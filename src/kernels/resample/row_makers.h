#pragma once

// What lerp_rows.cpp makes rows with: a vector of them from memory, and rows of vectors, as they
// are, picked, or doubled.

#include <cstdint>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

#ifdef __AVX512BW__

namespace weft::kernels::WEFT_ISA {

// Most vectors of a row that are made at once: those with tables of their own, and all.
constexpr std::int64_t kMost = kMostTables / Floats::kLanes;
constexpr std::int64_t kMostInAll = 64;

constexpr __mmask16 kAll = 0xffff;

// Two neighbouring vectors of a row, or their even and their odd elements.
struct Two {
  __m512 first;
  __m512 second;
};

// What Doubler needs of them, whose vectors are neighbours; kFetches: whether what rows of the
// output are followed by is asked for.
struct FloatRows : Floats {
  static constexpr bool kFetches = true;
  // mix(near, far, 1 / 4)
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm512_add_ps(_mm512_mul_ps(broadcast(0.75f), near),
                         _mm512_mul_ps(broadcast(0.25f), far));
  }
  static Two two(Vector even, Vector odd) noexcept {
    return {
        pick(even, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), odd),
        pick(even, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
             odd)};
  }
  static void store_two(float* to, __mmask32 mask, const Two& x) noexcept {
    if (mask == 0xffffffff) {
      _mm512_storeu_ps(to, x.first);
      _mm512_storeu_ps(to + kLanes, x.second);
    } else {
      store(to, static_cast<Mask>(mask), x.first);
      store(to + kLanes, static_cast<Mask>(mask >> kLanes), x.second);
    }
  }
};

struct StreamedRows : FloatRows {
  static constexpr bool kFetches = false;
  static void store(float* to, Mask mask, Vector x) noexcept {
    mask == 0xffff ? _mm512_stream_ps(to, x) : Floats::store(to, mask, x);
  }
  static void store_two(float* to, __mmask32 mask, const Two& x) noexcept {
    store(to, static_cast<Mask>(mask), x.first);
    store(to + kLanes, static_cast<Mask>(mask >> kLanes), x.second);
  }
};

// Even and odd elements stay apart until they are narrowed.
struct HalfRows : Halves {
  static constexpr bool kFetches = true;
  // A quarter of what comes from a float16 number is exact, so this is rounded as often as mix().
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm512_fmadd_ps(broadcast(0.25f), far, _mm512_mul_ps(broadcast(0.75f), near));
  }
  static __m256i narrow(Vector x) noexcept {
    return _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static void store(std::uint16_t* to, Mask mask, Vector x) noexcept {
    _mm256_mask_storeu_epi16(to, mask, narrow(x));
  }
  static Two two(Vector even, Vector odd) noexcept { return {even, odd}; }
  static void store_two(std::uint16_t* to, __mmask32 mask, const Two& x) noexcept {
    const __m512i order =
        _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i both = _mm512_permutex2var_epi16(_mm512_zextsi256_si512(narrow(x.first)), order,
                                                   _mm512_zextsi256_si512(narrow(x.second)));
    if (mask == 0xffffffff) {
      _mm512_storeu_si512(to, both);
    } else {
      _mm512_mask_storeu_epi16(to, mask, both);
    }
  }
};

template <class T>
struct RowLanes : FloatRows {};
template <>
struct RowLanes<std::uint16_t> : HalfRows {};

// Vectors of the rows, mixed with those of another one or not.
template <class Lanes, bool kOther>
class Source {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Mask = typename Lanes::Mask;

  explicit Source(const LerpRows& k) noexcept
      : from_(static_cast<const Element*>(k.row)),
        other_(static_cast<const Element*>(k.other)),
        row_stride_(k.row_stride),
        between_(Lanes::broadcast(k.between)) {}

  std::int64_t row_stride() const noexcept { return row_stride_; }

  Vector load(Mask mask, std::int64_t i) const noexcept {
    __builtin_prefetch(from_ + i + row_stride_);
    const Vector x = Lanes::tidy(Lanes::load(mask, from_ + i));
    if constexpr (!kOther) return x;
    __builtin_prefetch(other_ + i + row_stride_);
    return Lanes::mix(kAll, x, Lanes::tidy(Lanes::load(mask, other_ + i)), between_);
  }

 private:
  const Element* from_;
  const Element* other_;
  std::int64_t row_stride_;
  Vector between_;
};

// Asks for what rows of the output are followed by, once a line.
template <class Lanes>
void ask_ahead(const typename Lanes::Element* to) noexcept {
  if (Lanes::kFetches) __builtin_prefetch(reinterpret_cast<const char*>(to) + kWriteAhead, 1);
}

// Makes rows: as they are or picked. They are made of vectors.
template <class Lanes, bool kPicked, bool kOther>
class Maker {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Part = Vector;
  using Index = typename Lanes::Index;
  using Mask = typename Lanes::Mask;
  static constexpr std::int64_t kLanes = Lanes::kLanes;

  // From element `first` on, as many vectors as there may be.
  Maker(const LerpRows& k, std::int64_t first) noexcept : source_(k), first_(first) {
    const Picks& picks = *k.picks;
    const std::int64_t left = picks.count - first;
    vectors_ = (left + kLanes - 1) / kLanes;
    if (vectors_ > kMostInAll) vectors_ = kMostInAll;
    if (kPicked) find_same(picks);
    if (vectors_ - (same_end_ - same_) > kMost) {
      same_ = same_end_ = 0;
      vectors_ = kMost;
    }
    last_lanes_ = Lanes::first(left - (vectors_ - 1) * kLanes);
    whole_ = last_lanes_ == kAll ? vectors_ : vectors_ - 1;
    if constexpr (kPicked) find_picks(picks);
  }

  // How many, and which lanes of one there are.
  std::int64_t parts() const noexcept { return vectors_; }
  Mask lanes(std::int64_t v) const noexcept { return v + 1 < vectors_ ? kAll : last_lanes_; }
  std::int64_t elements() const noexcept { return vectors_ * kLanes; }

  static Vector mix(Vector a, Vector b, Vector t) noexcept { return Lanes::mix(kAll, a, b, t); }
  static Vector toward(Vector near, Vector far) noexcept { return Lanes::toward(near, far); }

  static void store(Element* row, std::int64_t v, Mask lanes, Vector x) noexcept {
    constexpr std::int64_t kVectorsOfALine = 64 / (kLanes * sizeof(Element));
    Element* const to = row + v * kLanes;
    if (v % kVectorsOfALine == 0) ask_ahead<Lanes>(to);
    Lanes::store(to, lanes, x);
  }

  // Calls use(v, lanes, vector) for all of them in turn.
  template <class Use>
  [[gnu::always_inline]] void make(std::int64_t row, const Use& use) const noexcept {
    const std::int64_t at = row * source_.row_stride();
    if constexpr (!kPicked) {
      const std::int64_t i = at + first_;
      for (std::int64_t v = 0; v < whole_; ++v) use(v, kAll, source_.load(kAll, i + v * kLanes));
      if (whole_ < vectors_) {
        use(whole_, last_lanes_, source_.load(last_lanes_, i + whole_ * kLanes));
      }
    } else {
      for (std::int64_t v = 0; v < same_; ++v) use(v, kAll, picked(pick_[v], at));
      if (same_ < same_end_) same_narrow_ ? make_same<true>(at, use) : make_same<false>(at, use);
      const Pick* pick = pick_ + same_;
      for (std::int64_t v = same_end_; v < whole_; ++v) use(v, kAll, picked(*pick++, at));
      if (whole_ < vectors_) use(whole_, last_lanes_, picked(*pick, at));
    }
  }

 private:
  struct Pick {
    Index element;
    Index next;
    Vector weight;
    std::int64_t start;
    Mask mixes;
  };

  // Two vectors at a time from vector 1 on are picked alike, each pair `same_step_` elements after
  // the one before.
  void find_same(const Picks& picks) noexcept {
    std::int64_t pairs = (vectors_ - 1) / 2;
    const auto at_most = [&](std::int64_t most) { pairs = pairs < most ? pairs : most; };
    at_most((picks.same_end - first_ - kLanes) / (2 * kLanes));
    if (pairs <= 0) return;
    same_step_ = std::int64_t{picks.step} * 4;
    same_start_ = picks.index[first_ + kLanes];
    same_narrow_ = same_step_ + 2 <= kLanes;
    const std::int64_t window = same_narrow_ ? kLanes : 2 * kLanes;
    if (same_step_ + 2 > window || same_start_ + window > picks.row_count) return;
    if (same_step_ > 0) at_most((picks.row_count - window - same_start_) / same_step_ + 1);
    same_ = 1;
    same_end_ = 1 + 2 * pairs;
    for (std::int64_t half = 0; half < 2; ++half) {
      same_pick_[half] = pick_of(picks, first_ + (1 + half) * kLanes, kAll, same_start_);
    }
  }

  void find_picks(const Picks& picks) noexcept {
    narrow_ = picks.reach_16 <= kLanes;
    const std::int64_t window = narrow_ ? kLanes : 2 * kLanes;
    const std::int64_t end = picks.row_count < window ? 0 : picks.row_count - window;
    low_lanes_ = Lanes::first(picks.row_count);
    high_lanes_ = Lanes::first(picks.row_count - kLanes);
    Pick* pick = pick_;
    for (std::int64_t v = 0; v < vectors_; ++v) {
      if (v >= same_ && v < same_end_) continue;
      const std::int64_t i = first_ + v * kLanes;
      *pick++ = pick_of(picks, i, lanes(v), picks.index[i] < end ? picks.index[i] : end);
    }
  }

  static Pick pick_of(const Picks& picks, std::int64_t i, Mask lanes, std::int64_t start) noexcept {
    Pick p;
    p.start = start;
    p.weight = Lanes::weights(lanes, picks.t + i);
    p.mixes = Lanes::positive(p.weight);
    p.element =
        Lanes::minus(Lanes::indices(lanes, picks.index + i), static_cast<std::int32_t>(start));
    p.next = Lanes::next(p.element, p.mixes);
    return p;
  }

  // From a window of one vector, or of two.
  template <bool kNarrow>
  static Vector mixed(const Pick& p, Vector low, [[maybe_unused]] Vector high) noexcept {
    if constexpr (kNarrow) {
      return Lanes::mix(p.mixes, Lanes::pick(p.element, low), Lanes::pick(p.next, low), p.weight);
    } else {
      return Lanes::mix(p.mixes, Lanes::pick(low, p.element, high), Lanes::pick(low, p.next, high),
                        p.weight);
    }
  }

  Vector picked(const Pick& p, std::int64_t at) const noexcept {
    const Vector low = source_.load(low_lanes_, at + p.start);
    if (narrow_) return mixed<true>(p, low, low);
    return mixed<false>(p, low, source_.load(high_lanes_, at + p.start + kLanes));
  }

  template <bool kNarrow, class Use>
  [[gnu::always_inline]] void make_same(std::int64_t at, const Use& use) const noexcept {
    const Pick p[2] = {same_pick_[0], same_pick_[1]};
    at += same_start_;
    for (std::int64_t v = 1; v < same_end_; v += 2, at += same_step_) {
      const Vector low = source_.load(kAll, at);
      const Vector high = kNarrow ? low : source_.load(kAll, at + kLanes);
      for (std::int64_t half = 0; half < 2; ++half) {
        use(v + half, kAll, mixed<kNarrow>(p[half], low, high));
      }
    }
  }

  Source<Lanes, kOther> source_;
  std::int64_t first_;
  std::int64_t vectors_;
  std::int64_t whole_;
  Mask last_lanes_;
  std::int64_t same_ = 0;  // the vectors that are picked alike
  std::int64_t same_end_ = 0;
  std::int64_t same_start_ = 0;
  std::int64_t same_step_ = 0;
  bool same_narrow_ = false;
  bool narrow_ = false;  // windows of one vector
  Mask low_lanes_ = 0;
  Mask high_lanes_ = 0;
  Pick same_pick_[2];
  Pick pick_[kMost];
};

// Makes rows of Picks::doubles: each element is multiplied by either weight once, for all four
// outputs of a row that it is mixed into. As Maker, of pairs of vectors.
template <class Lanes, bool kOther>
class Doubler {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Mask = __mmask32;
  using Part = Two;
  static constexpr std::int64_t kLanes = Lanes::kLanes;
  static constexpr Mask kWhole = 0xffffffff;

  Doubler(const LerpRows& k, std::int64_t first) noexcept : source_(k), first_(first / 2) {
    const std::int64_t left = k.picks->row_count - first_;
    blocks_ = (left + kLanes - 1) / kLanes;
    ends_ = blocks_ <= kMostInAll / 2;
    if (!ends_) blocks_ = kMostInAll / 2;
    const std::int64_t rest = left - (blocks_ - 1) * kLanes;
    last_ = Lanes::first(rest);
    next_ = Lanes::first(rest - kLanes);
    last_lanes_ = first_32(2 * rest);
  }

  std::int64_t parts() const noexcept { return blocks_; }
  Mask lanes(std::int64_t block) const noexcept {
    return block + 1 < blocks_ ? kWhole : last_lanes_;
  }
  std::int64_t elements() const noexcept { return 2 * blocks_ * kLanes; }

  static Two mix(const Two& a, const Two& b, Vector t) noexcept {
    return {Lanes::mix(kAll, a.first, b.first, t), Lanes::mix(kAll, a.second, b.second, t)};
  }

  static Two toward(const Two& near, const Two& far) noexcept {
    return {Lanes::toward(near.first, far.first), Lanes::toward(near.second, far.second)};
  }

  static void store(Element* row, std::int64_t block, Mask lanes, const Two& x) noexcept {
    Element* const to = row + 2 * block * kLanes;
    ask_ahead<Lanes>(to);
    if (sizeof(Element) == 4) ask_ahead<Lanes>(to + kLanes);
    Lanes::store_two(to, lanes, x);
  }

  template <class Use>
  [[gnu::always_inline]] void make(std::int64_t row, const Use& use) const noexcept {
    const std::int64_t at = row * source_.row_stride() + first_;
    Vector x = source_.load(blocks_ == 1 ? last_ : kAll, at);
    Vector before = x;
    if (first_ > 0) before = source_.load(kAll, at - kLanes);
    __mmask16 first = first_ == 0 ? kAll - 1 : kAll;  // lanes of even outputs that are mixed
    const auto make_block = [&](Vector after, __mmask16 last) __attribute__((always_inline)) {
      const Vector even = Lanes::toward(x, neighbors<15>(before, x));
      const Vector odd = Lanes::toward(x, neighbors<1>(x, after));
      const Two result =
          Lanes::two(_mm512_mask_mov_ps(x, first, even), _mm512_mask_mov_ps(x, last, odd));
      first = kAll;
      before = x;
      x = after;
      return result;
    };
    std::int64_t block = 0;
    for (; block + 2 < blocks_; ++block) {
      use(block, kWhole, make_block(source_.load(kAll, at + (block + 1) * kLanes), kAll));
    }
    if (block + 1 < blocks_) {
      use(block, kWhole, make_block(source_.load(last_, at + (block + 1) * kLanes), kAll));
      ++block;
    }
    if (!ends_) {
      use(block, kWhole, make_block(source_.load(next_, at + blocks_ * kLanes), kAll));
    } else if (last_ == kAll) {
      use(block, kWhole, make_block(x, kAll >> 1));
    } else {
      use(block, last_lanes_, make_block(x, last_ >> 1));
    }
  }

 private:
  // Those from lane kFirst on, and then those of b.
  template <int kFirst>
  static Vector neighbors(Vector a, Vector b) noexcept {
    return _mm512_castsi512_ps(
        _mm512_maskz_alignr_epi32(kAll, _mm512_castps_si512(b), _mm512_castps_si512(a), kFirst));
  }

  Source<Lanes, kOther> source_;
  std::int64_t first_;   // element
  std::int64_t blocks_;  // vectors of elements
  bool ends_;            // where the row does
  __mmask16 last_;       // elements of the last block
  __mmask16 next_;       // and of the one after it
  Mask last_lanes_;
};

}  // namespace weft::kernels::WEFT_ISA

#endif
