#pragma once

#include <vector>

#include "weft/error.h"
#include "weft/operator_type.h"
#include "weft/plan.h"
#include "weft/tensor.h"

namespace weft {

// The values are those of DML_INTERPOLATION_MODE and DML_AXIS_DIRECTION.
enum class InterpolationMode : std::uint32_t { nearest_neighbor = 0, linear = 1 };
enum class AxisDirection : std::uint32_t { increasing = 0, decreasing = 1 };

// Scales a tensor along any of its dimensions, batch and channel included (ONNX: Resize).
//
//   x(o) = (o - output_pixel_offset) / scale - input_pixel_offset      a dimension, in float32
//
//   nearest  RESAMPLE, RESAMPLE1    in(floor(x + 0.5))
//            RESAMPLE2, RESAMPLE3   in(floor(x)) if decreasing, in(ceil(x)) if increasing
//   linear   (1 - t) in(floor(x)) + t in(floor(x) + 1), t = x - floor(x), a product over dimensions
//
// Source positions are clamped to the input's edges. The scales need not be the ratio of the
// sizes. A scale of 0 or infinity stands for x = -input_pixel_offset. A neighbour of weight 0 is
// not read.
//
// antialiased (RESAMPLE3, linear) widens the triangle of a dimension with 0 < scale < 1 to
// 1 / scale input elements on each side of x, which is then not clamped, and divides by the sum of
// the weights inside the input; a triangle that misses the input gives its nearest edge. Other
// dimensions are interpolated as above.
//
// input   1 to 4 dimensions, all may be scaled
// output  the same number of dimensions, any sizes
//
// Scales are output elements over input elements, offsets are in elements (pixels) of their side.
// Tensor strides are in elements of memory.
//
// float32, float16, int8 or uint8, the same for both tensors; any tensor strides. nearest copies
// bit for bit. linear: float32 is interpolated in float32, one dimension after the other; float16
// is widened, interpolated as float32 and rounded at the end; integers are computed exactly or in
// double and truncated toward zero. antialiased: everything is summed in double, floats rounded to
// float32 and then to their type, integers truncated toward zero as above.
//
// Throws Error, listing every broken rule: unsupported where the type is an operator that DirectML
// has and Weft has not, else invalid_argument.
// Source: DML_RESAMPLE2_OPERATOR_DESC and its kin. Where the pages are silent:
// docs/decisions.md#resample.
struct ResampleParams {
  OperatorType type = OperatorType::resample2;  // resample, resample1, resample2 or resample3
  TensorDesc input = {};
  TensorDesc output = {};
  InterpolationMode interpolation_mode = InterpolationMode::nearest_neighbor;
  AxisDirection rounding_direction = AxisDirection::increasing;  // RESAMPLE2 and 3, nearest only
  std::vector<float> scales = {};                // one a dimension: output over input
  std::vector<float> input_pixel_offsets = {};   // empty: all 0.5; RESAMPLE has no others
  std::vector<float> output_pixel_offsets = {};  // empty: all -0.5; RESAMPLE has no others
  bool antialiased = false;                      // RESAMPLE3 only
};

WEFT_API std::vector<Violation> validate(const ResampleParams& params);

// floor(input size * scale) a dimension, as ONNX has it; params.output is not read. Throws Error.
WEFT_API Dims output_sizes(const ResampleParams& params);

WEFT_API Plan plan(const ResampleParams& params, const PlanOptions& options = {});

// Plans and runs at once.
WEFT_API void resample(const ResampleParams& params, ConstBuffer input, Buffer output);

// The same on typed views; `params` brings everything but the tensors.
//
// Example:
//
//   const std::vector<float> x{0, 1};
//   std::vector<float> y(4);  // 0, 0.25, 0.75, 1
//   weft::resample<float>({x, {2}}, {y, {4}},
//                         {.interpolation_mode = weft::InterpolationMode::linear, .scales = {2}});
template <class T>
void resample(TensorView<const T> input, TensorView<T> output, ResampleParams params) {
  params.input = input.desc();
  params.output = output.desc();
  resample(params, {input.data.data(), input.data.size_bytes()},
           {output.data.data(), output.data.size_bytes()});
}

}  // namespace weft
