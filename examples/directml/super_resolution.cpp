// A picture twice as large, by a small convolutional network, layer after layer.
//
//   look   3x3, 1 -> 8 channels, RELU      the picture, and how it bends, both ways
//   mix    1x1, 8 -> 4 channels, RELU      how much of each
//   paint  4x4, 4 -> 1 channel, BACKWARD   each pixel becomes a patch, two pixels apart
//
// The filters are made up, not trained: they add up to linear interpolation that sharpens edges.
// They belong to DirectML (OWNED_BY_DML): handed over once, to the initializer, which may lay them
// out as it likes; at execution they are not bound again.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "compute.h"

namespace {

struct Layer {
  UINT input_channels;
  UINT output_channels;
  UINT window;
  bool enlarges;
  std::vector<float> filter;  // as DirectML has it: {channels the other way in BACKWARD}
  std::vector<float> bias;
};

constexpr float kSharpening = 0.5f;

// Channel 0 passes the picture on, 1 and 2 hold the positive and the negative Laplacian.
Layer look() {
  Layer layer = {1, 8, 3, false, std::vector<float>(std::size_t{8} * 9), std::vector<float>(8)};
  const float centre[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const float laplacian[9] = {0, -1, 0, -1, 4, -1, 0, -1, 0};
  for (int i = 0; i < 9; ++i) {
    layer.filter[0 * 9 + i] = centre[i];
    layer.filter[1 * 9 + i] = laplacian[i];
    layer.filter[2 * 9 + i] = -laplacian[i];
  }
  return layer;
}

Layer mix() {
  Layer layer = {8, 4, 1, false, std::vector<float>(std::size_t{4} * 8), std::vector<float>(4)};
  layer.filter[0 * 8 + 0] = 1;
  layer.filter[1 * 8 + 1] = kSharpening;
  layer.filter[2 * 8 + 2] = kSharpening;
  return layer;
}

// 4x4 patches, two pixels apart, whose overlaps add up to linear interpolation.
Layer paint() {
  Layer layer = {4, 1, 4, true, std::vector<float>(std::size_t{4} * 16), std::vector<float>(1)};
  const float slope[4] = {0.25f, 0.75f, 0.75f, 0.25f};
  const float sign[4] = {1, 1, -1, 0};
  for (int channel = 0; channel < 4; ++channel) {
    for (int i = 0; i < 16; ++i) {
      layer.filter[channel * 16 + i] = sign[channel] * slope[i / 4] * slope[i % 4];
    }
  }
  return layer;
}

ComPtr<IDMLCompiledOperator> compile(IDMLDevice1* dml, const Layer& layer, const Tensor& input,
                                     const Tensor& output) {
  const bool back = layer.enlarges;
  const Tensor filter(
      {back ? layer.input_channels : layer.output_channels,
       back ? layer.output_channels : layer.input_channels, layer.window, layer.window},
      DML_TENSOR_FLAG_OWNED_BY_DML);
  const Tensor bias({1, layer.output_channels, 1, 1}, DML_TENSOR_FLAG_OWNED_BY_DML);
  const UINT strides[] = {back ? 2u : 1u, back ? 2u : 1u};
  const UINT dilations[] = {1, 1};
  const UINT padding[] = {(layer.window - 1) / 2, (layer.window - 1) / 2};
  const UINT output_padding[] = {0, 0};
  const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {};
  const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_RELU, &relu};

  DML_CONVOLUTION_OPERATOR_DESC desc = {};
  desc.InputTensor = input.desc();
  desc.FilterTensor = filter.desc();
  desc.BiasTensor = bias.desc();
  desc.OutputTensor = output.desc();
  desc.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
  desc.Direction = back ? DML_CONVOLUTION_DIRECTION_BACKWARD : DML_CONVOLUTION_DIRECTION_FORWARD;
  desc.DimensionCount = 2;
  desc.Strides = strides;
  desc.Dilations = dilations;
  desc.StartPadding = desc.EndPadding = padding;
  desc.OutputPadding = output_padding;
  desc.GroupCount = 1;
  desc.FusedActivation = back ? nullptr : &activation;
  const DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_CONVOLUTION, &desc};
  ComPtr<IDMLOperator> op;
  CHECK(dml->CreateOperator(&operator_desc, IID_PPV_ARGS(&op)));
  ComPtr<IDMLCompiledOperator> compiled;
  CHECK(dml->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
  return compiled;
}

}  // namespace

int main(int argc, char** argv) {
  const UINT size = argc > 1 ? static_cast<UINT>(std::atoi(argv[1])) : 8;
  if (size == 0 || size > 8192) {
    std::fprintf(stderr, "usage: %s [PIXELS A SIDE, 1 to 8192]\n", argv[0]);
    return 2;
  }
  Compute compute;

  // The layers, and what flows between them.
  const Layer layers[] = {look(), mix(), paint()};
  const Tensor picture({1, 1, size, size});
  const Tensor looked({1, 8, size, size});
  const Tensor mixed({1, 4, size, size});
  const Tensor painted({1, 1, 2 * size, 2 * size});
  const Tensor* const between[] = {&picture, &looked, &mixed, &painted};
  std::vector<ComPtr<IDMLCompiledOperator>> network;
  std::vector<IDMLCompiledOperator*> pointers;
  std::vector<Compute::Buffers> owned;
  for (int i = 0; i < 3; ++i) {
    network.push_back(compile(compute.dml(), layers[i], *between[i], *between[i + 1]));
    pointers.push_back(network.back().Get());
    owned.push_back(
        {nullptr, compute.make_buffer(layers[i].filter), compute.make_buffer(layers[i].bias)});
  }
  const Compute::Buffers persistent = compute.initialize(pointers, owned);
  owned.clear();  // DirectML has its copy

  // A dark square with a bright one inside.
  std::vector<float> pixels(UINT64{size} * size, 0.25f);
  for (UINT y = size / 4; y < size - size / 4; ++y) {
    for (UINT x = size / 4; x < size - size / 4; ++x) pixels[UINT64{y} * size + x] = 0.75f;
  }
  Compute::Buffers buffers = {compute.make_buffer(pixels)};
  for (int i = 1; i < 4; ++i) buffers.push_back(compute.make_buffer(between[i]->size_in_bytes()));
  for (int i = 0; i < 3; ++i) {
    compute.dispatch(pointers[i], {buffers[i], nullptr, nullptr}, {buffers[i + 1]},
                     persistent[i].Get());
  }
  const auto start = std::chrono::steady_clock::now();
  compute.execute();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;

  const std::vector<float> large = compute.read(buffers[3].Get());
  const UINT row = size;  // through the middle
  std::printf("%ux%u -> %ux%u\nrow %u:", size, size, 2 * size, 2 * size, row);
  for (UINT x = 0; x < 2 * size && x < 16; ++x) {
    std::printf(" %.3f", static_cast<double>(large[UINT64{row} * 2 * size + x]));
  }
  std::printf("\n%.2f ms\n", took.count());
}
