#include "kernels/direct/phases.h"

#include <algorithm>

#include "kernels/direct/direct_levels.h"
#include "kernels/unrolled.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// Registers for sums. What is left holds inputs and a factor.
constexpr int kSums = kLanes == 16 ? 27 : 12;

// SSE4's and AVX2's 16; at the base level gcc chooses.
constexpr bool kFewRegisters = HWY_TARGET != HWY_SCALAR && kLanes < 16;

// Whether a vector of inputs waits in a register for all factors, or a factor for all vectors: what
// there is less of, where registers are few.
template <int P, int N>
constexpr bool kInputsWait = !kFewRegisters || P >= N;

// sum[p][n] += factors[p] * from[n].
template <int P, int N>
inline __attribute__((always_inline)) void add_products(const float* factors, const float* from,
                                                        Vector (&sum)[P][N]) {
  if constexpr (!kInputsWait<P, N>) {
    Vector f[P];
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) f[p] = set(factors[p]);
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const Vector x = load_once(from + n * kLanes);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[p][n] = multiply_add(f[p], x, sum[p][n]);
    }
  } else {
    Vector x[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) {
      const Vector f = set(factors[p]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sum[p][n] = multiply_add(f, x[n], sum[p][n]);
    }
  }
}

// The P sums from `begin` on, of All, of N times kLanes columns of some channels, in registers;
// returns the next channel's factors. `bent`: the ramp of whole sums, or null.
template <int P, int N, int All>
WEFT_UNROLLED const float* sum_columns(const DirectPhases& b, int begin, const float* in,
                                       int64_t channels, const float* factor, const float* next,
                                       float* out, bool first, const Ramp* bent) {
  Vector sum[P][N];
#pragma GCC unroll 16
  for (auto& row : sum) {
#pragma GCC unroll 4
    for (Vector& s : row) s = set(0.0f);
  }
  if constexpr (P == All) begin = 0;
  factor += begin;
  const DirectTap* const end = b.taps + b.tap_count;
  for (; channels > 0; --channels, in += b.in_channel_stride, next += b.next_channel_stride) {
    if (begin == 0) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) __builtin_prefetch(next + n * kLanes, 0, 2);
    }
    for (const DirectTap* tap = b.taps; tap != end; ++tap) {
      const float* from = in + tap->offset;
      if (tap->fetch && begin == 0) {
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) __builtin_prefetch(from + b.in_channel_stride + n * kLanes);
      }
      const std::uint32_t users = tap->users;
      if (users == (1u << All) - 1) {  // as a rule; without branches twice as fast
        add_products<P, N>(factor, from, sum);
        factor += All;
        continue;
      }
      Vector x[N];
      if constexpr (kInputsWait<P, N>) {
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) x[n] = load_once(from + n * kLanes);
      }
      const float* of_user = factor - begin + __builtin_popcount(users & ((1u << begin) - 1));
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        if ((users & 1u << (begin + p)) == 0) continue;
        const Vector f = set(*of_user++);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) {
          if constexpr (!kInputsWait<P, N>) x[n] = load(from + n * kLanes);
          sum[p][n] = multiply_add(f, x[n], sum[p][n]);
        }
      }
      factor = P == All ? of_user : factor + __builtin_popcount(users);
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
    if (begin + p >= b.sums) break;
    float* to = out + (begin + p) * b.out_stride;
    const Vector bias = set(b.bias[begin + p]);
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      Vector x = one_nan(add(sum[p][n], first ? bias : load(to + n * kLanes)));
      if (bent != nullptr) x = ramp(x, *bent);
      store(x, to + n * kLanes);
    }
  }
  return factor - begin;
}

// P of All sums at a time.
template <int P, int N, int All>
void sum_strip(const DirectPhases& b, int64_t column) {
  const float* factor = b.filter;
  for (int64_t c = 0; c < b.in_channels; c += b.channel_block) {
    const int64_t channels = std::min(b.channel_block, b.in_channels - c);
    const float* const of_block = factor;
    const Ramp* const bent = c + channels == b.in_channels ? b.ramp : nullptr;
    for (int begin = 0; begin < All; begin += P) {
      factor = sum_columns<P, N, All>(b, begin, b.in + c * b.in_channel_stride + column, channels,
                                      of_block, b.next + c * b.next_channel_stride + column,
                                      b.out + column, c == 0, bent);
    }
  }
}

// Sums at a time, of all. Where all would leave registers for one vector of each, every factor were
// loaded for one product: a third or a half of them take less. Us on Zen 3, of 9 sums (FSRCNN)
// 7300, 5600 so; of 12, 3350, 1930 to 2810; of 8, 4550, 2720.
constexpr int at_a_time(int all) {
  if (!kFewRegisters || all < 8) return all;
  return all == 9 ? 3 : 4;
}

// Strips as wide as registers allow, all nearly the same.
template <int All>
void sum_strips(const DirectPhases& b) {
  constexpr int kTogether = at_a_time(All);
  constexpr int kMost = std::min(kSums / kTogether, 4);
  int64_t left = (b.columns + kLanes - 1) / kLanes;
  int64_t column = 0;
  for (int64_t strips = (left + kMost - 1) / kMost; strips > 0; --strips) {
    const int64_t width = (left + strips - 1) / strips;
    switch (width) {
      case 1:
        sum_strip<kTogether, 1, All>(b, column);
        break;
      case 2:
        sum_strip<kTogether, std::min(kMost, 2), All>(b, column);
        break;
      case 3:
        sum_strip<kTogether, std::min(kMost, 3), All>(b, column);
        break;
      default:
        sum_strip<kTogether, kMost, All>(b, column);
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
