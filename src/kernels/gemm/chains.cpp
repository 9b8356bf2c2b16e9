#ifdef __FMA__

#include "kernels/gemm/chains.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/equal_strips.h"
#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_term.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::size_t;

constexpr int64_t kTurn = 4;   // terms
constexpr int64_t kLine = 64;  // bytes
constexpr int64_t kFloat = 4;

// kFar: what is wanted next is. kListed: terms are.
template <int64_t kPositions, int64_t kVectors, bool kFar, bool kListed>
WEFT_UNROLLED void sum(const GemmChains& s) noexcept {
  constexpr int64_t kLines = kFar ? (kVectors * kLanes * kFloat + kLine - 1) / kLine : 1;
  constexpr int64_t kTermsALine = kFar ? 1 : 2;
  constexpr int64_t kBRow = kFar ? kGemmBlock : kVectors * kLanes;
  const int64_t a_row = kFar ? s.a_row : kGemmBlock, next_step = s.next_step;
  const int64_t stride = s.acc_stride;
  const float* a = s.a;
  const float* b = s.b;
  const GemmTerm* terms = s.terms;
  const char* next = s.next;
  Vector sums[kPositions][kVectors];
  constexpr int64_t kRow = kVectors * kLanes;
  alignas(kLine) float before_last[kPositions * kRow];
  float* of_chains = before_last;
  // Or gcc would keep some of them in registers that sums need, where there are 16.
  if (kLanes < 16) asm("" : "+r"(of_chains));
  const auto take = [&](int64_t i) WEFT_UNROLLED __attribute__((always_inline)) {
    take_term<1>(kListed ? a + terms[i].a : a, b + (kListed ? terms[i].b : i * kBRow), sums);
    if (kListed) return;
    a += a_row;
    // Or gcc, short of registers, would keep the address of each number of several terms.
    if (kFar) asm("" : "+r"(a));
  };
  const auto pass = [&](int64_t count) WEFT_UNROLLED __attribute__((always_inline)) {
    if (kListed) {
      terms += count;
    } else {
      b += count * kBRow;
    }
    next += count * next_step;
  };
  const auto for_each = [&](float* at, int64_t row, const auto& function) WEFT_UNROLLED
      __attribute__((always_inline)) {
#pragma GCC unroll 32
    for (int64_t m = 0; m < kPositions; ++m, at += row) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) function(sums[m][v], at + v * kLanes);
    }
  };
  const auto clear = [](Vector& sum, const float*) { sum = set(0.0f); };
  const auto add_to = [](Vector& sum, const float* at) { sum = add(load(at), sum); };
  const auto store_sum = [](Vector& sum, float* at) { store(sum, at); };
  for (int64_t left = s.depth; left > 0; left -= s.chain) {
    // By std::min, which takes its address, `left` would keep gcc from putting sums into registers.
    const int64_t count = left < s.chain ? left : s.chain;
    for_each(of_chains, kRow, clear);
    for (int64_t turn = count / kTurn; turn > 0; --turn) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < kTurn; ++i) {
#pragma GCC unroll 2
        for (int64_t line = 0; line < kLines; ++line) {
          if (i % kTermsALine == 0) __builtin_prefetch(next + i * next_step + line * kLine);
        }
        take(i);
      }
      pass(kTurn);
    }
    for (int64_t rest = count % kTurn; rest > 0; --rest) {
      if (kFar) __builtin_prefetch(next);
      take(0);
      pass(1);
    }
    if (left < s.depth) for_each(of_chains, kRow, add_to);
    if (left > s.chain) {
      for_each(of_chains, kRow, store_sum);
      continue;
    }
    if (!s.first) for_each(s.acc, stride, add_to);
    for_each(s.acc, stride, store_sum);
  }
}

template <int64_t kPositions, int64_t kVectors, bool kFar>
void sum_chains(const GemmChains& s) noexcept {
  if (s.terms != nullptr) {
    sum<kPositions, kVectors, kFar, true>(s);
  } else {
    sum<kPositions, kVectors, kFar, false>(s);
  }
}

constexpr auto far_functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmChainsFunction, sizeof...(m)>{sum_chains<int64_t{m + 1}, 2, true>...};
}
(std::make_index_sequence<static_cast<size_t>(kShape.max_positions[1])>());

template <int64_t kVectors>
GemmChainsFunction near_function(int64_t positions) noexcept {
  constexpr Strips kStrips(kGemmBlock, kShape.max_positions[kVectors - 1]);
  constexpr int64_t kLong = kStrips.size(0), kShort = kStrips.short_size;
  return positions == kShort ? sum_chains<kShort, kVectors, false>
                             : sum_chains<kLong, kVectors, false>;
}

}  // namespace

GemmChainsFunction gemm_chains_f32(int64_t vectors, int64_t positions) noexcept {
  return vectors == 1 ? near_function<1>(positions) : near_function<2>(positions);
}

GemmChainsFunction gemm_far_chains_f32(int64_t positions) noexcept {
  return far_functions[static_cast<size_t>(positions - 1)];
}

}  // namespace weft::kernels::WEFT_ISA

#endif
