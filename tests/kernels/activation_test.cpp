#include "kernels/activation/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include "base/cpu.h"
#include "kernels/half.h"
#include "weft/activation.h"

namespace weft::kernels {
namespace {

using enum OperatorType;
using Real = long double;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

Real softplus(Real z) { return std::max<Real>(z, 0) + std::log1p(std::exp(-std::fabs(z))); }

// The formulas of weft/activation.h in long double, rearranged only where they would overflow or
// cancel.
Real formula(OperatorType type, Real x, Real a, Real b) {
  switch (type) {
    case element_wise_clip:
      return std::min(b, std::max(a, x));
    case activation_elu:
      return x >= 0 ? x : a * std::expm1(x);
    case activation_celu:
      return std::max<Real>(0, x) + std::min<Real>(0, a * std::expm1(x / a));
    case activation_hard_sigmoid:
      return std::max<Real>(0, std::min<Real>(a * x + b, 1));
    case activation_leaky_relu:
      return x >= 0 ? x : a * x;
    case activation_linear:
      return a * x + b;
    case activation_parametric_softplus:
      return a * softplus(b * x);
    case activation_relu:
      return std::max<Real>(0, x);
    case activation_scaled_elu:
      return x > 0 ? b * x : b * a * std::expm1(x);
    case activation_scaled_tanh:
      return a * std::tanh(b * x);
    case activation_sigmoid:
      return 1 / (1 + std::exp(-x));
    case activation_softplus:
      return softplus(a * x) / a;
    case activation_softsign:
      return x / (1 + std::fabs(x));
    case activation_tanh:
      return std::tanh(x);
    case activation_thresholded_relu:
      return x > a ? x : 0;
    case activation_shrink:
      return x > b ? x - a : x < -b ? x + a : 0;
    case activation_gelu:
      return x * std::erfc(-x / std::sqrt(Real{2})) / 2;
    default:
      ADD_FAILURE() << "no formula for " << name(type);
      return 0;
  }
}

struct Case {
  OperatorType type;
  double bound;  // the promise: float32 ulp between the result and the formula
  float alpha = 0;
  float beta = 0;
};

// 0.5 is correct rounding; what is computed in double loses a little more.
constexpr double kExact = 0;
constexpr double kRounded = 0.5001;
constexpr double kDouble = 0.51;

const Case cases[] = {
    {element_wise_clip, kExact, -1, 6},
    {element_wise_clip, kExact, -kInfinity, 2.5f},
    {element_wise_clip, kExact, 3, -3},  // Min > Max: Max
    {activation_elu, kDouble, 1},
    {activation_elu, kDouble, -0.3f},
    {activation_elu, kDouble, 3e38f},
    {activation_celu, kDouble, 1},
    {activation_celu, kDouble, 0.01f},
    {activation_celu, kDouble, -2},
    {activation_celu, kDouble, kDenormal},
    {activation_celu, kDouble, 3e38f},
    {activation_hard_sigmoid, kDouble, 0.2f, 0.5f},
    {activation_hard_sigmoid, kDouble, -3, 0.1f},
    {activation_leaky_relu, kRounded, 0.01f},
    {activation_leaky_relu, kRounded, -7},
    {activation_linear, kRounded, 1.7f, -0.3f},
    {activation_linear, kRounded, 1e-30f, 1e-38f},
    {activation_parametric_softplus, kDouble, 1, 1},
    {activation_parametric_softplus, kDouble, -2.5f, 0.3f},
    {activation_parametric_softplus, kDouble, 1e30f, -4},
    {activation_parametric_softplus, kDouble, 3, 3e38f},
    {activation_relu, kExact},
    {activation_scaled_elu, kDouble, 1.6732632f, 1.050701f},
    {activation_scaled_elu, kDouble, -2, 1e-40f},
    {activation_scaled_tanh, kDouble, 1, 0.5f},
    {activation_scaled_tanh, kDouble, -1.7159f, 1e30f},
    {activation_sigmoid, kDouble},
    {activation_softplus, kDouble, 1},
    {activation_softplus, kDouble, 0.01f},
    {activation_softplus, kDouble, kDenormal},
    {activation_softplus, kDouble, 3e38f},
    {activation_softsign, kDouble},
    {activation_tanh, kDouble},
    {activation_thresholded_relu, kExact, 1},
    {activation_thresholded_relu, kExact, -2},
    {activation_shrink, kRounded, 0, 0.5f},
    {activation_shrink, kRounded, 0.3f, 1},
    {activation_shrink, kRounded, 2, -1},
    {activation_gelu, kDouble},
};

// Bit patterns evenly over the whole float range, dense around the places where functions bend, and
// the special values.
std::vector<float> sweep() {
  std::vector<float> values = {0.0f, -0.0f, kInfinity, -kInfinity, kNan, kDenormal, -kDenormal};
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 40009) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (int i = -40000; i <= 40000; ++i) values.push_back(static_cast<float>(i) * 0.0031f);
  return values;
}

// Distance in units of the float spacing at `right`; 0 where both round to the same float.
double ulp_error(float value, Real right) {
  const float rounded = static_cast<float>(right);
  if (value == rounded) {
    if (!std::isfinite(rounded)) return 0;
  } else if (!std::isfinite(value) || !std::isfinite(rounded)) {
    return std::isnan(value) && std::isnan(rounded) ? 0 : HUGE_VAL;
  }
  int exponent = 0;
  std::frexp(right, &exponent);
  const Real spacing = std::ldexp(Real{1}, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<Real>(value) - right) / spacing);
}

