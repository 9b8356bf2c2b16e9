#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "kernels/ramp.h"
#include "support/guard_page.h"
#include "weft/isa.h"

namespace weft::kernels {

// Tests of a kernel table take one of its rows as their parameter, so that a new row is tested the
// moment it stands in the table. One that this machine cannot run shows as skipped.
template <class Row>
class KernelTest : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    const Isa isa = this->GetParam().isa;
    if (!base::machine_has(isa)) GTEST_SKIP() << "this machine has no " << name(isa);
  }
};

// The rows of a table that are there once a level: named after the level.
template <class Row>
std::string level_name(const ::testing::TestParamInfo<Row>& info) {
  return std::string(name(info.param.isa));
}

// The rows of a table that have a kernel that others lack.
template <class Row, class Kernel>
std::vector<Row> rows_with(Kernel Row::*kernel, std::span<const Row> table) {
  std::vector<Row> result;
  for (const Row& row : table) {
    if (row.*kernel != nullptr) result.push_back(row);
  }
  return result;
}

// What some tests make of sums.
inline constexpr Ramp kSomeRamp = {.slope = 0.5f, .least = -0.25f, .most = 1.5f};
inline float ramped(float x, const Ramp* bent) {
  if (bent == nullptr) return x;
  if (x < 0) x *= bent->slope;
  return std::min(std::max(x, bent->least), bent->most);
}

// Counts on both sides of every number of lanes that a vector may have, and a long one.
inline std::vector<std::int64_t> counts_around_lanes() {
  std::set<std::int64_t> counts = {0, 1000};
  for (std::int64_t lanes = 1; lanes <= 64; lanes *= 2) {
    counts.insert({lanes - 1, lanes, lanes + 1, 3 * lanes});
  }
  return {counts.begin(), counts.end()};
}

// `count` elements `stride` apart, of either sign, that fill their memory exactly: the last one
// ends at a guard page. Gaps, and for stride 0 all elements, are set to `fill`.
template <class T>
class StridedArray {
 public:
  StridedArray(std::int64_t count, std::int64_t stride, T fill = T{})
      : stride_(stride), memory_(extent(count, stride) * sizeof(T)) {
    for (T& value : all()) value = fill;
    first_ = memory_.as<T>() + (stride < 0 && count > 0 ? (count - 1) * -stride : 0);
  }

  T* first() const { return first_; }
  T& operator[](std::int64_t i) const { return first_[i * stride_]; }
  std::span<T> all() const { return {memory_.as<T>(), memory_.size() / sizeof(T)}; }
  bool intact() const { return memory_.intact(); }

  // Whether every element that lies between two of the array is still `fill`.
  bool gaps_are(T fill) const {
    const std::int64_t step = std::abs(stride_);
    for (std::size_t i = 0; i < all().size(); ++i) {
      if (step != 0 && static_cast<std::int64_t>(i) % step != 0 && all()[i] != fill) return false;
    }
    return true;
  }

 private:
  static std::size_t extent(std::int64_t count, std::int64_t stride) {
    return count == 0 ? 0 : static_cast<std::size_t>((count - 1) * std::abs(stride) + 1);
  }

  std::int64_t stride_;
  testing::GuardedMemory memory_;
  T* first_ = nullptr;
};

// Sorted, for coordinates never decrease.
template <class T>
StridedArray<T> sorted_numbers(std::int64_t count, std::int64_t below, std::mt19937_64& random) {
  StridedArray<T> result(count, 1);
  for (T& value : result.all()) {
    value = static_cast<T>(random() % static_cast<std::uint64_t>(below));
  }
  std::sort(result.all().begin(), result.all().end());
  return result;
}

}  // namespace weft::kernels
