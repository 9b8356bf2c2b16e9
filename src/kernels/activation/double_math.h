#pragma once

// exp, expm1, log1p and erfc in double for results that are rounded to float32: relative error
// below 1e-10, 0.002 float32 ulp. Plain arithmetic without branches or calls, so that the compiler
// vectorises loops over them at every instruction set, and each lane gets the bits that scalar code
// gets. NaN stays NaN.

#include <cstdint>

namespace weft::kernels::WEFT_ISA {

namespace {

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
  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum.
  constexpr double kRound = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep+0 + kRound;
  const double exponent = shifted - kRound;
  // ln 2 in two parts; the first ends in enough zeros for its product to be exact.
  const double r = (x - exponent * 0x1.62e42fefap-1) - exponent * 0x1.cf79abc9e3b3ap-40;
  // The Taylor series; what is left out is below r^9 / 10! = 2e-11 of the sum.
  double p = 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 1.0 / 2;
  p = p * r + 1.0;
  const auto bits = __builtin_bit_cast(std::uint64_t, shifted) + 1023;
  return {__builtin_bit_cast(double, bits << 52), p * r};
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

// 0 <= x <= 1. ln(1 + x) = 2 artanh(s), s = x / (x + 2) <= 1/3: its odd series up to s^19.
inline double log1p(double x) {
  const double s = x / (x + 2);
  const double q = s * s;
  double p = 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  return 2 * s * p;
}

// ln(1 + exp(z)), without overflow.
inline double softplus(double z) {
  const double magnitude = z < 0 ? -z : z;
  return (z < 0 ? 0 : z) + log1p(exp(-magnitude));
}

// The complementary error function of sqrt(square), 0 where it is below 1e-304.
//
// erfc(t) = exp(-t^2) g(y) / (t + 3), y = (t - 3) / (t + 3); g is smooth on [-1, 1]. The
// coefficients interpolate it in 15 Chebyshev nodes; the relative error is below 3e-11.
inline double erfc_of_root(double square) {
  const double t = __builtin_sqrt(square);
  const double far = t > 1e9 ? 1e9 : t;
  const double y = (far - 3) / (far + 3);
  double g = 1.5926085931520599e-06;
  g = g * y + -2.3877416121346564e-06;
  g = g * y + -1.5877112461263701e-05;
  g = g * y + 2.7416000208783467e-05;
  g = g * y + 0.00010640301483893683;
  g = g * y + -0.00027468342705484853;
  g = g * y + -0.00054784889912108767;
  g = g * y + 0.0030332443806817839;
  g = g * y + -0.0012125118039340535;
  g = g * y + -0.026827067561218595;
  g = g * y + 0.11952777002027494;
  g = g * y + -0.31046727713475425;
  g = g * y + 0.59022835687084274;
  g = g * y + -0.8833944527643649;
  g = g * y + 1.0740069070883438;
  const double result = exp(-square) * g / (far + 3);
  return square > 700 ? 0 : result;
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
