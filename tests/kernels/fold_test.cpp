#include "kernels/fold/fold.h"

#include <cstring>
#include <random>

#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const FoldKernel& row) { return out << row.name; }

namespace {

class Fold : public KernelTest<FoldKernel> {};

INSTANTIATE_TEST_SUITE_P(, Fold, ::testing::ValuesIn(fold_kernel_table()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FoldKernelTable, IsBestFirstAndHasEveryTypeAtTheBase) {
  const auto table = fold_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GE(table[i - 1].isa, table[i].isa);
  for (const DataType type :
       {DataType::float16, DataType::float32, DataType::float64, DataType::int8, DataType::uint8,
        DataType::int16, DataType::uint16, DataType::int32, DataType::uint32, DataType::int64,
        DataType::uint64}) {
    const FoldKernel& row = fold_kernel(Isa::base, type);
    EXPECT_EQ(row.isa, Isa::base);
    EXPECT_EQ(row.bits, bit_size(type));
    EXPECT_EQ(row.is_float, testing::is_float(type));
    EXPECT_EQ(row.sum_bytes, type == DataType::float16 ? 4 : byte_size(type));
    for (const FoldKernel& level : table) EXPECT_EQ(fold_kernel(level.isa, type).isa, level.isa);
  }
}

// One sum and one element as numbers, then as the sum's type.
template <class Sum, class Element>
Sum add(Sum sum, Element element) {
  return static_cast<Sum>(sum + element);
}
template <>
float add(float sum, std::uint16_t half) {
  return sum + static_cast<float>(testing::half_to_double(half));
}

// Elements small enough for no sum to overflow a float, any bits for integers.
template <class Element>
Element random_element(std::mt19937_64& random, bool is_float) {
  if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<Element>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  } else {
    return static_cast<Element>(is_float ? random() % 0x7C00 : random());
  }
}

template <class Sum, class Element>
void test_rectangles(const FoldKernel& kernel) {
  std::mt19937_64 random(20240920);
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t from_step : {1, 0, 2, 3, -1, -2, 16}) {
      const auto rows = static_cast<std::int64_t>(random() % 4);
      const std::int64_t sum_row = count + static_cast<std::int64_t>(random() % 3);
      // Rows apart, interleaved or the same.
      const std::int64_t from_row =
          std::initializer_list<std::int64_t>{1 + count * std::abs(from_step), 0, 1}
              .begin()[random() % 3];
      const bool empty = rows == 0 || count == 0;
      const std::int64_t reach = empty ? 0 : (count - 1) * std::abs(from_step);
      const StridedArray<Element> from(empty ? 0 : reach + (rows - 1) * from_row + 1, 1);
      const StridedArray<Sum> sum(empty ? 0 : (rows - 1) * sum_row + count, 1);
      for (auto& value : from.all()) value = random_element<Element>(random, kernel.is_float);
      for (auto& value : sum.all()) value = random_element<Sum>(random, kernel.is_float);

      const Element* first = from.first() + (from_step < 0 ? reach : 0);
      std::vector<Sum> expected(sum.all().begin(), sum.all().end());
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
          Sum& value = expected[static_cast<std::size_t>(r * sum_row + i)];
          value = add(value, first[r * from_row + i * from_step]);
        }
      }
      kernel.add({.sum = sum.first(),
                  .sum_row = sum_row,
                  .from = first,
                  .from_row = from_row,
                  .from_step = from_step,
                  .rows = rows,
                  .count = count});
      ASSERT_EQ(std::memcmp(sum.first(), expected.data(), expected.size() * sizeof(Sum)), 0)
          << rows << " rows by " << from_row << ", count " << count << " by " << from_step;
      ASSERT_TRUE(sum.intact());
    }
  }
}

TEST_P(Fold, AddsRectangles) {
  const FoldKernel& kernel = GetParam();
  if (kernel.is_float) {
    if (kernel.bits == 16) return test_rectangles<float, std::uint16_t>(kernel);
    if (kernel.bits == 32) return test_rectangles<float, float>(kernel);
    return test_rectangles<double, double>(kernel);
  }
  if (kernel.bits == 8) return test_rectangles<std::uint8_t, std::uint8_t>(kernel);
  if (kernel.bits == 16) return test_rectangles<std::uint16_t, std::uint16_t>(kernel);
  if (kernel.bits == 32) return test_rectangles<std::uint32_t, std::uint32_t>(kernel);
  return test_rectangles<std::uint64_t, std::uint64_t>(kernel);
}

}  // namespace
}  // namespace weft::kernels
