#include "dml/executable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "dml/memory_plan.h"
#include "dml/operator_tensors.h"

namespace weft::dml {
namespace {

using Kind = Graph::Source::Kind;

TensorDesc tensor(Dims sizes, DataType type = DataType::float32) {
  TensorDesc desc;
  desc.data_type = type;
  desc.sizes = std::move(sizes);
  return desc;
}

// 3x3, padding 1: sizes stay.
ConvolutionParams convolution(std::uint32_t in, std::uint32_t out, std::uint32_t size,
                              DataType type = DataType::float32) {
  ConvolutionParams params;
  params.input = tensor({1, in, size, size}, type);
  params.filter = tensor({out, in, 3, 3}, type);
  params.output = tensor({1, out, size, size}, type);
  params.start_padding = params.end_padding = {1, 1};
  return params;
}

ElementWiseParams function(const TensorDesc& desc, Activation f) { return {desc, desc, f}; }

Graph::Node node(OperatorParams params, std::vector<Graph::Source> inputs) {
  return {std::move(params), std::move(inputs), "node"};
}

// Aligned memory of a size, filled with a pattern.
class Memory {
 public:
  explicit Memory(std::uint64_t size, unsigned seed = 0) : bytes_(size + 256) {
    auto* numbers = reinterpret_cast<float*>(data());
    for (std::uint64_t i = 0; i < size / sizeof(float); ++i) {
      numbers[i] = std::sin(static_cast<float>(i * 7 + seed));
    }
  }
  std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (256 - address % 256) % 256;
  }
  float* numbers() { return reinterpret_cast<float*>(data()); }

 private:
  std::vector<std::byte> bytes_;
};

// Runs with every input filled, owned ones through initialize(); returns the first output's bytes.
std::vector<std::byte> run(const Executable& executable, bool initialize = true) {
  std::vector<Memory> memories;
  memories.reserve(executable.slot_count());
  std::vector<std::byte*> slots;
  std::vector<std::byte*> owned;
  for (const auto& input : executable.inputs()) {
    memories.emplace_back(input.size_in_bytes, static_cast<unsigned>(memories.size() + 1));
    slots.push_back(input.owned_by_dml ? nullptr : memories.back().data());
    owned.push_back(input.owned_by_dml ? memories.back().data() : nullptr);
  }
  for (const auto& output : executable.outputs()) {
    slots.push_back(memories.emplace_back(output.size_in_bytes).data());
  }
  slots.push_back(memories.emplace_back(executable.temporary_size_in_bytes()).data());
  slots.push_back(memories.emplace_back(executable.persistent_size_in_bytes()).data());
  std::memset(slots.back(), 0, executable.persistent_size_in_bytes());
  if (initialize) executable.initialize(owned, slots.back());
  EXPECT_TRUE(executable.run(slots));
  const std::byte* first = slots[executable.inputs().size()];
  return {first, first + executable.outputs()[0].size_in_bytes};
}

// Inputs 1, 2, ... are filters; nodes in a row: convolution, function, convolution, function ...
Graph chain(std::span<const std::uint32_t> channels, std::uint32_t size, bool owned) {
  Graph graph;
  graph.input_count = static_cast<std::uint32_t>(channels.size());
  Graph::Source last{Kind::input, 0};
  for (std::uint32_t i = 0; i + 1 < channels.size(); ++i) {
    ConvolutionParams params = convolution(channels[i], channels[i + 1], size);
    params.filter.owned_by_dml = owned;
    graph.nodes.push_back(node(params, {last, {Kind::input, i + 1}, {}}));
    graph.nodes.push_back(node(function(params.output, {OperatorType::activation_leaky_relu, 0.1f}),
                               {{Kind::node, static_cast<std::uint32_t>(graph.nodes.size() - 1)}}));
    last = {Kind::node, static_cast<std::uint32_t>(graph.nodes.size() - 1)};
  }
  graph.outputs = {last};
  return graph;
}

TEST(Executable, ChainOfFusedConvolutionsNeedsItsWidestCut) {
  const std::uint32_t channels[] = {3, 16, 32, 8, 4, 1};
  const Executable executable(chain(channels, 20, false));
  ASSERT_EQ(executable.step_count(), 5u);

  std::vector<Lifetime> lifetimes;
  for (std::uint32_t s = 0; s < 5; ++s) {
    ConvolutionParams params = convolution(channels[s], channels[s + 1], 20);
    params.fused_activation = {OperatorType::activation_leaky_relu, 0.1f};
    lifetimes.push_back({s, s, plan(params).workspace_size_in_bytes()});
    if (s < 4) lifetimes.push_back({s, s + 1, total_bytes(params.output)});
  }
  EXPECT_EQ(executable.temporary_size_in_bytes(), widest_cut(lifetimes));
}

TEST(Executable, ChainComputesWhatItsOperatorsDo) {
  const std::uint32_t channels[] = {3, 5, 4, 2};
  Graph graph = chain(channels, 9, false);
  std::vector<std::vector<float>> filters;
  std::vector<float> value(3 * 81);
  const auto fill = [](std::vector<float>& to, unsigned seed) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::sin(static_cast<float>(i * 7 + seed));
  };
  fill(value, 1);
  for (std::uint32_t s = 0; s < 3; ++s) {
    const ConvolutionParams params = convolution(channels[s], channels[s + 1], 9);
    std::vector<float> filter(channels[s] * channels[s + 1] * 9);
    fill(filter, s + 2);
    std::vector<float> convolved(channels[s + 1] * 81);
    std::vector<float> result(convolved.size());
    weft::convolution(params, {value.data(), value.size() * 4}, {filter.data(), filter.size() * 4},
                      {}, {convolved.data(), convolved.size() * 4});
    element_wise(function(params.output, {OperatorType::activation_leaky_relu, 0.1f}),
                 {convolved.data(), convolved.size() * 4}, {result.data(), result.size() * 4});
    value = result;
  }
  const auto bytes = run(Executable(std::move(graph)));
  ASSERT_EQ(bytes.size(), value.size() * 4);
  EXPECT_EQ(std::memcmp(bytes.data(), value.data(), bytes.size()), 0);
}

