#include "reference/resample.h"

#include <algorithm>
#include <cmath>

#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::reference {

namespace {

using testing::Coordinate;

// An input element along one dimension and its share.
struct Tap {
  std::int64_t index;
  double weight;
};
using Taps = std::vector<Tap>;

float entry(const std::vector<float>& values, std::size_t d, float fallback) {
  return values.empty() ? fallback : values[d];
}

float source_coordinate(const ResampleParams& p, std::size_t d, std::int64_t output) {
  const float scale = p.scales[d];
  const float distance = static_cast<float>(output) - entry(p.output_pixel_offsets, d, -0.5f);
  const float quotient = scale == 0 || std::isinf(scale) ? 0.0f : distance / scale;
  return quotient - entry(p.input_pixel_offsets, d, 0.5f);
}

std::int64_t clamped(float position, std::int64_t size) {
  if (!(position > 0)) return 0;
  return position >= static_cast<float>(size - 1) ? size - 1 : static_cast<std::int64_t>(position);
}

Taps nearest(const ResampleParams& p, float x, std::int64_t size) {
  float position;
  if (p.type == OperatorType::resample || p.type == OperatorType::resample1) {
    position = std::floor(x + 0.5f);
  } else if (p.rounding_direction == AxisDirection::decreasing) {
    position = std::floor(x);
  } else {
    position = std::ceil(x);
  }
  return {{clamped(position, size), 1}};
}

Taps linear(float x, std::int64_t size) {
  // At and past the edges both neighbours are the edge itself.
  if (!(x > 0)) return {{0, 1}};
  if (x >= static_cast<float>(size - 1)) return {{size - 1, 1}};
  const float before = std::floor(x);
  const double share = x - before;
  const auto index = static_cast<std::int64_t>(before);
  if (share == 0) return {{index, 1}};
  return {{index, 1 - share}, {index + 1, share}};
}

// A triangle 1 / scale wide to each side, cut off at the input's edges. Only for 0 < scale < 1: any
// other dimension of an antialiased operator is linear, down to the smallest weights.
// A coordinate that passes float32 for a denormal scale is taken in double.
Taps antialiased(double x, double scale, std::int64_t size) {
  Taps taps;
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const double weight = 1 - std::fabs(static_cast<double>(i) - x) * scale;
    if (!(weight > 0)) continue;
    taps.push_back({i, weight});
    sum += weight;
  }
  if (taps.empty()) return linear(static_cast<float>(x), size);
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

Taps taps_of(const ResampleParams& p, std::size_t d, std::int64_t output) {
  const std::int64_t size = p.input.sizes[d];
  const float x = source_coordinate(p, d, output);
  if (p.interpolation_mode == InterpolationMode::nearest_neighbor) return nearest(p, x, size);
  const float scale = p.scales[d];
  if (p.antialiased && scale > 0 && scale < 1) {
    double center = x;
    if (std::isinf(x)) {
      const float distance = static_cast<float>(output) - entry(p.output_pixel_offsets, d, -0.5f);
      center = double{distance} / scale - entry(p.input_pixel_offsets, d, 0.5f);
    }
    return antialiased(center, scale, size);
  }
  return linear(x, size);
}

}  // namespace

ExpectedTensor resample(const ResampleParams& params, const std::byte* input) {
  const std::size_t rank = params.input.sizes.size();
  const DataType type = params.input.data_type;
  const bool nearest = params.interpolation_mode == InterpolationMode::nearest_neighbor;
  std::vector<std::vector<Taps>> taps(rank);  // a dimension, an output position
  for (std::size_t d = 0; d < rank; ++d) {
    for (std::int64_t o = 0; o < std::int64_t{params.output.sizes[d]}; ++o) {
      taps[d].push_back(taps_of(params, d, o));
    }
  }
  ExpectedTensor result;
  Coordinate y;
  do {
    Dims counts(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      counts[d] = static_cast<std::uint32_t>(taps[d][static_cast<std::size_t>(y[d])].size());
    }
    Sum sum;
    const std::byte* at = nullptr;
    Coordinate k;
    do {
      Coordinate x;
      double weight = 1;
      for (std::size_t d = 0; d < rank; ++d) {
        const Tap& tap = taps[d][static_cast<std::size_t>(y[d])][static_cast<std::size_t>(k[d])];
        x[d] = tap.index;
        weight *= tap.weight;
      }
      at = input + testing::byte_offset(params.input, x);
      sum.add(weight, testing::read_number(type, at));
    } while (testing::next(k, counts));
    // A weight of each dimension is rounded when it is made (twice: normalised) and when it is
    // multiplied; integers are computed in double.
    const auto roundings = sum.terms() + 3 * static_cast<std::int64_t>(rank) + 1;
    const DataType sum_type = testing::is_float(type) ? DataType::float32 : DataType::float64;
    result.push_back(nearest ? exact_bits(testing::read_bits(type, at))
                             : within(sum.range(sum_type, roundings)));
  } while (testing::next(y, params.output.sizes));
  return result;
}

}  // namespace weft::reference
