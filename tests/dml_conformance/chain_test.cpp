// A chain of convolutions as one graph: the same bits as one after the other, in no more memory
// than the widest cut through the chain.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "compute/commands.h"
#include "compute/layers.h"

namespace weft::testing {
namespace {

std::vector<Layer> chain(bool relu, bool owned) {
  const UINT channels[] = {1, 24, 16, 40, 8, 1};
  std::vector<Layer> layers;
  for (std::size_t i = 0; i + 1 < std::size(channels); ++i) {
    layers.push_back({channels[i], channels[i + 1], 90, 70, relu, owned});
  }
  return layers;
}

UINT64 aligned(UINT64 bytes) { return (bytes + 255) / 256 * 256; }

class Chain : public ::testing::Test {
 protected:
  // Buffers for filter and bias of one layer after the other.
  std::vector<ComPtr<ID3D12Resource>> make_weights(const std::vector<Layer>& layers) {
    std::vector<ComPtr<ID3D12Resource>> weights;
    unsigned seed = 10;
    for (const Layer& layer : layers) {
      weights.push_back(commands_.make_buffer(sample_floats(layer.filter_bytes(), ++seed)));
      weights.push_back(commands_.make_buffer(sample_floats(layer.bias_bytes(), ++seed)));
    }
    return weights;
  }

  ComPtr<IDMLCompiledOperator> compile(const Layer& layer) {
    ComPtr<IDMLCompiledOperator> compiled;
    const ComPtr<IDMLOperator> op = make_operator(device_.dml(), layer);
    WEFT_CHECK_HR(
        device_.dml()->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
    return compiled;
  }

  std::vector<std::byte> run(IDMLCompiledOperator* compiled, const std::vector<Part>& inputs,
                             bool owned, UINT64 output_bytes) {
    std::vector<Part> weights = inputs;
    weights[0] = {};
    std::vector<Part> bound = inputs;
    if (owned) std::fill(bound.begin() + 1, bound.end(), Part());
    const auto persistent = commands_.initialize(compiled, owned ? weights : std::vector<Part>());
    const auto output = device_.make_buffer(output_bytes);
    commands_.record({.compiled = compiled,
                      .inputs = bound,
                      .outputs = {{output.Get()}},
                      .persistent = {persistent.Get()}});
    commands_.run();
    return commands_.download(output.Get());
  }

  // Layer by layer, each an operator of its own.
  std::vector<std::byte> expected(const std::vector<Layer>& layers) {
    const auto weights = make_weights(layers);
    std::vector<std::byte> image = sample_floats(layers[0].input_bytes(), 1);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto input = commands_.make_buffer(image);
      image = run(compile(layers[i]).Get(),
                  {{input.Get()}, {weights[2 * i].Get()}, {weights[2 * i + 1].Get()}},
                  layers[i].owned, layers[i].output_bytes());
    }
    return image;
  }

  std::vector<std::byte> actual(IDMLCompiledOperator* graph, const std::vector<Layer>& layers) {
    const auto weights = make_weights(layers);
    const auto input = commands_.make_buffer(sample_floats(layers[0].input_bytes(), 1));
    std::vector<Part> inputs = {{input.Get()}};
    for (const auto& weight : weights) inputs.push_back({weight.Get()});
    return run(graph, inputs, layers[0].owned, layers.back().output_bytes());
  }

  // What is alive while a layer runs: what it reads, what it writes, and its own scratch memory.
  // The graph's input and output are the application's.
  UINT64 widest_cut(const std::vector<Layer>& layers) {
    UINT64 widest = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      UINT64 cut = aligned(compile(layers[i])->GetBindingProperties().TemporaryResourceSize);
      if (i != 0) cut += aligned(layers[i].input_bytes());
      if (i + 1 != layers.size()) cut += aligned(layers[i].output_bytes());
      widest = std::max(widest, cut);
    }
    return widest;
  }

  // What it would take to keep all that is in between.
  UINT64 without_reuse(const std::vector<Layer>& layers) {
    UINT64 sum = 0, scratch = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto properties = compile(layers[i])->GetBindingProperties();
      scratch = std::max<UINT64>(scratch, properties.TemporaryResourceSize);
      if (i + 1 != layers.size()) sum += layers[i].output_bytes();
    }
    return sum + scratch;
  }

  ComputeDevice device_;
  Commands commands_{device_};
};

TEST_F(Chain, OfFusedConvolutionsNeedsItsWidestCut) {
  for (const bool owned : {true, false}) {
    const std::vector<Layer> layers = chain(true, owned);
    const auto graph = compile_chain(device_.dml(), layers);
    const UINT64 temporary = graph->GetBindingProperties().TemporaryResourceSize;
    EXPECT_EQ(temporary, widest_cut(layers)) << owned;
    EXPECT_LT(temporary, without_reuse(layers)) << owned;
    EXPECT_EQ(actual(graph.Get(), layers), expected(layers)) << owned;
  }
}

TEST_F(Chain, FusesActivationNodes) {
  const std::vector<Layer> fused = chain(true, true);
  const std::vector<Layer> plain = chain(false, true);
  const auto graph = compile_chain(device_.dml(), plain, true);
  EXPECT_EQ(graph->GetBindingProperties().TemporaryResourceSize, widest_cut(fused));
  EXPECT_EQ(actual(graph.Get(), plain), expected(fused));
}

}  // namespace
}  // namespace weft::testing
