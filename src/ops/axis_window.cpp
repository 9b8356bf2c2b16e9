#include "ops/axis_window.h"

#include <algorithm>
#include <cstdlib>

#include "base/checked.h"

namespace weft::ops {

AxisWindow AxisWindow::near_taps(const Phase& phase, std::int64_t first, std::int64_t count,
                                 std::int64_t low, std::int64_t high) noexcept {
  AxisWindow window;
  window.step = phase.in_step;
  window.tap_step = phase.offset_step;
  window.origin = phase.first_offset - low;
  window.size = (count - 1) * phase.in_step + high - low + 1;
  window.lowest = first * phase.in_step + low;
  return window;
}

void AxisWindow::leave_out_padding(std::int64_t in_size) noexcept {
  const std::int64_t begin = std::clamp<std::int64_t>(lowest, 0, in_size);
  const std::int64_t end = std::clamp(lowest + size, begin, in_size);
  origin -= begin - lowest;
  lowest = begin;
  size = end - begin;
}

AxisWindow AxisWindow::far_taps(const Phase& phase, std::int64_t first,
                                std::int64_t count) noexcept {
  AxisWindow window;
  window.tap_step = count;
  window.size = count * phase.taps;
  window.lowest = first * phase.in_step + phase.first_offset;
  window.in_step = phase.in_step;
  window.in_tap_step = phase.offset_step;
  window.far = true;
  return window;
}

AxisWindow AxisWindow::by_remainder(const Phase& phase, std::int64_t first,
                                    std::int64_t count) noexcept {
  AxisWindow window;
  window.tap_step = count + (phase.taps - 1) * phase.offset_step / phase.in_step;
  window.size = window.tap_step * phase.in_step;
  window.lowest = first * phase.in_step + phase.first_offset;
  window.in_step = phase.in_step;
  window.in_tap_step = 1;
  window.offset_step = phase.offset_step;
  window.far = true;
  return window;
}

AxisWindow AxisWindow::strided(const Phase& phase, std::int64_t first,
                               std::int64_t count) noexcept {
  const AxisWindow far = far_taps(phase, first, count);
  const AxisWindow split = by_remainder(phase, first, count);
  return phase.offset_step >= 0 && split.size < far.size ? split : far;
}

AxisWindow AxisWindow::in_vectors(const Phase& phase, std::int64_t first, std::int64_t count,
                                  std::int64_t lanes) noexcept {
  const auto [low, high] = offset_range(phase);
  AxisWindow window = near_taps(phase, first, count, low, high);
  if (phase.in_step != 1 || window.size > count * phase.taps) window = strided(phase, first, count);
  const std::int64_t runs = window.size / window.run();
  const std::int64_t run = base::round_up(window.run() + lanes - 1, lanes);
  if (window.far) window.tap_step = run;
  window.size = runs * run;
  return window;
}

std::array<std::int64_t, 2> offset_range(const Phase& phase) noexcept {
  if (phase.taps == 0) return {0, 0};
  const std::int64_t last = phase.offset(phase.taps - 1);
  return {std::min(phase.first_offset, last), std::max(phase.first_offset, last)};
}

std::int64_t window_bound(const Phase& phase, std::int64_t taps, std::int64_t count) noexcept {
  const std::int64_t far = count * std::max<std::int64_t>(taps, 1);
  if (phase.taps == 0) return far;  // it does not tell how far others' taps lie apart
  const std::int64_t near =
      (count - 1) * phase.in_step + (taps - 1) * std::abs(phase.offset_step) + 1;
  return std::min(near, far);
}

std::array<std::int64_t, 2> taps_inside(const Phase& phase, std::int64_t first, std::int64_t count,
                                        std::int64_t in_size) noexcept {
  const auto inside = [&](std::int64_t j) {
    const std::int64_t low = first * phase.in_step + phase.offset(j);
    return low < in_size && low + (count - 1) * phase.in_step >= 0;
  };
  std::int64_t begin = 0;
  while (begin < phase.taps && !inside(begin)) ++begin;
  std::int64_t end = phase.taps;
  while (end > begin && !inside(end - 1)) --end;
  return {begin, end};
}

}  // namespace weft::ops
