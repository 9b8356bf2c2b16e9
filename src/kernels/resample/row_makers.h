#pragma once

// What row_loops.h makes rows with: a vector of them from memory, and rows of vectors, as they are,
// picked, or doubled.

#include <cstdint>

#include "kernels/resample/row_lanes.h"

#ifdef __AVX2__

namespace weft::kernels::WEFT_ISA {

// Most vectors of a row that are made at once, and of those that have tables of their own.
constexpr std::int64_t kMostInAll = 64;
#ifdef __AVX512BW__
constexpr std::int64_t kMost = kMostTables / Floats::kLanes;
#endif

// Vectors of the rows, mixed with those of another one or not; asks for what lies some rows ahead.
template <class Lanes, bool kOther, int kRowsAhead>
class Source {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;

  explicit Source(const LerpRows& k) noexcept
      : from_(static_cast<const Element*>(k.row)),
        other_(static_cast<const Element*>(k.other)),
        row_stride_(k.row_stride),
        between_(Lanes::broadcast(k.between)) {}

  std::int64_t row_stride() const noexcept { return row_stride_; }

  Vector load(std::int64_t i) const noexcept {
    return mixed(i, [](const Element* from) { return Lanes::load(from); });
  }
#ifdef __AVX512BW__
  Vector load(__mmask16 mask, std::int64_t i) const noexcept {
    return mixed(i, [=](const Element* from) { return Lanes::tidy(Lanes::load(mask, from)); });
  }
#endif

 private:
  template <class Load>
  Vector mixed(std::int64_t i, const Load& load) const noexcept {
    __builtin_prefetch(from_ + i + kRowsAhead * row_stride_);
    const Vector x = load(from_ + i);
    if constexpr (!kOther) return x;
    __builtin_prefetch(other_ + i + kRowsAhead * row_stride_);
    return Lanes::mix(x, load(other_ + i), between_);
  }

  const Element* from_;
  const Element* other_;
  std::int64_t row_stride_;
  Vector between_;
};

// Asks for the line that some elements later lie in, of a row of the output.
template <class Lanes>
void ask_ahead(const typename Lanes::Element* to) noexcept {
  if (Lanes::kFetches) __builtin_prefetch(reinterpret_cast<const char*>(to) + kWriteAhead, 1);
}

#ifdef __AVX512BW__

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

