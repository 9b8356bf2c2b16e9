#include "ops/product_filter.h"

#include <bit>

#include "ops/shared_range.h"
#include "ops/split_case.h"

namespace weft::ops {
namespace {

class ProductFilterTest : public MatrixUnitTest {};

TEST_F(ProductFilterTest, PartsOfEachTermAddUpToItsWeight) {
  const ConvolutionParams params = params_of({1, 40, 33, 1, 9, 9, 3, 1, 1});
  const Floats weights = numbers(count_of(params.filter));
  const ConvolutionGeometry geometry(params);
  const ProductFilter filter(geometry, DataType::float32,
                             kernels::row_kernels(Isa::amx).load(DataType::float32),
                             *kernels::split_kernels(3));
  const std::int64_t terms = 40 * 9;
  ASSERT_EQ(filter.steps(9), (terms + 31) / 32);
  std::vector<std::byte> memory(filter.size_in_bytes() + 256);
  void* start = memory.data();
  std::size_t space = memory.size();
  auto* packed = static_cast<std::byte*>(std::align(256, filter.size_in_bytes(), start, space));
  filter.pack(weights.data(), packed, 1);
  const std::array<Phase, kSpatial> phases{geometry.axes[0].phase(0), geometry.axes[1].phase(0),
                                           geometry.axes[2].phase(0)};
  for (const std::int64_t channel : {0, 31, 32}) {
    const std::uint16_t* block = filter.block(packed, 0, phases, channel / 32);
    for (std::int64_t k = 0; k < filter.steps(9) * 32; ++k) {
      float sum = 0;
      for (std::int64_t part = 3; part-- > 0;) {
        const std::uint32_t bits =
            block[k / 32 * filter.step() + part * 1024 + channel % 32 * 32 + k % 32];
        sum += std::bit_cast<float>(bits << 16);
      }
      ASSERT_EQ(sum, k < terms ? weights[channel * terms + k] : 0.0f) << channel << ", " << k;
    }
  }
  EXPECT_TRUE(kernels::products_are_safe(stored_range(packed), stored_range(packed)));
}

}  // namespace
}  // namespace weft::ops
