#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/half.h"
#ifdef __AVX512F__
#include "kernels/interleave.h"
#include "kernels/lanes.h"
#endif
#include "kernels/rows/rows_levels.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class T>
void copy(const void* from_bytes, int64_t from_stride, void* to_bytes, int64_t to_stride,
          int64_t count) noexcept {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  // The common strides have loops of their own, which the compiler turns into block copies, fills
  // and shuffles.
  if (to_stride == 1 && from_stride == 1) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (to_stride == 1 && from_stride == 0 && count > 0) {
    const T value = *from;
    for (int64_t i = 0; i < count; ++i) to[i] = value;
  } else if (to_stride == 1 && from_stride == 2) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
  } else if (to_stride == 1 && from_stride == 3) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[3 * i];
  } else if (to_stride == 1 && from_stride == 4) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[4 * i];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

#ifdef __AVX512F__
__mmask16 first_of_16(int64_t count) noexcept {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : (1 << count) - 1);
}

// Which element comes to which lane of `step` vectors, every step-th of which has one.
template <int step>
struct Spread {
  std::int32_t index[step][16] = {};
  std::uint16_t lanes[step] = {};
  constexpr Spread() {
    for (int at = 0; at < 16 * step; at += step) {
      index[at / 16][at % 16] = at / step;
      lanes[at / 16] = static_cast<std::uint16_t>(lanes[at / 16] | 1 << at % 16);
    }
  }
};
template <int step>
constexpr Spread<step> kSpread{};

// to[step * i] = from[i], and nothing between; the compiler stores number by number.
template <int step>
void spread(const float* from, float* to, int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += 16) {
    const __m512 x = _mm512_maskz_loadu_ps(first_of_16(count - i), from + i);
#pragma GCC unroll 4
    for (int64_t part = 0; part < step; ++part) {
      const __mmask16 left = first_of_16(std::max<int64_t>(step * (count - i) - 16 * part, 0));
      const __m512i index = _mm512_loadu_si512(kSpread<step>.index[part]);
      _mm512_mask_storeu_ps(to + step * i + 16 * part, left & kSpread<step>.lanes[part],
                            _mm512_maskz_permutexvar_ps(0xffff, index, x));
    }
  }
}

template <int rows>
void interleave_rows(const float* from, int64_t from_stride, float* to, int64_t begin,
                     int64_t end) noexcept {
  // Lanes that lie at `first` and after it, of those before `last`.
  const auto between = [](int64_t first, int64_t last) {
    return static_cast<__mmask16>(first_of_16(std::max<int64_t>(last, 0)) &
                                  ~first_of_16(std::max<int64_t>(first, 0)));
  };
  constexpr int64_t kStep = int64_t{16} * rows;
  for (int64_t n = begin / kStep * kStep; n < end; n += kStep) {
    __m512 x[rows];
    if (n >= begin && n + kStep <= end) {
      for (int r = 0; r < rows; ++r) x[r] = _mm512_loadu_ps(from + r * from_stride + n / rows);
#pragma GCC unroll 8
      for (int64_t v = 0; v < rows; ++v) {
        _mm512_storeu_ps(to + n + 16 * v, interleaved<rows>(x, v));
      }
      continue;
    }
    for (int r = 0; r < rows; ++r) {
      const __mmask16 mask =
          between((begin - n - r + rows - 1) / rows, (end - n - r + rows - 1) / rows);
      x[r] = _mm512_maskz_loadu_ps(mask, from + r * from_stride + n / rows);
    }
#pragma GCC unroll 8
    for (int64_t v = 0; v < rows; ++v) {
      _mm512_mask_storeu_ps(to + n + 16 * v, between(begin - n - 16 * v, end - n - 16 * v),
                            interleaved<rows>(x, v));
    }
  }
}
#else
template <int rows>
void interleave_rows(const float* from, int64_t from_stride, float* to, int64_t begin,
                     int64_t end) noexcept {
  for (; begin < end && begin % rows != 0; ++begin) {
    to[begin] = from[begin % rows * from_stride + begin / rows];
  }
  for (; begin < end && end % rows != 0; --end) {
    to[end - 1] = from[(end - 1) % rows * from_stride + (end - 1) / rows];
  }
  for (int64_t i = begin / rows; i < end / rows; ++i) {
    for (int r = 0; r < rows; ++r) to[i * rows + r] = from[r * from_stride + i];
  }
}
#endif

}  // namespace

