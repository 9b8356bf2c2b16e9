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

// A box of `count` sums a row with everything else drawn at random.
template <class Sum, class Element>
void test_box(const FoldKernel& kernel, std::int64_t count, std::int64_t from_step,
              std::mt19937_64& random) {
  const auto draw = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  const auto pick = [&](std::initializer_list<std::int64_t> choices) {
    return choices.begin()[draw(static_cast<std::int64_t>(choices.size()))];
  };
  FoldBox box{};
  box.planes = draw(4);
  box.rows = draw(4);
  box.count = count;
  box.from_step = from_step;
  box.sum_row = count + pick({0, 2});
  box.sum_plane = std::max<std::int64_t>(box.rows, 1) * box.sum_row + pick({0, 3});
  if (count == 1 && box.rows <= 1) box.sum_plane = 1;
  // Rows apart, interleaved or the same.
  const std::int64_t reach = count * std::abs(from_step);
  box.from_row = pick({1 + reach, 0, 1});
  box.from_plane = pick({1 + 4 * reach, 0, 1});
  box.start = draw(2) != 0;
  box.term_count = draw(FoldBox::kMaxTerms + 1);

  const bool empty = box.planes == 0 || box.rows == 0 || count == 0;
  const std::int64_t others = (box.planes - 1) * box.from_plane + (box.rows - 1) * box.from_row;
  std::vector<StridedArray<Element>> memory;
  for (std::int64_t t = 0; t < box.term_count; ++t) {
    FoldTerm& term = box.terms[t];
    term.begin = draw(2) != 0 ? draw(count + 1) : 0;
    term.end = draw(2) != 0 ? term.begin + draw(count - term.begin + 1) : count;
    // Just what is read.
    const bool none = empty || term.begin == term.end;
    const std::int64_t length = none ? 0 : (term.end - 1 - term.begin) * std::abs(from_step);
    memory.emplace_back(none ? 0 : length + others + 1, 1);
    for (auto& value : memory.back().all())
      value = random_element<Element>(random, kernel.is_float);
    term.from = memory.back().first() + (from_step < 0 ? length : 0) - term.begin * from_step;
  }
  const StridedArray<Sum> sum(
      empty ? 0 : (box.planes - 1) * box.sum_plane + (box.rows - 1) * box.sum_row + count, 1);
  for (auto& value : sum.all()) value = random_element<Sum>(random, kernel.is_float);
  box.sum = sum.first();

  std::vector<Sum> expected(sum.all().begin(), sum.all().end());
  for (std::int64_t p = 0; box.start && p < box.planes; ++p) {
    for (std::int64_t r = 0; r < box.rows; ++r) {
      for (std::int64_t i = 0; i < count; ++i) {
        expected[static_cast<std::size_t>(p * box.sum_plane + r * box.sum_row + i)] = 0;
      }
    }
  }
  for (std::int64_t t = 0; t < box.term_count; ++t) {
    const FoldTerm& term = box.terms[t];
    for (std::int64_t p = 0; p < box.planes; ++p) {
      for (std::int64_t r = 0; r < box.rows; ++r) {
        for (std::int64_t i = term.begin; i < term.end; ++i) {
          Sum& value = expected[static_cast<std::size_t>(p * box.sum_plane + r * box.sum_row + i)];
          value = add(value, static_cast<const Element*>(
                                 term.from)[p * box.from_plane + r * box.from_row + i * from_step]);
        }
      }
    }
  }
  kernel.add(box);
  ASSERT_EQ(std::memcmp(sum.first(), expected.data(), expected.size() * sizeof(Sum)), 0)
      << box.planes << " planes by " << box.from_plane << ", " << box.rows << " rows by "
      << box.from_row << ", count " << count << " by " << from_step << ", " << box.term_count
      << " terms";
  ASSERT_TRUE(sum.intact());
}

template <class Sum, class Element>
void test_boxes(const FoldKernel& kernel) {
  std::mt19937_64 random(20240920);
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t from_step : {1, 1, 1, 1, 1, 1, 0, 2, 3, -1, -2, 16}) {
      test_box<Sum, Element>(kernel, count, from_step, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(Fold, AddsBoxes) {
  const FoldKernel& kernel = GetParam();
  if (kernel.is_float) {
    if (kernel.bits == 16) return test_boxes<float, std::uint16_t>(kernel);
    if (kernel.bits == 32) return test_boxes<float, float>(kernel);
    return test_boxes<double, double>(kernel);
  }
  if (kernel.bits == 8) return test_boxes<std::uint8_t, std::uint8_t>(kernel);
  if (kernel.bits == 16) return test_boxes<std::uint16_t, std::uint16_t>(kernel);
  if (kernel.bits == 32) return test_boxes<std::uint32_t, std::uint32_t>(kernel);
  return test_boxes<std::uint64_t, std::uint64_t>(kernel);
}

}  // namespace
}  // namespace weft::kernels
