#include "bench/peaks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace weft::cli::bench {

namespace {

// As many sums as hide the latency of a multiply-add on two ports, and fit the registers.
constexpr int kSums = 12;

// A value that the compiler cannot know, and one that it cannot leave out.
template <class Vector>
void opaque(Vector& value) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

double base_loop(std::uint64_t rounds) {
  using Vector = float __attribute__((vector_size(16)));
  Vector sums[kSums] = {}, factor = {1, 1, 1, 1}, step = {1, 1, 1, 1};
  for (std::uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (Vector& sum : sums) {
      opaque(factor);
      sum += factor * step;
    }
  }
  for (Vector& sum : sums) opaque(sum);
  return 2.0 * 4 * kSums * static_cast<double>(rounds);
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) double avx2_loop(std::uint64_t rounds) {
  __m256 sums[kSums];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  __m256 factor = _mm256_set1_ps(1), step = _mm256_set1_ps(1);
  asm volatile("" : "+x"(factor), "+x"(step));
  for (std::uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(factor, step, sum);
  }
  for (__m256& sum : sums) asm volatile("" : "+x"(sum));
  return 2.0 * 8 * kSums * static_cast<double>(rounds);
}

__attribute__((target("avx512f"))) double avx512_loop(std::uint64_t rounds) {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512 factor = _mm512_set1_ps(1), step = _mm512_set1_ps(1);
  asm volatile("" : "+v"(factor), "+v"(step));
  for (std::uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(factor, step, sum);
  }
  for (__m512& sum : sums) asm volatile("" : "+v"(sum));
  return 2.0 * 16 * kSums * static_cast<double>(rounds);
}

// The layout that LDTILECFG reads.
struct TileConfiguration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes_a_row[16] = {};
  std::uint8_t rows[16] = {};
};

__attribute__((target("amx-tile,amx-bf16"))) double tile_loop(std::uint64_t rounds) {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0) return 0;
  TileConfiguration configuration;
  for (int tile = 0; tile < 8; ++tile) {
    configuration.bytes_a_row[tile] = 64;
    configuration.rows[tile] = 16;
  }
  asm volatile("" : "+m"(configuration));  // GCC 12 believes that only its first bytes are read
  _tile_loadconfig(&configuration);
  // Four sums of 16 x 16 from two tiles of each side, as a convolution keeps them.
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 2.0 * 4 * 16 * 16 * 32 * static_cast<double>(rounds);
}

#endif

}  // namespace

double multiply_add_loop(Isa isa, std::uint64_t rounds) {
#if defined(__x86_64__)
  if (isa >= Isa::avx512) return avx512_loop(rounds);
  if (isa == Isa::avx2) return avx2_loop(rounds);
#endif
  (void)isa;
  return base_loop(rounds);
}

double amx_loop(std::uint64_t rounds) {
#if defined(__x86_64__)
  return tile_loop(rounds);
#else
  (void)rounds;
  return 0;
#endif
}

}  // namespace weft::cli::bench
