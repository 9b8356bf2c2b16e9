#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/gemm/chains.h"
#include "kernels/gemm/equal_strips.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernel_test.h"

namespace weft::kernels {
namespace {

class GemmChainsTest : public KernelTest<GemmKernel> {
 protected:
  struct Case {
    std::int64_t depth, chain, gap;  // gap: between rows of sums
    bool first, listed;
  };
  struct Shape {
    std::int64_t vectors, positions, a_row;
    bool is_far;
  };

  void test(const Shape& shape, const Case& c) {
    const std::int64_t columns = shape.vectors * GetParam().lanes, stride = columns + c.gap;
    const std::int64_t b_row = shape.is_far ? kGemmBlock : columns;
    const std::int64_t rows = c.listed ? 2 * c.depth : c.depth;  // of which a list has every other
    const StridedArray<float> a((rows - 1) * shape.a_row + shape.positions, 1);
    const StridedArray<float> b((rows - 1) * b_row + columns, 1);
    const StridedArray<float> acc((shape.positions - 1) * stride + columns, 1);
    fill(a.all());
    fill(b.all());
    fill(acc.all());
    const std::vector<float> before(acc.all().begin(), acc.all().end());
    std::vector<GemmTerm> terms;
    for (std::int64_t k = 0; k < c.depth; ++k) {
      const std::int64_t row = c.listed ? 2 * k + k % 2 : k;
      terms.push_back({row * shape.a_row, row * b_row});
    }
    GemmChains chains = {.a = a.first(),
                         .b = b.first(),
                         .acc = acc.first(),
                         .terms = c.listed ? terms.data() : nullptr,
                         .a_row = shape.a_row,
                         .depth = c.depth,
                         .chain = c.chain,
                         .acc_stride = stride,
                         .next = reinterpret_cast<const char*>(b.first()),
                         .next_step = 24,
                         .first = c.first};
    const GemmKernel& kernel = GetParam();
    (shape.is_far ? kernel.far_chains(shape.positions)
                  : kernel.chains(shape.vectors, shape.positions))(chains);
    for (std::int64_t i = 0; i < std::ssize(before); ++i) {
      const std::int64_t m = i / stride, n = i % stride;
      float of_chains = 0;
      for (std::int64_t begin = 0; n < columns && begin < c.depth; begin += c.chain) {
        float sum = 0;
        for (std::int64_t k = begin; k < std::min(begin + c.chain, c.depth); ++k) {
          const GemmTerm& term = terms[static_cast<std::size_t>(k)];
          sum = std::fmaf(a[term.a + m], b[term.b + n], sum);
        }
        of_chains += sum;
      }
      float expected = before[static_cast<std::size_t>(i)];
      if (n < columns) expected = of_chains + (c.first ? 0 : expected);
      ASSERT_EQ(acc[i], expected) << shape.vectors << " x " << shape.positions << ", " << m << ", "
                                  << n << " of " << c.depth << " by " << c.chain;
    }
    ASSERT_TRUE(acc.intact());
  }

  static constexpr Case kCases[] = {{1, 16, 0, true, false},  {3, 16, 1, false, false},
                                    {16, 16, 0, true, false}, {38, 16, 2, false, false},
                                    {64, 32, 0, true, false}, {5, 2, 1, true, true},
                                    {16, 64, 0, false, true}, {53, 16, 3, true, true}};

 private:
  void fill(std::span<float> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (float& value : values) value = distribution(random_);
  }

  std::mt19937_64 random_{20261129};
};

INSTANTIATE_TEST_SUITE_P(, GemmChainsTest,
                         ::testing::ValuesIn(rows_with(&GemmKernel::chains, gemm_kernel_table())),
                         level_name<GemmKernel>);

TEST_P(GemmChainsTest, TilesOfABlock) {
  for (std::int64_t vectors = 1; vectors <= 2; ++vectors) {
    const Strips strips(kGemmBlock, GetParam().max_positions[vectors - 1]);
    for (const std::int64_t positions : {strips.size(0), strips.short_size}) {
      for (const Case& c : kCases) test({vectors, positions, kGemmBlock, false}, c);
    }
  }
}

TEST_P(GemmChainsTest, TilesOfAnySizeFarFromWhatIsNext) {
  for (std::int64_t positions = 1; positions <= GetParam().max_positions[1]; ++positions) {
    for (const Case& c : kCases) test({2, positions, positions + 3, true}, c);
  }
}

}  // namespace
}  // namespace weft::kernels
