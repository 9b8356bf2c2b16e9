// OWNED_BY_DML weights live in the persistent resource and nowhere else.

#include <gtest/gtest.h>

#include "compute/commands.h"
#include "compute/layers.h"

namespace weft::testing {
namespace {

constexpr Layer kLayer = {.input_channels = 8, .output_channels = 8, .height = 9, .width = 7};

class PersistentResource : public ::testing::Test {
 protected:
  PersistentResource() {
    const ComPtr<IDMLOperator> op = make_operator(device_.dml(), kLayer);
    WEFT_CHECK_HR(device_.dml()->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE,
                                                 IID_PPV_ARGS(&compiled_)));
    const auto filter = commands_.make_buffer(sample_floats(kLayer.filter_bytes(), 2));
    const auto bias = commands_.make_buffer(sample_floats(kLayer.bias_bytes(), 3));
    const Part owned[] = {{}, {filter.Get()}, {bias.Get()}};
    persistent_ = commands_.initialize(compiled_.Get(), owned);
  }

  std::vector<std::byte> run(ID3D12Resource* persistent) {
    const auto output = device_.make_buffer(kLayer.output_bytes());
    commands_.record({.compiled = compiled_.Get(),
                      .inputs = {{input_.Get()}, {}, {}},
                      .outputs = {{output.Get()}},
                      .persistent = {persistent}});
    commands_.run();
    return commands_.download(output.Get());
  }

  ComputeDevice device_;
  Commands commands_{device_};
  ComPtr<ID3D12Resource> input_ = commands_.make_buffer(sample_floats(kLayer.input_bytes(), 1));
  ComPtr<IDMLCompiledOperator> compiled_;
  ComPtr<ID3D12Resource> persistent_;
};

TEST_F(PersistentResource, IsReadByEveryExecution) {
  const std::vector<std::byte> right = run(persistent_.Get());
  EXPECT_EQ(run(persistent_.Get()), right);
  const std::vector<std::byte> zeros(persistent_->GetDesc().Width);
  commands_.upload(persistent_.Get(), zeros);
  const std::vector<std::byte> wrong = run(persistent_.Get());
  EXPECT_NE(wrong, right);
  // Weights of 0, a bias of 0: RELU(0).
  EXPECT_EQ(wrong, std::vector<std::byte>(kLayer.output_bytes()));
}

TEST_F(PersistentResource, WorksFromACopy) {
  const std::vector<std::byte> right = run(persistent_.Get());
  const auto copy = commands_.make_buffer(commands_.download(persistent_.Get()));
  EXPECT_EQ(run(copy.Get()), right);
}

TEST_F(PersistentResource, IsWrittenByNoExecution) {
  const std::vector<std::byte> before = commands_.download(persistent_.Get());
  run(persistent_.Get());
  EXPECT_EQ(commands_.download(persistent_.Get()), before);
}

}  // namespace
}  // namespace weft::testing
