#pragma once

#include <array>
#include <cstdint>

#include "weft/tensor.h"

namespace weft::ops {

inline constexpr int kMaxRank = 8;

// A checked tensor's shape and strides, in elements.
struct Layout {
  int rank = 0;
  std::array<std::int64_t, kMaxRank> sizes{};
  std::array<std::int64_t, kMaxRank> strides{};

  std::int64_t element_count() const noexcept;
};

// Layout of a desc that has passed validation.
Layout layout_of(const TensorDesc& desc);

// Whether two coordinates of a tensor share an offset. Exact up to a bounded amount of work; what
// cannot be decided within it counts as overlapping.
bool overlaps_itself(const Dims& sizes, const Dims& strides);

}  // namespace weft::ops
