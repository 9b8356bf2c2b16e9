#include <cstdint>
#include <limits>
#include <random>

#include "kernels/kernel_test.h"
#include "kernels/resample/resample.h"
#include "ops/resample_fixed_tables.h"

namespace weft::kernels {
namespace {

class FixedLoops : public KernelTest<ResampleKernels> {};

INSTANTIATE_TEST_SUITE_P(, FixedLoops, ::testing::ValuesIn(resample_kernel_table()),
                         level_name<ResampleKernels>);

// Rows of T whose numbers are multiples of 2^-shift, counted from the lowest of T.
template <class T, class Row>
void expect_fixed_along(FixedAlong<Row> along, std::mt19937_64& random) {
  for (const std::int64_t reach : {1, 15, 16, 40, 100, 129, 1000}) {
    for (const std::int64_t count : counts_around_lanes()) {
      if (count == 0) continue;
      for (const int shift : {0, 1, 6, 7, 8, 24}) {
        if (sizeof(Row) == 2 && shift > kShortShift) continue;
        const StridedArray<T> row(reach, 1);
        for (T& value : row.all()) value = static_cast<T>(random());
        const auto index = sorted_numbers<std::int32_t>(count, reach, random);
        const StridedArray<std::int32_t> weights(count, 1);
        for (std::int64_t i = 0; i < count; ++i) {
          const bool mixes = index[i] + 1 < reach && random() % 4 != 0;
          weights[i] =
              mixes ? static_cast<std::int32_t>(random() % (std::uint64_t{1} << shift)) : 0;
        }
        ops::FixedTables tables(count, 1, shift);
        const auto numbers = static_cast<std::size_t>(count);
        tables.add({index.first(), numbers}, {weights.first(), numbers}, reach);
        FixedPicks picks = tables.picks(0);
        picks.count = count;
        picks.row_count = reach;
        picks.shift = shift;
        const StridedArray<Row> to(tables.entries(), 1);
        along(row.first(), picks, to.first());
        for (std::int64_t i = 0; i < count; ++i) {
          const auto number = [&](std::int64_t k) {
            return std::int64_t{row[k]} - std::int64_t{std::numeric_limits<T>::min()};
          };
          const std::int64_t a = number(index[i]);
          const std::int64_t b = number(index[i] + (weights[i] > 0 ? 1 : 0));
          ASSERT_EQ(to[i], a * (std::int64_t{1} << shift) + (b - a) * weights[i]);
        }
        ASSERT_TRUE(to.intact());
      }
    }
  }
}

template <class T, class Row>
void expect_fixed_between(FixedBetween<Row> between, std::mt19937_64& random) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const int row_shift : {0, 3, 8, 24}) {
      for (const int shift : {0, 2, 5, 8, 20, 21, 24}) {
        if (sizeof(Row) == 2 && row_shift + shift > kShortShift) continue;
        const StridedArray<Row> a(count, 1);
        const StridedArray<Row> b(count, 1);
        const std::uint64_t limit = (std::uint64_t{255} << row_shift) + 1;
        for (std::int64_t i = 0; i < count; ++i) {
          a[i] = static_cast<Row>(i % 5 == 0 ? limit - 1 : random() % limit);
          b[i] = static_cast<Row>(i % 3 == 0 ? a[i] : random() % limit);
        }
        const auto weight = static_cast<std::uint32_t>(random() % (std::uint64_t{1} << shift));
        const StridedArray<T> to(count, 1, T{77});
        between(a.first(), b.first(), {weight, shift, row_shift}, to.first(), count);
        const std::int64_t one = std::int64_t{1} << (shift + row_shift);
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t sum =
              (std::int64_t{a[i]} << shift) + (std::int64_t{b[i]} - std::int64_t{a[i]}) * weight;
          ASSERT_EQ(to[i], (sum + std::numeric_limits<T>::min() * one) / one);  // toward zero
        }
        ASSERT_TRUE(to.intact());
      }
    }
  }
}

template <class Row>
void expect_fixed(const FixedKernels<Row>& kernels, std::mt19937_64& random) {
  expect_fixed_along<std::int8_t>(kernels.along_i8, random);
  expect_fixed_along<std::uint8_t>(kernels.along_u8, random);
  expect_fixed_between<std::int8_t>(kernels.between_i8, random);
  expect_fixed_between<std::uint8_t>(kernels.between_u8, random);
}

TEST_P(FixedLoops, AreExact) {
  std::mt19937_64 random(7);
  expect_fixed(GetParam().fixed_16, random);
  expect_fixed(GetParam().fixed_32, random);
}

}  // namespace
}  // namespace weft::kernels
