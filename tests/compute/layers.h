#pragma once

#include <DirectML.h>

#include <cstddef>
#include <vector>

#include "compute/device.h"

namespace weft::testing {

// A 3x3 convolution with a bias that keeps the image's size, float32. Its inputs are the image, the
// filter and the bias, in this order.
struct Layer {
  UINT input_channels = 1;
  UINT output_channels = 1;
  UINT height = 1;
  UINT width = 1;
  bool relu = true;   // fused
  bool owned = true;  // the weights are OWNED_BY_DML

  UINT64 input_bytes() const { return UINT64{4} * input_channels * height * width; }
  UINT64 output_bytes() const { return UINT64{4} * output_channels * height * width; }
  UINT64 filter_bytes() const { return UINT64{36} * input_channels * output_channels; }
  UINT64 bias_bytes() const { return UINT64{4} * output_channels; }
};

ComPtr<IDMLOperator> make_operator(IDMLDevice* device, const Layer& layer);

// ACTIVATION_RELU on the layer's output.
ComPtr<IDMLOperator> make_relu(IDMLDevice* device, const Layer& layer);

// Operators one behind the other, as one graph. The graph's inputs are the image, then filter and
// bias of one layer after the other; its output is that of the last layer. `separate_relus`: each
// layer (made without relu) is followed by an operator node for it.
ComPtr<IDMLCompiledOperator> compile_chain(IDMLDevice1* device, const std::vector<Layer>& layers,
                                           bool separate_relus = false);

// Small numbers of both signs, the same for the same seed: float32 values as bytes.
std::vector<std::byte> sample_floats(UINT64 size_in_bytes, unsigned seed);

}  // namespace weft::testing
