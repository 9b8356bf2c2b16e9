#include "weft/tensor.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr std::uint32_t kMax = UINT32_MAX;

TEST(PackedStrides, LastDimensionIsFastest) {
  EXPECT_EQ(packed_strides({2, 3, 4, 5}), (Dims{60, 20, 5, 1}));
  EXPECT_EQ(packed_strides({7}), (Dims{1}));
  EXPECT_EQ(packed_strides({}), Dims{});
  EXPECT_EQ(packed_strides({1, 1, 1}), (Dims{1, 1, 1}));
}

TEST(PackedStrides, AreNothingPast32Bits) {
  EXPECT_EQ(packed_strides({9, kMax}), (Dims{kMax, 1}));
  EXPECT_EQ(packed_strides({9, 65536, 65536}), std::nullopt);
  EXPECT_EQ(packed_strides({9, kMax, kMax, kMax}), std::nullopt);
  EXPECT_EQ(packed_strides({kMax, 65536, 65535}), (Dims{65536u * 65535u, 65535, 1}));
}

TEST(ElementCount, IsNothingPast64Bits) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({2, 3, 4}), 24u);
  EXPECT_EQ(element_count({kMax, kMax}), std::uint64_t{kMax} * kMax);
  EXPECT_EQ(element_count({kMax, kMax, 2}), std::nullopt);
  EXPECT_EQ(element_count({kMax, kMax, kMax, kMax, kMax, kMax, kMax, kMax}), std::nullopt);
}

std::optional<std::uint64_t> bytes(DataType type, const Dims& sizes, const Dims& strides = {}) {
  return minimum_size_in_bytes({.data_type = type, .sizes = sizes, .strides = strides});
}

TEST(MinimumSizeInBytes, IsTheExtentRoundedUpToFour) {
  EXPECT_EQ(bytes(DataType::float32, {2, 3}), 24u);
  EXPECT_EQ(bytes(DataType::uint8, {1}), 4u);
  EXPECT_EQ(bytes(DataType::uint8, {5}), 8u);
  EXPECT_EQ(bytes(DataType::float16, {3}), 8u);
  EXPECT_EQ(bytes(DataType::float64, {3}), 24u);
  EXPECT_EQ(bytes(DataType::uint4, {9}), 8u);  // 36 bits
  EXPECT_EQ(bytes(DataType::float32, {2, 3}, {10, 2}), 4u * (10 + 2 * 2 + 1));
  EXPECT_EQ(bytes(DataType::float32, {200, 300}, {0, 0}), 4u);
}

TEST(MinimumSizeInBytes, ReachesPastFourGigabytes) {
  EXPECT_EQ(bytes(DataType::float64, {kMax}), 8 * std::uint64_t{kMax});
  EXPECT_EQ(bytes(DataType::uint8, {2, 2}, {kMax, kMax}), 2 * std::uint64_t{kMax} + 2);
  EXPECT_EQ(bytes(DataType::uint8, {kMax}, {kMax}),
            ((kMax - 1) * std::uint64_t{kMax} + 1 + 3) / 4 * 4);
}

TEST(MinimumSizeInBytes, IsNothingWhenThereIsNoSuchSize) {
  EXPECT_EQ(bytes(DataType::unknown, {1}), std::nullopt);
  EXPECT_EQ(bytes(static_cast<DataType>(77), {1}), std::nullopt);
  EXPECT_EQ(bytes(DataType::float32, {2, 3}, {1}), std::nullopt);
  EXPECT_EQ(bytes(DataType::float32, {kMax, kMax, 2}), std::nullopt);
  EXPECT_EQ(bytes(DataType::float32, {kMax, kMax}), std::nullopt);  // 2^66 bytes
  EXPECT_EQ(bytes(DataType::float64, {kMax}, {kMax}), std::nullopt);
  EXPECT_EQ(bytes(DataType::uint8, {kMax, kMax}, {kMax, kMax}), std::nullopt);  // 2^65
}

TEST(DataTypeOf, IsTheTypeOfTheElements) {
  static_assert(data_type_of<float>() == DataType::float32);
  static_assert(data_type_of<std::int8_t>() == DataType::int8);
  static_assert(data_type_of<std::uint64_t>() == DataType::uint64);
  std::vector<double> data(6);
  const TensorView<const double> view{data, {2, 3}, {1, 2}};
  EXPECT_EQ(view.desc(),
            (TensorDesc{.data_type = DataType::float64, .sizes = {2, 3}, .strides = {1, 2}}));
}

}  // namespace
}  // namespace weft
