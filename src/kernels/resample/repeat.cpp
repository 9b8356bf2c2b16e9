#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"
#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class T, int kFactor>
void repeat_row(const T* row, T* __restrict to, int64_t count) noexcept {
  int64_t i = 0;
  // Rows of bytes are few vectors long: of what the compiler makes of the loop below, the rest
  // takes most of the time.
#if defined(__AVX512BW__)
  if constexpr (sizeof(T) == 1 && kFactor == 2) {
    for (; 2 * i < count; i += 32) {
      const std::int64_t left = count - 2 * i;
      const __m512i x =
          _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(first_32((left + 1) / 2), row + i));
      store_lanes(lane_mask(0, left), to + 2 * i, _mm512_or_si512(x, _mm512_slli_epi16(x, 8)));
    }
    return;
  }
#elif defined(__SSE2__)
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

template <int kFactor>
void repeat(const std::byte* from, const int64_t* sources, int64_t rows, int64_t bytes,
            int64_t element_bytes, std::byte* to, int64_t to_stride) noexcept {
  for (int64_t r = 0; r < rows; ++r, to += to_stride) {
    // Stores that wait for memory hold up everything else.
    constexpr int64_t kBytesAhead = 4096;
    for (int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(to + kBytesAhead + b, 1);
    const auto row = [&](auto element) {
      using T = decltype(element);
      repeat_row<T, kFactor>(reinterpret_cast<const T*>(from + sources[r]),
                             reinterpret_cast<T*>(to), bytes / element_bytes);
    };
    if (element_bytes == 1) {
      row(std::uint8_t{});
    } else if (element_bytes == 2) {
      row(std::uint16_t{});
    } else {
      row(std::uint32_t{});
    }
  }
}

}  // namespace

void repeat_rows(const void* from, const int64_t* sources, int64_t rows, int64_t bytes,
                 int64_t element_bytes, int64_t factor, void* to, int64_t to_stride) noexcept {
  (factor == 2 ? repeat<2> : repeat<4>)(static_cast<const std::byte*>(from), sources, rows, bytes,
                                        element_bytes, static_cast<std::byte*>(to), to_stride);
}

}  // namespace weft::kernels::WEFT_ISA