TEST(Executable, OwnedFiltersArePackedAndGiveTheSameBits) {
  const std::uint32_t channels[] = {3, 5, 4};
  const Executable bound(chain(channels, 9, false));
  const Executable owned(chain(channels, 9, true));
  EXPECT_EQ(bound.persistent_size_in_bytes(), 0u);
  EXPECT_GT(owned.persistent_size_in_bytes(), 0u);
  const auto expected = run(bound);
  EXPECT_EQ(run(owned), expected);
  EXPECT_NE(run(owned, false), expected) << "the persistent resource is what is read";
}

// Every function that can be fused: one step, the bits of two.
class Fusing : public ::testing::TestWithParam<OperatorType> {};

TEST_P(Fusing, ChangesNoBit) {
  const ConvolutionParams params = convolution(2, 3, 6);
  ElementWiseParams f = function(params.output, {GetParam(), 1.5f, 0.25f});
  if (GetParam() == OperatorType::element_wise_clip) {
    f.function = {GetParam(), -0.5f, 0.75f, ScaleBias{2, 0.125f}};
  } else if (GetParam() == OperatorType::element_wise_identity) {
    f.function.scale_bias = ScaleBias{2, 0.125f};
  }
  Graph graph;
  graph.input_count = 2;
  graph.nodes = {node(params, {{Kind::input, 0}, {Kind::input, 1}, {}}),
                 node(f, {{Kind::node, 0}})};
  graph.outputs = {{Kind::node, 1}};
  Graph apart = graph;
  apart.outputs.push_back({Kind::node, 0});  // a second reader keeps them apart
  const Executable fused(graph);
  EXPECT_EQ(fused.step_count(), 1u);
  EXPECT_EQ(run(fused), run(Executable(apart)));
}

std::vector<OperatorType> functions() {
  std::vector<OperatorType> result;
  for (const OperatorType type : all_operator_types()) {
    if (is_activation(type)) result.push_back(type);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Fusing, ::testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(name(info.param)); });

std::size_t steps_with(const ConvolutionParams& params, const ElementWiseParams& f) {
  Graph graph;
  graph.input_count = 2;
  graph.nodes = {node(params, {{Kind::input, 0}, {Kind::input, 1}, {}}),
                 node(f, {{Kind::node, 0}})};
  graph.outputs = {{Kind::node, 1}};
  return Executable(std::move(graph)).step_count();
}

TEST(Fuse, Float16OnlyWhereRoundingTwiceChangesNothing) {
  const ConvolutionParams params = convolution(2, 3, 6, DataType::float16);
  const auto steps = [&](Activation f) { return steps_with(params, function(params.output, f)); };
  EXPECT_EQ(steps({OperatorType::activation_relu}), 1u);
  EXPECT_EQ(steps({OperatorType::activation_identity}), 1u);
  EXPECT_EQ(steps({OperatorType::element_wise_clip, 0, 6}), 1u);
  EXPECT_EQ(steps({OperatorType::element_wise_clip, 0, 6, ScaleBias{2, 1}}), 2u);
  EXPECT_EQ(steps({OperatorType::activation_tanh}), 2u);
  EXPECT_EQ(steps({OperatorType::activation_linear, 2, 1}), 2u);
}

TEST(Fuse, AConvolutionHasOneFunction) {
  ConvolutionParams params = convolution(2, 3, 6);
  params.fused_activation = {OperatorType::activation_relu};
  EXPECT_EQ(steps_with(params, function(params.output, {OperatorType::activation_relu})), 2u);
}

