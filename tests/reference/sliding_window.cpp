#include "reference/sliding_window.h"

#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::reference {

namespace {

using testing::Coordinate;

// One spatial dimension of the image.
struct WindowAxis {
  std::int64_t size, window, stride, dilation, start, blocks;
};

template <class Params>
std::vector<WindowAxis> axes_of(const Params& p, const TensorDesc& image) {
  using testing::entry;
  std::vector<WindowAxis> axes;
  for (std::size_t d = 0; d < p.window_sizes.size(); ++d) {
    WindowAxis a{};
    a.size = image.sizes[d + 2];
    a.window = p.window_sizes[d];
    a.stride = entry(p.strides, d, 1);
    a.dilation = entry(p.dilations, d, 1);
    a.start = entry(p.start_padding, d, 0);
    const std::int64_t end = entry(p.end_padding, d, 0);
    a.blocks = (a.size + a.start + end - a.dilation * (a.window - 1) - 1) / a.stride + 1;
    axes.push_back(a);
  }
  return axes;
}

// Splits a row-major position into one number a dimension.
Coordinate split(std::int64_t position, const std::vector<WindowAxis>& axes,
                 std::int64_t WindowAxis::*extent) {
  Coordinate result;
  for (std::size_t d = axes.size(); d-- > 0;) {
    result[d] = position % (axes[d].*extent);
    position /= axes[d].*extent;
  }
  return result;
}

std::int64_t product(const std::vector<WindowAxis>& axes, std::int64_t WindowAxis::*extent) {
  std::int64_t result = 1;
  for (const WindowAxis& a : axes) result *= a.*extent;
  return result;
}

// A place in the columns tensor, which may have leading ones: (..., n, row, block).
Coordinate column_place(const TensorDesc& columns, std::int64_t n, std::int64_t row,
                        std::int64_t block) {
  const std::size_t rank = columns.sizes.size();
  Coordinate x;
  x[rank - 3] = n;
  x[rank - 2] = row;
  x[rank - 1] = block;
  return x;
}

}  // namespace

ExpectedTensor unfold(const UnfoldParams& params, const std::byte* input) {
  const std::vector<WindowAxis> axes = axes_of(params, params.input);
  const std::int64_t window_elements = product(axes, &WindowAxis::window);
  const DataType type = params.input.data_type;
  const std::size_t rank = params.output.sizes.size();
  ExpectedTensor result;
  Coordinate y;
  do {
    const std::int64_t row = y[rank - 2];
    const Coordinate w = split(row % window_elements, axes, &WindowAxis::window);
    const Coordinate b = split(y[rank - 1], axes, &WindowAxis::blocks);
    Coordinate p{{y[rank - 3], row / window_elements}};
    bool inside = true;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      p[d + 2] = b[d] * axes[d].stride + w[d] * axes[d].dilation - axes[d].start;
      inside = inside && p[d + 2] >= 0 && p[d + 2] < axes[d].size;
    }
    const std::byte* at = input + (inside ? testing::byte_offset(params.input, p) : 0);
    result.push_back(exact_bits(inside ? testing::read_bits(type, at) : 0));
  } while (testing::next(y, params.output.sizes));
  return result;
}

ExpectedTensor fold(const FoldParams& params, const std::byte* input) {
  const std::vector<WindowAxis> axes = axes_of(params, params.output);
  const std::int64_t window_elements = product(axes, &WindowAxis::window);
  const DataType type = params.input.data_type;
  // float16 is summed in float32.
  const DataType sum_type = type == DataType::float64 ? type : DataType::float32;
  ExpectedTensor result;
  Coordinate p;
  do {
    Sum sum;
    testing::Integer integer_sum = 0;
    for (std::int64_t row = 0; row < window_elements; ++row) {
      const Coordinate w = split(row, axes, &WindowAxis::window);
      std::int64_t block = 0;
      bool hit = true;
      for (std::size_t d = 0; d < axes.size() && hit; ++d) {
        const std::int64_t scaled = p[d + 2] + axes[d].start - w[d] * axes[d].dilation;
        hit =
            scaled >= 0 && scaled % axes[d].stride == 0 && scaled / axes[d].stride < axes[d].blocks;
        block = block * axes[d].blocks + scaled / axes[d].stride;
      }
      if (!hit) continue;
      const Coordinate x = column_place(params.input, p[0], p[1] * window_elements + row, block);
      const std::byte* at = input + testing::byte_offset(params.input, x);
      if (testing::is_float(type)) {
        sum.add(testing::read_real(type, at));
      } else {
        integer_sum += testing::read_integer(type, at);
      }
    }
    result.push_back(testing::is_float(type) ? within(sum.range(sum_type))
                                             : exact_bits(testing::low_bits(type, integer_sum)));
  } while (testing::next(p, params.output.sizes));
  return result;
}

}  // namespace weft::reference
