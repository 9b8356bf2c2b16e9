#include "kernels/gemm/gemm.h"

#include <cmath>
#include <random>

#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const GemmKernel& row) {
  return out << row.gemm_f32_name;
}

namespace {

class Gemm : public KernelTest<GemmKernel> {
 protected:
  void fill(std::span<float> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (float& value : values) value = distribution(random_);
  }

  // The chain of roundings that the contract promises: fused where the level has it.
  float add_product(float a, float b, float sum) const {
#ifdef __x86_64__
    if (GetParam().isa < Isa::avx2) return a * b + sum;
#endif
    return std::fmaf(a, b, sum);
  }

  std::mt19937_64 random_{20240918};
};

INSTANTIATE_TEST_SUITE_P(, Gemm, ::testing::ValuesIn(gemm_kernel_table()), level_name<GemmKernel>);

TEST(GemmKernelTable, IsBestFirstAndEndsWithTheBase) {
  const auto table = gemm_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GT(table[i - 1].isa, table[i].isa);
  EXPECT_EQ(table.back().isa, Isa::base);
  for (const GemmKernel& row : table) EXPECT_EQ(gemm_kernel(row.isa).isa, row.isa);
}

TEST_P(Gemm, TileIsTheSumInOneChain) {
  const auto [mr, nr] = std::pair(GetParam().mr, GetParam().nr);
  for (const std::int64_t depth : {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 100}) {
    for (const std::int64_t gap : {0, 1, 24}) {
      for (const bool first : {true, false}) {
        const std::int64_t stride = nr + gap;
        // Exact extents: the last row has no gap behind it.
        const StridedArray<float> a(depth * mr, 1);
        const StridedArray<float> b(depth == 0 ? 0 : (depth - 1) * stride + nr, 1);
        const StridedArray<float> acc((mr - 1) * stride + nr, 1);
        fill(a.all());
        fill(b.all());
        fill(acc.all());
        const std::vector<float> before(acc.all().begin(), acc.all().end());
        GetParam().tile({.a = a.first(),
                         .b = b.first(),
                         .acc = acc.first(),
                         .b_stride = stride,
                         .acc_stride = stride,
                         .depth = depth,
                         .first = first});
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(before.size()); ++i) {
          const std::int64_t m = i / stride;
          const std::int64_t n = i % stride;
          float expected = before[static_cast<std::size_t>(i)];
          if (n < nr) {
            if (first) expected = 0;
            for (std::int64_t k = 0; k < depth; ++k) {
              expected = add_product(a[k * mr + m], b[k * stride + n], expected);
            }
          }
          ASSERT_EQ(acc[i], expected) << "m " << m << ", n " << n << ", depth " << depth;
        }
        ASSERT_TRUE(acc.intact());
      }
    }
  }
}

TEST_P(Gemm, AddScaledRow) {
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<float> x(count, 1);
    const StridedArray<float> acc(count, 1);
    fill(x.all());
    fill(acc.all());
    const std::vector<float> before(acc.all().begin(), acc.all().end());
    GetParam().add_scaled_row(0.37f, x.first(), acc.first(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(acc[i], add_product(0.37f, x[i], before[static_cast<std::size_t>(i)])) << i;
    }
    ASSERT_TRUE(acc.intact());
  }
}

}  // namespace
}  // namespace weft::kernels