void interleave(const float* from, int64_t from_stride, int64_t rows, float* to, int64_t begin,
                int64_t end) noexcept {
  switch (rows) {
    case 1:
      return interleave_rows<1>(from, from_stride, to, begin, end);
    case 2:
      return interleave_rows<2>(from, from_stride, to, begin, end);
    case 3:
      return interleave_rows<3>(from, from_stride, to, begin, end);
    case 4:
      return interleave_rows<4>(from, from_stride, to, begin, end);
    case 8:
      return interleave_rows<8>(from, from_stride, to, begin, end);
  }
  for (; begin < end; ++begin) to[begin] = from[begin % rows * from_stride + begin / rows];
}

void load_f32(const void* from, int64_t from_stride, float* to, int64_t count) noexcept {
  copy<float>(from, from_stride, to, 1, count);
}

void load_f16(const void* from_bytes, int64_t from_stride, float* to, int64_t count) noexcept {
  const auto* from = static_cast<const std::uint16_t*>(from_bytes);
  int64_t i = 0;
#ifdef __AVX512F__
  if (from_stride == 1) {
    for (; i < count; i += 16) {
      const __mmask16 mask = first_of_16(count - i);
      _mm512_mask_storeu_ps(to + i, mask,
                            _mm512_maskz_cvtph_ps(mask, _mm256_maskz_loadu_epi16(mask, from + i)));
    }
    return;
  }
  if (from_stride == 2) {
    for (; i < count; i += 16) {
      const int64_t left = count - i;
      const __mmask32 loaded = left >= 16 ? 0x7fffffffu : (1u << (2 * left - 1)) - 1;
      const __m512i pairs = _mm512_maskz_loadu_epi16(loaded, from + 2 * i);
      _mm512_mask_storeu_ps(to + i, first_of_16(left),
                            _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs)));
    }
    return;
  }
  constexpr int64_t kMostGathered = 1 << 24;
  if (from_stride > 2 && from_stride <= kMostGathered && count > 0) {
    // With what follows each in memory; nothing may follow the last one.
    const __m512i places =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(static_cast<int>(from_stride)));
    for (; i < count - 1; i += 16) {
      const __mmask16 mask = first_of_16(count - 1 - i);
      const __m512i pairs = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, places,
                                                        from + i * from_stride, 2);
      _mm512_mask_storeu_ps(to + i, mask, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs)));
    }
    i = count - 1;
  }
#elif defined(__F16C__)
  if (from_stride == 1) {
    for (; i + 8 <= count; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
    }
  } else if (from_stride == 2) {
    for (; i + 8 < count; i += 8) {  // one more, of which the last load takes a part
      const auto* pairs = reinterpret_cast<const __m256i*>(from + 2 * i);
      const __m256i even = _mm256_and_si256(_mm256_loadu_si256(pairs), _mm256_set1_epi32(0xffff));
      const __m128i half =
          _mm_packus_epi32(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
    }
  }
#endif
  for (; i < count; ++i) to[i] = widen_half(from[i * from_stride]);
}

void load_rows_f16(const void* from_bytes, int64_t from_stride, float* to, int64_t to_stride,
                   int64_t rows, int64_t count) noexcept {
  const auto* from = static_cast<const std::uint16_t*>(from_bytes);
#ifdef __AVX512F__
  if (count == 32) {
    for (; rows > 0; --rows, from += from_stride, to += to_stride) {
      const auto* halves = reinterpret_cast<const __m256i*>(from);
      _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256(halves)));
      _mm512_storeu_ps(to + 16, _mm512_cvtph_ps(_mm256_loadu_si256(halves + 1)));
    }
    return;
  }
#endif
  for (; rows > 0; --rows, from += from_stride, to += to_stride) load_f16(from, 1, to, count);
}

void store_f32(const float* from, void* to, int64_t to_stride, int64_t count) noexcept {
#ifdef __AVX512F__
  if (to_stride == 2) return spread<2>(from, static_cast<float*>(to), count);
  if (to_stride == 3) return spread<3>(from, static_cast<float*>(to), count);
  if (to_stride == 4) return spread<4>(from, static_cast<float*>(to), count);
#endif
  copy<float>(from, 1, to, to_stride, count);
}

