#include "kernels/element_wise/element_wise.h"

#include <cmath>
#include <random>

#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const IntegerKernel& row) { return out << row.name; }

namespace {

using testing::Integer;

class IntegerRows : public KernelTest<IntegerKernel> {
 protected:
  std::mt19937_64 random_{3};
};

std::string kernel_name(const ::testing::TestParamInfo<IntegerKernel>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(, IntegerRows, ::testing::ValuesIn(integer_kernel_table()), kernel_name);

TEST(IntegerKernelTable, HasTheLevelThatWasAskedFor) {
  for (const IntegerKernel& row : integer_kernel_table()) {
    EXPECT_EQ(integer_kernel(row.type, row.isa)->name, row.name);
  }
  EXPECT_EQ(integer_kernel(DataType::float32, Isa::avx512), nullptr);
}

// Runs f over elements of one type at every stride and holds it against `right`.
template <class Right>
void expect_row(const IntegerKernel& kernel, IntegerRow f, const IntegerFunction& function,
                std::mt19937_64& random, Right right) {
  const DataType type = kernel.type;
  const std::int64_t bytes = byte_size(type);
  for (const std::int64_t count : counts_around_lanes()) {
    for (const auto& [from_stride, to_stride] :
         {std::pair{1, 1}, {3, 1}, {0, 1}, {1, 2}, {-1, 5}}) {
      // Bytes stand in for elements: a stride of n elements is n * bytes of them.
      const std::int64_t from_extent = count == 0 ? 0 : ((count - 1) * std::abs(from_stride) + 1);
      const std::int64_t to_extent = count == 0 ? 0 : ((count - 1) * to_stride + 1);
      const testing::GuardedMemory from(static_cast<std::size_t>(from_extent * bytes));
      const testing::GuardedMemory to(static_cast<std::size_t>(to_extent * bytes));
      for (std::size_t i = 0; i < from.size(); ++i) {
        from.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random());
      }
      for (std::size_t i = 0; i < to.size(); ++i) to.as<std::uint8_t>()[i] = 0xA5;
      const std::byte* first =
          from.as<std::byte>() + (from_stride < 0 && count > 0 ? (count - 1) * bytes : 0);
      f(first, from_stride, to.data(), to_stride, count, function);
      for (std::int64_t i = 0; i < to_extent; ++i) {
        const std::byte* at = to.as<std::byte>() + i * bytes;
        if (i % to_stride != 0) {
          ASSERT_EQ(static_cast<std::uint8_t>(at[0]), 0xA5);
          continue;
        }
        const Integer x = testing::read_integer(type, first + i / to_stride * from_stride * bytes);
        ASSERT_EQ(testing::read_bits(type, at), testing::low_bits(type, right(x)))
            << "count " << count << ", strides " << from_stride << ", " << to_stride;
      }
      ASSERT_TRUE(to.intact());
    }
  }
}

Integer truncated(double value, Integer low, Integer high) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(low)) return low;
  if (value >= static_cast<double>(high)) return high;
  return static_cast<Integer>(value);
}

TEST_P(IntegerRows, Clamp) {
  const Integer lowest = testing::lowest(GetParam().type);
  const Integer highest = testing::highest(GetParam().type);
  for (const auto& [low, high] :
       {std::pair{lowest, highest}, {Integer{3}, Integer{90}}, {Integer{90}, Integer{3}}}) {
    IntegerFunction function;
    function.low = static_cast<std::uint64_t>(low);
    function.high = static_cast<std::uint64_t>(high);
    expect_row(GetParam(), GetParam().clamp, function, random_,
               [low = low, high = high](Integer x) { return std::min(high, std::max(low, x)); });
  }
}

TEST_P(IntegerRows, Scale) {
  ASSERT_EQ(GetParam().scale == nullptr, bit_size(GetParam().type) == 64);
  if (GetParam().scale == nullptr) return;
  const Integer lowest = testing::lowest(GetParam().type);
  const Integer highest = testing::highest(GetParam().type);
  for (const auto& [scale, bias] :
       {std::pair{0.37, -4.5}, {-3.0, 100.0}, {INFINITY, 0.0}, {1e300, -INFINITY}}) {
    IntegerFunction function;
    function.scale = scale;
    function.bias = bias;
    function.low = static_cast<std::uint64_t>(lowest);
    function.high = static_cast<std::uint64_t>(highest);
    expect_row(GetParam(), GetParam().scale, function, random_,
               [&, scale = scale, bias = bias](Integer x) {
                 return truncated(static_cast<double>(x) * scale + bias, lowest, highest);
               });
  }
}

TEST_P(IntegerRows, Shrink) {
  ASSERT_EQ(GetParam().shrink == nullptr, bit_size(GetParam().type) == 64);
  if (GetParam().shrink == nullptr) return;
  const Integer lowest = testing::lowest(GetParam().type);
  const Integer highest = testing::highest(GetParam().type);
  for (const auto& [shift, threshold] : {std::pair{1.5, 20.0}, {-30.0, 0.0}, {7.0, -3.0}}) {
    IntegerFunction function;
    function.shift = shift;
    function.threshold = threshold;
    expect_row(GetParam(), GetParam().shrink, function, random_,
               [&, shift = shift, threshold = threshold](Integer element) {
                 const auto x = static_cast<double>(element);
                 const double value = x > threshold ? x - shift : x < -threshold ? x + shift : 0;
                 return truncated(value, lowest, highest);
               });
  }
}

}  // namespace
}  // namespace weft::kernels
