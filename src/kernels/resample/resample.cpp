#include <cstddef>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/one_nan.h"
#include "kernels/resample/gather_windows.h"
#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// The two forms have different virtues: the first keeps infinities apart, the second is exact
// between equal numbers.
inline float lerp(float a, float b, float t) { return (1 - t) * a + t * b; }
inline double lerp(double a, double b, double t) { return a + t * (b - a); }

inline float widen(float x) { return x; }
inline float widen(std::uint16_t x) { return widen_half(x); }
inline double widen(double x) { return x; }

// A number of a row of a tensor. Doubles are made of integers.
inline float tidy(float x) { return one_nan(x); }
inline double tidy(double x) { return x; }

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
void load_row(const void* from_bytes, int64_t from_stride, float* to, int64_t count) noexcept {
  const T* from = static_cast<const T*>(from_bytes);
  int64_t i = 0;
  if (from_stride == 1) {
#ifdef __AVX512BW__
    using Lanes = LanesOf<T>;
    for (; i < count; i += 16) {
      const __mmask16 mask = first_16(count - i);
      _mm512_mask_storeu_ps(to + i, mask, Lanes::tidy(Lanes::load(mask, from + i)));
    }
#elif defined(__AVX2__)
    for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, load_8(from + i));
#endif
    for (; i < count; ++i) to[i] = tidy(widen(from[i]));
  } else {
    for (; i < count; ++i) to[i] = tidy(widen(from[i * from_stride]));
  }
}
template void load_row<float>(const void*, int64_t, float*, int64_t) noexcept;
template void load_row<std::uint16_t>(const void*, int64_t, float*, int64_t) noexcept;

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

#ifdef __AVX512F__
inline void store_16(float* to, __mmask16 mask, __m512 x) noexcept {
  _mm512_mask_storeu_ps(to, mask, x);
}
inline void store_16(std::uint16_t* to, __mmask16 mask, __m512 x) noexcept {
  const __m256i half =
      _mm512_maskz_cvtps_ph(mask, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_mask_storeu_epi16(to, mask, half);
}
#elif defined(__AVX2__)
inline void store_8(float* to, __m256 x) noexcept { _mm256_storeu_ps(to, x); }
inline void store_8(std::uint16_t* to, __m256 x) noexcept {
  const __m128i half = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), half);
}
#endif
inline void store_1(float* to, float x) noexcept { *to = x; }
inline void store_1(std::uint16_t* to, float x) noexcept { *to = narrow_half(x); }

// Asks for what a row of the output will be followed by.
inline void fetch_after(const void* to) noexcept {
  __builtin_prefetch(static_cast<const char*>(to) + kWriteAhead, 1);
}

inline void between_row(const float* a, const float* b, float t, auto* __restrict to,
                        int64_t count) noexcept {
  [[maybe_unused]] constexpr int64_t kLine = 64 / sizeof(*to);
  int64_t i = 0;
#ifdef __AVX512F__
  const __m512 weight = _mm512_set1_ps(t);
  const auto mix = [=](int64_t k, __mmask16 mask) {
    const __m512 x = _mm512_maskz_loadu_ps(mask, a + k);
    const __m512 y = _mm512_maskz_loadu_ps(mask, b + k);
    store_16(to + k, mask, Floats::mix(0xffff, x, y, weight));
  };
  // From the first element on, wherever that lies: `a` and `b` have just been stored in vectors
  // that begin there, and what lies across two of those could be loaded only after they have left
  // for memory, behind all that was stored before.
  for (; i + kLine <= count; i += kLine) {
    fetch_after(to + i);
    for (int64_t k = i; k < i + kLine; k += 16) mix(k, 0xffff);
  }
  for (; i + 16 <= count; i += 16) mix(i, 0xffff);
  if (i < count) mix(i, first_16(count - i));
#else
#ifdef __AVX2__
  const __m256 weight = _mm256_set1_ps(t);
  const auto mix = [=](int64_t k) {
    store_8(to + k, mix_8(_mm256_loadu_ps(a + k), _mm256_loadu_ps(b + k), weight));
  };
  for (; i + kLine <= count; i += kLine) {
    fetch_after(to + i);
    for (int64_t k = i; k < i + kLine; k += 8) mix(k);
  }
  for (; i + 8 <= count; i += 8) mix(i);
#endif
  for (; i < count; ++i) store_1(to + i, lerp(a[i], b[i], t));
#endif
}

