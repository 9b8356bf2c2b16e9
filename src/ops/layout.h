#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

// Elements of memory from the first to the last that a tensor addresses: the sum of
// (sizes[d] - 1) * strides[d], plus 1; 0 where a size is 0. Nothing when it passes 2^64 - 1 or when
// `strides` is neither empty nor as long as `sizes`.
std::optional<std::uint64_t> extent_in_elements(const TensorDesc& desc) noexcept;

// Whether two tensors of the same sizes have every element at the same offset. Strides of
// dimensions of size 1 do not matter.
bool same_layout(const TensorDesc& a, const TensorDesc& b);

// Whether two coordinates of a tensor share an offset. Exact up to a bounded amount of work; what
// cannot be decided within it counts as overlapping.
bool overlaps_itself(const Dims& sizes, const Dims& strides);

}  // namespace weft::ops
