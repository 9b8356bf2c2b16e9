#include "weft/tensor.h"

#include <algorithm>

#include "base/checked.h"
#include "ops/layout.h"

namespace weft {

std::optional<Dims> packed_strides(const Dims& sizes) {
  Dims strides(sizes.size());
  std::uint64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (stride > UINT32_MAX) return std::nullopt;
    strides[d] = static_cast<std::uint32_t>(stride);
    // A size of 0 or 1 leaves the stride of the next dimension as it is: nothing lies between.
    stride *= std::max(sizes[d], 1u);
  }
  return strides;
}

std::optional<std::uint64_t> element_count(const Dims& sizes) {
  std::uint64_t count = 1;
  for (const std::uint32_t size : sizes) {
    const auto product = base::multiply(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<std::uint64_t> minimum_size_in_bytes(const TensorDesc& desc) {
  const unsigned bits = bit_size(desc.data_type);
  const auto elements = ops::extent_in_elements(desc);
  if (bits == 0 || !elements) return std::nullopt;
  const unsigned __int128 words = (static_cast<unsigned __int128>(*elements) * bits + 31) / 32;
  if (words > UINT64_MAX / 4) return std::nullopt;
  return static_cast<std::uint64_t>(words) * 4;
}

}  // namespace weft
