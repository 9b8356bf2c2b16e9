#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/row_makers.h"

#ifdef __AVX512BW__

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// Of all rows one after the other as many parts from element `first` on as there may be; returns
// the element after them.
template <class Lanes, class RowMaker>
int64_t interpolate_columns(const LerpRows& k, int64_t first) noexcept {
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Part = typename RowMaker::Part;
  using Mask = typename RowMaker::Mask;
  const RowMaker maker(k, first);

  // Such that no load waits for a store to the other row at the same place within a page.
  constexpr std::size_t kParts = (kMostInAll + 8) * sizeof(Vector) / sizeof(Part);
  Part made[2][kParts];
  Part* above = made[0];
  Part* below = made[1];
  int64_t above_row = -1;
  int64_t below_row = -1;
  auto* to = static_cast<Element*>(k.to) + first;
  for (int64_t r = 0; r < k.rows;) {
    const int64_t row = k.index[r];
    const bool mixes = k.t[r] > 0;
    bool stored = false;
    if (row != above_row) {
      above_row = row;
      if (row == below_row) {
        Part* const free = above;
        above = below;
        below = free;
        below_row = -1;
      } else if (mixes) {
        maker.make(row, [=](int64_t i, Mask, const Part& x) { above[i] = x; });
      } else {
        const auto use = [=](int64_t i, Mask lanes, const Part& x) __attribute__((always_inline)) {
          above[i] = x;
          RowMaker::store(to, i, lanes, x);
        };
        maker.make(row, use);
        stored = true;
      }
    }
    if (!mixes) {
      for (int64_t i = 0; i < maker.parts() && !stored; ++i) {
        RowMaker::store(to, i, maker.lanes(i), above[i]);
      }
      ++r;
      to += k.to_stride;
      continue;
    }
    const bool two = r + 1 < k.rows && k.index[r + 1] == row && k.t[r + 1] > 0;
    const Vector t0 = Lanes::broadcast(k.t[r]);
    const Vector t1 = Lanes::broadcast(two ? k.t[r + 1] : 0);
    Element* const to1 = to + k.to_stride;
    const auto mix_below = [&](auto both, auto doubles) {
      const auto mix = [=](int64_t i, Mask lanes, const Part& x) __attribute__((always_inline)) {
        const Part a = above[i];
        if constexpr (doubles) {
          RowMaker::store(to, i, lanes, RowMaker::toward(a, x));
          RowMaker::store(to1, i, lanes, RowMaker::toward(x, a));
        } else {
          RowMaker::store(to, i, lanes, RowMaker::mix(a, x, t0));
          if constexpr (both) RowMaker::store(to1, i, lanes, RowMaker::mix(a, x, t1));
        }
      };
      if (below_row != row + 1) {
        const auto use = [=](int64_t i, Mask lanes, const Part& x) __attribute__((always_inline)) {
          below[i] = x;
          mix(i, lanes, x);
        };
        maker.make(row + 1, use);
        below_row = row + 1;
      } else {
        for (int64_t i = 0; i < maker.parts(); ++i) mix(i, maker.lanes(i), below[i]);
      }
    };
    const std::true_type yes;
    const std::false_type no;
    if (!two) {
      mix_below(no, no);
    } else if (k.t[r] == 0.25f && k.t[r + 1] == 0.75f) {
      mix_below(yes, yes);
    } else {
      mix_below(yes, no);
    }
    r += two ? 2 : 1;
    to += (two ? 2 : 1) * k.to_stride;
  }
  return first + maker.elements();
}

template <class Lanes, class RowMaker>
void interpolate(const LerpRows& k) noexcept {
  for (int64_t i = 0; i < k.picks->count;) i = interpolate_columns<Lanes, RowMaker>(k, i);
}

bool are_at_lines(const LerpRows& k) noexcept {
  constexpr int64_t kLineFloats = 16;
  return reinterpret_cast<std::uintptr_t>(k.to) % (kLineFloats * sizeof(float)) == 0 &&
         k.to_stride % kLineFloats == 0;
}

template <class Lanes, bool kOther>
bool interpolate_any(const LerpRows& k) noexcept {
  if (k.picks->index == nullptr) {
    interpolate<Lanes, Maker<Lanes, false, kOther>>(k);
  } else if (k.picks->doubles) {
    interpolate<Lanes, Doubler<Lanes, kOther>>(k);
  } else if (k.picks->reach_16 <= 2 * Floats::kLanes) {
    interpolate<Lanes, Maker<Lanes, true, kOther>>(k);
  } else {
    return false;
  }
  return true;
}

template <class Lanes>
bool interpolate_any(const LerpRows& k) noexcept {
  return k.other == nullptr ? interpolate_any<Lanes, false>(k) : interpolate_any<Lanes, true>(k);
}

}  // namespace

template <class T>
bool lerp_rows(const LerpRows& k) noexcept {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (k.past_caches && are_at_lines(k)) return interpolate_any<StreamedRows>(k);
  }
  return interpolate_any<RowLanes<T>>(k);
}
template bool lerp_rows<float>(const LerpRows&) noexcept;
template bool lerp_rows<std::uint16_t>(const LerpRows&) noexcept;

}  // namespace weft::kernels::WEFT_ISA

#endif
