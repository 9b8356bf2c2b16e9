#pragma once

#include <array>
#include <cstdint>

#include "ops/convolution_geometry.h"

namespace weft::ops {

// The input that one tile reads along one dimension, for positions [first, first + count) of a
// phase. Position t, counted from the first, and tap j read the element
//
//   t * step + j * tap_step + origin,   source(element) being its place in the input.
//
// tap(j) in place of j * tap_step for windows by remainder. Either all elements from the lowest to
// the highest are there, each once, or runs of every in_step-th one: where taps lie far apart those
// of one tap after those of another, or by their remainder, so that positions follow each other.
struct AxisWindow {
  std::int64_t step = 1;
  std::int64_t tap_step = 0;
  std::int64_t origin = 0;
  std::int64_t size = 1;
  // source(e) = lowest + e, or with far taps as the definition below says.
  std::int64_t lowest = 0;
  std::int64_t in_step = 0;  // of runs
  std::int64_t in_tap_step = 0;
  std::int64_t offset_step = 0;  // of taps by remainder
  bool far = false;              // runs of tap_step elements

  // All offsets of the taps lie in [low, high].
  static AxisWindow near_taps(const Phase& phase, std::int64_t first, std::int64_t count,
                              std::int64_t low, std::int64_t high) noexcept;
  static AxisWindow far_taps(const Phase& phase, std::int64_t first, std::int64_t count) noexcept;
  // Taps in ascending order.
  static AxisWindow by_remainder(const Phase& phase, std::int64_t first,
                                 std::int64_t count) noexcept;
  // The smaller of these two, in which positions follow each other.
  static AxisWindow strided(const Phase& phase, std::int64_t first, std::int64_t count) noexcept;
  // The smallest in which positions follow each other. Runs, or the only one, are of whole vectors,
  // with room for a vector but one element behind what is read of them.
  static AxisWindow in_vectors(const Phase& phase, std::int64_t first, std::int64_t count,
                               std::int64_t lanes) noexcept;

  // Of all elements from the lowest to the highest, those inside the input are left.
  void leave_out_padding(std::int64_t in_size) noexcept;

  std::int64_t tap(std::int64_t j) const noexcept {
    if (offset_step == 0) return j * tap_step;
    return j * offset_step % in_step * tap_step + j * offset_step / in_step;
  }

  std::int64_t run() const noexcept { return far ? tap_step : size; }

  std::int64_t source(std::int64_t element) const noexcept {
    if (!far) return lowest + element;
    return lowest + element % tap_step * in_step + element / tap_step * in_tap_step;
  }
};

// Lowest and highest offset of a phase's taps; 0 and 0 where there are none.
std::array<std::int64_t, 2> offset_range(const Phase& phase) noexcept;

// Elements of the smaller of the two windows, for any phase with at most `taps` taps.
std::int64_t window_bound(const Phase& phase, std::int64_t taps, std::int64_t count) noexcept;

// The taps [first, second) for which at least one of the positions [first, first + count) reads
// inside the input; an interval, for offsets are monotonous.
std::array<std::int64_t, 2> taps_inside(const Phase& phase, std::int64_t first, std::int64_t count,
                                        std::int64_t in_size) noexcept;

}  // namespace weft::ops
