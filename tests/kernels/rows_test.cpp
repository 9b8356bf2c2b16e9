#include "kernels/rows/rows.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/half.h"
#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const RowKernels& row) { return out << name(row.isa); }

namespace {

constexpr std::int64_t kFromStrides[] = {1, 2, 0, 3, 4, -1, -2, 11};
constexpr std::int64_t kToStrides[] = {1, 2, 3, 4, 11};

class Rows : public KernelTest<RowKernels> {
 protected:
  std::mt19937_64 random_{20240917};
};

INSTANTIATE_TEST_SUITE_P(, Rows, ::testing::ValuesIn(row_kernel_table()), level_name<RowKernels>);

TEST(RowKernelTable, IsBestFirstAndEndsWithTheBase) {
  const auto table = row_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GT(table[i - 1].isa, table[i].isa);
  EXPECT_EQ(table.back().isa, Isa::base);
  for (const RowKernels& row : table) EXPECT_EQ(row_kernels(row.isa).isa, row.isa);
}

TEST_P(Rows, LoadFloat32) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kFromStrides) {
      const StridedArray<float> from(count, stride);
      for (float& value : from.all())
        value = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
      const StridedArray<float> to(count, 1, -1);
      GetParam().load_f32(from.first(), stride, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]), std::bit_cast<std::uint32_t>(from[i]));
      }
      ASSERT_TRUE(to.intact()) << "count " << count << ", stride " << stride;
    }
  }
}

void expect_widened(float wide, std::uint16_t half) {
  const double expected = testing::half_to_double(half);
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(wide)) << half;
  } else {
    ASSERT_EQ(wide, expected) << half;
    ASSERT_EQ(std::signbit(wide), std::signbit(expected)) << half;
  }
}

TEST_P(Rows, LoadFloat16) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kFromStrides) {
      const StridedArray<std::uint16_t> from(count, stride);
      for (std::uint16_t& value : from.all()) value = static_cast<std::uint16_t>(random_());
      const StridedArray<float> to(count, 1, -1);
      GetParam().load_f16(from.first(), stride, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) expect_widened(to[i], from[i]);
      ASSERT_TRUE(to.intact()) << "count " << count << ", stride " << stride;
    }
  }
}

TEST_P(Rows, LoadFloat16OfEveryValue) {
  constexpr std::int64_t kValues = 65536;
  for (const std::int64_t stride : {1, 2}) {
    const StridedArray<std::uint16_t> from(kValues, stride);
    for (std::int64_t i = 0; i < kValues; ++i) from[i] = static_cast<std::uint16_t>(i);
    const StridedArray<float> to(kValues, 1);
    GetParam().load_f16(from.first(), stride, to.first(), kValues);
    for (std::int64_t i = 0; i < kValues; ++i) expect_widened(to[i], from[i]);
  }
}

TEST_P(Rows, StoreFloat32) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kToStrides) {
      const StridedArray<float> from(count, 1);
      for (float& value : from.all())
        value = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
      const StridedArray<float> to(count, stride, 7);
      GetParam().store_f32(from.first(), to.first(), stride, count);
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]), std::bit_cast<std::uint32_t>(from[i]));
      }
      ASSERT_TRUE(to.intact() && to.gaps_are(7)) << "count " << count << ", stride " << stride;
    }
  }
}

// Floats of every size around the range of float16, and the ties between its numbers.
float random_float(std::mt19937_64& random) {
  if (random() % 2 == 0) {
    const auto half = static_cast<std::uint16_t>(random());
    const auto tie =
        std::bit_cast<std::uint32_t>(static_cast<float>(testing::half_to_double(half)));
    return std::bit_cast<float>(tie ^ (random() % 2 == 0 ? 0x1000u : 0x1001u));
  }
  const float value = std::ldexp(1 + static_cast<float>(random() % 8192) / 8192,
                                 static_cast<int>(random() % 50) - 30);
  return random() % 2 == 0 ? value : -value;
}

void expect_narrowed(std::uint16_t half, float wide) {
  if (std::isnan(wide)) {
    ASSERT_TRUE(std::isnan(testing::half_to_double(half))) << wide;
  } else {
    ASSERT_EQ(half, testing::double_to_half(wide)) << wide;
  }
}

