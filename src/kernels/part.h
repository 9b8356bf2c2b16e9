#pragma once

// Stores of parts of vectors with AVX2. One with a mask takes AMD's processors without AVX-512
// twenty cycles, two copies that may overlap take five.

#include <cstdint>

#if defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>

namespace weft::kernels {

template <int kBytes>
static inline void copy_both_ends(const char* from, char* to, std::int64_t bytes) {
  __builtin_memcpy(to, from, kBytes);
  __builtin_memcpy(to + bytes - kBytes, from + bytes - kBytes, kBytes);
}

// Elements [begin, end) of a vector, to[begin] and on.
template <class T>
static inline void copy_part(const T* vector, std::int64_t begin, std::int64_t end, T* to) {
  if (begin >= end) return;
  const char* const from = reinterpret_cast<const char*>(vector + begin);
  char* const out = reinterpret_cast<char*>(to + begin);
  const auto bytes = (end - begin) * static_cast<std::int64_t>(sizeof(T));
  if (bytes >= 16) return copy_both_ends<16>(from, out, bytes);
  if (bytes >= 8) return copy_both_ends<8>(from, out, bytes);
  if (bytes >= 4) return copy_both_ends<4>(from, out, bytes);
  to[begin] = vector[begin];
}

static inline void store_part(__m256 x, std::int64_t begin, std::int64_t end, float* to) {
  alignas(32) float all[8];
  _mm256_store_ps(all, x);
  copy_part(all, begin, end, to);
}
static inline void store_part(__m256i x, std::int64_t begin, std::int64_t end, std::int32_t* to) {
  alignas(32) std::int32_t all[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(all), x);
  copy_part(all, begin, end, to);
}
static inline void store_part(__m128i halves, std::int64_t begin, std::int64_t end,
                              std::uint16_t* to) {
  alignas(16) std::uint16_t all[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(all), halves);
  copy_part(all, begin, end, to);
}

}  // namespace weft::kernels
#endif
