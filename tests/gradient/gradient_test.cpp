// What the documentation of CONVOLUTION means by training: its BACKWARD direction is the gradient
// of FORWARD with respect to the input, and FORWARD itself, with Strides and Dilations exchanged
// and batch and channels swapped by tensor strides, is the gradient with respect to the filter.
//
// With the loss L = <y, forward(x, w)> for a fixed y, both gradients are linear in what they are
// taken of, so that two checks make them exact: the adjoint identities
//
//   <y, forward(x, w)> = <x, dL/dx> = <w, dL/dw>
//
// and central differences, (L(x + h e) - L(x - h e)) / 2h = dL/dx(e), which have no error of their
// own in a bilinear function.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <vector>

#include "support/tensor_walk.h"
#include "weft/convolution.h"

namespace weft {
namespace {

using Floats = std::vector<float>;

struct Shape {
  const char* name;
  Dims input;   // N, Ci, spatial
  Dims filter;  // Co, Ci / groups, window
  Dims strides, dilations, start_padding, end_padding;
  std::uint32_t groups = 1;
  ConvolutionMode mode = ConvolutionMode::cross_correlation;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

constexpr auto kFlip = ConvolutionMode::convolution;
constexpr auto kCross = ConvolutionMode::cross_correlation;

std::vector<Shape> shapes() {
  return {
      {"line", {2, 3, 9}, {4, 3, 3}, {1}, {1}, {0}, {0}},
      {"line_strided_dilated", {1, 2, 17}, {3, 2, 3}, {2}, {3}, {2}, {1}},
      {"line_with_rest", {1, 1, 10}, {1, 1, 2}, {3}, {1}, {0}, {0}},
      {"line_flipped", {2, 2, 8}, {2, 2, 4}, {2}, {1}, {1}, {2}, 1, kFlip},
      {"image", {2, 3, 6, 7}, {4, 3, 3, 2}, {1, 1}, {1, 1}, {1, 0}, {1, 1}},
      {"image_strided", {1, 2, 9, 8}, {3, 2, 3, 3}, {2, 3}, {1, 1}, {1, 1}, {0, 1}},
      {"image_dilated", {1, 2, 9, 8}, {3, 2, 3, 2}, {1, 2}, {2, 3}, {2, 1}, {2, 0}},
      {"image_flipped", {2, 2, 5, 5}, {2, 2, 3, 3}, {2, 1}, {1, 2}, {1, 2}, {1, 1}, 1, kFlip},
      {"image_more_padding_than_window",
       {1, 1, 3, 3},
       {2, 1, 2, 2},
       {1, 1},
       {1, 1},
       {3, 2},
       {2, 3}},
      {"volume", {1, 2, 4, 5, 6}, {2, 2, 2, 3, 2}, {1, 2, 1}, {2, 1, 1}, {0, 1, 0}, {1, 1, 0}},
      {"volume_flipped",
       {2, 1, 3, 4, 3},
       {3, 1, 2, 2, 2},
       {1, 1, 2},
       {1, 1, 1},
       {1, 0, 1},
       {0, 1, 1},
       1,
       kFlip},
      {"image_groups", {1, 4, 6, 6}, {6, 2, 3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, 2},
      {"image_depthwise", {2, 3, 5, 6}, {6, 1, 3, 2}, {2, 1}, {1, 2}, {1, 0}, {1, 2}, 3},
      {"line_groups_flipped", {1, 6, 9}, {3, 2, 3}, {2}, {1}, {1}, {1}, 3, kFlip},
  };
}

// A tensor in memory of its own, packed.
struct Tensor {
  TensorDesc desc;
  Floats data;

  explicit Tensor(Dims sizes)
      : desc{.data_type = DataType::float32, .sizes = std::move(sizes)},
        data(*element_count(desc.sizes)) {}
};

// Numbers with few bits: sums of their products are exact in float32, so that central differences
// see no rounding.
Tensor filled(Dims sizes, std::uint32_t seed) {
  Tensor tensor(std::move(sizes));
  for (float& x : tensor.data) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<float>(static_cast<int>(seed >> 28) - 8) / 8;
  }
  return tensor;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) sum += double{a.data[i]} * double{b.data[i]};
  return sum;
}

ConvolutionParams params_of(const Shape& shape) {
  ConvolutionParams p;
  p.input.sizes = shape.input;
  p.filter.sizes = shape.filter;
  p.mode = shape.mode;
  p.strides = shape.strides;
  p.dilations = shape.dilations;
  p.start_padding = shape.start_padding;
  p.end_padding = shape.end_padding;
  p.group_count = shape.groups;
  return p;
}

Tensor forward(const Shape& shape, const Tensor& x, const Tensor& w) {
  ConvolutionParams p = params_of(shape);
  p.output.sizes = output_sizes(p);
  Tensor y(p.output.sizes);
  convolution(p, {x.data.data(), x.data.size() * 4}, {w.data.data(), w.data.size() * 4}, {},
              {y.data.data(), y.data.size() * 4});
  return y;
}

// BACKWARD with the same parameters; the input's own size says how much of it is wanted.
Tensor input_gradient(const Shape& shape, const Tensor& y, const Tensor& w) {
  ConvolutionParams p = params_of(shape);
  p.direction = ConvolutionDirection::backward;
  p.input = y.desc;
  p.output.sizes = shape.input;
  Tensor dx(shape.input);
  convolution(p, {y.data.data(), y.data.size() * 4}, {w.data.data(), w.data.size() * 4}, {},
              {dx.data.data(), dx.data.size() * 4});
  return dx;
}

// A tensor's first two dimensions exchanged, by strides.
TensorDesc batch_and_channels_swapped(Dims sizes) {
  TensorDesc desc;
  desc.strides = *packed_strides(sizes);
  desc.sizes = std::move(sizes);
  std::swap(desc.sizes[0], desc.sizes[1]);
  std::swap(desc.strides[0], desc.strides[1]);
  return desc;
}

// dL/dw(o, i, k) = sum over n, y of in(n, i, y * stride + k * dilation - start) * dy(n, o, y): a
// forward convolution of x with dy as the filter, where k walks with stride `dilation` and y with
// dilation `stride`. Channels of x become its batch, and the batch what is summed over. One
// convolution a group, on its channels of all three tensors.
Tensor filter_gradient(const Shape& shape, const Tensor& x, const Tensor& y) {
  Tensor dw(shape.filter);
  const std::size_t rank = shape.input.size();
  Dims x_sizes = shape.input;
  Dims y_sizes = y.desc.sizes;
  Dims w_sizes = shape.filter;
  x_sizes[1] /= shape.groups;
  y_sizes[1] /= shape.groups;
  w_sizes[0] /= shape.groups;

  ConvolutionParams p;
  p.input = batch_and_channels_swapped(x_sizes);   // (Ci, N, in)
  p.filter = batch_and_channels_swapped(y_sizes);  // (Co, N, out)
  p.output = batch_and_channels_swapped(w_sizes);  // (Ci, Co, window)
  // Strides of the whole tensors, of which a group is a part.
  p.input.strides[1] = (*packed_strides(shape.input))[0];
  p.filter.strides[1] = (*packed_strides(y.desc.sizes))[0];
  p.strides = shape.dilations;
  p.dilations = shape.strides;
  p.start_padding = shape.start_padding;
  for (std::size_t d = 2; d < rank; ++d) {
    // As much end padding as the last tap of the last window reaches; what a stride left over of
    // the input is cut off.
    const std::size_t s = d - 2;
    const std::uint32_t reach = (w_sizes[d] - 1) * shape.dilations[s] +
                                (y_sizes[d] - 1) * shape.strides[s] + 1 - shape.start_padding[s];
    p.input.sizes[d] = std::min(p.input.sizes[d], reach);
    p.end_padding.push_back(reach - p.input.sizes[d]);
  }
  const std::size_t x_step = std::size_t{x_sizes[1]} * (*packed_strides(shape.input))[1];
  const std::size_t y_step = std::size_t{y_sizes[1]} * (*packed_strides(y.desc.sizes))[1];
  const std::size_t w_step = std::size_t{w_sizes[0]} * (*packed_strides(shape.filter))[0];
  for (std::size_t g = 0; g < shape.groups; ++g) {
    convolution(p, {x.data.data() + g * x_step, (x.data.size() - g * x_step) * 4},
                {y.data.data() + g * y_step, (y.data.size() - g * y_step) * 4}, {},
                {dw.data.data() + g * w_step, (dw.data.size() - g * w_step) * 4});
  }
  return dw;
}

// CONVOLUTION mode stores the filter reversed along every spatial axis.
Tensor reversed_in_space(const Tensor& w) {
  Tensor result = w;
  const std::size_t rank = w.desc.sizes.size();
  testing::for_each_element(w.desc, [&](testing::Coordinate k, std::int64_t at) {
    for (std::size_t d = 2; d < rank; ++d) k[d] = w.desc.sizes[d] - 1 - k[d];
    result.data[static_cast<std::size_t>(testing::element_offset(w.desc, k))] =
        w.data[static_cast<std::size_t>(at) / 4];
  });
  return result;
}

class Gradient : public ::testing::TestWithParam<Shape> {
 protected:
  const Shape& shape_ = GetParam();
  Tensor x_ = filled(shape_.input, 1);
  Tensor w_ = filled(shape_.filter, 2);
  Tensor y_ = filled(forward(shape_, x_, w_).desc.sizes, 3);