template <class T>
void lerp_between(const float* a, const float* b, const float* t, int64_t rows, void* to,
                  int64_t to_stride, int64_t count) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    between_row(a, b, t[r], static_cast<T*>(to) + r * to_stride, count);
  }
}
template void lerp_between<float>(const float*, const float*, const float*, int64_t, void*, int64_t,
                                  int64_t) noexcept;
template void lerp_between<std::uint16_t>(const float*, const float*, const float*, int64_t, void*,
                                          int64_t, int64_t) noexcept;

#ifdef __AVX2__

// As many as whole vectors hold, from a cache line on; returns how many.
inline int64_t stream_between(const float* a, const float* b, float t, float* to,
                              int64_t count) noexcept {
  int64_t i = 0;
#ifdef __AVX512F__
  const __m512 weight = _mm512_set1_ps(t);
  for (; i + 16 <= count; i += 16) {
    const __m512 x = _mm512_loadu_ps(a + i), y = _mm512_loadu_ps(b + i);
    _mm512_stream_ps(to + i, Floats::mix(0xffff, x, y, weight));
  }
#else
  const __m256 weight = _mm256_set1_ps(t);
  for (; i + 8 <= count; i += 8) {
    _mm256_stream_ps(to + i, mix_8(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), weight));
  }
#endif
  return i;
}

#endif

void lerp_between_past_caches(const float* a, const float* b, const float* t, int64_t rows,
                              void* to_bytes, int64_t to_stride, int64_t count) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    float* const to = static_cast<float*>(to_bytes) + r * to_stride;
    int64_t i = 0;
#ifdef __AVX2__
    constexpr std::uintptr_t kLine = 64;
    if (reinterpret_cast<std::uintptr_t>(to) % kLine == 0)
      i = stream_between(a, b, t[r], to, count);
#endif
    lerp_between<float>(a + i, b + i, t + r, 1, to + i, 0, count - i);
  }
}

void lerp_between_f64(const double* a, const double* b, const float* t, int64_t rows,
                      void* to_bytes, int64_t to_stride, int64_t count) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    double* __restrict to = static_cast<double*>(to_bytes) + r * to_stride;
    for (int64_t i = 0; i < count; ++i) to[i] = lerp(a[i], b[i], double{t[r]});
  }
}

// Where along_windows() has them: the few numbers that it leaves take no time.
#ifdef __AVX2__
constexpr bool kTidies = true;
#else
constexpr bool kTidies = false;
#endif

template <class T, class Real>
void lerp_along(const void* row_bytes, const void* other_bytes, float between, const Picks& picks,
                Real* __restrict to) noexcept {
  const T* row = static_cast<const T*>(row_bytes);
  const T* other = static_cast<const T*>(other_bytes);
  const auto at = [=](std::int32_t k) {
    const Real x = widen(row[k]);
    return other == nullptr ? x : lerp(x, Real{widen(other[k])}, Real{between});
  };
  for (int64_t i = along_windows(row, other, between, picks, to); i < picks.count; ++i) {
    const Real a = at(picks.index[i]);
    const Real x = picks.t[i] > 0 ? lerp(a, at(picks.index[i] + 1), Real{picks.t[i]}) : a;
    to[i] = kTidies ? tidy(x) : x;
  }
}
template void lerp_along<float, float>(const void*, const void*, float, const Picks&,
                                       float*) noexcept;
template void lerp_along<std::uint16_t, float>(const void*, const void*, float, const Picks&,
                                               float*) noexcept;
template void lerp_along<double, double>(const void*, const void*, float, const Picks&,
                                         double*) noexcept;

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
  for (int64_t i = 0; i < count; ++i) to[i] = tidy(static_cast<float>(from[i]));
}

}  // namespace weft::kernels::WEFT_ISA
