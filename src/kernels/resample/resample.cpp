#include <cstddef>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// The two forms have different virtues: the first keeps infinities apart, the second is exact
// between equal numbers.
inline float lerp(float a, float b, float t) { return (1 - t) * a + t * b; }
inline double lerp(double a, double b, double t) { return a + t * (b - a); }

template <class Real>
inline void between(const Real* a, const Real* b, float t, Real* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = lerp(a[i], b[i], static_cast<Real>(t));
}

template <class Real>
inline void along(const Real* row, int64_t row_count, const std::int32_t* index, const float* t,
                  Real* __restrict to, int64_t count) {
  for (int64_t i = along_windows(row, row_count, index, t, to, count); i < count; ++i) {
    const std::int32_t second = index[i] + (t[i] > 0 ? 1 : 0);
    const Real a = row[index[i]];
    const Real mixed = lerp(a, row[second], static_cast<Real>(t[i]));
    to[i] = t[i] > 0 ? mixed : a;
  }
}

// Toward zero; NaN, which integers never give, would become the lowest value.
template <class T>
inline T truncate(double value) {
  constexpr double kLow = T(-1) < T(0) ? -128 : 0;
  constexpr double kHigh = T(-1) < T(0) ? 127 : 255;
  const double raised = value > kLow ? value : kLow;
  return static_cast<T>(static_cast<std::int32_t>(raised > kHigh ? kHigh : raised));
}

}  // namespace

template <class T>
void gather_row(const void* from_bytes, const int64_t* offsets, void* to_bytes, int64_t to_stride,
                int64_t count) noexcept {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  if (to_stride == 1) {
    int64_t i = gather_windows(from, offsets, to, count);
    for (; i < count; ++i) to[i] = from[offsets[i]];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[offsets[i]];
  }
}
template void gather_row<std::uint8_t>(const void*, const int64_t*, void*, int64_t,
                                       int64_t) noexcept;
template void gather_row<std::uint16_t>(const void*, const int64_t*, void*, int64_t,
                                        int64_t) noexcept;
template void gather_row<std::uint32_t>(const void*, const int64_t*, void*, int64_t,
                                        int64_t) noexcept;

template <class T, class Real>
void widen_row(const void* from_bytes, int64_t from_stride, Real* to, int64_t count) noexcept {
  const T* from = static_cast<const T*>(from_bytes);
  if (from_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * from_stride];
  }
}
template void widen_row<std::int8_t, float>(const void*, int64_t, float*, int64_t) noexcept;
template void widen_row<std::uint8_t, float>(const void*, int64_t, float*, int64_t) noexcept;
template void widen_row<std::int8_t, double>(const void*, int64_t, double*, int64_t) noexcept;
template void widen_row<std::uint8_t, double>(const void*, int64_t, double*, int64_t) noexcept;

template <class T>
void truncate_row(const double* from, void* to_bytes, int64_t to_stride, int64_t count) noexcept {
  T* to = static_cast<T*>(to_bytes);
  if (to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = truncate<T>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = truncate<T>(from[i]);
  }
}
template void truncate_row<std::int8_t>(const double*, void*, int64_t, int64_t) noexcept;
template void truncate_row<std::uint8_t>(const double*, void*, int64_t, int64_t) noexcept;

void lerp_between_f32(const float* a, const float* b, float t, float* to, int64_t count) noexcept {
  between(a, b, t, to, count);
}
void lerp_between_f64(const double* a, const double* b, float t, double* to,
                      int64_t count) noexcept {
  between(a, b, t, to, count);
}
void lerp_between_f16(const float* a, const float* b, float t, void* to_bytes,
                      int64_t count) noexcept {
  auto* to = static_cast<std::uint16_t*>(to_bytes);
  int64_t i = 0;
#ifdef __AVX512F__
  const __m512 weight = _mm512_set1_ps(t);
  const __m512 rest = _mm512_set1_ps(1 - t);
  for (; i < count; i += 16) {
    const __mmask16 mask = first_16(count - i);
    const __m512 mixed = _mm512_add_ps(_mm512_mul_ps(rest, _mm512_maskz_loadu_ps(mask, a + i)),
                                       _mm512_mul_ps(weight, _mm512_maskz_loadu_ps(mask, b + i)));
    _mm256_mask_storeu_epi16(
        to + i, mask,
        _mm512_maskz_cvtps_ph(mask, mixed, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
#elif defined(__F16C__)
  const __m256 weight = _mm256_set1_ps(t);
  const __m256 rest = _mm256_set1_ps(1 - t);
  for (; i + 8 <= count; i += 8) {
    const __m256 mixed = _mm256_add_ps(_mm256_mul_ps(rest, _mm256_loadu_ps(a + i)),
                                       _mm256_mul_ps(weight, _mm256_loadu_ps(b + i)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(mixed, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
#endif
  for (; i < count; ++i) to[i] = narrow_half(lerp(a[i], b[i], t));
}

void lerp_along_f32(const float* row, int64_t row_count, const std::int32_t* index, const float* t,
                    float* to, int64_t count) noexcept {
  along(row, row_count, index, t, to, count);
}
void lerp_along_f64(const double* row, int64_t row_count, const std::int32_t* index, const float* t,
                    double* to, int64_t count) noexcept {
  along(row, row_count, index, t, to, count);
}

void add_row(const float* row, double weight, double* sum, int64_t count) noexcept {
  for (int64_t i = 0; i < count; ++i) sum[i] += weight * static_cast<double>(row[i]);
}

double triangle_sum(const double* values, int64_t count, double first, double center,
                    double slope) noexcept {
  // Eight sums, so that no addition waits for the one before it.
  constexpr int kSums = 8;
  double sums[kSums] = {};
  const auto term = [=](int64_t i) {
    return values[i] * (1 - __builtin_fabs(first + static_cast<double>(i) - center) * slope);
  };
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int s = 0; s < kSums; ++s) sums[s] += term(i + s);
  }
  for (int s = 0; i < count; ++i, ++s) sums[s] += term(i);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

void narrow_row(const double* from, float* to, int64_t count) noexcept {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace weft::kernels::WEFT_ISA
