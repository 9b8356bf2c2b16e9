#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_term.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/gemm/strips.h"
#include "kernels/unrolled.h"

#ifdef __FMA__

namespace weft::kernels::WEFT_ISA {

namespace {

using std::size_t;

constexpr int64_t kTurn = kGemmTurn;

constexpr int64_t kFloatsALine = 16;

// With AVX-512 a strip of three, of 128 terms, would leave little of the first-level cache.
constexpr int64_t kMostVectors = kLanes < 16 ? 3 : 2;

// With AVX-512, of which each instruction multiplies so much that others hardly count, lines that
// are wanted next come beside those of sums, not after them, which few terms would be. In turns,
// one thread of Zen 4 and two, us: 24 to 24, 64x64: 69, 58 and 41, 31; 48 to 32, 40x40: 55, 51 and
// 31, 28. With AVX2 nothing is gained.
constexpr bool kBeside = kLanes == 16;

// What strips read is laid out, or listed; or listed, and then laid out.
enum class Reads { packed, listed, packing };

template <int64_t kPositions, int64_t kVectors, Reads kReads>
WEFT_UNROLLED void multiply(const GemmStrips& s) noexcept {
  constexpr bool kListed = kReads != Reads::packed, kPacks = kReads == Reads::packing;
  constexpr bool kIsFull = kPositions == kShape.max_positions[kVectors - 1];
  constexpr int64_t kColumns = kVectors * kLanes;
  constexpr int64_t kLinesARow = kColumns > kFloatsALine ? 2 : 1;
  constexpr int64_t kTurnsOfSums = (kPositions * kLinesARow + kTurn - 1) / kTurn;
  const int64_t a_row = kIsFull ? kPositions : s.a_row;
  const int64_t stride = s.sums_stride;
  const int64_t sum_bytes = s.half != nullptr ? 2 : 4;
  const char* const to = s.half != nullptr ? reinterpret_cast<const char*>(s.half)
                                           : reinterpret_cast<const char*>(s.sums);
  const int64_t turns_of_all = s.depth / kTurn;
  const bool fetches = s.fetches_sums && turns_of_all >= kTurnsOfSums + (kBeside ? 0 : 1);
  const char* next = s.next;
  float* kept = s.kept;
  float* packed = s.packed;
  const float* of_strip = s.b;
  const GemmPlace* const end = s.places + s.count;
  for (const GemmPlace* place = s.places; place != end; ++place) {
    Vector sums[kPositions][kVectors];
    const auto each = [&](const auto& use) WEFT_UNROLLED __attribute__((always_inline)) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) use(sums[m][v], m * kColumns + v * kLanes);
      }
    };
    const float* a = s.a;
    const float* b = kListed ? of_strip + place->b : of_strip;
    const GemmTerm* terms = s.terms;
    const auto take = [&](int64_t i) WEFT_UNROLLED __attribute__((always_inline)) {
      const float* const row = kListed ? b + terms[i].b : b + i * kColumns;
      take_term<1>(a, row, sums);
      a += a_row;
#pragma GCC unroll 16
      for (int64_t v = 0; kPacks && v < kVectors; ++v) {
        store(load_once(row + v * kLanes), packed + i * kColumns + v * kLanes);
      }
    };
    const auto pass = [&](int64_t count) WEFT_UNROLLED __attribute__((always_inline)) {
      if (kListed) {
        terms += count;
      } else {
        b += count * kColumns;
      }
      if (kPacks) packed += count * kColumns;
    };
    // First lines of sums, then what is wanted next, or, where that comes beside them, its first
    // line: in one loop, or sums would change registers.
    const char* wanted = fetches ? to + place[kGemmPlacesAhead].sums * sum_bytes : next;
    const char* beside = next;
    const int64_t next_step = kBeside ? 0 : s.next_step;
    int64_t step = fetches ? stride * sum_bytes : kLinesARow * next_step;
    int64_t line = fetches ? kFloatsALine * sum_bytes : next_step;
    int64_t turns = fetches ? kTurnsOfSums : turns_of_all;
    int64_t after = turns_of_all - turns;
    each([](Vector& sum, int64_t) { sum = set(0.0f); });
    while (turns > 0) {
      do {
#pragma GCC unroll 4
        for (int64_t i = 0; i < kTurn; ++i) {
          __builtin_prefetch(i % kLinesARow == 0 ? wanted : wanted + line);
          if ((i + 1) % kLinesARow == 0) wanted += step;
          if constexpr (kBeside) {
            __builtin_prefetch(beside);
            beside += s.next_step;
          }
          take(i);
        }
        pass(kTurn);
      } while (--turns > 0);
      wanted = next;
      step = kLinesARow * next_step;
      line = next_step;
      turns = after;
      after = 0;
    }
    for (int64_t rest = s.depth % kTurn; rest > 0; --rest, pass(1)) take(0);
    next += s.next_strip;
    of_strip += kListed ? 0 : s.packed_step;
    if (!s.first) each([&](Vector& sum, int64_t at) { sum = add(load(kept + at), sum); });
    if (!s.last) each([&](Vector& sum, int64_t at) { store(sum, kept + at); });
    if (!s.first || !s.last) kept += kPositions * kColumns;
    if (!s.last) continue;
    if (s.bias != nullptr) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
        const Vector x = set(s.bias[m]);
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = add(sums[m][v], x);
      }
    }
    if (s.ramp != nullptr) each([&](Vector& sum, int64_t) { sum = ramp(sum, *s.ramp); });
    if (s.half != nullptr) {
      store_sums(sums, s.half + place->sums, stride);
    } else {
      store_sums(sums, s.sums + place->sums, stride);
    }
  }
}

template <int64_t kVectors, Reads kReads>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmStripsFunction, sizeof...(m)>{
      multiply<int64_t{m + 1}, kVectors, kReads>...};
}
(std::make_index_sequence<static_cast<size_t>(kShape.max_positions[kVectors - 1])>());

template <Reads kReads>
GemmStripsFunction function(int64_t vectors, int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1, kReads>[m];
  if (vectors == 2) return functions<2, kReads>[m];
  if constexpr (kMostVectors > 2) return functions<3, kReads>[m];
  return nullptr;
}

}  // namespace

GemmStripsFunction gemm_packed_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<Reads::packed>(vectors, positions);
}

GemmStripsFunction gemm_listed_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<Reads::listed>(vectors, positions);
}

GemmStripsFunction gemm_packing_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<Reads::packing>(vectors, positions);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
