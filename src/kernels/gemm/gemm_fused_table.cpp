// Fused multiply-adds for levels that have no instruction for them: by the C library, which finds
// out whether the processor has one after all, and computes the same by hand where not.

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_shape.h"
#include "kernels/gemm/strips.h"
#include "kernels/one_nan.h"

namespace weft::kernels {

namespace {

using std::size_t;

constexpr GemmShape shape = kGemmShapebase;

float finished(float sum, const Ramp* bent) {
  const float x = one_nan(sum);
  return bent != nullptr ? ramp(x, *bent) : x;
}

template <size_t kPositions, size_t kVectors>
void multiply(const GemmTile& tile) noexcept {
  constexpr size_t kColumns = kVectors * static_cast<size_t>(shape.lanes);
  for (size_t m = 0; m < kPositions; ++m) {
    float* acc = tile.acc + static_cast<std::int64_t>(m) * tile.acc_stride;
    for (size_t n = 0; n < kColumns; ++n) {
      float sum = tile.first || tile.apart ? 0.0f : acc[n];
      for (std::int64_t k = 0; k < tile.depth; ++k) {
        const GemmTerm& term = tile.terms[k];
        sum = std::fma(tile.a[term.a + static_cast<std::int64_t>(m) * tile.a_step],
                       tile.b[term.b + static_cast<std::int64_t>(n)], sum);
      }
      if (tile.apart) sum += acc[n];
      if (tile.bias != nullptr) sum += tile.bias[tile.bias_of_positions ? m : n];
      acc[n] = finished(sum, tile.ramp);
    }
  }
}

template <size_t kPositions, size_t kVectors>
void multiply_strips(const GemmStrips& strips) noexcept {
  constexpr size_t kColumns = kVectors * static_cast<size_t>(shape.lanes);
  const std::int64_t first_depth = strips.depth - (strips.bias_terms ? kGemmBiasTerms : 0);
  for (std::int64_t i = 0; i < strips.count; ++i) {
    const GemmPlace& place = strips.places[i];
    for (size_t m = 0; m < kPositions; ++m) {
      float* to = strips.sums + place.sums + static_cast<std::int64_t>(m) * strips.sums_stride;
      for (size_t n = 0; n < kColumns; ++n) {
        const auto add = [&](std::int64_t k, float sum) {
          const GemmTerm& term = strips.terms[k];
          return std::fma(strips.a[term.a + static_cast<std::int64_t>(m)],
                          strips.b[place.b + term.b + static_cast<std::int64_t>(n)], sum);
        };
        float sum = 0, last = strips.bias != nullptr ? strips.bias[m] : 0;
        for (std::int64_t k = 0; k < first_depth; ++k) sum = add(k, sum);
        for (std::int64_t k = first_depth; k < strips.depth; ++k) last = add(k, last);
        if (strips.bias != nullptr) sum += last;
        to[n] = finished(sum, strips.ramp);
      }
    }
  }
}

template <size_t kVectors>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmFunction, sizeof...(m)>{multiply<m + 1, kVectors>...};
}
(std::make_index_sequence<static_cast<size_t>(shape.max_positions[kVectors - 1])>());

GemmFunction function(std::int64_t vectors, std::int64_t positions,
                      std::int64_t /*a_step*/) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  return vectors == 2 ? functions<2>[m] : functions<1>[m];  // the widths of the base level
}

template <size_t kVectors>
constexpr auto strips_functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmStripsFunction, sizeof...(m)>{multiply_strips<m + 1, kVectors>...};
}
(std::make_index_sequence<static_cast<size_t>(shape.max_positions[kVectors - 1])>());

GemmStripsFunction strips_function(std::int64_t vectors, std::int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  return vectors == 2 ? strips_functions<2>[m] : strips_functions<1>[m];
}

void add_scaled_row(float factor, const float* x, float* acc, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) acc[i] = std::fma(factor, x[i], acc[i]);
}

}  // namespace

const GemmKernel& fused_gemm_kernel(Isa isa) noexcept {
  const GemmKernel& plain = gemm_kernel(isa);
  if (plain.isa >= Isa::avx2) return plain;
  static const GemmKernel kernel = [] {
    GemmKernel fused = gemm_kernel(Isa::base);
    fused.tile = function;
    fused.padded_row_tile = nullptr;
    fused.strips = strips_function;
    fused.add_scaled_row = add_scaled_row;
    fused.gemm_f32_name = "gemm_f32_fused";
    fused.gemm_f16_name = "gemm_f16_fused";
    fused.rows_f32_name = "rows_f32_fused";
    fused.rows_f16_name = "rows_f16_fused";
    return fused;
  }();
  return kernel;
}

}  // namespace weft::kernels
