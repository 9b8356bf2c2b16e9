#pragma once

// Asks for memory that is used soon, and in which the processor does not see what comes. These are
// inlined because compilers drop calls of functions that do nothing else.

#include <cstddef>
#include <cstdint>

namespace weft::base {

constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kLineFloats = kLineBytes / 4;

[[gnu::always_inline]] inline void fetch(const std::byte* from, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + at);
}

// For more than fits the first level.
[[gnu::always_inline]] inline void fetch_to_second_level(const std::byte* from,
                                                         std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + at, 0, 2);
}

[[gnu::always_inline]] inline void fetch_to_write(const std::byte* to, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(to + at, 1);
}

[[gnu::always_inline]] inline void fetch_rows_to_write(const std::byte* to, std::int64_t stride,
                                                       std::int64_t rows, std::int64_t bytes) {
  for (std::int64_t r = 0; r < rows; ++r) fetch_to_write(to + r * stride, bytes);
}

// What this thread wrote past the caches comes before all that it writes later: to be called before
// another thread may read it.
inline void end_stream() {
#ifdef __x86_64__
  __builtin_ia32_sfence();
#endif
}

}  // namespace weft::base
