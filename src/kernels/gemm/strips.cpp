#include "kernels/gemm/strips.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::size_t;

// Vectors of sums that lie in one cache line.
constexpr int64_t kALine = kLanes < 16 ? 16 / kLanes : 1;

// Where the sums fill most registers, those of the terms that are added to the bias are formed
// first and wait in memory. With AVX-512 they are formed last instead, beside the others, a few at
// a time: stores of whole lines would wait for those of the strip before. In turns, one thread of
// Zen 5, us, 3 to 64, 224x224, 3x3: AVX2, first 1433, last 1533; AVX-512 766 and 724.
constexpr bool kBiasFirst = kLanes < 16;

// What it costs to begin and to end a strip is as much as ten terms' products; between strips all
// but the sums stays in registers.
template <int64_t kPositions, int64_t kVectors>
WEFT_UNROLLED void multiply(const GemmStrips& s) noexcept {
  const float* const a = s.a;
  const float* const bias = s.bias;
  const int64_t stride = s.sums_stride;
  const int64_t sum_bytes = s.half != nullptr ? 2 : 4;
  const GemmTerm* const terms = s.terms;
  const GemmTerm* const end = terms + s.depth - (s.bias_terms ? kGemmBiasTerms : 0);
  const bool spreads = s.fetches_sums && end - terms >= kPositions;
  const GemmTerm* const first_end = spreads ? terms + kPositions : end;
  const int64_t first_step = spreads ? stride * sum_bytes : s.next_step;
  const int64_t first_line = spreads ? kALine * kLanes * sum_bytes : s.next_line;
  const char* const to = s.half != nullptr ? reinterpret_cast<const char*>(s.half)
                                           : reinterpret_cast<const char*>(s.sums);
  const char* next = s.next;
  Vector of_bias[kPositions][kVectors];
  const GemmPlace* const places_end = s.places + s.count;
  for (const GemmPlace* place = s.places; place != places_end; ++place) {
    Vector sums[kPositions][kVectors];
    const float* const b = s.b + place->b;
    const auto take = [&](const GemmTerm& term) WEFT_UNROLLED __attribute__((always_inline)) {
      Vector columns[kVectors];
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) columns[v] = load_once(b + term.b + v * kLanes);
      const float* const factors = a + term.a;
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
        Vector x = set(factors[m]);
        if (kVectors > 1) keep(x);
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) accumulate(x, columns[v], sums[m][v]);
      }
    };
    if (kBiasFirst && s.bias_terms) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = set(bias[m]);
      }
#pragma GCC unroll 4
      for (int k = 0; k < kGemmBiasTerms; ++k) take(end[k]);
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) of_bias[m][v] = sums[m][v];
      }
    }
#pragma GCC unroll 32
    for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = set(0.0f);
    }
    if (s.fetches_sums && !spreads) {
      const char* lines = to + place->sums * sum_bytes;
      for (int64_t m = 0; m < kPositions; ++m, lines += stride * sum_bytes) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) __builtin_prefetch(lines + v * kLanes * sum_bytes);
      }
    }
    // First lines of sums, then what is wanted next: in one loop, or sums would change registers.
    const char* wanted = spreads ? to + place[kGemmPlacesAhead].sums * sum_bytes : next;
    int64_t step = first_step, line = first_line;
    const GemmTerm* stop = first_end;
    for (const GemmTerm* term = terms; term != end;) {
      do {
        const char* lines = wanted;
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; v += kALine, lines += line) __builtin_prefetch(lines);
        take(*term);
        ++term;
        wanted += step;
      } while (term != stop);
      if (term == end) break;
      stop = end;
      wanted = next;
      step = s.next_step;
      line = s.next_line;
    }
    if (first_end != end || !spreads) next = wanted;
    if (kBiasFirst && s.bias_terms) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = add(sums[m][v], of_bias[m][v]);
      }
    } else if (s.bias_terms) {
      const float *last_a[kGemmBiasTerms], *last_b[kGemmBiasTerms];
#pragma GCC unroll 4
      for (int k = 0; k < kGemmBiasTerms; ++k) {
        last_a[k] = a + end[k].a;
        last_b[k] = b + end[k].b;
      }
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) {
        // Broadcast anew for each vector: they fill no registers.
        const float* biases = bias;
        asm("" : "+r"(biases));
        Vector columns[kGemmBiasTerms];
#pragma GCC unroll 4
        for (int k = 0; k < kGemmBiasTerms; ++k) {
          columns[k] = load_once(last_b[k] + v * kLanes);
          asm("" : "+r"(last_a[k]));
        }
#pragma GCC unroll 32
        for (int64_t m = 0; m < kPositions; ++m) {
          Vector x = set(biases[m]);
#pragma GCC unroll 4
          for (int k = 0; k < kGemmBiasTerms; ++k) {
            x = multiply_add(set(last_a[k][m]), columns[k], x);
          }
          sums[m][v] = add(sums[m][v], x);
        }
      }
    } else if (bias != nullptr) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
        const Vector x = set(bias[m]);
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = add(sums[m][v], x);
      }
    }
    if (s.ramp != nullptr) {
#pragma GCC unroll 32
      for (int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kVectors; ++v) sums[m][v] = ramp(sums[m][v], *s.ramp);
      }
    }
#ifdef __F16C__
    if (s.half != nullptr) {
      store_sums(sums, s.half + place->sums, stride);
      continue;
    }
#endif
    store_sums(sums, s.sums + place->sums, stride);
  }
}

template <int64_t kVectors>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmStripsFunction, sizeof...(m)>{multiply<int64_t{m + 1}, kVectors>...};
}
(std::make_index_sequence<static_cast<size_t>(kShape.max_positions[kVectors - 1])>());

}  // namespace

GemmStripsFunction gemm_strips_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1>[m];
  if (vectors == 2) return functions<2>[m];
  return functions<3>[m];
}

}  // namespace weft::kernels::WEFT_ISA
