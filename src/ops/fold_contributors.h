#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/checked.h"
#include "ops/window_axes.h"

namespace weft::ops {

// Finds what adds to positions of an axis: the pairs of window element and block with
//
//   element * window.step + block * block.step = position + start
//
// These are every modulus-th element, from one whose residue the inverse of window.step gives, so
// that finding them takes no longer than visiting them, whatever the steps.
class Contributors {
 public:
  explicit Contributors(const WindowAxis& axis)
      : axis_(axis),
        divisor_(std::gcd(axis.window.step, axis.block.step)),
        modulus_(axis.block.step / divisor_),
        inverse_(static_cast<std::uint64_t>(
            base::inverse_modulo(axis.window.step / divisor_ % modulus_, modulus_))) {}

  // Calls add(element, block) for each that adds to any of `count` positions, block.step apart from
  // `position` on; elements ascending. `block` is that of the first position, and may be none.
  template <class Add>
  void each(std::int64_t position, std::int64_t count, const Add& add) const {
    const std::int64_t target = position + axis_.start;
    if (axis_.plain()) return add(0, target);
    if (target % divisor_ != 0) return;
    const auto modulus = static_cast<std::uint64_t>(modulus_);
    // Both factors are below a stride, thus below 2^32.
    const auto residue = static_cast<std::int64_t>(static_cast<std::uint64_t>(target / divisor_) %
                                                   modulus * inverse_ % modulus);
    const std::int64_t first_block = target - (axis_.block.count - 1) * axis_.block.step;
    const std::int64_t lowest =
        first_block > 0 ? base::divide_up(first_block, axis_.window.step) : 0;
    const std::int64_t last = target + (count - 1) * axis_.block.step;
    const std::int64_t end = std::min(axis_.window.count, last / axis_.window.step + 1);
    std::int64_t element = lowest + ((residue - lowest) % modulus_ + modulus_) % modulus_;
    for (; element < end; element += modulus_) {
      add(element, (target - element * axis_.window.step) / axis_.block.step);
    }
  }

  // How many positions from `position` on, at most `most`, have the same blocks, each with the next
  // element of the one before.
  std::int64_t alike(std::int64_t position, std::int64_t most) const {
    const std::int64_t step = axis_.block.step;
    if (axis_.window.step != 1) return 1;
    const std::int64_t element = (position + axis_.start) % step;
    const std::int64_t longer = axis_.window.count % step;  // so many have one element more
    return std::min(most, (element < longer ? longer : step) - element);
  }

 private:
  WindowAxis axis_;
  std::int64_t divisor_;
  std::int64_t modulus_;
  std::uint64_t inverse_;
};

}  // namespace weft::ops
