#include "reference/activation.h"

#include <algorithm>
#include <cmath>

namespace weft::reference {

namespace {

Range number(double x) { return Range::exactly(x); }

Range maximum(Range a, Range b) {
  if (a.is_nan() || b.is_nan()) return hull(a, b);
  return {std::max(a.low, b.low), std::max(a.high, b.high), a.may_overflow || b.may_overflow};
}

Range minimum(Range a, Range b) {
  if (a.is_nan() || b.is_nan()) return hull(a, b);
  return {std::min(a.low, b.low), std::min(a.high, b.high), a.may_overflow || b.may_overflow};
}

Range magnitude(Range x) {
  const double a = std::fabs(x.low);
  const double b = std::fabs(x.high);
  return {x.low <= 0 && x.high >= 0 ? 0 : std::min(a, b), std::max(a, b), x.may_overflow};
}

double exponential_less_one(double x) { return std::expm1(x); }
double hyperbolic_tangent(double x) { return std::tanh(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
// The normal distribution, (1 + erf(x / sqrt 2)) / 2 without its cancellation.
double normal(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// f on the part of x where x > edge (x >= edge if `edge_is_above`), g on the rest.
template <class Above, class Below>
Range split(Range x, double edge, bool edge_is_above, Above f, Below g) {
  const bool any_above = edge_is_above ? x.high >= edge : x.high > edge;
  const bool any_below = edge_is_above ? x.low < edge : x.low <= edge;
  if (!any_below) return f(x);
  if (!any_above) return g(x);
  return hull(f({edge, x.high, x.may_overflow}), g({x.low, edge, x.may_overflow}));
}

Range formula(OperatorType type, Range x, double alpha, double beta) {
  const Range a = number(alpha);
  const Range b = number(beta);
  const auto itself = [](Range v) { return v; };
  const auto zero = [](Range) { return number(0); };
  using enum OperatorType;
  switch (type) {
    case element_wise_clip:
      return minimum(b, maximum(a, x));
    case activation_elu:
      return split(x, 0, true, itself,
                   [&](Range v) { return a * increasing(v, exponential_less_one); });
    case activation_celu:
      // For x >= 0 the second term is 0, whatever the sign of Alpha.
      return split(x, 0, true, itself, [&](Range v) {
        return minimum(number(0), a * increasing(v / a, exponential_less_one));
      });
    case activation_hard_sigmoid:
      return maximum(number(0), minimum(a * x + b, number(1)));
    case activation_leaky_relu:
      return split(x, 0, true, itself, [&](Range v) { return a * v; });
    case activation_linear:
      return a * x + b;
    case activation_parametric_softplus:
      return a * increasing(b * x, softplus);
    case activation_relu:
      return maximum(number(0), x);
    case activation_scaled_elu:
      return split(
          x, 0, false, [&](Range v) { return b * v; },
          [&](Range v) { return b * (a * increasing(v, exponential_less_one)); });
    case activation_scaled_tanh:
      return a * increasing(b * x, hyperbolic_tangent);
    case activation_sigmoid:
      return increasing(x, sigmoid);
    case activation_softplus:
      return increasing(a * x, softplus) / a;
    case activation_softsign:
      return x / (number(1) + magnitude(x));
    case activation_tanh:
      return increasing(x, hyperbolic_tangent);
    case activation_thresholded_relu:
      return split(x, alpha, false, itself, zero);
    case activation_shrink: {
      const auto inner = [&](Range v) {
        return split(v, -beta, true, zero, [&](Range w) { return w + a; });
      };
      return split(
          x, beta, false, [&](Range v) { return v - a; }, inner);
    }
    case activation_gelu:
      return x * increasing(x, normal);
    default:  // ELEMENT_WISE_IDENTITY, ACTIVATION_IDENTITY
      return x;
  }
}

}  // namespace

Expected apply(const Activation& activation, Range x) {
  const bool nan = x.is_nan();
  if (activation.scale_bias) {
    x = x * number(activation.scale_bias->scale) + number(activation.scale_bias->bias);
  }
  if (x.is_nan()) return within(x);
  const bool identity = activation.type == OperatorType::activation_identity ||
                        activation.type == OperatorType::element_wise_identity;
  Expected result = within(formula(activation.type, x, activation.alpha, activation.beta));
  // An overflow ends up anywhere in the function's range, and infinite x may leave it no value.
  result.anything = (x.may_overflow && !identity) || (!nan && result.range.is_nan());
  return result;
}

}  // namespace weft::reference