const ActivationKernel& base_row(OperatorType type) {
  const auto table = activation_kernel_table();
  return *std::find_if(table.begin(), table.end(), [&](const ActivationKernel& row) {
    return row.isa == Isa::base && row.type == type;
  });
}

void expect_error_bounds(const std::vector<float>& inputs) {
  for (const Case& c : cases) {
    std::vector<float> row = inputs;
    base_row(c.type).function(row.data(), std::ssize(row), c.alpha, c.beta);
    double worst = 0;
    float where = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::isnan(inputs[i])) {
        EXPECT_TRUE(std::isnan(row[i])) << name(c.type);
        continue;
      }
      const double error = ulp_error(row[i], formula(c.type, inputs[i], c.alpha, c.beta));
      if (error > worst) {
        worst = error;
        where = inputs[i];
      }
    }
    EXPECT_LE(worst, c.bound) << name(c.type) << " alpha " << c.alpha << " beta " << c.beta
                              << " at " << where;
  }
}

TEST(Activation, KeepsItsErrorBoundOverTheWholeRange) { expect_error_bounds(sweep()); }

TEST(Activation, KeepsItsErrorBoundForEveryFloat16) {
  std::vector<float> inputs;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    inputs.push_back(widen_half(static_cast<std::uint16_t>(bits)));
  }
  expect_error_bounds(inputs);
}

TEST(Activation, HasTheSameBitsAtEveryInstructionSet) {
  const std::vector<float> inputs = sweep();
  for (const ActivationKernel& kernel : activation_kernel_table()) {
    if (!base::machine_has(kernel.isa)) {
      std::cout << kernel.name << " skipped: this machine cannot run it\n";
      continue;
    }
    for (const Case& c : cases) {
      if (c.type != kernel.type) continue;
      std::vector<float> row = inputs;
      std::vector<float> right = inputs;
      kernel.function(row.data(), std::ssize(row), c.alpha, c.beta);
      base_row(c.type).function(right.data(), std::ssize(right), c.alpha, c.beta);
      for (std::size_t i = 0; i < row.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(row[i]), std::bit_cast<std::uint32_t>(right[i]))
            << kernel.name << " at " << inputs[i];
      }
    }
  }
}

TEST(Activation, DoesNotDependOnThePositionInTheRow) {
  std::vector<float> inputs(67);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = 0.37f * static_cast<float>(i) - 12.5f;
    if (i % 5 == 0) inputs[i] = i % 2 == 0 ? kNan : -kNan;
    if (i % 7 == 0) inputs[i] = i % 2 == 0 ? HUGE_VALF : -HUGE_VALF;
  }
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  for (const ActivationKernel& kernel : activation_kernel_table()) {
    if (!base::machine_has(kernel.isa)) continue;
    std::vector<float> whole = inputs;
    kernel.function(whole.data(), std::ssize(whole), 1, 0.5f);
    for (std::size_t count = 0; count <= 35; ++count) {
      for (std::size_t start : {0u, 1u, 3u, 31u}) {
        std::vector<float> part = inputs;
        kernel.function(part.data() + start, static_cast<std::int64_t>(count), 1, 0.5f);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const bool inside = i >= start && i < start + count;
          ASSERT_EQ(bits(part[i]), bits(inside ? whole[i] : inputs[i]))
              << kernel.name << ' ' << count;
        }
      }
    }
  }
}

TEST(Activation, IsFoundForEveryFusableTypeButIdentity) {
  for (const OperatorType type : all_operator_types()) {
    const bool wanted = is_fusable(type) && type != activation_identity;
    EXPECT_EQ(activation_kernel(type, Isa::base) != nullptr, wanted) << name(type);
  }
}

TEST(Activation, TakesTheBestAllowedRow) {
  const auto table = activation_kernel_table();
  for (const ActivationKernel& row : table) {
    EXPECT_EQ(activation_kernel(row.type, row.isa), &row) << row.name;
  }
}

}  // namespace
}  // namespace weft::kernels
