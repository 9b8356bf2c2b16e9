#pragma once

// exp, expm1, log1p and erfc in double for results that are rounded to float32: relative error
// below 1e-10, 0.002 float32 ulp. Plain arithmetic without branches or calls, so that the compiler
// vectorises loops over them at every instruction set, and each lane gets the bits that scalar code
// gets. NaN stays NaN.

#include <cstdint>

namespace weft::kernels::WEFT_ISA {

namespace {

// Polynomials in terms that wait for each other as little as possible: long chains would keep a
// processor's queue full of what cannot start. c0 + c1 x + ...; x2 is x^2, x4 is x^4.
inline double cubic(double c0, double c1, double c2, double c3, double x, double x2) {
  return (c3 * x + c2) * x2 + (c1 * x + c0);
}
inline double sextic(double c0, double c1, double c2, double c3, double c4, double c5, double c6,
                     double x, double x2) {
  return (c6 * x2 + (c5 * x + c4)) * (x2 * x2) + cubic(c0, c1, c2, c3, x, x2);
}

inline double clamp(double x, double low, double high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// x = exponent * ln 2 + rest with |rest| <= ln 2 / 2.
struct Reduced {
  double power;  // 2^exponent
  double expm1;  // exp(rest) - 1
};

// |x| <= 708, so that 2^exponent is a normal number.
inline Reduced reduce(double x) {
  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum, here with
  // the bias of a double's exponent. Of the product with ln 2 at most 708 * 2^-53 is lost.
  constexpr double kRound = 0x1.8p52 + 1023;
  const double shifted = x * 0x1.71547652b82fep+0 + kRound;
  const double r = x - (shifted - kRound) * 0x1.62e42fefa39efp-1;
  // exp(r) = 1 + r + r^2 q; q interpolates in 7 Chebyshev nodes, an error of 1e-11 of exp(r) - 1.
  const double r2 = r * r;
  const double q =
      sextic(0.5, 0.16666666719028936, 0.04166666671901226, 0.00833329846980059,
             0.001388885403566671, 0.00019899285575896282, 2.4859589834589056e-05, r, r2);
  const auto bits = __builtin_bit_cast(std::uint64_t, shifted);
  return {__builtin_bit_cast(double, bits << 52), q * r2 + r};
}

// Between 1e-307 and 1e307, where float32 has long been at 0 or infinity.
inline double exp(double x) {
  const Reduced r = reduce(clamp(x, -708, 708));
  return r.power * r.expm1 + r.power;
}

// Keeps its relative accuracy around 0, and the sign of 0.
inline double expm1(double x) {
  const Reduced r = reduce(clamp(x, -708, 708));
  return r.power * r.expm1 + (r.power - 1);
}

// 0 <= x <= 1. ln(1 + x) = 2 artanh(s), s = x / (x + 2) <= 1/3: artanh(s) / s interpolated in 7
// Chebyshev nodes of s^2, an error of 3e-12.
inline double log1p(double x) {
  const double s = x / (x + 2);
  const double q = s * s;
  const double p =
      sextic(1.000000000002433, 0.33333333118960873, 0.2000003071060397, 0.14284072879100546,
             0.11152563692791477, 0.08561268333645095, 0.1093028415715348, q, q * q);
  return 2 * s * p;
}

// ln(1 + exp(z)), without overflow.
inline double softplus(double z) {
  const double magnitude = z < 0 ? -z : z;
  return (z < 0 ? 0 : z) + log1p(exp(-magnitude));
}

// The complementary error function, t >= 0; 0 where it is below 1e-304.
//
// erfc(t) = exp(-t^2) g(y) / (t + 3), y = (t - 3) / (t + 3); g is smooth on [-1, 1]. The
// coefficients interpolate it in 15 Chebyshev nodes; the relative error is below 3e-11.
inline double erfc(double t) {
  const double far = t > 1e9 ? 1e9 : t;
  const double inverse = 1 / (far + 3);
  const double y = (far - 3) * inverse;
  const double y2 = y * y, y4 = y2 * y2;
  const double high =
      sextic(-0.00054784889912108767, -0.00027468342705484853, 0.00010640301483893683,
             2.7416000208783467e-05, -1.5877112461263701e-05, -2.3877416121346564e-06,
             1.5926085931520599e-06, y, y2);
  const double middle = cubic(0.11952777002027494, -0.026827067561218595, -0.0012125118039340535,
                              0.0030332443806817839, y, y2);
  const double low = cubic(1.0740069070883438, -0.8833944527643649, 0.59022835687084274,
                           -0.31046727713475425, y, y2);
  const double g = high * (y4 * y4) + (middle * y4 + low);
  const double square = t * t;
  const double result = exp(-square) * g * inverse;
  return square > 700 ? 0 : result;
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
