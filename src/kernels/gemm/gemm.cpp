#include "kernels/gemm/gemm.h"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_shape.h"

namespace weft::kernels::WEFT_ISA {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

#define WEFT_JOIN_(a, b) a##b
#define WEFT_JOIN(a, b) WEFT_JOIN_(a, b)
constexpr GemmShape shape = WEFT_JOIN(kGemmShape, WEFT_ISA);

const hn::ScalableTag<float> vector_tag;
using Vector = hn::Vec<decltype(vector_tag)>;
constexpr std::size_t kLanes = hn::MaxLanes(decltype(vector_tag)());
constexpr std::size_t kRows = shape.mr;
// At the base level a vector is one lane; gcc then joins neighbouring columns into SSE2 registers.
constexpr std::size_t kVectors = shape.nr / kLanes;
static_assert(kVectors * kLanes == shape.nr);

}  // namespace

void gemm_f32(const GemmTile& tile) noexcept {
  Vector acc[kRows][kVectors];
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const float* from = tile.acc + m * tile.acc_stride + v * kLanes;
      acc[m][v] = tile.first ? hn::Zero(vector_tag) : hn::LoadU(vector_tag, from);
    }
  }
  const float* a = tile.a;
  const float* b = tile.b;
  for (std::int64_t k = 0; k < tile.depth; ++k) {
    Vector columns[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      columns[v] = hn::LoadU(vector_tag, b + v * kLanes);
    }
    for (std::size_t m = 0; m < kRows; ++m) {
      const Vector row = hn::Set(vector_tag, a[m]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[m][v] = hn::MulAdd(row, columns[v], acc[m][v]);
      }
    }
    a += kRows;
    b += tile.b_stride;
  }
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(acc[m][v], vector_tag, tile.acc + m * tile.acc_stride + v * kLanes);
    }
  }
}

void add_scaled_row_f32(float factor, const float* x, float* acc, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    acc[i] = __builtin_fmaf(factor, x[i], acc[i]);
#else
    acc[i] = acc[i] + factor * x[i];
#endif
  }
}

}  // namespace weft::kernels::WEFT_ISA
