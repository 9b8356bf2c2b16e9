// The contract of weft/plan.h: what a plan says of itself, and what it refuses.

#include "weft/plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "api/sample.h"

namespace weft::api_tests {
namespace {

class EveryOperator : public ::testing::TestWithParam<Sample> {
 protected:
  const Plan plan_ = plan(GetParam().params);
};

INSTANTIATE_TEST_SUITE_P(, EveryOperator, ::testing::ValuesIn(samples()), sample_name);

TEST_P(EveryOperator, TellsItsTypeTensorsAndAlgorithm) {
  EXPECT_EQ(plan_.type(), type_of(GetParam().params));
  EXPECT_EQ(plan_.outputs().size(), 1u);
  ASSERT_TRUE(plan_.outputs()[0].has_value());
  const bool convolution = plan_.type() == OperatorType::convolution;
  EXPECT_EQ(plan_.inputs().size(), convolution ? 3u : 1u);
  EXPECT_FALSE(plan_.algorithm().empty());
  EXPECT_NE(plan_.explain().find(plan_.algorithm()), std::string::npos) << plan_.explain();
  EXPECT_EQ(plan_.explain().find('\n'), std::string::npos) << plan_.explain();
  EXPECT_EQ(plan_.prepared_size_in_bytes(), 0u);
}

TEST_P(EveryOperator, PassesItsOwnChecks) {
  const RunMemory memory(plan_);
  EXPECT_NO_THROW(plan_.check(memory.bindings(), memory.workspace));
  EXPECT_NO_THROW(plan_.run(memory.bindings()));
}

TEST_P(EveryOperator, DependsOnNothingInTheWorkspace) {
  RunMemory memory(plan_);
  ASSERT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::ok);
  const std::vector<std::byte> first = memory.output();
  memory.fill_workspace(0xFF);  // NaN in every float type
  ASSERT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::ok);
  EXPECT_EQ(memory.output(), first);
}

// Makes a binding wrong in one way.
struct Mistake {
  const char* name;
  std::function<void(RunMemory&)> make;
};

const Mistake mistakes[] = {
    {"an input too few", [](RunMemory& m) { m.inputs.pop_back(); }},
    {"an input too many", [](RunMemory& m) { m.inputs.push_back(m.inputs[0]); }},
    {"no output", [](RunMemory& m) { m.outputs.clear(); }},
    {"two outputs", [](RunMemory& m) { m.outputs.push_back(m.outputs[0]); }},
    {"a null input", [](RunMemory& m) { m.inputs[0].data = nullptr; }},
    {"a null output", [](RunMemory& m) { m.outputs[0].data = nullptr; }},
    {"an empty input", [](RunMemory& m) { m.inputs[0].size_in_bytes = 0; }},
    // Sizes are rounded up to 4 bytes, and elements are 8 at most.
    {"an input too small", [](RunMemory& m) { m.inputs[0].size_in_bytes -= 8; }},
    {"an output too small", [](RunMemory& m) { m.outputs[0].size_in_bytes -= 8; }},
    {"the output over the input",
     [](RunMemory& m) {
       m.outputs[0].data = const_cast<char*>(static_cast<const char*>(m.inputs[0].data)) + 8;
     }},
};

TEST_P(EveryOperator, RefusesBindingsThatAreWrongAndWritesNothing) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    RunMemory memory(plan_);
    const std::vector<std::byte> before = memory.output();
    mistake.make(memory);
    EXPECT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::invalid_argument);
    EXPECT_EQ(memory.output(), before);
    try {
      plan_.check(memory.bindings(), memory.workspace);
      ADD_FAILURE() << "check() found nothing";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_FALSE(error.violations().empty());
    }
    EXPECT_THROW(plan_.run(memory.bindings()), Error);
    EXPECT_EQ(memory.output(), before);
  }
}

TEST_P(EveryOperator, RefusesAMisalignedBuffer) {
  const unsigned bytes = byte_size(plan_.inputs()[0]->data_type);
  if (bytes == 1) return;  // there is no such thing
  RunMemory memory(plan_);
  memory.inputs[0].data = static_cast<const char*>(memory.inputs[0].data) - 1;
  EXPECT_EQ(plan_.run(memory.bindings(), memory.workspace), ErrorCode::invalid_argument);
  RunMemory other(plan_);
  other.outputs[0].data = static_cast<char*>(other.outputs[0].data) - 1;
  EXPECT_EQ(plan_.run(other.bindings(), other.workspace), ErrorCode::invalid_argument);
}

