#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/gemm/strips.h"
#include "kernels/unrolled.h"

// With AVX-512 every instruction multiplies twice as much, so that others hardly count.
#if defined(__FMA__) && !defined(__AVX512F__)

namespace weft::kernels::WEFT_ISA {

namespace {

using std::size_t;

// Terms a turn: what is no multiply-add and no load is a quarter of an instruction a product so.
constexpr int64_t kTurn = 4;

constexpr int64_t kFloatsALine = 16;

template <int64_t kPositions, int64_t kVectors>
WEFT_UNROLLED void multiply(const GemmStrips& s) noexcept {
  constexpr int64_t kColumns = kVectors * kLanes;
  constexpr int64_t kTurnsOfSums = (kPositions + kTurn - 1) / kTurn;
  const int64_t stride = s.sums_stride;
  const int64_t sum_bytes = s.half != nullptr ? 2 : 4;
  const char* const to = s.half != nullptr ? reinterpret_cast<const char*>(s.half)
                                           : reinterpret_cast<const char*>(s.sums);
  const int64_t turns = s.depth / kTurn;
  const bool fetches = s.fetches_sums && turns > kTurnsOfSums;
  const float* b = s.b;
  const char* next = s.next;
  const GemmPlace* const end = s.places + s.count;
  for (const GemmPlace* place = s.places; place != end; ++place) {
    Vector sums[kPositions][kVectors];
#pragma GCC unroll 32
    for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = set(0.0f);
    }
    const float* a = s.a;
    const auto take = [&](int64_t term) WEFT_UNROLLED __attribute__((always_inline)) {
      Vector columns[kVectors];
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) {
        columns[v] = load_once(b + term * kColumns + v * kLanes);
      }
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
        Vector x = set(a[term * kPositions + m]);
        keep(x);
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) accumulate(x, columns[v], sums[m][v]);
      }
    };
    // First lines of sums, then what is wanted next: in one loop, or sums would change registers.
    const char* wanted = fetches ? to + place[kGemmPlacesAhead].sums * sum_bytes : next;
    int64_t step = fetches ? stride * sum_bytes : s.next_step;
    int64_t line = fetches ? kFloatsALine * sum_bytes : s.next_line;
    int64_t left = fetches ? kTurnsOfSums : turns, after = turns - left;
    while (left > 0) {
      do {
#pragma GCC unroll 4
        for (int64_t i = 0; i < kTurn; ++i) {
          __builtin_prefetch(wanted);
          if (kColumns > kFloatsALine) __builtin_prefetch(wanted + line);
          wanted += step;
          take(i);
        }
        a += kTurn * kPositions;
        b += kTurn * kColumns;
      } while (--left > 0);
      if (after > 0) wanted = next;
      step = s.next_step;
      line = s.next_line;
      left = after;
      after = 0;
    }
    next = wanted;
    for (int64_t rest = s.depth % kTurn; rest > 0; --rest, a += kPositions, b += kColumns) take(0);
    if (s.bias != nullptr) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
        const Vector x = set(s.bias[m]);
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = add(sums[m][v], x);
      }
    }
    if (s.relu) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = relu(sums[m][v]);
      }
    }
    if (s.half != nullptr) {
      store_sums(sums, s.half + place->sums, stride);
    } else {
      store_sums(sums, s.sums + place->sums, stride);
    }
  }
}

template <int64_t kVectors>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmStripsFunction, sizeof...(m)>{multiply<int64_t{m + 1}, kVectors>...};
}
(std::make_index_sequence<static_cast<size_t>(kShape.max_positions[kVectors - 1])>());

template <int64_t kVectors>
float* pack(const float* from, const GemmTerm* terms, int64_t depth, float* to) {
  for (const GemmTerm* const end = terms + depth; terms != end; ++terms) {
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v, to += kLanes) {
      store(load(from + terms->b + v * kLanes), to);
    }
  }
  return to;
}

}  // namespace

GemmStripsFunction gemm_packed_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1>[m];
  if (vectors == 2) return functions<2>[m];
  return functions<3>[m];
}

float* gemm_pack_f32(const float* from, std::int64_t vectors, const GemmTerm* terms,
                     std::int64_t depth, float* to) noexcept {
  if (vectors == 1) return pack<1>(from, terms, depth, to);
  if (vectors == 2) return pack<2>(from, terms, depth, to);
  return pack<3>(from, terms, depth, to);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
