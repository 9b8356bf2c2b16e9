#include "ops/winograd_filter.h"

#include <bit>
#include <memory>

#include "ops/split_case.h"

namespace weft::ops {
namespace {

class WinogradFilterTest : public NumbersTest, public ::testing::WithParamInterface<Isa> {
 protected:
  void SetUp() override { skip_without(GetParam()); }
};

// Numbers, or their parts together, are those of G g G^T, with the channels of each block where
// they are looked for.
TEST_P(WinogradFilterTest, OfEachPointIsTheTransformedWindow) {
  const kernels::SplitKernels* unit = GetParam() == Isa::amx ? kernels::split_kernels(3) : nullptr;
  const ConvolutionParams params = params_of({1, 40, 70, 1, 9, 9, 3, 1, 1});
  const Floats weights = numbers(count_of(params.filter));
  const ConvolutionGeometry geometry(params);
  for (const kernels::WinogradTile& tile : {kernels::WinogradTile{2, 2}, {2, 4}, {4, 4}}) {
    const WinogradImages images(geometry, tile);
    const WinogradFilter filter(geometry, images, DataType::float32,
                                kernels::row_kernels(GetParam()).load(DataType::float32), unit,
                                *kernels::winograd_kernels(GetParam(), tile), 2);
    ASSERT_EQ(filter.steps(), 2);
    ASSERT_EQ(filter.out_blocks(), 3);
    std::vector<std::byte> memory(filter.size_in_bytes() + 256);
    void* start = memory.data();
    std::size_t space = memory.size();
    auto* packed = static_cast<std::byte*>(std::align(256, filter.size_in_bytes(), start, space));
    filter.pack(weights.data(), packed, 1);
    for (const std::int64_t out : {0, 31, 32, 69, 70}) {
      for (const std::int64_t in : {0, 31, 32, 39, 40}) {
        for (std::int64_t point = 0; point < tile.points(); ++point) {
          const std::byte* block = filter.block(packed, 0, out / 32, point);
          float sum = 0;
          if (unit == nullptr) sum = reinterpret_cast<const float*>(block)[in * 32 + out % 32];
          for (std::int64_t part = 3; unit != nullptr && part-- > 0;) {
            const std::uint32_t bits = reinterpret_cast<const std::uint16_t*>(
                block)[(in / 32 * 3 + part) * 1024 + out % 32 * 32 + in % 32];
            sum += std::bit_cast<float>(bits << 16);
          }
          double expected = 0;
          const auto along_columns =
              kernels::winograd_filter_row(tile.rows, 3, point / tile.column_points());
          const auto along_rows =
              kernels::winograd_filter_row(tile.columns, 3, point % tile.column_points());
          for (std::int64_t i = 0; i < 9 && out < 70 && in < 40; ++i) {
            expected += along_columns.g[i / 3] * along_rows.g[i % 3] *
                        static_cast<double>(weights[(out * 40 + in) * 9 + i]);
          }
          ASSERT_NEAR(sum / filter.scale(), expected, 1e-6) << out << ", " << in << ", " << point;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, WinogradFilterTest,
                         ::testing::Values(Isa::avx2, Isa::avx512, Isa::amx),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace weft::ops
