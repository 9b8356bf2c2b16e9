#include "ops/resample_axis.h"

namespace weft::ops {

Triangle ResampleAxis::triangle(std::int64_t o) const noexcept {
  if (!(scale > 0 && scale < 1)) {
    const Neighbors n = neighbors(o);
    return {static_cast<double>(n.index) + n.t, 1, n.index, n.index + (n.t > 0 ? 1 : 0), 1};
  }
  double center = coordinate(o);
  if (std::isinf(center)) {
    // A denormal scale takes the quotient past float32, but its triangle is as wide as it is far.
    center = (static_cast<double>(static_cast<float>(o)) - output_pixel_offset) / scale -
             input_pixel_offset;
  }
  Triangle result{center, scale, 0, 0, 0};
  const double reach = 1 / result.slope;
  result.begin = static_cast<std::int64_t>(clamp(result.center - reach));
  result.end = static_cast<std::int64_t>(std::ceil(clamp(result.center + reach)));
  while (result.begin <= result.end && result.weight(result.begin) <= 0) ++result.begin;
  while (result.begin <= result.end && result.weight(result.end) <= 0) --result.end;
  if (result.begin > result.end) {
    const auto edge = static_cast<std::int64_t>(clamp(result.center));
    return {static_cast<double>(edge), 1, edge, edge, 1};
  }
  for (std::int64_t k = result.begin; k <= result.end; ++k) result.sum += result.weight(k);
  return result;
}

}  // namespace weft::ops
