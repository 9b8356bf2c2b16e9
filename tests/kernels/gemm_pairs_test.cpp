#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/pairs.h"
#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {
namespace {

class GemmPairsTest : public KernelTest<GemmKernel> {
 protected:
  static constexpr std::int64_t kHalves = std::int64_t{2} * kGemmPairsVectors;

  void fill(std::span<float> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (float& value : values) value = distribution(random_);
  }

  std::int64_t half() const { return GetParam().lanes / 2; }
  std::int64_t rows() const { return GetParam().lanes / 2; }
  std::int64_t columns() const { return kHalves * half(); }

  // Whole halves, and such as go on in another row or end with the last image, in any order, with
  // gaps.
  std::vector<GemmPairsPlace> places(std::int64_t strips) {
    std::vector<GemmPairsPlace> result;
    for (std::int64_t i = 0; i < strips * kHalves; ++i) {
      const auto up_to = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
      };
      const std::int64_t end = up_to(2) > 0 ? half() : up_to(half());
      const std::int64_t count = up_to(2) > 0 ? end : up_to(end);
      const std::int64_t to = 4 * i * (half() + 1);
      result.push_back({to, count, to + 2 * half() + 3, end});
    }
    for (std::size_t i = result.size(); i-- > 1;) {
      GemmPairsPlace& other = result[random_() % (i + 1)];
      std::swap(result[i].to, other.to);
      std::swap(result[i].rest, other.rest);
    }
    return result;
  }

  std::mt19937_64 random_{20261127};
};

INSTANTIATE_TEST_SUITE_P(, GemmPairsTest,
                         ::testing::ValuesIn(rows_with(&GemmKernel::pairs, gemm_kernel_table())),
                         level_name<GemmKernel>);

struct PairsCase {
  std::int64_t depth, chain, strips, shorts, missing;  // of the channels of a panel
  bool ramps;
};

TEST_P(GemmPairsTest, SumsAreChainsInPairs) {
  const PairsCase cases[] = {{1, 1, 1, 0, 0, false},   {3, 128, 2, 1, 0, true},
                             {5, 2, 4, 2, 1, false},   {24, 24, 1, 1, 0, true},
                             {30, 30, 3, 0, 1, false}, {130, 65, 2, 2, 0, true},
                             {64, 16, 3, 1, 0, false}, {9, 8, 17, 2, 0, false}};
  for (const PairsCase& c : cases) {
    SCOPED_TRACE(c.depth);
    const std::int64_t channels = rows() / 2 - c.missing;
    const StridedArray<float> a(c.depth * rows(), 1), b(c.strips * c.depth * columns(), 1);
    const StridedArray<float> bias(rows(), 1);
    fill(a.all());
    fill(b.all());
    fill(bias.all());
    const std::vector<GemmPairsPlace> to = places(c.strips);
    const std::int64_t stride = c.strips * kHalves * 4 * (half() + 1) + 3;
    const StridedArray<float> out(channels * stride, 1, 7.0f);
    GemmPairs pairs{.a = a.first(),
                    .b = b.first(),
                    .depth = c.depth,
                    .chain = c.chain,
                    .bias = bias.first(),
                    .ramp = c.ramps ? &kSomeRamp : nullptr,
                    .places = to.data(),
                    .strips = c.strips,
                    .long_strips = c.strips - c.shorts,
                    .out = out.first(),
                    .out_channel_stride = stride,
                    .channels = channels,
                    .next_out = out.first()};
    GetParam().pairs(pairs);

    std::vector<float> expected(static_cast<std::size_t>(channels * stride), 7.0f);
    for (std::int64_t n = 0; n < c.strips * columns(); ++n) {
      const GemmPairsPlace& place = to[static_cast<std::size_t>(n / half())];
      const std::int64_t column = n % half();
      const std::int64_t strip = n / columns(), in_strip = n % columns();
      const std::int64_t width = columns() - (strip < c.strips - c.shorts ? 0 : GetParam().lanes);
      if (column >= place.end || in_strip >= width) continue;
      const std::int64_t target =
          column < place.count ? place.to + 2 * column : place.rest + 2 * (column - place.count);
      for (std::int64_t m = 0; m < 2 * channels; ++m) {
        float sum = 0, chain = 0;
        for (std::int64_t k = 0; k < c.depth; ++k) {
          const std::int64_t row = strip * c.depth + k;
          chain = std::fma(a[k * rows() + m], b[row * columns() + in_strip], chain);
          if ((k + 1) % c.chain != 0 && k + 1 < c.depth) continue;
          sum = k < c.chain ? chain : sum + chain;
          chain = 0;
        }
        sum += bias[m];
        const std::int64_t at = m / 2 * stride + target + m % 2;
        expected[static_cast<std::size_t>(at)] = ramped(sum, pairs.ramp);
      }
    }
    for (std::int64_t i = 0; i < channels * stride; ++i) {
      ASSERT_EQ(out[i], expected[static_cast<std::size_t>(i)]) << i;
    }
    ASSERT_TRUE(out.intact());

    const StridedArray<std::uint16_t> half(channels * stride, 1, testing::double_to_half(7));
    pairs.half = true;
    pairs.out = half.first();
    pairs.next_out = half.first();
    GetParam().pairs(pairs);
    for (std::int64_t i = 0; i < channels * stride; ++i) {
      ASSERT_EQ(half[i], testing::double_to_half(out[i])) << i;
    }
    ASSERT_TRUE(half.intact());
  }
}

// In whatever sum, and of whatever bits.
TEST_P(GemmPairsTest, NanIsOneAndTheSame) {
  std::vector<GemmPairsPlace> to;
  for (std::int64_t i = 0; i < kHalves; ++i) to.push_back({i * 2 * half(), half(), 0, half()});
  const std::int64_t stride = 2 * columns();
  for (std::int64_t m = 0; m < rows(); ++m) {
    for (std::int64_t n = 0; n < columns(); ++n) {
      std::vector<float> a(static_cast<std::size_t>(2 * rows()), 0.0f);
      std::vector<float> b(static_cast<std::size_t>(2 * columns()), 1.0f);
      a[static_cast<std::size_t>(m)] = 1;
      b[static_cast<std::size_t>(n)] = std::bit_cast<float>(0x7fc12345u);
      const std::vector<float> bias(static_cast<std::size_t>(rows()), 2.0f);
      std::vector<float> out(static_cast<std::size_t>(rows() / 2 * stride), 7.0f);
      GetParam().pairs({.a = a.data(),
                        .b = b.data(),
                        .depth = 2,
                        .chain = 2,
                        .bias = bias.data(),
                        .places = to.data(),
                        .strips = 1,
                        .long_strips = 1,
                        .out = out.data(),
                        .out_channel_stride = stride,
                        .channels = rows() / 2,
                        .next_out = out.data()});
      for (std::int64_t i = 0; i < rows() / 2 * stride; ++i) {
        const bool is_nan = i % stride / 2 == n;
        const bool is_row = i / stride * 2 + i % 2 == m;
        const std::uint32_t expected =
            is_nan ? 0xffc00000u : std::bit_cast<std::uint32_t>(is_row ? 3.0f : 2.0f);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[static_cast<std::size_t>(i)]), expected)
            << m << ' ' << n << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
