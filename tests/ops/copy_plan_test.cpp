#include "ops/copy_plan.h"

#include <gtest/gtest.h>

#include "ops/checked_case.h"
#include "support/guard_page.h"

namespace weft {
namespace {

constexpr DataType kTypes[] = {DataType::float64, DataType::float32, DataType::float16,
                               DataType::int64,   DataType::int8,    DataType::uint16};

// IDENTITY without a scale is nothing but a copy.
void expect_copied(const Dims& sizes, const Dims& from, const Dims& to) {
  std::uint64_t seed = 0;
  for (const DataType type : kTypes) {
    ElementWiseParams params;
    params.function.type = OperatorType::element_wise_identity;
    params.input = {.data_type = type, .sizes = sizes, .strides = from};
    params.output = {.data_type = type, .sizes = sizes, .strides = to};
    EXPECT_EQ(plan(params).algorithm(), "copy");
    testing::expect_right(params, ++seed, random_cases::Values::special);
  }
}

TEST(CopyPlan, FromAnyLayoutToAnyOther) {
  expect_copied({5000}, {}, {});
  expect_copied({70000}, {1}, {2});
  expect_copied({2, 3, 65, 130}, {}, {25350, 1, 390, 3});  // to NHWC
  expect_copied({2, 3, 65, 130}, {25350, 1, 390, 3}, {});  // from NHWC
  expect_copied({257, 129}, {1, 257}, {});                 // transposed
  expect_copied({257, 129}, {1, 300}, {200, 1});           // with gaps
  expect_copied({129, 65}, {0, 1}, {});                    // repeated
  expect_copied({129, 65}, {0, 0}, {1, 129});
}

TEST(CopyPlan, BeyondFourGiB) {
  constexpr std::uint32_t far = UINT32_MAX;
  const Dims sizes = {3, 2};
  ElementWiseParams params;
  params.function.type = OperatorType::activation_identity;
  params.input = {.data_type = DataType::float32, .sizes = sizes, .strides = {1, far}};
  params.output = {.data_type = DataType::float32, .sizes = sizes, .strides = {far, 7}};
  const testing::GuardedMemory from((std::uint64_t{far} + 3) * 4);
  const testing::GuardedMemory to((2 * std::uint64_t{far} + 8) * 4);
  for (std::uint64_t i = 0; i < 6; ++i) {
    from.as<float>()[i / 2 + i % 2 * far] = static_cast<float>(i);
  }
  element_wise(params, {from.data(), from.size()}, {to.data(), to.size()});
  for (std::uint64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(to.as<float>()[i / 2 * far + i % 2 * 7], static_cast<float>(i));
  }
}

}  // namespace
}  // namespace weft
