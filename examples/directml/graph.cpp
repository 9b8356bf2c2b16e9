// A graph: four operators compiled as one, with a filter that the graph itself carries.
//
//   image -> blur (CONVOLUTION, constant filter) -> enlarge (RESAMPLE2) -> CLIP -> result
//                                                              \-> edges (CONVOLUTION + RELU)
//
// Whatever lies between the operators is the library's business: no buffers, no barriers.

#include <array>
#include <cstdio>
#include <vector>

#include "compute.h"

namespace {

constexpr UINT kOnes[] = {1, 1};
constexpr UINT kZeros[] = {0, 0};

// 3x3, one channel, same size out.
ComPtr<IDMLOperator> convolution(IDMLDevice1* dml, const Tensor& image, const Tensor& filter,
                                 const DML_OPERATOR_DESC* activation) {
  DML_CONVOLUTION_OPERATOR_DESC desc = {};
  desc.InputTensor = image.desc();
  desc.FilterTensor = filter.desc();
  desc.OutputTensor = image.desc();
  desc.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
  desc.Direction = DML_CONVOLUTION_DIRECTION_FORWARD;
  desc.DimensionCount = 2;
  desc.Strides = desc.Dilations = desc.StartPadding = desc.EndPadding = kOnes;
  desc.OutputPadding = kZeros;
  desc.GroupCount = 1;
  desc.FusedActivation = activation;
  const DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_CONVOLUTION, &desc};
  ComPtr<IDMLOperator> op;
  CHECK(dml->CreateOperator(&operator_desc, IID_PPV_ARGS(&op)));
  return op;
}

ComPtr<IDMLOperator> enlarge(IDMLDevice1* dml, const Tensor& small, const Tensor& large) {
  const FLOAT scales[] = {1, 1, 2, 2};
  const FLOAT centres[] = {0.5f, 0.5f, 0.5f, 0.5f};
  const FLOAT corners[] = {-0.5f, -0.5f, -0.5f, -0.5f};
  DML_RESAMPLE2_OPERATOR_DESC desc = {};
  desc.InputTensor = small.desc();
  desc.OutputTensor = large.desc();
  desc.InterpolationMode = DML_INTERPOLATION_MODE_LINEAR;
  desc.RoundingDirection = DML_AXIS_DIRECTION_DECREASING;
  desc.DimensionCount = 4;
  desc.Scales = scales;
  desc.InputPixelOffsets = centres;
  desc.OutputPixelOffsets = corners;
  const DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_RESAMPLE2, &desc};
  ComPtr<IDMLOperator> op;
  CHECK(dml->CreateOperator(&operator_desc, IID_PPV_ARGS(&op)));
  return op;
}

ComPtr<IDMLOperator> clip(IDMLDevice1* dml, const Tensor& tensor, float min, float max) {
  DML_ELEMENT_WISE_CLIP_OPERATOR_DESC desc = {};
  desc.InputTensor = desc.OutputTensor = tensor.desc();
  desc.Min = min;
  desc.Max = max;
  const DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_ELEMENT_WISE_CLIP, &desc};
  ComPtr<IDMLOperator> op;
  CHECK(dml->CreateOperator(&operator_desc, IID_PPV_ARGS(&op)));
  return op;
}

void print(const char* title, const std::vector<float>& values) {
  std::printf("%s\n", title);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::printf("%6.3f%s", static_cast<double>(values[i]), (i + 1) % 8 == 0 ? "\n" : " ");
  }
}

}  // namespace

int main() {
  Compute compute;
  IDMLDevice1* dml = compute.dml();

  const Tensor image({1, 1, 4, 4});
  const Tensor filter({1, 1, 3, 3});
  const Tensor large({1, 1, 8, 8});
  const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {};  // fused: no tensors of its own
  const DML_OPERATOR_DESC relu_desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
  const ComPtr<IDMLOperator> blur = convolution(dml, image, filter, nullptr);
  const ComPtr<IDMLOperator> resample = enlarge(dml, image, large);
  const ComPtr<IDMLOperator> clipped = clip(dml, large, 0.0f, 1.0f);
  const ComPtr<IDMLOperator> edges = convolution(dml, large, filter, &relu_desc);

  // Nodes: four operators, and the blur's filter.
  const std::array<float, 9> box = {1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f,
                                    1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f};
  const DML_OPERATOR_GRAPH_NODE_DESC operators[] = {{blur.Get(), "blur"},
                                                    {resample.Get(), "enlarge"},
                                                    {clipped.Get(), "clip"},
                                                    {edges.Get(), "edges"}};
  const DML_CONSTANT_DATA_GRAPH_NODE_DESC constant = {box.data(), sizeof box, "box"};
  const DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &operators[0]},
                                       {DML_GRAPH_NODE_TYPE_OPERATOR, &operators[1]},
                                       {DML_GRAPH_NODE_TYPE_OPERATOR, &operators[2]},
                                       {DML_GRAPH_NODE_TYPE_OPERATOR, &operators[3]},
                                       {DML_GRAPH_NODE_TYPE_CONSTANT, &constant}};

  // Edges. Input 0 of the graph is the image, input 1 the filter of `edges`.
  const DML_INPUT_GRAPH_EDGE_DESC inputs[] = {{0, 0, 0, "image"}, {1, 3, 1, "edge filter"}};
  const DML_INTERMEDIATE_GRAPH_EDGE_DESC between[] = {
      {4, 0, 0, 1, nullptr}, {0, 0, 1, 0, nullptr}, {1, 0, 2, 0, nullptr}, {1, 0, 3, 0, nullptr}};
  const DML_OUTPUT_GRAPH_EDGE_DESC outputs[] = {{2, 0, 0, "result"}, {3, 0, 1, "edges"}};
  std::vector<DML_GRAPH_EDGE_DESC> input_edges, between_edges, output_edges;
  for (const auto& edge : inputs) input_edges.push_back({DML_GRAPH_EDGE_TYPE_INPUT, &edge});
  for (const auto& edge : between) {
    between_edges.push_back({DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &edge});
  }
  for (const auto& edge : outputs) output_edges.push_back({DML_GRAPH_EDGE_TYPE_OUTPUT, &edge});

  DML_GRAPH_DESC graph = {};
  graph.InputCount = 2;
  graph.OutputCount = 2;
  graph.NodeCount = 5;
  graph.Nodes = nodes;
  graph.InputEdgeCount = static_cast<UINT>(input_edges.size());
  graph.InputEdges = input_edges.data();
  graph.IntermediateEdgeCount = static_cast<UINT>(between_edges.size());
  graph.IntermediateEdges = between_edges.data();
  graph.OutputEdgeCount = static_cast<UINT>(output_edges.size());
  graph.OutputEdges = output_edges.data();
  ComPtr<IDMLCompiledOperator> compiled;
  CHECK(dml->CompileGraph(&graph, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));

  // From here on it is an operator like any other.
  const Compute::Buffers persistent = compute.initialize({compiled.Get()}, {{}});
  const auto image_buffer = compute.make_buffer({0, 0, 0, 0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 0, 0, 0});
  const auto filter_buffer = compute.make_buffer({0, -1, 0, -1, 4, -1, 0, -1, 0});
  const auto result_buffer = compute.make_buffer(large.size_in_bytes());
  const auto edge_buffer = compute.make_buffer(large.size_in_bytes());
  compute.dispatch(compiled.Get(), {image_buffer, filter_buffer}, {result_buffer, edge_buffer},
                   persistent[0].Get());
  compute.execute();
  print("clipped", compute.read(result_buffer.Get()));
  print("edges", compute.read(edge_buffer.Get()));
}
