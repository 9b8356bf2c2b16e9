#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"
#include "kernels/resample/resample_levels.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;
using std::uint64_t;

#ifdef __AVX512BW__

// Place i / kStep in lane i, of any number of lanes.
template <class Lane, int kStep>
struct Places {
  Lane at[64 / sizeof(Lane)];
  constexpr Places() : at() {
    for (int i = 0; i < static_cast<int>(64 / sizeof(Lane)); ++i) {
      at[i] = static_cast<Lane>(i / kStep);
    }
  }
};

// A vector of the first elements of `x`, each kFactor times.
template <class T, int kFactor>
__m512i repeat_lanes(__m256i x) noexcept {
  if constexpr (sizeof(T) == 1) {
    // Pairs of a byte, which shifts complete, are moved as elements of 16 bits are.
    const __m512i pairs = _mm512_cvtepu8_epi16(x);
    const __m512i both = _mm512_or_si512(pairs, _mm512_slli_epi16(pairs, 8));
    if constexpr (kFactor == 2) return both;
    return repeat_lanes<std::uint16_t, kFactor / 2>(_mm512_castsi512_si256(both));
  } else {
    static constexpr Places<T, kFactor> kPlaces;
    const __m512i places = _mm512_loadu_si512(kPlaces.at);
    const __m512i all = _mm512_zextsi256_si512(x);
    if constexpr (sizeof(T) == 2) return _mm512_maskz_permutexvar_epi16(~__mmask32{0}, places, all);
    return _mm512_maskz_permutexvar_epi32(0xffff, places, all);
  }
}

// Of the `room` elements from `to` on, `count` are the row, and the others will be written later:
// AMD's processors take their time to store a part of a vector.
template <class T, int kFactor>
void repeat_row(const T* row, T* to, int64_t count, int64_t room) noexcept {
  constexpr int64_t kLanes = 64 / sizeof(T);
  const auto store = [=](int64_t i) {
    const T* const from = row + i / kFactor;
    __m256i x;
    if constexpr (kFactor == 2) {
      x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    } else {
      x = _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    _mm512_storeu_si512(to + i, repeat_lanes<T, kFactor>(x));
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(i);
  if (i == count) return;
  if (i > 0 && count % kFactor == 0) return store(count - kLanes);
  const uint64_t lanes = lane_mask(0, (count - i + kFactor - 1) / kFactor);
  const __m512i x =
      repeat_lanes<T, kFactor>(_mm512_castsi512_si256(load_lanes(lanes, row + i / kFactor)));
  if (i + kLanes <= room) {
    _mm512_storeu_si512(to + i, x);
  } else {
    store_lanes(lane_mask(0, room - i), to + i, x);
  }
}

#else

template <class T, int kFactor>
void repeat_row(const T* row, T* __restrict to, int64_t count, int64_t) noexcept {
  int64_t i = 0;
#ifdef __SSE2__
  // Rows of bytes are few vectors long: of what the compiler makes of the loop below, the rest
  // takes most of the time.
  if constexpr (sizeof(T) == 1 && kFactor == 2) {
    for (; 2 * (i + 8) <= count; i += 8) {
      const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i), _mm_unpacklo_epi8(x, x));
    }
  }
#endif
  for (; i < count / kFactor; ++i) {
    for (int k = 0; k < kFactor; ++k) to[kFactor * i + k] = row[i];
  }
  for (i *= kFactor; i < count; ++i) to[i] = row[i / kFactor];
}

#endif

template <class T, int kFactor>
void repeat(const std::byte* from, const int64_t* sources, int64_t rows, int64_t bytes,
            std::byte* to, int64_t to_stride) noexcept {
  constexpr int64_t kBytes = sizeof(T);
  for (int64_t r = 0; r < rows; ++r, to += to_stride) {
    const std::byte* const row = from + sources[r];
    for (int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(to + kWriteAhead + b, 1);
    repeat_row<T, kFactor>(reinterpret_cast<const T*>(row), reinterpret_cast<T*>(to),
                           bytes / kBytes,
                           (to_stride == bytes ? (rows - r) * bytes : bytes) / kBytes);
  }
}

template <int kFactor>
void repeat_any(const std::byte* from, const int64_t* sources, int64_t rows, int64_t bytes,
                int64_t element_bytes, std::byte* to, int64_t to_stride) noexcept {
  const auto repeat_rows = element_bytes == 1   ? repeat<std::uint8_t, kFactor>
                           : element_bytes == 2 ? repeat<std::uint16_t, kFactor>
                                                : repeat<std::uint32_t, kFactor>;
  repeat_rows(from, sources, rows, bytes, to, to_stride);
}

}  // namespace

void repeat_rows(const void* from, const int64_t* sources, int64_t rows, int64_t bytes,
                 int64_t element_bytes, int64_t factor, void* to, int64_t to_stride) noexcept {
  (factor == 2 ? repeat_any<2> : repeat_any<4>)(static_cast<const std::byte*>(from), sources, rows,
                                                bytes, element_bytes, static_cast<std::byte*>(to),
                                                to_stride);
}

}  // namespace weft::kernels::WEFT_ISA
