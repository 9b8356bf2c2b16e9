#include <cstddef>
#include <cstdint>

#include "kernels/activation/activation_levels.h"
#include "kernels/activation/double_math.h"
#include "kernels/one_nan.h"

// Every comparison is written so that NaN takes the branch that keeps it. What needs more than one
// rounding is computed in double, where a product of two floats is exact, and rounded once: the
// same bits at every instruction set, with or without fused multiply-add.

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class Function>
inline void each(float* row, int64_t count, Function f) {
  for (int64_t i = 0; i < count; ++i) row[i] = f(row[i]);
}

// The same for functions of a double.
template <class Function>
inline void each_double(float* row, int64_t count, Function f) {
  for (int64_t i = 0; i < count; ++i) {
    row[i] = one_nan(static_cast<float>(f(static_cast<double>(row[i]))));
  }
}

}  // namespace

void clip_row(float* row, int64_t count, float alpha, float beta) noexcept {
  each(row, count, [=](float x) {
    const float raised = x < alpha ? alpha : x;
    return raised > beta ? beta : raised;
  });
}

void leaky_relu_row(float* row, int64_t count, float alpha, float) noexcept {
  each(row, count, [=](float x) {
    const float scaled = alpha * x;
    return x >= 0 ? x : scaled;
  });
}

void relu_row(float* row, int64_t count, float, float) noexcept {
  each(row, count, [](float x) { return x < 0 ? 0.0f : x; });
}

void thresholded_relu_row(float* row, int64_t count, float alpha, float) noexcept {
  each(row, count, [=](float x) { return x <= alpha ? 0.0f : x; });
}

void shrink_row(float* row, int64_t count, float bias, float threshold) noexcept {
  each(row, count, [=](float x) {
    const float lowered = x - bias;
    const float raised = x + bias;
    const float inside = x == x ? 0.0f : x;
    const float rest = x < -threshold ? raised : inside;
    return x > threshold ? lowered : rest;
  });
}

void linear_row(float* row, int64_t count, float alpha, float beta) noexcept {
  each_double(row, count, [a = double{alpha}, b = double{beta}](double x) { return a * x + b; });
}

void hard_sigmoid_row(float* row, int64_t count, float alpha, float beta) noexcept {
  each_double(row, count,
              [a = double{alpha}, b = double{beta}](double x) { return clamp(a * x + b, 0, 1); });
}

void softsign_row(float* row, int64_t count, float, float) noexcept {
  each_double(row, count, [](double x) { return x / (1 + __builtin_fabs(x)); });
}

void elu_row(float* row, int64_t count, float alpha, float) noexcept {
  each_double(row, count, [a = double{alpha}](double x) {
    const double below = a * expm1(x);
    return x >= 0 ? x : below;
  });
}

void celu_row(float* row, int64_t count, float alpha, float) noexcept {
  each_double(row, count, [a = double{alpha}](double x) {
    const double below = a * expm1(x / a);
    return (x < 0 ? 0 : x) + (below > 0 ? 0 : below);
  });
}

void scaled_elu_row(float* row, int64_t count, float alpha, float gamma) noexcept {
  each_double(row, count, [a = double{alpha}, g = double{gamma}](double x) {
    const double above = g * x;
    const double below = g * a * expm1(x);
    return x > 0 ? above : below;
  });
}

void scaled_tanh_row(float* row, int64_t count, float alpha, float beta) noexcept {
  each_double(row, count, [a = double{alpha}, b = 2 * double{beta}](double x) {
    const double power = expm1(b * x);
    return a * (power / (power + 2));
  });
}

void tanh_row(float* row, int64_t count, float, float) noexcept {
  scaled_tanh_row(row, count, 1, 1);
}

void sigmoid_row(float* row, int64_t count, float, float) noexcept {
  each_double(row, count, [](double x) {
    const double power = exp(x);
    return power / (1 + power);
  });
}

void parametric_softplus_row(float* row, int64_t count, float alpha, float beta) noexcept {
  each_double(row, count,
              [a = double{alpha}, b = double{beta}](double x) { return a * softplus(b * x); });
}

void softplus_row(float* row, int64_t count, float steepness, float) noexcept {
  each_double(row, count, [s = double{steepness}, inverse = 1 / double{steepness}](double x) {
    return softplus(s * x) * inverse;
  });
}

// x Phi(x), Phi(x) = erfc(-x / sqrt 2) / 2, which keeps its relative accuracy far below 0.
void gelu_row(float* row, int64_t count, float, float) noexcept {
  each_double(row, count, [](double x) {
    constexpr double kRootOfHalf = 0.70710678118654752;
    const double tail = erfc(__builtin_fabs(x) * kRootOfHalf) / 2;
    const double head = 1 - tail;
    return x * (x > 0 ? head : tail);
  });
}

}  // namespace weft::kernels::WEFT_ISA
