#pragma once

// Vectors of rows as they lie in memory, for loops over rows (row_loops.h).

#include <cstdint>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/window.h"

#ifdef __AVX2__

namespace weft::kernels::WEFT_ISA {

// Of each type of rows, beside what window.h has: toward(near, far) is mix(near, far, 1 / 4).
// before(a, x) and after(x, b) are x moved by a lane, with the last of a and the first of b.
// select(lanes, x, y) is x in these lanes. two(even, odd) is what is kept of a pair of vectors
// until store_two(). kFetches: whether what rows of the output are followed by is asked for.

#ifdef __AVX512BW__

constexpr __mmask16 kAll = 0xffff;

struct FloatRows : Floats {
  static constexpr bool kFetches = true;
  struct Pair {
    Vector first;
    Vector second;
  };
  using Floats::load;
  static Vector load(const float* from) noexcept { return tidy(_mm512_loadu_ps(from)); }
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm512_add_ps(_mm512_mul_ps(broadcast(0.75f), near),
                         _mm512_mul_ps(broadcast(0.25f), far));
  }
  using Floats::mix;
  static Vector mix(Vector a, Vector b, Vector t) noexcept { return mix(kAll, a, b, t); }
  static Vector before(Vector a, Vector x) noexcept { return moved<15>(a, x); }
  static Vector after(Vector x, Vector b) noexcept { return moved<1>(x, b); }
  static Mask no_lane() noexcept { return 0; }
  static Mask lane(std::int64_t i) noexcept { return static_cast<Mask>(1u << i); }
  static Vector select(Mask lanes, Vector x, Vector y) noexcept {
    return _mm512_mask_mov_ps(y, lanes, x);
  }
  static Pair two(Vector even, Vector odd) noexcept {
    return {
        pick(even, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), odd),
        pick(even, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
             odd)};
  }
  static void store_two(float* to, const Pair& x) noexcept {
    _mm512_storeu_ps(to, x.first);
    _mm512_storeu_ps(to + kLanes, x.second);
  }
  static void store_some(float* to, std::int64_t count, const Pair& x) noexcept {
    if (count < kLanes) return store(to, first(count), x.first);
    _mm512_storeu_ps(to, x.first);
    store(to + kLanes, first(count - kLanes), x.second);
  }

 private:
  template <int kFirst>
  static Vector moved(Vector a, Vector b) noexcept {
    return _mm512_castsi512_ps(
        _mm512_maskz_alignr_epi32(kAll, _mm512_castps_si512(b), _mm512_castps_si512(a), kFirst));
  }
};

struct StreamedRows : FloatRows {
  static constexpr bool kFetches = false;
  static void store(float* to, Mask mask, Vector x) noexcept {
    mask == kAll ? _mm512_stream_ps(to, x) : Floats::store(to, mask, x);
  }
  static void store_two(float* to, const Pair& x) noexcept {
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) != 0) {
      return FloatRows::store_two(to, x);
    }
    _mm512_stream_ps(to, x.first);
    _mm512_stream_ps(to + kLanes, x.second);
  }
};

