#include "bench/memory_traffic.h"

#include <cstring>

namespace weft::cli::bench {

namespace {

using Vector = long long __attribute__((vector_size(16)));
constexpr std::size_t kStep = 8;  // vectors at once

Vector load(const std::byte* from) {
  Vector result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

// Bypasses the cache where the processor can; `to` is aligned.
void stream(std::byte* to, Vector value) {
#if defined(__SSE2__)
  __builtin_ia32_movntdq(reinterpret_cast<Vector*>(to), value);
#else
  std::memcpy(to, &value, sizeof(value));
#endif
}

void end_of_stream() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace

void read_once(std::span<const std::byte> source) {
  Vector sums[kStep] = {};
  constexpr std::size_t kBlock = kStep * sizeof(Vector);
  std::size_t i = 0;
  for (; i + kBlock <= source.size(); i += kBlock) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kStep; ++v) sums[v] ^= load(source.data() + i + v * sizeof(Vector));
  }
  for (Vector& sum : sums) asm volatile("" : "+m"(sum));
}

// The C library's own functions are written for the machine that they run on.
void write_once(std::span<std::byte> target, Stores stores) {
  if (stores == Stores::cached) {
    std::memset(target.data(), 1, target.size());
    return;
  }
  const Vector value = {1, 1};
  for (std::size_t i = 0; i + sizeof(Vector) <= target.size(); i += sizeof(Vector)) {
    stream(target.data() + i, value);
  }
  end_of_stream();
}

void copy_once(const std::byte* source, std::span<std::byte> target, Stores stores) {
  if (stores == Stores::cached) {
    std::memcpy(target.data(), source, target.size());
    return;
  }
  for (std::size_t i = 0; i + sizeof(Vector) <= target.size(); i += sizeof(Vector)) {
    stream(target.data() + i, load(source + i));
  }
  end_of_stream();
}

}  // namespace weft::cli::bench
