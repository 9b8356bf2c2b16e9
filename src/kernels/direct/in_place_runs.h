#pragma once

// Sums of long rows under windows of one row, read where the input lies. Only for in_place.cpp.

#include "kernels/direct/direct.h"
#include "kernels/direct/in_place_sums.h"

namespace weft::kernels::WEFT_ISA {
namespace {

static_assert(kFarTaps == kLanes);

// Of a row under a window that begins `before` elements before it, from whole vectors on: what its
// first vector reads, and the last two and the one after them.
class RunEnds {
 public:
  RunEnds(const float* row, int64_t size, int64_t before, int64_t vectors)
      : row_(row - before), before_(before), far_(vectors - 2) {
    const auto copy = [&](int64_t place, float* to) {
      const auto inside = static_cast<unsigned>(std::clamp<int64_t>(size - place, 0, kLanes));
      const auto mask = static_cast<Mask>(_bzhi_u32(0xffffu, inside));
      _mm512_store_ps(to, _mm512_maskz_loadu_ps(mask, row + place));
    };
    _mm512_store_ps(left_, set(0.0f));
    copy(0, left_ + kLanes);
    copy(kLanes, left_ + 2 * kLanes);
    for (int64_t i = 0; i < 4; ++i) copy((far_ + i) * kLanes - before, right_ + i * kLanes);
  }

  // Where a vector of outputs reads with its first tap.
  const float* vector(int64_t n) const {
    if (n == 0) return left_ + kLanes - before_;
    return n < far_ ? row_ + n * kLanes : right_ + (n - far_) * kLanes;
  }

 private:
  const float* row_;
  int64_t before_, far_;
  alignas(kLine) float left_[3 * kLanes];
  alignas(kLine) float right_[4 * kLanes];
};

// Some vectors of a row. Each tap together with the one kFarTaps further on, which reads the same
// vectors for the outputs before them.
template <int kVectors>
WEFT_UNROLLED void sum_run(const DirectInPlace& b, const RunEnds& ends, int64_t first,
                           const float* filter, const float* bias, float* out, Mask out_mask) {
  Vector sum[kVectors] = {};
  // Those between the second and the last but two follow it.
  const float* const starts[] = {ends.vector(first), ends.vector(first + 1),
                                 ends.vector(first + kVectors - 2),
                                 ends.vector(first + kVectors - 1), ends.vector(first + kVectors)};
  const auto load_vector = [&](int n, int64_t t) {
    if (n == 0) return load(starts[0] + t);
    if (n < kVectors - 2) return load(starts[1] + (n - 1) * kLanes + t);
    return load(starts[n - kVectors + 4] + t);
  };
  // Rows are summed one after the other: less far ahead suffices.
  const char* wanted = reinterpret_cast<const char*>(starts[1]) + kInAhead / 2;
  const int64_t to_out = reinterpret_cast<const char*>(out) + kOutAhead / 2 - wanted;
  const auto advance = [&] {
    __builtin_prefetch(wanted);
    __builtin_prefetch(wanted + to_out, 1);
    wanted += kVectors * kLine / kFarTaps;
  };
  const int64_t pairs = b.window.width - kFarTaps;
  for (int64_t t = 0; t < pairs; ++t) {
    const Vector near = keep(set(filter[t])), far = keep(set(filter[t + kFarTaps]));
#pragma GCC unroll 32
    for (int n = 0; n <= kVectors; ++n) {
      const Vector x = load_vector(n, t);
      if (n < kVectors) sum[n] = _mm512_fmadd_ps(near, x, sum[n]);
      if (n > 0) sum[n - 1] = _mm512_fmadd_ps(far, x, sum[n - 1]);
    }
    advance();
  }
  for (int64_t t = pairs; t < kFarTaps; ++t) {
    const Vector near = keep(set(filter[t]));
#pragma GCC unroll 32
    for (int n = 0; n < kVectors; ++n) sum[n] = _mm512_fmadd_ps(near, load_vector(n, t), sum[n]);
    advance();
  }
  if (bias != nullptr) {
    const Vector number = set(*bias);
#pragma GCC unroll 32
    for (Vector& s : sum) s = _mm512_add_ps(s, number);
  }
#pragma GCC unroll 32
  for (int n = 0; n < kVectors; ++n) {
    store(one_nan(sum[n]), n < kVectors - 1 ? static_cast<Mask>(-1) : out_mask, out + n * kLanes);
  }
}

// All rows of all channels. Rows are cut as those of DirectBlock are.
inline void sum_runs(const DirectInPlace& b) {
  const int64_t vectors = (b.out_sizes.width + kLanes - 1) / kLanes;
  const bool wide = vectors >= 16 && (vectors + 7) / 8 % 2 == 0;
  const int64_t width = wide ? 16 : 8;
  const auto sum = wide ? sum_run<16> : sum_run<8>;
  const auto last = static_cast<Mask>(
      _bzhi_u32(0xffffu, static_cast<unsigned>(b.out_sizes.width - (vectors - 1) * kLanes)));
  for (int64_t c = 0; c < b.channels; ++c) {
    const float* const filter = b.filter + c * b.filter_channel_stride;
    const float* const bias = b.bias != nullptr ? b.bias + c : nullptr;
    for (int64_t d = 0; d < b.out_sizes.depth; ++d) {
      for (int64_t h = 0; h < b.out_sizes.height; ++h) {
        const int64_t layer = d * b.step.depth + b.first.depth;
        const int64_t row = h * b.step.height + b.first.height;
        const RunEnds ends(static_cast<const float*>(b.in) + c * b.in_channel_stride +
                               layer * b.in_strides.depth + row * b.in_strides.height,
                           b.in_sizes.width, -b.first.width, vectors);
        float* const out = static_cast<float*>(b.out) + c * b.out_channel_stride +
                           d * b.out_strides.depth + h * b.out_strides.height;
        for (int64_t n = 0; n < vectors; n += width) {
          // The last are summed together with some before them.
          const int64_t first = std::min(n, vectors - width);
          sum(b, ends, first, filter, bias, out + first * kLanes,
              n + width < vectors ? static_cast<Mask>(-1) : last);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
