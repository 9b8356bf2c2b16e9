#include "kernels/gemm/pairs.h"

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/unrolled.h"
#ifdef __AVX512F__
#include "kernels/interleave.h"
#endif

#ifdef __AVX2__

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int kRows = static_cast<int>(kLanes / 2);
constexpr int kHalves = 2 * kGemmPairsVectors;
constexpr int kLines = kRows / 2 * kHalves;  // of a strip's results
constexpr int64_t kHalf = kLanes / 2, kColumns = kGemmPairsVectors * kLanes;

// Lines of results are asked for as many terms ahead, but at least a strip.
constexpr int64_t kTermsAhead = 48;

// Numbers of two rows in turns: those of the first half of the columns, and of the second.
inline void interleave(Vector even, Vector odd, Vector (&halves)[2]) {
#ifdef __AVX512F__
  const __m512 rows[] = {even.raw, odd.raw};
  halves[0] = Vector{interleaved<2>(rows, 0)};
  halves[1] = Vector{interleaved<2>(rows, 1)};
#else
  const Vector low = hn::InterleaveLower(vector_tag, even, odd);
  const Vector high = hn::InterleaveUpper(vector_tag, even, odd);
  halves[0] = hn::ConcatLowerLower(vector_tag, high, low);
  halves[1] = hn::ConcatUpperUpper(vector_tag, high, low);
#endif
}

inline void store_some(Vector x, float* out, const GemmPairsPlace& place) {
  const auto first = [](int64_t columns) {
    return hn::FirstN(vector_tag, static_cast<std::size_t>(2 * columns));
  };
  hn::BlendedStore(x, first(place.count), vector_tag, out + place.to);
  if (place.end == place.count) return;
  hn::BlendedStore(x, hn::AndNot(first(place.count), first(place.end)), vector_tag,
                   out + place.rest - 2 * place.count);
}

[[gnu::noinline]] void store_some(Vector x, std::uint16_t* out, const GemmPairsPlace& place) {
  alignas(64) std::uint16_t all[kLanes];
  store(x, all);
  std::copy(all, all + 2 * place.count, out + place.to);
  std::copy(all + 2 * place.count, all + 2 * place.end, out + place.rest);
}

// Adds up a strip's products, while the lines of the results at `next` of next_out come nearer.
template <int kVectors, class T>
WEFT_UNROLLED void sum_strip(const GemmPairs& s, const float* b, const GemmPairsPlace* places,
                             T* out, const T* next_out, const GemmPairsPlace* next) {
  const T* ahead[kLines];
#pragma GCC unroll 8
  for (int c = 0; c < kRows / 2; ++c, next_out += s.out_channel_stride) {
#pragma GCC unroll 8
    for (int h = 0; h < kHalves; ++h) ahead[c * kHalves + h] = next_out + next[h].to;
  }
  const T* const* wanted = ahead;
  const T* const* const last_wanted = ahead + s.channels * kHalves - 1;
  for (int64_t i = s.depth; i < kLines && wanted != last_wanted; ++i) {
    __builtin_prefetch(*wanted++, 1);  // the others come with a term each
  }

  Vector sums[kRows][kVectors], total[kRows][kVectors];
  const float* a = s.a;
  for (int64_t first = 0; first < s.depth; first += s.chain) {
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[m][v] = set(0.0f);
    }
    const float* const end = a + std::min(s.chain, s.depth - first) * kRows;
    for (; a != end; a += kRows, b += kColumns) {
      __builtin_prefetch(*wanted, 1);
      wanted += wanted != last_wanted;
      Vector columns[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) columns[v] = load_once(b + v * kLanes);
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) {
        Vector x = set(a[m]);
        keep(x);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) accumulate(x, columns[v], sums[m][v]);
      }
    }
    if (s.depth <= s.chain) break;
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        total[m][v] = first == 0 ? sums[m][v] : add(total[m][v], sums[m][v]);
      }
    }
  }
  if (s.depth > s.chain) {
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[m][v] = total[m][v];
    }
  }

  Vector all = set(1.0f);
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m) {
    const Vector bias = set(s.bias[m]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[m][v] = add(sums[m][v], bias);
      if (s.ramp != nullptr) sums[m][v] = ramp(sums[m][v], *s.ramp);
    }
  }
#pragma GCC unroll 4
  for (int m = 0; m < kRows; m += 2) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) all = gather_nan(sums[m][v], sums[m + 1][v], all);
  }
  if (has_nan(all)) {
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[m][v] = one_nan(sums[m][v]);
    }
  }
#pragma GCC unroll 8
  for (int64_t c = 0; c < kRows / 2; ++c, out += s.out_channel_stride) {
    if (c >= s.channels) break;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      Vector halves[2];
      interleave(sums[2 * c][v], sums[2 * c + 1][v], halves);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const GemmPairsPlace& place = places[2 * v + h];
        if (place.count == kHalf) {
          store(halves[h], out + place.to);
        } else {
          store_some(halves[h], out, place);
        }
      }
    }
  }
}

template <class T>
void sum_strips(const GemmPairs& s) {
  T* const out = static_cast<T*>(s.out);
  const int64_t ahead = std::clamp<int64_t>(kTermsAhead / s.depth, 1, s.strips);
  for (int64_t i = 0; i < s.strips; ++i) {
    const int64_t next = i + ahead;
    const bool more = next < s.strips;
    const auto sum =
        i < s.long_strips ? sum_strip<kGemmPairsVectors, T> : sum_strip<kGemmPairsVectors - 1, T>;
    sum(s, s.b + i * s.depth * kColumns, s.places + i * kHalves, out,
        more ? out : static_cast<const T*>(s.next_out),
        s.places + (more ? next : next - s.strips) * kHalves);
  }
}

}  // namespace

void gemm_pairs(const GemmPairs& s) noexcept {
  s.half ? sum_strips<std::uint16_t>(s) : sum_strips<float>(s);
}

}  // namespace weft::kernels::WEFT_ISA

#endif