TEST_P(EveryOperator, RefusesAWorkspaceThatIsMissingSmallMisalignedOrInTheWay) {
  if (plan_.workspace_size_in_bytes() == 0) {
    RunMemory memory(plan_);
    EXPECT_EQ(plan_.run(memory.bindings(), {}), ErrorCode::ok) << "none is needed";
    return;
  }
  RunMemory memory(plan_);
  const std::vector<std::byte> before = memory.output();
  const Buffer good = memory.workspace;
  // The aligned address at or before a tensor.
  const auto aligned = [](const void* tensor) {
    const auto past = reinterpret_cast<std::uintptr_t>(tensor) % base::kWorkspaceAlignment;
    return const_cast<char*>(static_cast<const char*>(tensor)) - past;
  };
  const Buffer wrong[] = {
      {},
      {good.data, good.size_in_bytes - 1},
      {static_cast<char*>(good.data) + 64, good.size_in_bytes},
      {aligned(memory.outputs[0].data), good.size_in_bytes},
      {aligned(memory.inputs[0].data), good.size_in_bytes},
  };
  for (const Buffer& workspace : wrong) {
    EXPECT_EQ(plan_.run(memory.bindings(), workspace), ErrorCode::invalid_argument);
    EXPECT_THROW(plan_.check(memory.bindings(), workspace), Error);
    EXPECT_EQ(memory.output(), before);
  }
}

// The words, on one operator.
class CheckMessages : public ::testing::Test {
 protected:
  // Nine elements of two bytes in, sixteen out.
  const UnfoldParams plan_params_ = {.input = {.data_type = DataType::int16, .sizes = {1, 1, 3, 3}},
                                     .output = {.data_type = DataType::int16, .sizes = {1, 4, 4}},
                                     .window_sizes = {2, 2}};
  const Plan plan_ = plan(plan_params_);
  alignas(256) char memory_[512] = {};
  std::vector<ConstBuffer> inputs_ = {{memory_, 18}};
  std::vector<Buffer> outputs_ = {{memory_ + 256, 32}};

  std::string message() const {
    try {
      plan_.check({inputs_, outputs_}, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(CheckMessages, NothingIsWrong) { EXPECT_EQ(message(), ""); }

TEST_F(CheckMessages, Count) {
  inputs_.clear();
  EXPECT_EQ(message(),
            "UNFOLD.Inputs is 0 bindings, must be 1 binding: one for each tensor of the operator, "
            "absent ones too");
}

TEST_F(CheckMessages, Null) {
  inputs_[0].data = nullptr;
  EXPECT_EQ(message(), "UNFOLD.InputTensor is null, must be a buffer: the tensor is not optional");
}

TEST_F(CheckMessages, TooSmallAndMisalignedAtOnce) {
  inputs_[0].size_in_bytes = 17;
  outputs_[0].data = memory_ + 257;
  EXPECT_EQ(message(),
            "UNFOLD.InputTensor is 17 bytes, must be at least 18: the tensor's extent\n"
            "UNFOLD.OutputTensor is misaligned, must be aligned to 2: elements are read whole");
}

TEST_F(CheckMessages, Overlap) {
  outputs_[0].data = memory_ + 16;
  EXPECT_EQ(message(),
            "UNFOLD.OutputTensor is overlapping, must be memory of its own: InputTensor lies there "
            "too");
  outputs_[0].data = memory_ + 18;
  EXPECT_EQ(message(), "") << "side by side is not overlapping";
}

TEST_F(CheckMessages, MemoryThatIsNotUsedOverlapsNothing) {
  EXPECT_NO_THROW(plan_.check({inputs_, outputs_, {memory_ + 260, 0}}, {memory_ + 260, 0}));
}

TEST_F(CheckMessages, SizesThatPassTheEndOfMemoryStillOverlap) {
  UnfoldParams params = plan_params_;
  params.input.total_size_in_bytes = UINT64_MAX - 3;
  inputs_[0].size_in_bytes = UINT64_MAX;
  EXPECT_THROW(plan(params).check({inputs_, outputs_}, {}), Error);
}

}  // namespace
}  // namespace weft::api_tests
