#include "ops/layout.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

namespace weft::ops {
namespace {

// Whether two coordinates share an offset, by trying all of them.
bool overlaps_by_force(const Dims& sizes, const Dims& strides) {
  std::set<std::uint64_t> seen;
  Dims index(sizes.size(), 0);
  for (;;) {
    std::uint64_t offset = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) offset += std::uint64_t{index[d]} * strides[d];
    if (!seen.insert(offset).second) return true;
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return false;
  }
}

std::string describe(const Dims& sizes, const Dims& strides) {
  std::string text = "sizes";
  for (const auto size : sizes) text += ' ' + std::to_string(size);
  text += ", strides";
  for (const auto stride : strides) text += ' ' + std::to_string(stride);
  return text;
}

TEST(OverlapsItself, IsExactForEverySmallShape) {
  int overlapping = 0;
  int apart = 0;
  for (std::uint32_t a = 1; a <= 4; ++a) {
    for (std::uint32_t b = 1; b <= 4; ++b) {
      for (std::uint32_t c = 1; c <= 4; ++c) {
        for (std::uint32_t code = 0; code < 11 * 11 * 11; ++code) {
          const Dims sizes = {a, b, c};
          const Dims strides = {code % 11, code / 11 % 11, code / 121};
          const bool expected = overlaps_by_force(sizes, strides);
          ASSERT_EQ(overlaps_itself(sizes, strides), expected) << describe(sizes, strides);
          ++(expected ? overlapping : apart);
        }
      }
    }
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(OverlapsItself, IsExactForRandomShapesOfManyDimensions) {
  std::uint64_t state = 20240607;
  const auto random = [&](std::uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % limit;
  };
  for (int i = 0; i < 20000; ++i) {
    Dims sizes(1 + random(8));
    Dims strides(sizes.size());
    for (auto& size : sizes) size = 1 + random(3);
    for (auto& stride : strides) stride = random(60);
    ASSERT_EQ(overlaps_itself(sizes, strides), overlaps_by_force(sizes, strides))
        << describe(sizes, strides);
  }
}

TEST(OverlapsItself, KnowsLayoutsThatInterleaveWithoutNesting) {
  EXPECT_FALSE(overlaps_itself({2, 3}, {3, 2}));  // offsets 0 2 4, 3 5 7
  EXPECT_FALSE(overlaps_itself({3, 2}, {2, 3}));
  EXPECT_FALSE(overlaps_itself({3, 3}, {2, 3}));  // no three steps of 2 to meet two of 3
  EXPECT_TRUE(overlaps_itself({4, 3}, {2, 3}));   // 3 * 2 = 2 * 3
  EXPECT_FALSE(overlaps_itself({1, 2, 3, 3}, {18, 1, 6, 2}));  // channels innermost
  EXPECT_TRUE(overlaps_itself({2, 1}, {0, 1}));
  EXPECT_FALSE(overlaps_itself({1, 1}, {0, 0}));  // one element
}

TEST(OverlapsItself, IsRightForTheLargestNumbers) {
  constexpr std::uint32_t kMax = UINT32_MAX;
  EXPECT_FALSE(overlaps_itself({kMax}, {1}));
  EXPECT_FALSE(overlaps_itself({kMax}, {kMax}));
  EXPECT_FALSE(overlaps_itself({2, kMax}, {kMax, 1}));
  EXPECT_TRUE(overlaps_itself({2, kMax}, {kMax - 1, 1}));
  EXPECT_TRUE(overlaps_itself({kMax, kMax, kMax}, {kMax, kMax - 1, kMax - 2}));
}

// Strides without structure: the answer may be "overlapping" for want of time, but it comes soon.
TEST(OverlapsItself, EndsSoonWhateverTheStrides) {
  const Dims hostile[][2] = {
      {{61, 59, 53, 47, 43, 41, 37, 31},
       {4294967291, 4294967279, 4294967231, 4294967197, 4294967189, 4294967161, 4294967143,
        4294967111}},
      {{16, 16, 16, 16, 16, 16, 16, 16},
       {1000003, 999983, 999979, 999961, 999959, 999953, 999931, 999917}},
      {{2, 2, 2, 2, 2, 2, 2, 500000000}, {1000, 1001, 1003, 1007, 1013, 1019, 1021, 4000000000}},
      {{65536, 65535}, {65537, 65539}},
  };
  for (const auto& [sizes, strides] : hostile) {
    const auto start = std::chrono::steady_clock::now();
    overlaps_itself(sizes, strides);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 2.0) << describe(sizes, strides);
  }
}

TEST(ExtentInElements, ReachesFromTheFirstToTheLast) {
  EXPECT_EQ(extent_in_elements({.sizes = {2, 3}}), 6u);
  EXPECT_EQ(extent_in_elements({.sizes = {5}}), 5u);  // not rounded up to anything
  EXPECT_EQ(extent_in_elements({.sizes = {2, 3}, .strides = {10, 2}}), 15u);
  EXPECT_EQ(extent_in_elements({.sizes = {200, 300}, .strides = {0, 0}}), 1u);
  EXPECT_EQ(extent_in_elements({.sizes = {1, 0, 3}, .strides = {3, 3, 1}}), 0u);
}

TEST(ExtentInElements, IsNothingPast64Bits) {
  constexpr std::uint32_t kMax = UINT32_MAX;
  constexpr std::uint64_t kLargest = std::uint64_t{kMax - 1} * kMax + 1;
  EXPECT_EQ(extent_in_elements({.sizes = {kMax}, .strides = {kMax}}), kLargest);
  EXPECT_EQ(extent_in_elements({.sizes = {kMax, kMax}, .strides = {kMax, kMax}}), std::nullopt);
  EXPECT_EQ(extent_in_elements({.sizes = {kMax, kMax, 2}}), std::nullopt);
  EXPECT_EQ(extent_in_elements({.sizes = {2, 3}, .strides = {1}}), std::nullopt);
}

TEST(SameLayout, StridesOfSizeOneDoNotMatter) {
  EXPECT_TRUE(same_layout({.sizes = {1, 3}}, {.sizes = {1, 3}, .strides = {0, 1}}));
  EXPECT_FALSE(same_layout({.sizes = {2, 3}}, {.sizes = {2, 3}, .strides = {4, 1}}));
  EXPECT_FALSE(same_layout({.sizes = {2, 3}}, {.sizes = {3, 2}}));
}

TEST(LayoutOf, HasTheStridesOfADesc) {
  const Layout packed = layout_of({.sizes = {2, 3, 4}});
  EXPECT_EQ(packed.rank, 3);
  EXPECT_EQ(packed.strides[0], 12);
  EXPECT_EQ(packed.strides[1], 4);
  EXPECT_EQ(packed.strides[2], 1);
  EXPECT_EQ(packed.element_count(), 24);
  const Layout strided = layout_of({.sizes = {2, 3}, .strides = {0, UINT32_MAX}});
  EXPECT_EQ(strided.strides[0], 0);
  EXPECT_EQ(strided.strides[1], std::int64_t{UINT32_MAX});
  EXPECT_EQ(layout_of({.sizes = {65535, 65537}}).element_count(), std::int64_t{UINT32_MAX});
}

}  // namespace
}  // namespace weft::ops
