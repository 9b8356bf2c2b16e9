#include "ops/resample_axis.h"

namespace weft::ops {

Triangle ResampleAxis::triangle(std::int64_t o) const noexcept {
  Triangle result{coordinate(o), 1, 0, 0, 0};
  if (scale > 0 && scale < 1) {
    result.slope = scale;
  } else {
    result.center = clamp(result.center);
  }
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
