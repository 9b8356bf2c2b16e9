#pragma once

#include <array>
#include <cstdint>

#include "ops/convolution_geometry.h"

namespace weft::ops {

// The taps of one phase along one dimension where its input is laid out in planes, one for each
// remainder of the position by the step: then a tap is the same run of elements a fixed distance
// away, whatever the stride. Tap j of output position t reads element t + shift[j] of plane[j],
// which holds the input positions u * in_step + remainder for u = .., 0, 1, ..
struct AxisTaps {
  static constexpr int kMost = 128;

  explicit AxisTaps(const Phase& phase) noexcept;  // of at most kMost taps

  // With a plane for each tap instead: all shifts are 0, the remainders any offsets.
  static AxisTaps apart(const Phase& phase) noexcept;

  int count = 0;
  int planes = 0;
  std::array<int, kMost> plane{};
  std::array<std::int64_t, kMost> shift{};
  std::array<std::int64_t, kMost> remainder{};  // by plane
  std::int64_t lowest = 0;                      // shift
  std::int64_t spread = 0;                      // highest - lowest
};

}  // namespace weft::ops
