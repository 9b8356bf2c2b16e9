// Filters packed once, beforehand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "api/sample.h"

namespace weft::api_tests {
namespace {

std::vector<Sample> convolutions() {
  std::vector<Sample> list;
  for (const Sample& sample : samples()) {
    if (std::holds_alternative<ConvolutionParams>(sample.params)) list.push_back(sample);
  }
  return list;
}

class Prepare : public ::testing::TestWithParam<Sample> {
 protected:
  const Plan plain_ = plan(GetParam().params);
  const Plan plan_ = plan(GetParam().params, {.prepare_filter = true});
};

INSTANTIATE_TEST_SUITE_P(, Prepare, ::testing::ValuesIn(convolutions()), sample_name);

TEST_P(Prepare, GivesTheSameBits) {
  EXPECT_GT(plan_.prepared_size_in_bytes(), 0u);
  EXPECT_EQ(output_of(plan_), output_of(plain_));
}

TEST_P(Prepare, LeavesTheFilterUnread) {
  RunMemory memory(plan_);
  const std::vector<std::byte> expected = output_of(plain_);
  memory.inputs[1] = {};
  ASSERT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::ok);
  EXPECT_EQ(memory.output(), expected);
}

TEST_P(Prepare, RunRefusesPreparedMemoryThatIsMissingSmallOrMisaligned) {
  const RunMemory good(plan_);
  const ConstBuffer wrong[] = {
      {},
      {good.prepared.data, good.prepared.size_in_bytes - 1},
      {static_cast<const char*>(good.prepared.data) + 16, good.prepared.size_in_bytes},
  };
  for (const ConstBuffer& prepared : wrong) {
    RunMemory memory(plan_);
    const std::vector<std::byte> before = memory.output();
    memory.prepared = prepared;
    EXPECT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::invalid_argument);
    EXPECT_THROW(plan_.check(memory.bindings(), memory.workspace), Error);
    EXPECT_EQ(memory.output(), before);
  }
}

TEST_P(Prepare, RunRefusesAWorkspaceOverThePreparedWeights) {
  if (plan_.workspace_size_in_bytes() == 0) GTEST_SKIP() << "this plan needs no workspace";
  RunMemory memory(plan_);
  const std::uint64_t size =
      std::max(plan_.workspace_size_in_bytes(), plan_.prepared_size_in_bytes());
  const base::AlignedMemory both(size);
  memory.prepared = {both.buffer().data, size};
  EXPECT_EQ(plan_.run(memory.bindings(), {both.buffer().data, size}), ErrorCode::invalid_argument);
}

TEST_P(Prepare, IsRefusedByAPlanThatPacksAtEachRun) {
  const RunMemory memory(plan_);
  const base::AlignedMemory target(plan_.prepared_size_in_bytes());
  EXPECT_THROW(plain_.prepare(memory.inputs[1], target.buffer()), Error);
}

TEST_P(Prepare, RefusesBuffersThatAreWrong) {
  const RunMemory memory(plan_);
  const base::AlignedMemory target(plan_.prepared_size_in_bytes() + 256);
  const ConstBuffer filter = memory.inputs[1];
  const Buffer prepared = target.buffer();
  EXPECT_NO_THROW(plan_.prepare(filter, prepared));
  EXPECT_THROW(plan_.prepare({}, prepared), Error);
  EXPECT_THROW(plan_.prepare({filter.data, filter.size_in_bytes - 4}, prepared), Error);
  EXPECT_THROW(plan_.prepare(filter, {}), Error);
  EXPECT_THROW(plan_.prepare(filter, {prepared.data, plan_.prepared_size_in_bytes() - 1}), Error);
  EXPECT_THROW(plan_.prepare(
                   filter, {static_cast<char*>(prepared.data) + 4, plan_.prepared_size_in_bytes()}),
               Error);
  EXPECT_THROW(plan_.prepare({prepared.data, filter.size_in_bytes}, prepared), Error);
}

}  // namespace
}  // namespace weft::api_tests
