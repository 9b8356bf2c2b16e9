#include "kernels/gemm/gemm.h"

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_shape.h"

namespace weft::kernels::WEFT_ISA {

namespace {

namespace hn = hwy::HWY_NAMESPACE;
using std::size_t;

#define WEFT_JOIN_(a, b) a##b
#define WEFT_JOIN(a, b) WEFT_JOIN_(a, b)
constexpr GemmShape shape = WEFT_JOIN(kGemmShape, WEFT_ISA);

#if HWY_TARGET == HWY_SCALAR
// Highway has one lane here; four of gcc's are what every such machine has registers for.
typedef float Vector __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;
inline Vector zero() { return Vector{}; }
inline Vector splat(float x) { return Vector{x, x, x, x}; }
inline Vector load(const float* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}
inline void store(Vector x, float* to) { __builtin_memcpy(to, &x, sizeof(x)); }
inline Vector add(Vector x, Vector y) { return x + y; }
inline Vector multiply_add(Vector x, Vector y, Vector sum) { return x * y + sum; }
#else
const hn::ScalableTag<float> vector_tag;
using Vector = hn::Vec<decltype(vector_tag)>;
constexpr size_t kLanes = hn::MaxLanes(decltype(vector_tag)());
inline Vector zero() { return hn::Zero(vector_tag); }
inline Vector splat(float x) { return hn::Set(vector_tag, x); }
inline Vector load(const float* from) { return hn::LoadU(vector_tag, from); }
inline void store(Vector x, float* to) { hn::StoreU(x, vector_tag, to); }
inline Vector add(Vector x, Vector y) { return hn::Add(x, y); }
inline Vector multiply_add(Vector x, Vector y, Vector sum) { return hn::MulAdd(x, y, sum); }
#endif
static_assert(kLanes == static_cast<size_t>(shape.lanes));

// Keeps a number in its register: gcc would rather read it from memory at each use.
inline void keep([[maybe_unused]] Vector& x) {
#if defined(__AVX512F__)
  asm("" : "+v"(x.raw));
#elif defined(__AVX__)
  asm("" : "+x"(x.raw));
#endif
}

template <size_t kPositions, size_t kVectors, bool kUnit>
void multiply(const GemmTile& tile) noexcept {
  Vector acc[kPositions][kVectors];
#pragma GCC unroll 32
  for (size_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      const float* from = tile.acc + static_cast<std::int64_t>(m) * tile.acc_stride + v * kLanes;
      acc[m][v] = tile.first ? zero() : load(from);
    }
  }
  const std::int64_t step = kUnit ? 1 : tile.a_step;
  const GemmTerm* const end = tile.terms + tile.depth;
  const char* next = tile.next;
  for (const GemmTerm* term = tile.terms; term != end; ++term) {
    const float* a = tile.a + term->a;
    const float* b = tile.b + term->b;
    __builtin_prefetch(next);
    next += 64;
    Vector columns[kVectors];
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      columns[v] = load(b + v * kLanes);
      keep(columns[v]);
    }
#pragma GCC unroll 32
    for (size_t m = 0; m < kPositions; ++m) {
      Vector x = splat(a[static_cast<std::int64_t>(m) * step]);
      if (kVectors > 1) keep(x);
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) acc[m][v] = multiply_add(x, columns[v], acc[m][v]);
    }
  }
  if (tile.bias != nullptr) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      const Vector bias = load(tile.bias + v * kLanes);
#pragma GCC unroll 32
      for (size_t m = 0; m < kPositions; ++m) acc[m][v] = add(acc[m][v], bias);
    }
  }
#pragma GCC unroll 32
  for (size_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      float* to = tile.acc + static_cast<std::int64_t>(m) * tile.acc_stride + v * kLanes;
      store(acc[m][v], to);
    }
  }
}

template <size_t kVectors, bool kUnit>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmFunction, sizeof...(m)>{multiply<m + 1, kVectors, kUnit>...};
}
(std::make_index_sequence<static_cast<size_t>(shape.max_positions[kVectors - 1])>());

template <bool kUnit>
GemmFunction function(std::int64_t vectors, std::int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1, kUnit>[m];
  if (vectors == 2) return functions<2, kUnit>[m];
  return functions<3, kUnit>[m];
}