TEST_P(Rows, StoreFloat16) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kToStrides) {
      const StridedArray<float> from(count, 1);
      for (float& value : from.all()) value = random_float(random_);
      const StridedArray<std::uint16_t> to(count, stride, 0x1234);
      GetParam().store_f16(from.first(), to.first(), stride, count);
      for (std::int64_t i = 0; i < count; ++i) expect_narrowed(to[i], from[i]);
      ASSERT_TRUE(to.intact() && to.gaps_are(0x1234)) << "count " << count << ", stride " << stride;
    }
  }
}

// Rows with gaps between them, which nothing is written to.
TEST_P(Rows, StoreRowsOfFloat16) {
  constexpr std::int64_t kRows = 3, kGap = 5;
  for (const std::int64_t count : {1, 15, 16, 17, 31, 32, 33, 64}) {
    const std::int64_t stride = count + kGap, size = (kRows - 1) * stride + count;
    const StridedArray<float> from(size + kRows, 1);
    for (float& value : from.all()) value = random_float(random_);
    const StridedArray<std::uint16_t> to(size, 1, 0x1234);
    GetParam().store_rows_f16(from.first(), stride + 1, to.first(), stride, kRows, count);
    for (std::int64_t i = 0; i < size; ++i) {
      if (i % stride < count) {
        expect_narrowed(to[i], from[i / stride * (stride + 1) + i % stride]);
      } else {
        ASSERT_EQ(to[i], 0x1234) << i;
      }
    }
    ASSERT_TRUE(to.intact()) << count;
  }
}

TEST_P(Rows, LoadRowsOfFloat16) {
  constexpr std::int64_t kRows = 3, kGap = 5;
  for (const std::int64_t count : {1, 15, 16, 17, 31, 32, 33, 64}) {
    const std::int64_t stride = count + kGap, size = (kRows - 1) * stride + count;
    const StridedArray<std::uint16_t> from(size, 1);
    for (std::uint16_t& value : from.all()) value = static_cast<std::uint16_t>(random_() % 0x7c00);
    const StridedArray<float> to(size + kRows - 1, 1, -1.0f);
    GetParam().load_rows_f16(from.first(), stride, to.first(), stride + 1, kRows, count);
    for (std::int64_t i = 0; i < size + kRows - 1; ++i) {
      const std::int64_t row = i / (stride + 1), at = i % (stride + 1);
      const double expected = at < count ? testing::half_to_double(from[row * stride + at]) : -1.0;
      ASSERT_EQ(to[i], expected) << i;
    }
    ASSERT_TRUE(to.intact()) << count;
  }
}

// Between each two neighbours: the tie goes to the even one, the floats beside it to the nearer.
TEST_P(Rows, StoreFloat16OfEveryTie) {
  constexpr std::int64_t kNumbers = 0x7C00;  // from 0 to 65504, which infinity follows
  for (const std::int64_t stride : {1, 2}) {
    const StridedArray<float> from(4 * kNumbers, 1);
    for (std::int64_t low = 0; low < kNumbers; ++low) {
      const double lower = testing::half_to_double(static_cast<std::uint16_t>(low));
      const double upper = low + 1 == kNumbers
                               ? 65536.0
                               : testing::half_to_double(static_cast<std::uint16_t>(low + 1));
      const auto tie = static_cast<float>((lower + upper) / 2);
      from[4 * low] = tie;
      from[4 * low + 1] = -tie;
      from[4 * low + 2] = std::nextafter(tie, 0.0f);
      from[4 * low + 3] = std::nextafter(tie, 1e9f);
    }
    const StridedArray<std::uint16_t> to(4 * kNumbers, stride);
    GetParam().store_f16(from.first(), to.first(), stride, 4 * kNumbers);
    for (std::int64_t low = 0; low < kNumbers; ++low) {
      const std::int64_t even = low + low % 2;
      ASSERT_EQ(to[4 * low], even) << low;
      ASSERT_EQ(to[4 * low + 1], even | 0x8000) << low;
      ASSERT_EQ(to[4 * low + 2], low);
      ASSERT_EQ(to[4 * low + 3], low + 1);
    }
  }
}

