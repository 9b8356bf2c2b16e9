#pragma once

// Picks elements at offsets that never decrease from windows of memory, as window.h does: each
// function returns how many elements from 0 on it has done; where the instruction set has no such
// shuffle, none.

#include <cstdint>

#include "kernels/resample/window.h"

namespace weft::kernels::WEFT_ISA {

#ifdef __AVX512BW__

// from[0 ... count - 1], of which at(i) picks a vector.
struct Window32 {
  static constexpr std::int64_t kElements = 32;
  Window32(const void* from, std::int64_t count) noexcept {
    low = high = _mm512_maskz_loadu_epi32(first_16(count), from);
    if (count > 16) {
      high = _mm512_maskz_loadu_epi32(first_16(count - 16), static_cast<const float*>(from) + 16);
    }
  }
  __m512i at(__m512i i) const noexcept { return _mm512_permutex2var_epi32(low, i, high); }
  __m512i low, high;
};

// 16 offsets, less `start`.
inline __m512i relative(const std::int64_t* offsets, std::int64_t start) noexcept {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i low =
      _mm512_permutex2var_epi32(_mm512_loadu_si512(offsets), even, _mm512_loadu_si512(offsets + 8));
  return _mm512_sub_epi32(low, _mm512_set1_epi32(static_cast<std::int32_t>(start)));
}

// Where a window of `elements` starts that holds `count` offsets from the first on and lies before
// `end`; before `begin` where there is none.
inline std::int64_t window_start(const std::int64_t* offsets, std::int64_t count,
                                 std::int64_t elements, std::int64_t begin,
                                 std::int64_t end) noexcept {
  const std::int64_t start = offsets[0] < end - elements ? offsets[0] : end - elements;
  return offsets[count - 1] - start < elements ? start : begin - 1;
}

// As many from 0 on as whole vectors hold and windows of one: loads and stores of whole vectors and
// permutations of one, which take AMD's processors less than half the time of those of two.
inline std::int64_t gather_near(const std::uint32_t* from, const std::int64_t* offsets,
                                std::uint32_t* to, std::int64_t count) noexcept {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const std::int64_t* const o = offsets + i;
    const std::int64_t start = window_start(o, 16, 16, offsets[0], offsets[count - 1] + 1);
    if (start < offsets[0]) break;
    const __m512i window = _mm512_loadu_si512(from + start);
    _mm512_storeu_si512(to + i, _mm512_maskz_permutexvar_epi32(0xffff, relative(o, start), window));
  }
  return i;
}

inline std::int64_t gather_windows(const std::uint32_t* from, const std::int64_t* offsets,
                                   std::uint32_t* to, std::int64_t count) noexcept {
  for (std::int64_t i = gather_near(from, offsets, to, count); i < count; i += 16) {
    const std::int64_t left = count - i;
    const std::int64_t elements = offsets[left < 16 ? count - 1 : i + 15] - offsets[i] + 1;
    const __m512i low = _mm512_maskz_loadu_epi64(first_8(left), offsets + i);
    const __m512i high =
        _mm512_maskz_loadu_epi64(first_8(left < 8 ? 0 : left - 8), offsets + i + 8);
    __m512i result;
    if (0 < elements && elements <= Window32::kElements) {
      const __m512i index = _mm512_maskz_inserti64x4(
          0xff, _mm512_castsi256_si512(_mm512_maskz_cvtepi64_epi32(0xff, low)),
          _mm512_maskz_cvtepi64_epi32(0xff, high), 1);
      const __m512i start = _mm512_set1_epi32(static_cast<std::int32_t>(offsets[i]));
      result = Window32(from + offsets[i], elements).at(_mm512_sub_epi32(index, start));
    } else {
      const __m256i zero = _mm256_setzero_si256();
      result = _mm512_maskz_inserti64x4(
          0xff,
          _mm512_castsi256_si512(
              _mm512_mask_i64gather_epi32(zero, first_8(left), low, from, sizeof(*from))),
          _mm512_mask_i64gather_epi32(zero, first_8(left < 8 ? 0 : left - 8), high, from,
                                      sizeof(*from)),
          1);
    }
    _mm512_mask_storeu_epi32(to + i, first_16(left), result);
  }
  return count;
}

