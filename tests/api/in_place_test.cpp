// Element-wise operators on one piece of memory.

#include <gtest/gtest.h>

#include <cstring>

#include "api/sample.h"
#include "support/guarded_buffer.h"

namespace weft::api_tests {
namespace {

std::vector<Sample> element_wise_samples() {
  std::vector<Sample> list;
  for (const Sample& sample : samples()) {
    if (std::holds_alternative<ElementWiseParams>(sample.params)) list.push_back(sample);
  }
  return list;
}

class InPlace : public ::testing::TestWithParam<Sample> {
 protected:
  ElementWiseParams params_ = std::get<ElementWiseParams>(GetParam().params);

  // Whether the output is the same over its own input.
  void expect_same_bits() const {
    const Plan plan = weft::plan(params_, {.threads = 2});
    RunMemory apart(plan);
    ASSERT_EQ(plan.run(apart.bindings(), apart.workspace), ErrorCode::ok);

    RunMemory memory(plan);
    std::memcpy(memory.outputs[0].data, memory.inputs[0].data, memory.inputs[0].size_in_bytes);
    memory.inputs[0] = memory.outputs[0];
    EXPECT_NO_THROW(plan.check(memory.bindings(), memory.workspace));
    ASSERT_EQ(plan.run(memory.bindings(), memory.workspace), ErrorCode::ok);
    // Only the elements: gaps hold what the input had there.
    const std::vector<std::byte> expected = apart.output();
    const std::vector<std::byte> output = memory.output();
    const testing::ByteMarks addressed = testing::addressed_bytes(params_.output);
    for (std::size_t i = 0; i < addressed.size(); ++i) {
      ASSERT_TRUE(!addressed[i] || output[i] == expected[i]) << "byte " << i;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, InPlace, ::testing::ValuesIn(element_wise_samples()), sample_name);

TEST_P(InPlace, WorksWherePacked) {
  params_.output.strides.clear();
  expect_same_bits();
}

TEST_P(InPlace, WorksWhereBothHaveTheSameStrides) {
  params_.input.strides = params_.output.strides;
  expect_same_bits();
}

TEST_P(InPlace, WorksWherePackedStridesAreSpelledOut) {
  params_.output.strides.clear();
  params_.input.strides = *packed_strides(params_.input.sizes);
  expect_same_bits();
}

TEST_P(InPlace, IsRefusedWhereTheLayoutsDiffer) {
  const Plan plan = weft::plan(params_);
  RunMemory memory(plan);
  const std::vector<std::byte> before = memory.output();
  memory.inputs[0] = memory.outputs[0];
  EXPECT_EQ(plan.run(memory.bindings(), memory.workspace), ErrorCode::invalid_argument);
  EXPECT_EQ(memory.output(), before);
}

}  // namespace
}  // namespace weft::api_tests
