#include "support/tensor_walk.h"

#include <algorithm>

namespace weft::testing {

// Plain pointers: this is what the judges do most, and sanitizers check each step into a vector.
std::int64_t element_offset(const TensorDesc& desc, const Coordinate& x) {
  const std::uint32_t* const sizes = desc.sizes.data();
  const std::uint32_t* const strides = desc.strides.empty() ? nullptr : desc.strides.data();
  const std::int64_t* const at = x.at.data();
  std::int64_t offset = 0;
  std::int64_t packed = 1;
  for (std::size_t d = desc.sizes.size(); d-- > 0;) {
    offset += at[d] * (strides == nullptr ? packed : std::int64_t{strides[d]});
    packed *= sizes[d];
  }
  return offset;
}

std::int64_t byte_offset(const TensorDesc& desc, const Coordinate& x) {
  return element_offset(desc, x) * byte_size(desc.data_type);
}

std::int64_t entry(const Dims& values, std::size_t d, std::int64_t fallback) {
  return values.empty() ? fallback : std::int64_t{values[d]};
}

bool next(Coordinate& x, std::span<const std::uint32_t> sizes) {
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (++x[d] < std::int64_t{sizes[d]}) return true;
    x[d] = 0;
  }
  return false;
}

std::int64_t row_major(const Coordinate& x, std::span<const std::uint32_t> sizes) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + x[d];
  return position;
}

std::uint64_t buffer_bytes(const TensorDesc& desc) {
  Coordinate last;
  for (std::size_t d = 0; d < desc.sizes.size(); ++d) last[d] = std::int64_t{desc.sizes[d]} - 1;
  const auto addressed = static_cast<std::uint64_t>(element_offset(desc, last) + 1);
  return std::max(addressed * byte_size(desc.data_type), desc.total_size_in_bytes);
}

}  // namespace weft::testing