  Tensor filter_gradient_in_mode() const {
    const Tensor dw = filter_gradient(shape_, x_, y_);
    return shape_.mode == kCross ? dw : reversed_in_space(dw);
  }

  // What L = <y, forward(x, w)> changes by, an element of `of` after the other, against `gradient`.
  void check_differences(Tensor& of, const Tensor& gradient) {
    constexpr float kStep = 0.5f;
    for (std::size_t i = 0; i < of.data.size(); ++i) {
      const float before = of.data[i];
      of.data[i] = before + kStep;
      const double above = dot(y_, forward(shape_, x_, w_));
      of.data[i] = before - kStep;
      const double below = dot(y_, forward(shape_, x_, w_));
      of.data[i] = before;
      EXPECT_EQ((above - below) / (2 * kStep), gradient.data[i]) << "element " << i;
    }
  }
};

TEST_P(Gradient, BackwardIsTheAdjointOfForward) {
  EXPECT_EQ(dot(y_, forward(shape_, x_, w_)), dot(x_, input_gradient(shape_, y_, w_)));
}

TEST_P(Gradient, BackwardIsTheInputGradient) {
  check_differences(x_, input_gradient(shape_, y_, w_));
}

TEST_P(Gradient, ForwardIsTheAdjointOfTheFilterGradient) {
  EXPECT_EQ(dot(y_, forward(shape_, x_, w_)), dot(w_, filter_gradient_in_mode()));
}

TEST_P(Gradient, ExchangedForwardIsTheFilterGradient) {
  check_differences(w_, filter_gradient_in_mode());
}

INSTANTIATE_TEST_SUITE_P(, Gradient, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace weft