TEST_P(Rows, StoreFloat16OfTheEndsOfTheRange) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  const std::pair<float, std::uint16_t> ends[] = {
      {INFINITY, 0x7C00}, {-INFINITY, 0xFC00},  {kLargest, 0x7C00}, {-kLargest, 0xFC00},
      {65504, 0x7BFF},    {65520, 0x7C00},      {0.0f, 0x0000},     {-0.0f, 0x8000},
      {kSmallest, 0},     {-kSmallest, 0x8000}, {0x1p-24f, 0x0001}, {0x1p-25f, 0x0000}};
  for (const auto& [wide, half] : ends) {
    std::uint16_t found = 0x1234;
    GetParam().store_f16(&wide, &found, 1, 1);
    EXPECT_EQ(found, half) << wide;
  }
}

template <class T>
void test_copy(CopyRow copy, std::mt19937_64& random) {
  constexpr T kFill = 0x5A;
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t from_stride : kFromStrides) {
      for (const std::int64_t to_stride : kToStrides) {
        const StridedArray<T> from(count, from_stride);
        for (T& value : from.all()) value = static_cast<T>(random());
        const StridedArray<T> to(count, to_stride, kFill);
        copy(from.first(), from_stride, to.first(), to_stride, count);
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], from[i]) << i;
        ASSERT_TRUE(to.intact() && to.gaps_are(kFill))
            << "count " << count << ", strides " << from_stride << " and " << to_stride;
      }
    }
  }
}

TEST_P(Rows, Copy8) { test_copy<std::uint8_t>(GetParam().copy_8, random_); }
TEST_P(Rows, Copy16) { test_copy<std::uint16_t>(GetParam().copy_16, random_); }
TEST_P(Rows, Copy32) { test_copy<std::uint32_t>(GetParam().copy_32, random_); }
TEST_P(Rows, Copy64) { test_copy<std::uint64_t>(GetParam().copy_64, random_); }

TEST_P(Rows, Interleave) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 8, 11}) {
    for (const std::int64_t end : counts_around_lanes()) {
      const std::int64_t begin =
          std::min<std::int64_t>(static_cast<std::int64_t>(random_() % 20), end);
      // The last row ends at a guard page, where the last number of it lies.
      const std::int64_t stride = end / rows + 3;
      const std::int64_t last = std::min(end, rows) - 1;
      const std::int64_t size = end == 0 ? 0 : last * stride + (end - 1 - last) / rows + 1;
      const StridedArray<float> from(size, 1);
      for (float& value : from.all()) value = static_cast<float>(random_() % 100000);
      const StridedArray<float> to(end, 1, -1);
      GetParam().interleave(from.first(), stride, rows, to.first(), begin, end);
      for (std::int64_t i = 0; i < end; ++i) {
        ASSERT_EQ(to[i], i < begin ? -1 : from[i % rows * stride + i / rows])
            << i << " of " << begin << " to " << end << ", " << rows << " rows";
      }
      ASSERT_TRUE(to.intact()) << "end " << end << ", rows " << rows;
      const StridedArray<std::uint16_t> halves(end, 1, 0x7e55);
      GetParam().interleave_f16(from.first(), stride, rows, halves.first(), begin, end);
      for (std::int64_t i = 0; i < end; ++i) {
        ASSERT_EQ(halves[i], i < begin ? 0x7e55 : narrow_half(from[i % rows * stride + i / rows]))
            << i << " of " << begin << " to " << end << ", " << rows << " rows";
      }
      ASSERT_TRUE(halves.intact()) << "end " << end << ", rows " << rows;
    }
  }
}

TEST_P(Rows, AreChosenByDataType) {
  const RowKernels& row = GetParam();
  EXPECT_EQ(row.load(DataType::float16), row.load_f16);
  EXPECT_EQ(row.load(DataType::float32), row.load_f32);
  EXPECT_EQ(row.store(DataType::float16), row.store_f16);
  EXPECT_EQ(row.store(DataType::float32), row.store_f32);
  EXPECT_EQ(row.copy(DataType::int8), row.copy_8);
  EXPECT_EQ(row.copy(DataType::float16), row.copy_16);
  EXPECT_EQ(row.copy(DataType::uint32), row.copy_32);
  EXPECT_EQ(row.copy(DataType::float64), row.copy_64);
}

}  // namespace
}  // namespace weft::kernels