// Elements of one and two bytes, in lanes of two.
inline __m512i load_words(const std::uint16_t* from, __mmask32 mask) noexcept {
  return _mm512_maskz_loadu_epi16(mask, from);
}
inline __m512i load_words(const std::uint8_t* from, __mmask32 mask) noexcept {
  return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, from));
}
inline void store_words(std::uint16_t* to, __mmask32 mask, __m512i words) noexcept {
  _mm512_mask_storeu_epi16(to, mask, words);
}
inline void store_words(std::uint8_t* to, __mmask32 mask, __m512i words) noexcept {
  _mm512_mask_cvtepi16_storeu_epi8(to, mask, words);
}

inline __m512i load_words(const std::uint16_t* from) noexcept { return _mm512_loadu_si512(from); }
inline __m512i load_words(const std::uint8_t* from) noexcept {
  return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline void store_words(std::uint16_t* to, __m512i words) noexcept {
  _mm512_storeu_si512(to, words);
}
inline void store_words(std::uint8_t* to, __m512i words) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_maskz_cvtepi16_epi8(0xffffffff, words));
}

template <class T>
std::int64_t gather_near(const T* from, const std::int64_t* offsets, T* to,
                         std::int64_t count) noexcept {
  constexpr __mmask32 kAll = 0xffffffff;
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const std::int64_t* const o = offsets + i;
    const std::int64_t start = window_start(o, 32, 32, offsets[0], offsets[count - 1] + 1);
    if (start < offsets[0]) break;
    // Words of lanes of 32 bits, in the order of lanes of 128.
    const __m512i packed =
        _mm512_maskz_packus_epi32(kAll, relative(o, start), relative(o + 16, start));
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i places = _mm512_maskz_permutexvar_epi64(0xff, order, packed);
    store_words(to + i, _mm512_maskz_permutexvar_epi16(kAll, places, load_words(from + start)));
  }
  return i;
}

template <class T>
std::int64_t gather_windows(const T* from, const std::int64_t* offsets, T* to,
                            std::int64_t count) noexcept {
  std::int64_t left = 0;
  for (std::int64_t i = gather_near(from, offsets, to, count); i < count; i += left) {
    left = count - i < 32 ? count - i : 32;
    const auto reach = [&] { return offsets[i + left - 1] - offsets[i] + 1; };
    if (reach() > 64) left = left < 16 ? left : 16;
    if (reach() > 64) left = left < 8 ? left : 8;
    const std::int64_t elements = reach();
    if (elements > 64) {
      for (std::int64_t k = i; k < i + left; ++k) to[k] = from[offsets[k]];
      continue;
    }
    const __m512i start = _mm512_set1_epi64(offsets[i]);
    __m128i index[4];
    for (std::int64_t part = 0; part < 4; ++part) {
      const __mmask8 mask = first_8(left < 8 * part ? 0 : left - 8 * part);
      const __m512i at = _mm512_maskz_loadu_epi64(mask, offsets + i + 8 * part);
      index[part] = _mm512_maskz_cvtepi64_epi16(0xff, _mm512_sub_epi64(at, start));
    }
    const __m512i indices =
        _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(_mm256_set_m128i(index[1], index[0])),
                                 _mm256_set_m128i(index[3], index[2]), 1);
    const T* first = from + offsets[i];
    const __m512i low = load_words(first, first_32(elements));
    const __m512i high = load_words(first + 32, first_32(elements < 32 ? 0 : elements - 32));
    store_words(to + i, first_32(left), _mm512_permutex2var_epi16(low, indices, high));
  }
  return count;
}

#else

template <class T>
std::int64_t gather_windows(const T*, const std::int64_t*, T*, std::int64_t) noexcept {
  return 0;
}

#endif

}  // namespace weft::kernels::WEFT_ISA
