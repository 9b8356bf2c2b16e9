#include "weft/tensor.h"

#include <algorithm>

#include "base/checked.h"

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
  if (bits == 0 || (!desc.strides.empty() && desc.strides.size() != desc.sizes.size())) {
    return std::nullopt;
  }
  std::optional<std::uint64_t> elements;
  if (desc.strides.empty()) {
    elements = element_count(desc.sizes);
  } else {
    elements = 1;
    for (std::size_t d = 0; d < desc.sizes.size(); ++d) {
      if (desc.sizes[d] == 0) return 0;
      // The product of two 32-bit numbers fits 64 bits; the sum may not.
      elements = base::add(*elements, std::uint64_t{desc.sizes[d] - 1} * desc.strides[d]);
      if (!elements) return std::nullopt;
    }
  }
  if (!elements) return std::nullopt;
  const unsigned __int128 words = (static_cast<unsigned __int128>(*elements) * bits + 31) / 32;
  if (words > UINT64_MAX / 4) return std::nullopt;
  return static_cast<std::uint64_t>(words) * 4;
}

}  // namespace weft
