#include "reference/range.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "support/number.h"

namespace weft::reference {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Half the smallest subnormal: what rounding costs where numbers get no closer.
double half_smallest(DataType type) {
  if (type == DataType::float16) return 0x1p-25;
  return type == DataType::float32 ? 0x1p-150 : 0;
}

double largest(DataType type) {
  if (type == DataType::float16) return 65504;
  return type == DataType::float32 ? double{FLT_MAX} : DBL_MAX;
}

// Half a unit costs `half_units` = 1.
Range widened(Range x, DataType type, double half_units) {
  const auto step = [&](double v) {
    return std::isfinite(v)
               ? std::fabs(v) * testing::unit_roundoff(type) * half_units + half_smallest(type)
               : 0;
  };
  // An infinity in the operands is not an overflow.
  const auto too_large = [&](double v) { return std::isfinite(v) && std::fabs(v) > largest(type); };
  const bool overflow = too_large(x.low) || too_large(x.high);
  return {x.low - step(x.low), x.high + step(x.high), x.may_overflow || overflow};
}

Range of_corners(std::initializer_list<double> corners, bool may_overflow) {
  Range result{HUGE_VAL, -HUGE_VAL, may_overflow};
  for (const double x : corners) {
    if (std::isnan(x)) return {kNan, kNan, may_overflow};
    result.low = std::min(result.low, x);
    result.high = std::max(result.high, x);
  }
  return widened(result, DataType::float32, 1);
}

}  // namespace

Range rounded(Range x, DataType type) { return widened(x, type, 1); }

Range operator+(Range a, Range b) {
  return of_corners({a.low + b.low, a.high + b.high}, a.may_overflow || b.may_overflow);
}

Range operator-(Range a, Range b) {
  return of_corners({a.low - b.high, a.high - b.low}, a.may_overflow || b.may_overflow);
}

Range operator*(Range a, Range b) {
  return of_corners({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high},
                    a.may_overflow || b.may_overflow);
}

Range operator/(Range a, Range b) {
  return of_corners({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high},
                    a.may_overflow || b.may_overflow);
}

Range increasing(Range x, double (*f)(double)) {
  const double low = f(x.low);
  const double high = f(x.high);
  const bool overflow = std::isinf(high) && std::isfinite(x.high);
  const Range result{low, high, x.may_overflow || overflow};
  return std::isinf(x.low) && x.low == x.high ? result : widened(result, DataType::float32, 8);
}

Range hull(Range a, Range b) {
  const bool may_overflow = a.may_overflow || b.may_overflow;
  if (a.is_nan() || b.is_nan()) return {kNan, kNan, may_overflow};
  return {std::min(a.low, b.low), std::max(a.high, b.high), may_overflow};
}

void Sum::add(double a, double b) {
  const double product = a * b;
  value_ += product;
  if (std::isfinite(product)) magnitude_ += std::fabs(product);
  ++terms_;
}

Range Sum::range(DataType type, std::int64_t roundings) const {
  // The reference's own sum in double errs likewise.
  const double u = testing::unit_roundoff(type) + 0x1p-53;
  const auto n = static_cast<double>(roundings);
  const bool may_overflow = magnitude_ * (1 + n * u) > largest(type);
  if (!std::isfinite(value_)) return {value_, value_, may_overflow};
  const double bound =
      n * u / (1 - n * u) * magnitude_ + static_cast<double>(terms_) * half_smallest(type);
  return {value_ - bound, value_ + bound, may_overflow};
}

}  // namespace weft::reference