TEST(Fuse, PackedTensorsMayChangeShapeInBetween) {
  const ConvolutionParams params = convolution(2, 3, 6);
  EXPECT_EQ(steps_with(params, function(tensor({108}), {OperatorType::activation_relu})), 1u);
  ElementWiseParams transposes = function(params.output, {OperatorType::activation_relu});
  transposes.output.strides = {108, 1, 18, 3};  // channels last
  EXPECT_EQ(steps_with(params, transposes), 1u);
  ElementWiseParams both = function(tensor({3, 36}), {OperatorType::activation_relu});
  both.output.strides = {1, 3};
  EXPECT_EQ(steps_with(params, both), 2u) << "the convolution has no such coordinates";
}

TEST(Executable, OneNodeOneStepNoIntermediates) {
  const ConvolutionParams params = convolution(2, 3, 6);
  const Executable executable(single_node_graph(params));
  EXPECT_EQ(executable.step_count(), 1u);
  EXPECT_EQ(executable.inputs().size(), 3u);
  EXPECT_EQ(executable.inputs()[1].name, "CONVOLUTION.FilterTensor");
  EXPECT_TRUE(executable.inputs()[2].absent);
  EXPECT_EQ(executable.temporary_size_in_bytes(),
            aligned_size(plan(params).workspace_size_in_bytes()));
}

TEST(Executable, RunsInPlaceWhereThePagesAllowIt) {
  const auto in_place = [](ElementWiseParams params) {
    return Executable(single_node_graph(params)).runs_in_place();
  };
  const ElementWiseParams relu = function(tensor({2, 3}), {OperatorType::activation_relu});
  EXPECT_TRUE(in_place(relu));
  EXPECT_FALSE(in_place(function(tensor({2, 3}), {OperatorType::activation_gelu})));
  ElementWiseParams transposed = relu;
  transposed.output.strides = {1, 2};
  EXPECT_FALSE(in_place(transposed));
  EXPECT_FALSE(Executable(single_node_graph(convolution(2, 3, 6))).runs_in_place());
}

// One value in two outputs, and a constant in a third.
TEST(Executable, OutputsMayShareASource) {
  Graph graph;
  graph.input_count = 1;
  graph.nodes = {node(function(tensor({4}), {OperatorType::activation_relu}), {{Kind::input, 0}})};
  const float numbers[] = {1, 2, 3};
  graph.constants.emplace_back(12);
  std::memcpy(graph.constants[0].data(), numbers, 12);
  graph.outputs = {{Kind::constant, 0}, {Kind::node, 0}, {Kind::node, 0}};
  const Executable executable(graph);
  ASSERT_EQ(executable.outputs().size(), 3u);
  Memory in(16), a(16), b(16), c(16);
  in.numbers()[0] = -5;
  std::byte* slots[] = {in.data(), a.data(), b.data(), c.data(), nullptr, nullptr};
  ASSERT_TRUE(executable.run(slots));
  EXPECT_EQ(std::memcmp(a.data(), numbers, 12), 0);
  EXPECT_EQ(b.numbers()[0], 0);
  EXPECT_EQ(std::memcmp(b.data(), c.data(), 16), 0);
}

TEST(Executable, ConstantFiltersArePackedWhenCompiling) {
  const ConvolutionParams params = convolution(2, 3, 6);
  Graph bound;
  bound.input_count = 2;
  bound.nodes = {node(params, {{Kind::input, 0}, {Kind::input, 1}, {}})};
  bound.outputs = {{Kind::node, 0}};
  Graph constant = bound;
  constant.nodes[0].inputs[1] = {Kind::constant, 0};
  Memory filter(2 * 3 * 9 * 4, 2);  // as run() fills input 1
  constant.constants.emplace_back(filter.data(), filter.data() + 2 * 3 * 9 * 4);
  const Executable executable(constant);
  EXPECT_EQ(executable.persistent_size_in_bytes(), 0u);
  EXPECT_EQ(run(executable), run(Executable(bound)));
}

TEST(Executable, WinogradOnlyWhereItIsNotForbidden) {
  for (const Winograd winograd : {Winograd::never, Winograd::accurate, Winograd::allowed}) {
    const ConvolutionParams params = convolution(128, 128, 56);
    Graph graph;
    graph.input_count = 2;
    graph.nodes.push_back(node(params, {{Kind::input, 0}, {Kind::input, 1}}));
    graph.outputs = {{Kind::node, 0}};
    const std::string text = Executable(std::move(graph), winograd).explain();
    // What the plan takes on this machine; tests of the plan know which way that has to be.
    const Plan expected = plan(params, {.winograd = winograd});
    EXPECT_NE(text.find(": " + std::string(expected.algorithm()) + ","), std::string::npos) << text;
    if (winograd == Winograd::never) {
      EXPECT_EQ(text.find("winograd"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace weft::dml