  // Vector by vector: what is stored as halves of vectors can't be loaded at once soon.
  static void keep(Vector x, Vector* row, std::int64_t v) noexcept { row[v] = x; }
  static Vector kept(const Vector* row, std::int64_t v) noexcept { return row[v]; }

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
  void make(std::int64_t row, const Use& use) const noexcept {
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
  void make_same(std::int64_t at, const Use& use) const noexcept {
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

  Source<Lanes, kOther, 1> source_;
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

#endif

// Makes rows of Picks::doubles, of pairs of vectors; each element is loaded once, for all four
// outputs of a row that it is mixed into. As Maker, but that the last pair of a row ends where it
// does, wherever it begins. Only AVX-512 has rows of less than a vector.
template <class Lanes, bool kOther>
class Doubler {
 public:
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Part = typename Lanes::Pair;
  static constexpr std::int64_t kLanes = Lanes::kLanes;
  static constexpr std::int64_t kPair = 2 * kLanes;
  // Twice 64x128x128: 464 us with one, 382 with three, 400 with four and eight; of float16 240,
  // 227, 220, 213 (Zen 5). Rows of two planes: trilinear 64x16x16x16 280 us with one, 301 with
  // four.
  static constexpr int kRowsAhead = kOther ? 1 : 4;

  // Where a pair lies, from the first one on, and how much of it there is.
  struct Mask {
    std::int64_t at;
    std::int64_t count = kPair;
  };

  Doubler(const LerpRows& k, std::int64_t first) noexcept
      : source_(k), size_(k.picks->row_count), first_(first / 2) {
    const std::int64_t left = size_ - first_;
    blocks_ = (left + kLanes - 1) / kLanes;
    const bool ends = blocks_ <= kMostInAll / 2;
    if (!ends) blocks_ = kMostInAll / 2;
    // Before those that have a whole one behind them.
    followed_ = blocks_ - (ends && left % kLanes != 0 ? 2 : 1);
    last_ = {followed_ == blocks_ - 1 ? (blocks_ - 1) * kPair : 2 * (left - kLanes)};
    if (size_ < kLanes) last_ = {0, 2 * size_};
  }

  std::int64_t parts() const noexcept { return blocks_; }
  Mask lanes(std::int64_t i) const noexcept { return i + 1 < blocks_ ? Mask{i * kPair} : last_; }
  std::int64_t elements() const noexcept { return blocks_ * kPair; }

  static void keep(const Part& x, Vector* row, std::int64_t i) noexcept {
    row[2 * i] = x.first;
    row[2 * i + 1] = x.second;
  }
  static Part kept(const Vector* row, std::int64_t i) noexcept {
    return {row[2 * i], row[2 * i + 1]};
  }

  static Part mix(const Part& a, const Part& b, Vector t) noexcept {
    return {Lanes::mix(a.first, b.first, t), Lanes::mix(a.second, b.second, t)};
  }

  static Part toward(const Part& near, const Part& far) noexcept {
    return {Lanes::toward(near.first, far.first), Lanes::toward(near.second, far.second)};
  }

  static void store(Element* row, std::int64_t, Mask place, const Part& x) noexcept {
    Element* const to = row + place.at;
    constexpr std::int64_t kLine = 64 / sizeof(Element);
    for (std::int64_t i = 0; i < kPair; i += kLine) ask_ahead<Lanes>(to + i);
    if (place.count == kPair) return Lanes::store_two(to, x);
#ifdef __AVX512BW__
    Lanes::store_some(to, place.count, x);
#endif
  }

  template <class Use>
  void make(std::int64_t row, const Use& use) const noexcept {
    const std::int64_t at = row * source_.row_stride() + first_;
    const auto last_lane = Lanes::lane(kLanes - 1);
#ifdef __AVX512BW__
    if (size_ < kLanes) {
      const Vector x = source_.load(Lanes::first(size_), at);
      return use(0, last_,
                 block(x, Lanes::before(x, x), Lanes::after(x, x), Lanes::lane(0),
                       Lanes::lane(size_ - 1)));
    }
#endif
    if (followed_ >= 0) {
      Vector x = source_.load(at);
      Vector before = first_ > 0 ? source_.load(at - kLanes) : x;
      auto first = first_ > 0 ? Lanes::no_lane() : Lanes::lane(0);
      std::int64_t b = 0;
      for (; b < followed_; ++b) {
        const Vector after = source_.load(at + (b + 1) * kLanes);
        const Vector odd = Lanes::toward(x, Lanes::after(x, after));
        const Vector even = Lanes::toward(x, Lanes::before(before, x));
        use(b, Mask{b * kPair}, Lanes::two(Lanes::select(first, x, even), odd));
        first = Lanes::no_lane();
        before = x;
        x = after;
      }
      const bool ends = first_ + (b + 1) * kLanes == size_;
      const Vector after = ends ? x : source_.load(at + b * kLanes + 1);
      use(b, Mask{b * kPair},
          block(x, Lanes::before(before, x), ends ? Lanes::after(x, x) : after, first,
                ends ? last_lane : Lanes::no_lane()));
    }
    if (followed_ + 1 < blocks_) {
      const std::int64_t i = at + last_.at / 2;
      const Vector x = source_.load(i);
      use(blocks_ - 1, Mask{last_.at},
          block(x, source_.load(i - 1), Lanes::after(x, x), Lanes::no_lane(), last_lane));
    }
  }

 private:
  // first, last: lanes that are not mixed.
  static Part block(Vector x, Vector before, Vector after, typename Lanes::Mask first,
                    typename Lanes::Mask last) noexcept {
    const Vector odd = Lanes::toward(x, after);
    return Lanes::two(Lanes::select(first, x, Lanes::toward(x, before)),
                      Lanes::select(last, x, odd));
  }

  Source<Lanes, kOther, kRowsAhead> source_;
  std::int64_t size_;   // of a row
  std::int64_t first_;  // element
  std::int64_t blocks_;
  std::int64_t followed_;
  Mask last_;
};

}  // namespace weft::kernels::WEFT_ISA

#endif
