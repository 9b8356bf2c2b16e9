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

// Products of one term. In assembly for tiles whose sums leave no register to spare, for gcc moves
// sums about between them; AddressSanitizer would not look inside.
#ifndef __SANITIZE_ADDRESS__
#define WEFT_FACTOR(m) "vbroadcastss 4*" #m "+%[a], %%ymm15\n\t"
#define WEFT_ADD(m, v, column) "vfmadd231ps %%ymm" #column ", %%ymm15, %[sum" #m #v "]\n\t"
#define WEFT_SUM(m, v) [sum##m##v] "+x"(sums[m][v].raw)

[[gnu::always_inline]] inline void take(const float* a, const float* b, Vector (&sums)[6][2]) {
  const auto& factors = *reinterpret_cast<const float(*)[6]>(a);
  const auto& columns = *reinterpret_cast<const float(*)[16]>(b);
#define WEFT_ROW(m) WEFT_FACTOR(m) WEFT_ADD(m, 0, 12) WEFT_ADD(m, 1, 13)
#define WEFT_SUMS(m) WEFT_SUM(m, 0), WEFT_SUM(m, 1)
  // clang-format off
  asm volatile("vmovups %[b], %%ymm12\n\t"
               "vmovups 32+%[b], %%ymm13\n\t"
               WEFT_ROW(0) WEFT_ROW(1) WEFT_ROW(2) WEFT_ROW(3) WEFT_ROW(4) WEFT_ROW(5)
               : WEFT_SUMS(0), WEFT_SUMS(1), WEFT_SUMS(2), WEFT_SUMS(3), WEFT_SUMS(4), WEFT_SUMS(5)
               : [a] "m"(factors), [b] "m"(columns)
               : "xmm12", "xmm13", "xmm15");
  // clang-format on
#undef WEFT_ROW
#undef WEFT_SUMS
}

[[gnu::always_inline]] inline void take(const float* a, const float* b, Vector (&sums)[4][3]) {
  const auto& factors = *reinterpret_cast<const float(*)[4]>(a);
  const auto& columns = *reinterpret_cast<const float(*)[24]>(b);
#define WEFT_ROW(m) WEFT_FACTOR(m) WEFT_ADD(m, 0, 12) WEFT_ADD(m, 1, 13) WEFT_ADD(m, 2, 14)
#define WEFT_SUMS(m) WEFT_SUM(m, 0), WEFT_SUM(m, 1), WEFT_SUM(m, 2)
  // clang-format off
  asm volatile("vmovups %[b], %%ymm12\n\t"
               "vmovups 32+%[b], %%ymm13\n\t"
               "vmovups 64+%[b], %%ymm14\n\t"
               WEFT_ROW(0) WEFT_ROW(1) WEFT_ROW(2) WEFT_ROW(3)
               : WEFT_SUMS(0), WEFT_SUMS(1), WEFT_SUMS(2), WEFT_SUMS(3)
               : [a] "m"(factors), [b] "m"(columns)
               : "xmm12", "xmm13", "xmm14", "xmm15");
  // clang-format on
#undef WEFT_ROW
#undef WEFT_SUMS
}

#undef WEFT_FACTOR
#undef WEFT_ADD
#undef WEFT_SUM
#endif

template <int64_t kPositions, int64_t kVectors>
[[gnu::always_inline]] WEFT_UNROLLED inline void take(const float* a, const float* b,
                                                      Vector (&sums)[kPositions][kVectors]) {
  Vector columns[kVectors];
#pragma GCC unroll 16
  for (int64_t v = 0; v < kVectors; ++v) columns[v] = load_once(b + v * kLanes);
#pragma GCC unroll 32
  for (int64_t m = 0; m < kPositions; ++m) {
    Vector x = set(a[m]);
    keep(x);
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v) accumulate(x, columns[v], sums[m][v]);
  }
}

template <int64_t kPositions, int64_t kVectors, bool kListed>
WEFT_UNROLLED void multiply(const GemmStrips& s) noexcept {
  constexpr int64_t kColumns = kVectors * kLanes;
  constexpr int64_t kLinesARow = kColumns > kFloatsALine ? 2 : 1;
  constexpr int64_t kTurnsOfSums = (kPositions * kLinesARow + kTurn - 1) / kTurn;
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
    const GemmTerm* terms = s.terms;
    if (kListed) b = s.b + place->b;
    const auto row = [&](int64_t i) WEFT_UNROLLED __attribute__((always_inline)) {
      return kListed ? b + terms[i].b : b + i * kColumns;
    };
    const auto pass = [&](int64_t count) WEFT_UNROLLED __attribute__((always_inline)) {
      a += count * kPositions;
      if (kListed) {
        terms += count;
      } else {
        b += count * kColumns;
      }
    };
    // First lines of sums, then what is wanted next: in one loop, or sums would change registers.
    const char* wanted = fetches ? to + place[kGemmPlacesAhead].sums * sum_bytes : next;
    int64_t step = fetches ? stride * sum_bytes : kLinesARow * s.next_step;
    int64_t line = fetches ? kFloatsALine * sum_bytes : s.next_step;
    int64_t left = fetches ? kTurnsOfSums : turns, after = turns - left;
    while (left > 0) {
      do {
#pragma GCC unroll 4
        for (int64_t i = 0; i < kTurn; ++i) {
          __builtin_prefetch(i % kLinesARow == 0 ? wanted : wanted + line);
          if ((i + 1) % kLinesARow == 0) wanted += step;
          take(a + i * kPositions, row(i), sums);
        }
        pass(kTurn);
      } while (--left > 0);
      if (after > 0) wanted = next;
      step = kLinesARow * s.next_step;
      line = s.next_step;
      left = after;
      after = 0;
    }
    next = wanted;
    for (int64_t rest = s.depth % kTurn; rest > 0; --rest, pass(1)) take(a, row(0), sums);
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

template <int64_t kVectors, bool kListed>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmStripsFunction, sizeof...(m)>{
      multiply<int64_t{m + 1}, kVectors, kListed>...};
}
(std::make_index_sequence<static_cast<size_t>(kShape.max_positions[kVectors - 1])>());

template <bool kListed>
GemmStripsFunction function(int64_t vectors, int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1, kListed>[m];
  if (vectors == 2) return functions<2, kListed>[m];
  return functions<3, kListed>[m];
}

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
  return function<false>(vectors, positions);
}

GemmStripsFunction gemm_listed_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<true>(vectors, positions);
}

float* gemm_pack_f32(const float* from, std::int64_t vectors, const GemmTerm* terms,
                     std::int64_t depth, float* to) noexcept {
  if (vectors == 1) return pack<1>(from, terms, depth, to);
  if (vectors == 2) return pack<2>(from, terms, depth, to);
  return pack<3>(from, terms, depth, to);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
