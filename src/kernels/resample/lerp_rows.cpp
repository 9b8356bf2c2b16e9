#include <cstdint>
#include <type_traits>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

#ifdef __AVX512BW__

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// Most vectors of a row that are made at once: those with tables of their own, and all.
constexpr int64_t kMost = kMostTables / Floats::kLanes;
constexpr int64_t kMostInAll = 64;

// Makes rows: as they are or picked, and mixed with those of another one or not.
template <class Lanes, bool kPicked, bool kOther>
class Maker {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Index = typename Lanes::Index;
  using Mask = typename Lanes::Mask;
  static constexpr int64_t kLanes = Lanes::kLanes;
  static constexpr Mask kAll = 0xffff;

  // From element `first` on, as many vectors as there may be.
  Maker(const LerpRows& k, int64_t first) noexcept
      : from_(static_cast<const Element*>(k.row)),
        other_(static_cast<const Element*>(k.other)),
        row_stride_(k.row_stride),
        first_(first),
        between_(Lanes::broadcast(k.between)) {
    const Picks& picks = *k.picks;
    const int64_t left = picks.count - first;
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

  int64_t vectors() const noexcept { return vectors_; }
  Mask lanes(int64_t v) const noexcept { return v + 1 < vectors_ ? kAll : last_lanes_; }

  // Calls use(v, lanes, vector) for all of them in turn.
  template <class Use>
  [[gnu::always_inline]] void make(int64_t row, const Use& use) const noexcept {
    const int64_t at = row * row_stride_;
    if constexpr (!kPicked) {
      const int64_t i = at + first_;
      for (int64_t v = 0; v < whole_; ++v) use(v, kAll, load(kAll, i + v * kLanes));
      if (whole_ < vectors_) use(whole_, last_lanes_, load(last_lanes_, i + whole_ * kLanes));
    } else {
      for (int64_t v = 0; v < same_; ++v) use(v, kAll, picked(pick_[v], at));
      if (same_ < same_end_) same_narrow_ ? make_same<true>(at, use) : make_same<false>(at, use);
      const Pick* pick = pick_ + same_;
      for (int64_t v = same_end_; v < whole_; ++v) use(v, kAll, picked(*pick++, at));
      if (whole_ < vectors_) use(whole_, last_lanes_, picked(*pick, at));
    }
  }

 private:
  struct Pick {
    Index element;
    Index next;
    Vector weight;
    int64_t start;
    Mask mixes;
  };

  // Two vectors at a time from vector 1 on are picked alike, each pair `same_step_` elements after
  // the one before.
  void find_same(const Picks& picks) noexcept {
    int64_t pairs = (vectors_ - 1) / 2;
    const auto at_most = [&](int64_t most) { pairs = pairs < most ? pairs : most; };
    at_most((picks.same_end - first_ - kLanes) / (2 * kLanes));
    if (pairs <= 0) return;
    same_step_ = int64_t{picks.step} * 4;
    same_start_ = picks.index[first_ + kLanes];
    same_narrow_ = same_step_ + 2 <= kLanes;
    const int64_t window = same_narrow_ ? kLanes : 2 * kLanes;
    if (same_step_ + 2 > window || same_start_ + window > picks.row_count) return;
    if (same_step_ > 0) at_most((picks.row_count - window - same_start_) / same_step_ + 1);
    same_ = 1;
    same_end_ = 1 + 2 * pairs;
    for (int64_t half = 0; half < 2; ++half) {
      same_pick_[half] = pick_of(picks, first_ + (1 + half) * kLanes, kAll, same_start_);
    }
  }

  void find_picks(const Picks& picks) noexcept {
    narrow_ = picks.reach_16 <= kLanes;
    const int64_t window = narrow_ ? kLanes : 2 * kLanes;
    const int64_t end = picks.row_count < window ? 0 : picks.row_count - window;
    low_lanes_ = Lanes::first(picks.row_count);
    high_lanes_ = Lanes::first(picks.row_count - kLanes);
    Pick* pick = pick_;
    for (int64_t v = 0; v < vectors_; ++v) {
      if (v >= same_ && v < same_end_) continue;
      const int64_t i = first_ + v * kLanes;
      *pick++ = pick_of(picks, i, lanes(v), picks.index[i] < end ? picks.index[i] : end);
    }
  }

  static Pick pick_of(const Picks& picks, int64_t i, Mask lanes, int64_t start) noexcept {
    Pick p;
    p.start = start;
    p.weight = Lanes::weights(lanes, picks.t + i);
    p.mixes = Lanes::positive(p.weight);
    p.element =
        Lanes::minus(Lanes::indices(lanes, picks.index + i), static_cast<std::int32_t>(start));
    p.next = Lanes::next(p.element, p.mixes);
    return p;
  }

  Vector load(Mask mask, int64_t i) const noexcept {
    __builtin_prefetch(from_ + i + row_stride_);
    const Vector x = Lanes::load(mask, from_ + i);
    if constexpr (!kOther) return x;
    __builtin_prefetch(other_ + i + row_stride_);
    return Lanes::mix(kAll, x, Lanes::load(mask, other_ + i), between_);
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

  Vector picked(const Pick& p, int64_t at) const noexcept {
    const Vector low = load(low_lanes_, at + p.start);
    if (narrow_) return mixed<true>(p, low, low);
    return mixed<false>(p, low, load(high_lanes_, at + p.start + kLanes));
  }

  template <bool kNarrow, class Use>
  [[gnu::always_inline]] void make_same(int64_t at, const Use& use) const noexcept {
    const Pick p[2] = {same_pick_[0], same_pick_[1]};
    at += same_start_;
    for (int64_t v = 1; v < same_end_; v += 2, at += same_step_) {
      const Vector low = load(kAll, at);
      const Vector high = kNarrow ? low : load(kAll, at + kLanes);
      for (int64_t half = 0; half < 2; ++half) {
        use(v + half, kAll, mixed<kNarrow>(p[half], low, high));
      }
    }
  }

  const Element* from_;
  const Element* other_;
  int64_t row_stride_;
  int64_t first_;
  Vector between_;
  int64_t vectors_;
  int64_t whole_;
  Mask last_lanes_;
  int64_t same_ = 0;  // the vectors that are picked alike
  int64_t same_end_ = 0;
  int64_t same_start_ = 0;
  int64_t same_step_ = 0;
  bool same_narrow_ = false;
  bool narrow_ = false;  // windows of one vector
  Mask low_lanes_ = 0;
  Mask high_lanes_ = 0;
  Pick same_pick_[2];
  Pick pick_[kMost];
};

// Of all rows one after the other as many vectors from element `first` on as there may be; returns
// the element after them.
template <class Lanes, bool kPicked, bool kOther>
int64_t interpolate_columns(const LerpRows& k, int64_t first) noexcept {
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Mask = typename Lanes::Mask;
  constexpr int64_t kLanes = Lanes::kLanes;
  constexpr Mask kAll = 0xffff;
  const Maker<Lanes, kPicked, kOther> maker(k, first);

  // Such that no load waits for a store to the other row at the same place within a page.
  Vector made[2][kMostInAll + 8];
  Vector* above = made[0];
  Vector* below = made[1];
  int64_t above_row = -1;
  int64_t below_row = -1;
  auto* to = static_cast<Element*>(k.to) + first;
  const auto store = [](Element* row, int64_t v, Mask lanes, Vector x) {
    constexpr int64_t kVectorsOfALine = 64 / (kLanes * sizeof(Element));
    Element* const place = row + v * kLanes;
    if (Lanes::kFetches && v % kVectorsOfALine == 0) {
      __builtin_prefetch(reinterpret_cast<const char*>(place) + kWriteAhead, 1);
    }
    Lanes::store(place, lanes, x);
  };
  for (int64_t r = 0; r < k.rows;) {
    const int64_t row = k.index[r];
    if (row != above_row) {
      if (row == below_row) {
        Vector* const free = above;
        above = below;
        below = free;
        below_row = -1;
      } else {
        maker.make(row, [=](int64_t v, Mask, Vector x) { above[v] = x; });
      }
      above_row = row;
    }
    if (!(k.t[r] > 0)) {
      for (int64_t v = 0; v < maker.vectors(); ++v) {
        store(to, v, maker.lanes(v), above[v]);
      }
      ++r;
      to += k.to_stride;
      continue;
    }
    const bool two = r + 1 < k.rows && k.index[r + 1] == row && k.t[r + 1] > 0;
    const Vector t0 = Lanes::broadcast(k.t[r]);
    const Vector t1 = Lanes::broadcast(two ? k.t[r + 1] : 0);
    Element* const to1 = to + k.to_stride;
    const auto mix_below = [&](auto both) {
      const auto mix = [=](int64_t v, Mask lanes, Vector x) {
        const Vector a = above[v];
        store(to, v, lanes, Lanes::mix(kAll, a, x, t0));
        if constexpr (both) store(to1, v, lanes, Lanes::mix(kAll, a, x, t1));
      };
      if (below_row != row + 1) {
        maker.make(row + 1, [=](int64_t v, Mask lanes, Vector x) {
          below[v] = x;
          mix(v, lanes, x);
        });
        below_row = row + 1;
      } else {
        for (int64_t v = 0; v < maker.vectors(); ++v) mix(v, maker.lanes(v), below[v]);
      }
    };
    two ? mix_below(std::true_type()) : mix_below(std::false_type());
    r += two ? 2 : 1;
    to += (two ? 2 : 1) * k.to_stride;
  }
  return first + maker.vectors() * kLanes;
}

template <class Lanes, bool kPicked>
void interpolate(const LerpRows& k) noexcept {
  for (int64_t i = 0; i < k.picks->count;) {
    i = k.other == nullptr ? interpolate_columns<Lanes, kPicked, false>(k, i)
                           : interpolate_columns<Lanes, kPicked, true>(k, i);
  }
}

// kFetches: whether what rows of the output are followed by is asked for.
template <class T>
struct RowLanes : Floats {
  static constexpr bool kFetches = true;
};
template <>
struct RowLanes<std::uint16_t> : Halves {
  static constexpr bool kFetches = true;
  static void store(std::uint16_t* to, Mask mask, Vector x) noexcept {
    const __m256i half =
        _mm512_maskz_cvtps_ph(mask, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(to, mask, half);
  }
};

struct StreamedLanes : Floats {
  static constexpr bool kFetches = false;
  static void store(float* to, Mask mask, Vector x) noexcept {
    mask == 0xffff ? _mm512_stream_ps(to, x) : Floats::store(to, mask, x);
  }
};

bool are_at_lines(const LerpRows& k) noexcept {
  constexpr int64_t kLineFloats = 16;
  return reinterpret_cast<std::uintptr_t>(k.to) % (kLineFloats * sizeof(float)) == 0 &&
         k.to_stride % kLineFloats == 0;
}

template <class Lanes>
bool interpolate_any(const LerpRows& k) noexcept {
  if (k.picks->index == nullptr) {
    interpolate<Lanes, false>(k);
    return true;
  }
  if (k.picks->reach_16 > 2 * Floats::kLanes) return false;
  interpolate<Lanes, true>(k);
  return true;
}

}  // namespace

template <class T>
bool lerp_rows(const LerpRows& k) noexcept {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (k.past_caches && are_at_lines(k)) return interpolate_any<StreamedLanes>(k);
  }
  return interpolate_any<RowLanes<T>>(k);
}
template bool lerp_rows<float>(const LerpRows&) noexcept;
template bool lerp_rows<std::uint16_t>(const LerpRows&) noexcept;

}  // namespace weft::kernels::WEFT_ISA

#endif