#if HWY_TARGET != HWY_SCALAR
// Four numbers from each of the rows 0, 4, 8, .., as many as a vector of the tag holds.
template <class Tag>
hn::Vec<Tag> load_blocks(Tag tag, const float* from, std::int64_t stride) {
  if constexpr (hn::MaxLanes(tag) == 4) {
    return hn::LoadU(tag, from);
  } else {
    const hn::Half<Tag> half;
    const std::int64_t upper = hn::MaxLanes(tag) / 2;
    return hn::Combine(tag, load_blocks(half, from + upper * stride, stride),
                       load_blocks(half, from, stride));
  }
}

// kLanes rows of four columns, turned into four rows.
inline void transpose_four(const float* from, std::int64_t stride, Vector (&to)[4]) {
  const hn::Repartition<double, decltype(vector_tag)> wide_tag;
  const auto wide = [&](Vector x) { return hn::BitCast(wide_tag, x); };
  const Vector r0 = load_blocks(vector_tag, from, stride);
  const Vector r1 = load_blocks(vector_tag, from + stride, stride);
  const Vector r2 = load_blocks(vector_tag, from + 2 * stride, stride);
  const Vector r3 = load_blocks(vector_tag, from + 3 * stride, stride);
  const auto low01 = wide(hn::InterleaveLower(vector_tag, r0, r1));
  const auto low23 = wide(hn::InterleaveLower(vector_tag, r2, r3));
  const auto high01 = wide(hn::InterleaveUpper(vector_tag, r0, r1));
  const auto high23 = wide(hn::InterleaveUpper(vector_tag, r2, r3));
  to[0] = hn::BitCast(vector_tag, hn::InterleaveLower(wide_tag, low01, low23));
  to[1] = hn::BitCast(vector_tag, hn::InterleaveUpper(wide_tag, low01, low23));
  to[2] = hn::BitCast(vector_tag, hn::InterleaveLower(wide_tag, high01, high23));
  to[3] = hn::BitCast(vector_tag, hn::InterleaveUpper(wide_tag, high01, high23));
}
#endif

}  // namespace

GemmFunction gemm_unit_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<true>(vectors, positions);
}

GemmFunction gemm_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<false>(vectors, positions);
}

void transpose_f32(const Transposition& t) noexcept {
  std::int64_t row = 0;
  std::int64_t columns = 0;  // done for the rows from `row` on
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<std::int64_t>(kLanes);
  const std::int64_t fours = t.columns / 4 * 4;
  for (; row + lanes <= t.rows; row += lanes) {
    for (std::int64_t n = 0; n < fours; n += 4) {
      Vector four[4];
      transpose_four(t.from + row * t.from_stride + n, t.from_stride, four);
      for (std::int64_t i = 0; i < 4; ++i) {
        hn::StoreU(four[i], vector_tag, t.to + (n + i) * t.to_stride + row);
      }
    }
    for (std::int64_t n = fours; n < t.columns; ++n) {
      for (std::int64_t m = row; m < row + lanes; ++m) {
        t.to[n * t.to_stride + m] = t.from[m * t.from_stride + n];
      }
    }
  }
#if defined(__AVX2__)
  // The last rows: whole vectors are read where there are rows enough before them, and a part of
  // each is stored.
  if (row < t.rows && t.rows >= lanes) {
    const std::int64_t first = t.rows - lanes;
    const auto mask = hn::Not(hn::FirstN(vector_tag, static_cast<size_t>(row - first)));
    for (std::int64_t n = 0; n < fours; n += 4) {
      Vector four[4];
      transpose_four(t.from + first * t.from_stride + n, t.from_stride, four);
      for (std::int64_t i = 0; i < 4; ++i) {
        hn::BlendedStore(four[i], mask, vector_tag, t.to + (n + i) * t.to_stride + first);
      }
    }
    columns = fours;
  }
#endif
#endif
  for (std::int64_t n = columns; n < t.columns; ++n) {
    for (std::int64_t m = row; m < t.rows; ++m) {
      t.to[n * t.to_stride + m] = t.from[m * t.from_stride + n];
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
