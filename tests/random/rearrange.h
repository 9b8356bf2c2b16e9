#pragma once

#include <cstdint>
#include <vector>

#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::random_cases {

// tensor(x) = old tensor(source(x)); returns whether any element came from elsewhere.
template <class Source>
bool rearrange(const TensorDesc& desc, std::byte* data, Source source) {
  std::vector<std::uint64_t> bits;
  bool moved = false;
  testing::for_each_element(desc, [&](const testing::Coordinate& x, std::int64_t at) {
    const std::int64_t from = testing::byte_offset(desc, source(x));
    moved = moved || from != at;
    bits.push_back(testing::read_bits(desc.data_type, data + from));
  });
  std::size_t i = 0;
  testing::for_each_element(desc, [&](const testing::Coordinate&, std::int64_t at) {
    testing::write_bits(desc.data_type, data + at, bits[i++]);
  });
  return moved;
}

// Strides that leave each element where it is, when sizes change.
inline void pin_strides(TensorDesc& desc) {
  if (desc.strides.empty()) desc.strides = *packed_strides(desc.sizes);
}

}  // namespace weft::random_cases