// Even and odd elements stay apart until they are narrowed.
struct HalfRows : FloatRows {
  using Element = std::uint16_t;
  static Vector load(Mask mask, const Element* from) noexcept { return Halves::load(mask, from); }
  static Vector gather(Mask mask, Index i, const Element* row) noexcept {
    return Halves::gather(mask, i, row);
  }
  static Vector load(const Element* from) noexcept {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return tidy(_mm512_maskz_cvtph_ps(kAll, half));
  }
  // A quarter of what comes from a float16 number is exact, so this is rounded as often as mix().
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm512_fmadd_ps(broadcast(0.25f), far, _mm512_mul_ps(broadcast(0.75f), near));
  }
  static void store(Element* to, Mask mask, Vector x) noexcept {
    _mm256_mask_storeu_epi16(to, mask, narrow(x));
  }
  static Pair two(Vector even, Vector odd) noexcept { return {even, odd}; }
  static void store_two(Element* to, const Pair& x) noexcept {
    _mm512_storeu_si512(to, interleaved(x));
  }
  static void store_some(Element* to, std::int64_t count, const Pair& x) noexcept {
    _mm512_mask_storeu_epi16(to, first_32(count), interleaved(x));
  }

 private:
  static __m256i narrow(Vector x) noexcept {
    return _mm512_maskz_cvtps_ph(kAll, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static __m512i interleaved(const Pair& x) noexcept {
    const __m512i order =
        _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    return _mm512_permutex2var_epi16(_mm512_zextsi256_si512(narrow(x.first)), order,
                                     _mm512_zextsi256_si512(narrow(x.second)));
  }
};

#else

struct FloatRows {
  using Element = float;
  using Vector = __m256;
  using Mask = __m256;
  struct Pair {
    Vector first;
    Vector second;
  };
  static constexpr bool kFetches = true;
  static constexpr std::int64_t kLanes = 8;
  static Vector load(const float* from) noexcept { return load_8(from); }
  static Vector broadcast(float t) noexcept { return _mm256_set1_ps(t); }
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm256_add_ps(_mm256_mul_ps(broadcast(0.75f), near),
                         _mm256_mul_ps(broadcast(0.25f), far));
  }
  static Vector mix(Vector a, Vector b, Vector t) noexcept { return mix_8(a, b, t); }
  static Vector before(Vector a, Vector x) noexcept {
    return moved<12>(_mm256_permute2f128_ps(a, x, 0x21), x);
  }
  static Vector after(Vector x, Vector b) noexcept {
    return moved<4>(x, _mm256_permute2f128_ps(x, b, 0x21));
  }
  static Mask no_lane() noexcept { return _mm256_setzero_ps(); }
  static Mask lane(std::int64_t i) noexcept {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, _mm256_set1_epi32(static_cast<int>(i))));
  }
  static Vector select(Mask lanes, Vector x, Vector y) noexcept {
    return _mm256_blendv_ps(y, x, lanes);
  }
  static Pair two(Vector even, Vector odd) noexcept {
    const Vector low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    return {_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31)};
  }
  static void store_two(float* to, const Pair& x) noexcept {
    _mm256_storeu_ps(to, x.first);
    _mm256_storeu_ps(to + kLanes, x.second);
  }

 private:
  // Of each half by itself.
  template <int kFirstByte>
  static Vector moved(Vector a, Vector b) noexcept {
    return _mm256_castsi256_ps(
        _mm256_alignr_epi8(_mm256_castps_si256(b), _mm256_castps_si256(a), kFirstByte));
  }
};

struct StreamedRows : FloatRows {
  static constexpr bool kFetches = false;
  static void store_two(float* to, const Pair& x) noexcept {
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) != 0) {
      return FloatRows::store_two(to, x);
    }
    _mm256_stream_ps(to, x.first);
    _mm256_stream_ps(to + kLanes, x.second);
  }
};

struct HalfRows : FloatRows {
  using Element = std::uint16_t;
  static Vector load(const Element* from) noexcept { return load_8(from); }
  static Vector toward(Vector near, Vector far) noexcept {
    return _mm256_fmadd_ps(broadcast(0.25f), far, _mm256_mul_ps(broadcast(0.75f), near));
  }
  static Pair two(Vector even, Vector odd) noexcept { return {even, odd}; }
  static void store_two(Element* to, const Pair& x) noexcept {
    const __m128i even = narrow(x.first), odd = narrow(x.second);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi16(even, odd));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + kLanes), _mm_unpackhi_epi16(even, odd));
  }

 private:
  static __m128i narrow(Vector x) noexcept {
    return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

#endif

inline bool are_at_lines(const LerpRows& k) noexcept {
  constexpr std::int64_t kLineFloats = 16;
  return reinterpret_cast<std::uintptr_t>(k.to) % (kLineFloats * sizeof(float)) == 0 &&
         k.to_stride % kLineFloats == 0;
}

template <class T>
struct RowLanes : FloatRows {};
template <>
struct RowLanes<std::uint16_t> : HalfRows {};

}  // namespace weft::kernels::WEFT_ISA

#endif
