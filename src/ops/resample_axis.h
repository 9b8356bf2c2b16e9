#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft::ops {

// How a nearest-neighbour coordinate becomes an index.
enum class Rounding { half_up, down, up };

// The elements of one dimension that output element o is made of: (1 - t) in(index) + t in(index +
// 1). Where t is 0 there is no second element.
struct Neighbors {
  std::int64_t index;
  float t;  // [0, 1)
};

// The same for a dimension of an antialiased operator: in(k) has weight(k) / sum for every k in
// [begin, end], all of them positive. A triangle that is one element wide on each side is the
// linear interpolation above, with the same two weights.
struct Triangle {
  double center;
  double slope;
  std::int64_t begin;
  std::int64_t end;
  double sum;

  bool ordinary() const noexcept { return slope == 1; }

  double weight(std::int64_t k) const noexcept {
    const double distance = std::fabs(static_cast<double>(k) - center);
    if (!ordinary()) return 1 - distance * slope;
    // Of the second element it is t itself: 1 - (1 - t) would lose a small t.
    return k == begin ? 1 - distance : center - static_cast<double>(begin);
  }
};

// One dimension: where its output elements come from, and where both lie in memory.
struct ResampleAxis {
  std::int64_t input_size;
  std::int64_t output_size;
  std::int64_t input_stride;
  std::int64_t output_stride;
  float scale;
  float input_pixel_offset;
  float output_pixel_offset;
  bool direct;  // output o is input o, exactly; the input's stride may be 0

  // (o - output_pixel_offset) / scale - input_pixel_offset, every step rounded to float32. Never
  // NaN, for the offsets are finite.
  float coordinate(std::int64_t o) const noexcept {
    const float distance = static_cast<float>(o) - output_pixel_offset;
    const float quotient = scale == 0 || std::isinf(scale) ? 0.0f : distance / scale;
    return quotient - input_pixel_offset;
  }

  // Whether output 2 i lies a quarter before element i, and the next one as much behind it.
  bool doubles() const noexcept {
    return !direct && scale == 2 && input_pixel_offset == 0.5f && output_pixel_offset == -0.5f &&
           output_size == 2 * input_size;
  }

  // x within the input, so that it may become an integer.
  double clamp(double x) const noexcept {
    return std::clamp(x, 0.0, static_cast<double>(input_size - 1));
  }

  std::int64_t nearest(std::int64_t o, Rounding rounding) const noexcept {
    const float x = coordinate(o);
    // Inside the input, truncation is floor.
    if (rounding == Rounding::half_up) return static_cast<std::int64_t>(clamp(x + 0.5f));
    if (rounding == Rounding::down) return static_cast<std::int64_t>(clamp(x));
    const double inside = clamp(x);
    const auto below = static_cast<std::int64_t>(inside);
    return below + (static_cast<double>(below) < inside ? 1 : 0);
  }

  Neighbors neighbors(std::int64_t o) const noexcept {
    const double x = clamp(coordinate(o));
    const auto index = static_cast<std::int64_t>(x);
    return {index, static_cast<float>(x - static_cast<double>(index))};
  }

  // The triangle is 1 / scale wide on each side where that is more than 1, ordinary elsewhere. One
  // that misses the input altogether becomes the nearest edge.
  Triangle triangle(std::int64_t o) const noexcept;
};

}  // namespace weft::ops
