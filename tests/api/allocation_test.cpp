// run() allocates nothing.

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "api/allocation_counter.h"
#include "api/sample.h"

namespace weft::api_tests {
namespace {

class Allocation : public ::testing::TestWithParam<Sample> {
 protected:
  void SetUp() override {
    if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
  }

  // Planned on this thread, run by `run_on`.
  template <class RunOn>
  void expect_none(unsigned threads, const RunOn& run_on) {
    const Plan plan = weft::plan(GetParam().params, {.threads = threads});
    RunMemory memory(plan);
    const Bindings bindings = memory.bindings();
    long count = -1;
    ErrorCode code = ErrorCode::invalid_argument;
    run_on([&] {
      const AllocationCounter counter;
      code = plan.run(bindings, memory.workspace);
      count = counter.count();
    });
    EXPECT_EQ(code, ErrorCode::ok);
    EXPECT_EQ(count, 0);
  }
};

const auto this_thread = [](const auto& run) { run(); };
const auto another_thread = [](const auto& run) { std::thread(run).join(); };

INSTANTIATE_TEST_SUITE_P(, Allocation, ::testing::ValuesIn(samples()), sample_name);

TEST(AllocationCounter, SeesNewAndMalloc) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
  const AllocationCounter counter;
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(counter.count(), 1);
  const base::AlignedMemory memory(100);
  EXPECT_EQ(counter.count(), 2);
}

TEST_P(Allocation, RunAllocatesNothing) { expect_none(1, this_thread); }

TEST_P(Allocation, NorDoesARunOnManyThreads) { expect_none(7, this_thread); }

TEST_P(Allocation, NorDoesARunOnAThreadOfItsOwn) { expect_none(7, another_thread); }

TEST_P(Allocation, NorDoesARunThatIsRefused) {
  const Plan plan = weft::plan(GetParam().params, {.threads = 1});
  RunMemory memory(plan);
  memory.inputs[0].size_in_bytes = 1;
  memory.outputs[0].size_in_bytes = 1;
  const Bindings bindings = memory.bindings();
  const AllocationCounter counter;
  EXPECT_EQ(plan.run(bindings, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace weft::api_tests
