#include "base/cache.h"

#include <unistd.h>

#include <algorithm>

namespace weft::base {

namespace {

std::int64_t size_or(int name, std::int64_t least, std::int64_t most) noexcept {
  return std::clamp<std::int64_t>(::sysconf(name), least, most);
}

}  // namespace

std::int64_t first_cache_bytes() noexcept {
  static const std::int64_t bytes = size_or(_SC_LEVEL1_DCACHE_SIZE, 32 << 10, 256 << 10);
  return bytes;
}

// A second level that many cores share is not one thread's to fill.
std::int64_t second_cache_bytes() noexcept {
  static const std::int64_t bytes = size_or(_SC_LEVEL2_CACHE_SIZE, 512 << 10, 2 << 20);
  return bytes;
}

std::int64_t outer_cache_bytes() noexcept {
  static const std::int64_t bytes = size_or(_SC_LEVEL3_CACHE_SIZE, 4 << 20, 1 << 30);
  return bytes;
}

}  // namespace weft::base
