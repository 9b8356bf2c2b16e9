#include "kernels/direct/phases.h"

#include <algorithm>

#include "kernels/direct/direct_levels.h"
#include "kernels/unrolled.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// Registers for sums. What is left holds inputs and a factor.
constexpr int kSums = kLanes == 16 ? 27 : 12;

// P sums of N times kLanes columns of some channels, in registers; returns the next channel's
// factors.
template <int P, int N>
WEFT_UNROLLED const float* sum_columns(const DirectPhases& b, const float* in, int64_t channels,
                                       const float* factor, const float* next, float* out,
                                       bool first) {
  Vector sum[P][N];
#pragma GCC unroll 16
  for (auto& row : sum) {
#pragma GCC unroll 4
    for (Vector& s : row) s = set(0.0f);
  }
  const DirectTap* const end = b.taps + b.tap_count;
  for (; channels > 0; --channels, in += b.in_channel_stride, next += b.next_channel_stride) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) __builtin_prefetch(next + n * kLanes, 0, 2);
    for (const DirectTap* tap = b.taps; tap != end; ++tap) {
      const float* from = in + tap->offset;
      Vector x[N];
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
      if (tap->fetch) {
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) __builtin_prefetch(from + b.in_channel_stride + n * kLanes);
      }
      const std::uint32_t users = tap->users;
      if (users == (1u << P) - 1) {  // as a rule; without branches twice as fast
#pragma GCC unroll 16
        for (int p = 0; p < P; ++p) {
          const Vector f = set(factor[p]);
#pragma GCC unroll 4
          for (int n = 0; n < N; ++n) sum[p][n] = multiply_add(f, x[n], sum[p][n]);
        }
        factor += P;
        continue;
      }
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        if ((users & 1u << p) == 0) continue;
        const Vector f = set(*factor++);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) sum[p][n] = multiply_add(f, x[n], sum[p][n]);
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
    if (p >= b.sums) break;
    float* to = out + p * b.out_stride;
    const Vector bias = set(b.bias[p]);
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const Vector x = add(sum[p][n], first ? bias : load(to + n * kLanes));
      store(one_nan(x), to + n * kLanes);
    }
  }
  return factor;
}

template <int P, int N>
void sum_strip(const DirectPhases& b, int64_t column) {
  const float* factor = b.filter;
  for (int64_t c = 0; c < b.in_channels; c += b.channel_block) {
    const int64_t rest = b.in_channels - c;
    factor = sum_columns<P, N>(b, b.in + c * b.in_channel_stride + column,
                               rest < b.channel_block ? rest : b.channel_block, factor,
                               b.next + c * b.next_channel_stride + column, b.out + column, c == 0);
  }
}

// Strips as wide as registers allow, all nearly the same.
template <int P>
void sum_strips(const DirectPhases& b) {
  constexpr int kMost = std::min(kSums / P, 4);
  int64_t left = (b.columns + kLanes - 1) / kLanes;
  int64_t column = 0;
  for (int64_t strips = (left + kMost - 1) / kMost; strips > 0; --strips) {
    const int64_t width = (left + strips - 1) / strips;
    switch (width) {
      case 1:
        sum_strip<P, 1>(b, column);
        break;
      case 2:
        sum_strip<P, std::min(kMost, 2)>(b, column);
        break;
      case 3:
        sum_strip<P, std::min(kMost, 3)>(b, column);
        break;
      default:
        sum_strip<P, kMost>(b, column);
    }
    column += width * kLanes;
    left -= width;
  }
}

}  // namespace

void direct_sum_phases(const DirectPhases& b) noexcept {
  if (b.sums <= 2) return sum_strips<2>(b);
  if (b.sums == 3) return sum_strips<3>(b);
  if (b.sums <= 4) return sum_strips<4>(b);
  if (b.sums <= 6) return sum_strips<6>(b);
  if (b.sums == 8) return sum_strips<8>(b);
  if (b.sums <= 9) return sum_strips<9>(b);
  sum_strips<kDirectPhases>(b);
}

}  // namespace weft::kernels::WEFT_ISA
