#include <cstdint>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

#ifdef __AVX512BW__

// Most vectors of a row that are made at once.
constexpr int64_t kMost = 16;

// Of all rows one after the other the vectors from element `first` on, at most kMost.
template <class Lanes, bool kPicked>
void interpolate_columns(const LerpRows& k, int64_t first) noexcept {
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Index = typename Lanes::Index;
  using Mask = typename Lanes::Mask;
  constexpr int64_t kLanes = Lanes::kLanes;
  constexpr Mask kAll = 0xffff;
  const Picks picks = *k.picks;
  const int64_t left = picks.count - first;
  const int64_t whole = left < kMost * kLanes ? left / kLanes : kMost;
  const Mask rest = whole < kMost ? Lanes::first(left % kLanes) : Mask{0};
  const auto each = [=](const auto& use) {
    for (int64_t v = 0; v < whole; ++v) use(v, kAll);
    if (rest != 0) use(whole, rest);
  };

  const bool narrow = picks.reach_16 <= kLanes;
  const int64_t window = narrow ? kLanes : 2 * kLanes;
  const int64_t end = picks.row_count < window ? 0 : picks.row_count - window;
  const Mask low_lanes = Lanes::first(picks.row_count);
  const Mask high_lanes = Lanes::first(picks.row_count - kLanes);
  struct Pick {
    Index element;
    Index next;
    Vector weight;
    int64_t start;
    Mask mixes;
  } pick[kMost];
  each([&](int64_t v, Mask lanes) {
    if (!kPicked) return;
    const int64_t i = first + v * kLanes;
    Pick& p = pick[v];
    p.start = picks.index[i] < end ? picks.index[i] : end;
    p.weight = Lanes::weights(lanes, picks.t + i);
    p.mixes = Lanes::positive(p.weight);
    p.element =
        Lanes::minus(Lanes::indices(lanes, picks.index + i), static_cast<std::int32_t>(p.start));
    p.next = Lanes::next(p.element, p.mixes);
  });

  const auto* const from = static_cast<const Element*>(k.row);
  const auto* const other = static_cast<const Element*>(k.other);
  const Vector between = Lanes::broadcast(k.between);
  const auto make = [&](int64_t row, Vector* to) {
    const int64_t at = row * k.row_stride;
    const auto load = [=](Mask mask, int64_t i) {
      __builtin_prefetch(from + i + k.row_stride);
      const Vector x = Lanes::load(mask, from + i);
      if (other == nullptr) return x;
      __builtin_prefetch(other + i + k.row_stride);
      return Lanes::mix(kAll, x, Lanes::load(mask, other + i), between);
    };
    each([&](int64_t v, Mask lanes) {
      if constexpr (!kPicked) {
        to[v] = load(lanes, at + first + v * kLanes);
      } else {
        const Pick& p = pick[v];
        const Vector low = load(low_lanes, at + p.start);
        Vector a;
        Vector b;
        if (narrow) {
          a = Lanes::pick(p.element, low);
          b = Lanes::pick(p.next, low);
        } else {
          const Vector high = load(high_lanes, at + p.start + kLanes);
          a = Lanes::pick(low, p.element, high);
          b = Lanes::pick(low, p.next, high);
        }
        to[v] = Lanes::mix(p.mixes, a, b, p.weight);
      }
    });
  };

  Vector made[2][kMost];
  Vector* above = made[0];
  Vector* below = made[1];
  int64_t above_row = -1;
  int64_t below_row = -1;
  auto* to = static_cast<Element*>(k.to) + first;
  for (int64_t r = 0; r < k.rows; ++r, to += k.to_stride) {
    const int64_t row = k.index[r];
    const float t = k.t[r];
    if (row != above_row) {
      if (row == below_row) {
        Vector* const free = above;
        above = below;
        below = free;
        below_row = -1;
      } else {
        make(row, above);
      }
      above_row = row;
    }
    if (t > 0 && below_row != row + 1) {
      make(row + 1, below);
      below_row = row + 1;
    }
    const Vector weight = Lanes::broadcast(t);
    const Mask mixed = t > 0 ? kAll : Mask{0};
    each([&](int64_t v, Mask lanes) {
      // Stores that wait for memory hold up everything else.
      constexpr int64_t kBytesAhead = 4096;
      __builtin_prefetch(reinterpret_cast<const char*>(to + v * kLanes) + kBytesAhead, 1);
      Lanes::store(to + v * kLanes, lanes, Lanes::mix(mixed, above[v], below[v], weight));
    });
  }
}

template <class Lanes, bool kPicked>
void interpolate(const LerpRows& k) noexcept {
  for (int64_t i = 0; i < k.picks->count; i += kMost * Lanes::kLanes) {
    interpolate_columns<Lanes, kPicked>(k, i);
  }
}

template <class T>
struct RowLanes : Floats {};
template <>
struct RowLanes<std::uint16_t> : Halves {
  static void store(std::uint16_t* to, Mask mask, Vector x) noexcept {
    const __m256i half =
        _mm512_maskz_cvtps_ph(mask, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(to, mask, half);
  }
};

#endif

}  // namespace

template <class T>
bool lerp_rows([[maybe_unused]] const LerpRows& k) noexcept {
#ifdef __AVX512BW__
  if (k.picks->index == nullptr) {
    interpolate<RowLanes<T>, false>(k);
    return true;
  }
  if (k.picks->reach_16 > 2 * Floats::kLanes) return false;
  interpolate<RowLanes<T>, true>(k);
  return true;
#else
  return false;
#endif
}
template bool lerp_rows<float>(const LerpRows&) noexcept;
template bool lerp_rows<std::uint16_t>(const LerpRows&) noexcept;

}  // namespace weft::kernels::WEFT_ISA
