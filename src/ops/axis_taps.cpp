#include "ops/axis_taps.h"

#include <algorithm>

#include "base/checked.h"

namespace weft::ops {

AxisTaps::AxisTaps(const Phase& phase) noexcept : count(static_cast<int>(phase.taps)) {
  for (int j = 0; j < count; ++j) {
    const std::int64_t offset = phase.offset(j);
    shift[j] = base::floor_divide(offset, phase.in_step);
    const std::int64_t rest = offset - shift[j] * phase.in_step;
    plane[j] = static_cast<int>(std::find(remainder.begin(), remainder.begin() + planes, rest) -
                                remainder.begin());
    if (plane[j] == planes) remainder[planes++] = rest;
  }
  if (count == 0) return;
  lowest = *std::min_element(shift.begin(), shift.begin() + count);
  spread = *std::max_element(shift.begin(), shift.begin() + count) - lowest;
}

AxisTaps AxisTaps::apart(const Phase& phase) noexcept {
  AxisTaps taps(Phase{});
  taps.count = taps.planes = static_cast<int>(phase.taps);
  for (int j = 0; j < taps.count; ++j) {
    taps.plane[j] = j;
    taps.remainder[j] = phase.offset(j);
  }
  return taps;
}

}  // namespace weft::ops
