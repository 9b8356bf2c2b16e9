#include "reference/element_wise.h"

#include <algorithm>
#include <cmath>

#include "reference/activation.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::reference {

namespace {

// Toward zero, and to the nearest limit beyond the type's limits.
template <class Real>
testing::Integer to_integer(DataType type, Real x) {
  const auto low = static_cast<Real>(testing::lowest(type));
  const auto high = static_cast<Real>(testing::highest(type));
  if (std::isnan(x)) return 0;
  if (x <= low) return testing::lowest(type);
  if (x >= high) return testing::highest(type);
  return static_cast<testing::Integer>(x);
}

// The four functions that integers have.
template <class Real>
Real formula(const Activation& f, Real x) {
  if (f.scale_bias) x = x * Real{f.scale_bias->scale} + Real{f.scale_bias->bias};
  switch (f.type) {
    case OperatorType::element_wise_clip:
      return std::min<Real>(f.beta, std::max<Real>(f.alpha, x));
    case OperatorType::activation_relu:
      return std::max<Real>(0, x);
    case OperatorType::activation_shrink:
      if (x > f.beta) return x - f.alpha;
      return x < -f.beta ? x + f.alpha : 0;
    default:
      return x;
  }
}

// Computed in double, which 64-bit types need not: they have bounds only, and 64 bits of fraction
// hold those and the elements exactly.
testing::Integer integer_result(const Activation& f, DataType type, const std::byte* at) {
  const testing::Integer x = testing::read_integer(type, at);
  if (byte_size(type) == 8) {
    return to_integer(type, formula(f, static_cast<long double>(x)));
  }
  return to_integer(type, formula(f, static_cast<double>(x)));
}

}  // namespace

ExpectedTensor element_wise(const ElementWiseParams& params, const std::byte* input) {
  const Activation& f = params.function;
  const DataType type = params.input.data_type;
  ExpectedTensor result;
  testing::for_each_element(params.input, [&](const testing::Coordinate&, std::int64_t offset) {
    const std::byte* at = input + offset;
    if (f.type == OperatorType::element_wise_identity && !f.scale_bias) {
      result.push_back(exact_bits(testing::read_bits(type, at)));
    } else if (testing::is_float(type)) {
      result.push_back(apply(f, Range::exactly(testing::read_real(type, at))));
    } else {
      result.push_back(exact_bits(testing::low_bits(type, integer_result(f, type, at))));
    }
  });
  return result;
}

}  // namespace weft::reference
