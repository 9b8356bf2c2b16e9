#include "base/cache.h"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Cache, SizesAreThoseOfAProcessor) {
  EXPECT_GE(first_cache_bytes(), 32 << 10);
  EXPECT_LE(first_cache_bytes(), 256 << 10);
  EXPECT_GE(second_cache_bytes(), 512 << 10);
  EXPECT_LE(second_cache_bytes(), 2 << 20);
  EXPECT_GE(outer_cache_bytes(), 4 << 20);
  EXPECT_LE(outer_cache_bytes(), 1 << 30);
  EXPECT_GE(past_caches_bytes(), 1 << 20);
  EXPECT_LE(past_caches_bytes(), outer_cache_bytes());
}

}  // namespace
}  // namespace weft::base
