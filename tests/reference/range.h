#pragma once

#include <cstdint>

#include "weft/data_type.h"

namespace weft::reference {

// The numbers that a float32 (or float64) evaluation of a formula may give: arithmetic on ranges
// widens by half a unit in the last place an operation, so a range's width follows from the number
// of operations, their operands and the type's epsilon.
//
// A range of NaN is NaN. An operation that may pass the largest number of the type sets
// `may_overflow`: anything that is not finite is then right as well.
struct Range {
  double low = 0;
  double high = 0;
  bool may_overflow = false;

  static Range exactly(double x) { return {x, x}; }
  bool is_nan() const { return low != low || high != high; }
};

// `x` widened by one rounding to `type`.
Range rounded(Range x, DataType type);

// Operations in float32.
Range operator+(Range a, Range b);
Range operator-(Range a, Range b);
Range operator*(Range a, Range b);
Range operator/(Range a, Range b);

// An increasing function of the library, right to 4 units in the last place of float32.
Range increasing(Range x, double (*f)(double));

// Both at once: what either may give. A NaN on one side makes the whole NaN.
Range hull(Range a, Range b);

// A dot product in any order: sum of a * b, with the number of terms and the sum of |a * b| over
// the finite ones.
class Sum {
 public:
  void add(double a, double b);
  void add(double x) { add(x, 1); }

  double value() const { return value_; }
  double magnitude() const { return magnitude_; }
  std::int64_t terms() const { return terms_; }

  // |computed - value| <= gamma(roundings) * magnitude, gamma(n) = n u / (1 - n u), u half an
  // epsilon of `type`; `roundings` is what one term goes through, by default its product and all
  // additions. Source: Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.
  Range range(DataType type) const { return range(type, terms_ + 1); }
  Range range(DataType type, std::int64_t roundings) const;

 private:
  double value_ = 0;
  double magnitude_ = 0;
  std::int64_t terms_ = 0;
};

}  // namespace weft::reference
