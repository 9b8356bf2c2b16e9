#pragma once

// Loops over rows of the output, which are mixed of rows that a maker (row_makers.h) makes.

#include <cstdint>
#include <type_traits>

#include "kernels/resample/row_makers.h"
#include "kernels/unrolled.h"

#ifdef __AVX2__

namespace weft::kernels::WEFT_ISA {

// Of all rows one after the other as many parts from element `first` on as there may be; returns
// the element after them. What were not inlined would take its vectors through memory.
template <class Lanes, class RowMaker>
WEFT_FLATTEN std::int64_t interpolate_columns(const LerpRows& k, std::int64_t first) noexcept {
  using Element = typename Lanes::Element;
  using Vector = typename Lanes::Vector;
  using Part = typename RowMaker::Part;
  using Mask = typename RowMaker::Mask;
  const RowMaker maker(k, first);

  // Such that no load waits for a store to the other row at the same place within a page.
  Vector made[2][kMostInAll + 8];
  Vector* above = made[0];
  Vector* below = made[1];
  std::int64_t above_row = -1;
  std::int64_t below_row = -1;
  auto* to = static_cast<Element*>(k.to) + first;
  for (std::int64_t r = 0; r < k.rows;) {
    const std::int64_t row = k.index[r];
    const bool mixes = k.t[r] > 0;
    bool stored = false;
    if (row != above_row) {
      above_row = row;
      if (row == below_row) {
        Vector* const free = above;
        above = below;
        below = free;
        below_row = -1;
      } else if (mixes) {
        maker.make(row, [=](std::int64_t i, Mask, const Part& x) { RowMaker::keep(x, above, i); });
      } else {
        const auto use = [=](std::int64_t i, Mask lanes, const Part& x) {
          RowMaker::keep(x, above, i);
          RowMaker::store(to, i, lanes, x);
        };
        maker.make(row, use);
        stored = true;
      }
    }
    if (!mixes) {
      for (std::int64_t i = 0; i < maker.parts() && !stored; ++i) {
        RowMaker::store(to, i, maker.lanes(i), RowMaker::kept(above, i));
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
      const auto mix = [=](std::int64_t i, Mask lanes, const Part& x) {
        const Part a = RowMaker::kept(above, i);
        if constexpr (doubles) {
          RowMaker::store(to, i, lanes, RowMaker::toward(a, x));
          RowMaker::store(to1, i, lanes, RowMaker::toward(x, a));
        } else {
          RowMaker::store(to, i, lanes, RowMaker::mix(a, x, t0));
          if constexpr (both) RowMaker::store(to1, i, lanes, RowMaker::mix(a, x, t1));
        }
      };
      if (below_row != row + 1) {
        const auto use = [=](std::int64_t i, Mask lanes, const Part& x) {
          RowMaker::keep(x, below, i);
          mix(i, lanes, x);
        };
        maker.make(row + 1, use);
        below_row = row + 1;
      } else {
        for (std::int64_t i = 0; i < maker.parts(); ++i) {
          mix(i, maker.lanes(i), RowMaker::kept(below, i));
        }
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
void interpolate_rows(const LerpRows& k) noexcept {
  if (k.rows == 0) return;
  for (std::int64_t i = 0; i < k.picks->count;) i = interpolate_columns<Lanes, RowMaker>(k, i);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
