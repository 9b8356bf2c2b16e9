#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/window_axes.h"

namespace weft::ops {

// The indices of one digit of an axis that are inside the image, for each value of the axis' other
// digit. Those for its first values are kept: two divisions take as long as copying a short row.
class InsideRanges {
 public:
  InsideRanges() = default;
  InsideRanges(const WindowAxis& axis, const Digit& digit, const Digit& other)
      : digit_(digit), image_(axis.image) {
    for (std::int64_t i = 0; i < std::min(other.count, kKept); ++i) {
      kept_.push_back(indices_within(digit, i * other.step - axis.start, 0, image_));
    }
  }

  // `position` is that of index 0 where the other digit is `other`.
  IndexRange of(std::int64_t other, std::int64_t position) const noexcept {
    if (other < kKept) return kept_[static_cast<std::size_t>(other)];
    return indices_within(digit_, position, 0, image_);
  }

 private:
  static constexpr std::int64_t kKept = 64;

  Digit digit_{};
  std::int64_t image_ = 0;
  std::vector<IndexRange> kept_;
};

}  // namespace weft::ops
