#include "dml/describe.h"

#include <gtest/gtest.h>

namespace weft::dml {
namespace {

ElementWiseParams relu() {
  TensorDesc desc;
  desc.sizes = {4};
  return {desc, desc, {.type = OperatorType::activation_relu}};
}

TEST(Describe, TensorsAndOperators) {
  TensorDesc desc;
  desc.sizes = {2, 3};
  desc.strides = {1, 2};
  desc.owned_by_dml = true;
  EXPECT_EQ(describe(desc), "FLOAT32 {2, 3} Strides {1, 2} OWNED_BY_DML");
  EXPECT_EQ(describe(OperatorParams(relu())),
            "ACTIVATION_RELU {InputTensor FLOAT32 {4}, OutputTensor FLOAT32 {4}}");
}

TEST(Describe, Graphs) {
  using Kind = Graph::Source::Kind;
  ConvolutionParams convolution;
  Graph graph;
  graph.input_count = 1;
  graph.constants.resize(1);
  graph.nodes.push_back({convolution,
                         {{Kind::input, 0}, {Kind::constant, 0}, {Kind::none, 0}},
                         "node 0 CONVOLUTION"});
  graph.nodes.push_back({relu(), {{Kind::node, 0}}, "node 2 ACTIVATION_RELU"});
  graph.outputs = {{Kind::node, 1}, {Kind::constant, 0}};
  EXPECT_EQ(describe(graph),
            "node 0 CONVOLUTION (input 0, constant 0, none); node 2 ACTIVATION_RELU (node 0 "
            "CONVOLUTION); output 0 = node 2 ACTIVATION_RELU, output 1 = constant 0");
}

}  // namespace
}  // namespace weft::dml