void store_f16(const float* from, void* to_bytes, int64_t to_stride, int64_t count) noexcept {
  auto* to = static_cast<std::uint16_t*>(to_bytes);
  int64_t i = 0;
#ifdef __AVX512F__
  if (to_stride == 1) {
    for (; i < count; i += 16) {
      const __mmask16 mask = first_of_16(count - i);
      const __m512 x = _mm512_maskz_loadu_ps(mask, from + i);
      _mm256_mask_storeu_epi16(
          to + i, mask,
          _mm512_maskz_cvtps_ph(mask, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    return;
  }
#elif defined(__F16C__)
  if (to_stride == 1) {
    for (; i + 8 <= count; i += 8) {
      const __m128i half =
          _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
    }
  }
#endif
  for (; i < count; ++i) to[i * to_stride] = narrow_half(from[i]);
}

void interleave_f16(const float* from, int64_t from_stride, int64_t rows, void* to_bytes,
                    int64_t begin, int64_t end) noexcept {
  auto* to = static_cast<std::uint16_t*>(to_bytes);
#ifdef __AVX512F__
  if (rows == 2) {
    alignas(64) static constexpr std::uint16_t kPlaces[] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i places = _mm512_load_si512(kPlaces);
    for (int64_t n = begin / 32 * 32; n < end; n += 32) {
      const auto lanes = static_cast<__mmask32>(lane_mask(begin - n, end - n));
      const auto round_row = [&](int64_t r) {
        const auto mask = static_cast<__mmask16>(_pext_u32(lanes, 0x55555555u << r));
        return _mm512_cvtps_ph(_mm512_maskz_loadu_ps(mask, from + r * from_stride + n / 2),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      };
      const __m512i both =
          _mm512_inserti64x4(_mm512_castsi256_si512(round_row(0)), round_row(1), 1);
      _mm512_mask_storeu_epi16(to + n, lanes, _mm512_permutexvar_epi16(places, both));
    }
    return;
  }
#endif
  constexpr int64_t kSome = 128, kMostRows = 16;  // of each row, of which there are no more
  alignas(64) float line[kMostRows * kSome];
  for (; end > 0; begin -= kSome * rows, end -= kSome * rows, from += kSome, to += kSome * rows) {
    const int64_t first = std::max<int64_t>(begin, 0), last = std::min(end, kSome * rows);
    if (first >= last) continue;
    interleave(from, from_stride, rows, line, first, last);
    store_f16(line + first, to + first, 1, last - first);
  }
}

void store_rows_f16(const float* from, int64_t from_stride, void* to_bytes, int64_t to_stride,
                    int64_t rows, int64_t count) noexcept {
  auto* to = static_cast<std::uint16_t*>(to_bytes);
#ifdef __AVX512F__
  if (count == 32) {
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    for (; rows > 0; --rows, from += from_stride, to += to_stride) {
      const __m256i low = _mm512_cvtps_ph(_mm512_loadu_ps(from), kNearest);
      const __m256i high = _mm512_cvtps_ph(_mm512_loadu_ps(from + 16), kNearest);
      _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
    }
    return;
  }
#endif
  for (; rows > 0; --rows, from += from_stride, to += to_stride) store_f16(from, to, 1, count);
}

void copy_8(const void* from, int64_t from_stride, void* to, int64_t to_stride,
            int64_t count) noexcept {
  copy<std::uint8_t>(from, from_stride, to, to_stride, count);
}
void copy_16(const void* from, int64_t from_stride, void* to, int64_t to_stride,
             int64_t count) noexcept {
  copy<std::uint16_t>(from, from_stride, to, to_stride, count);
}
void copy_32(const void* from, int64_t from_stride, void* to, int64_t to_stride,
             int64_t count) noexcept {
  copy<std::uint32_t>(from, from_stride, to, to_stride, count);
}
void copy_64(const void* from, int64_t from_stride, void* to, int64_t to_stride,
             int64_t count) noexcept {
  copy<std::uint64_t>(from, from_stride, to, to_stride, count);
}

}  // namespace weft::kernels::WEFT_ISA
