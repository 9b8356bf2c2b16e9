#include "ops/resample_axis.h"

#include <gtest/gtest.h>

#include <limits>

namespace weft::ops {
namespace {

ResampleAxis axis(std::int64_t input_size, float scale, float input_pixel_offset = 0.5f,
                  float output_pixel_offset = -0.5f) {
  return {input_size, 10, 1, 1, scale, input_pixel_offset, output_pixel_offset, false};
}

TEST(ResampleAxis, CoordinateDividesInFloat32) {
  // 1 / 3 rounded once; multiplying by a rounded reciprocal would give another number.
  const ResampleAxis a = axis(100, 3.3f, 0, 0);
  for (std::int64_t o = 0; o < 50; ++o) {
    EXPECT_EQ(a.coordinate(o), static_cast<float>(o) / 3.3f);
  }
  EXPECT_EQ(axis(9, 0, 0.25f).coordinate(7), -0.25f);
  EXPECT_EQ(axis(9, std::numeric_limits<float>::infinity(), 0.25f).coordinate(7), -0.25f);
}

TEST(ResampleAxis, NeighborsStayInside) {
  for (const float scale : {1e-30f, 0.3f, 1.0f, 7.0f}) {
    for (const float offset : {-1e30f, -3.5f, 0.0f, 3.5f, 1e30f}) {
      for (const std::int64_t size : {1, 2, 5}) {
        const ResampleAxis a = axis(size, scale, offset);
        for (std::int64_t o = 0; o < 10; ++o) {
          const Neighbors n = a.neighbors(o);
          EXPECT_GE(n.index, 0);
          EXPECT_LE(n.index + (n.t > 0 ? 1 : 0), size - 1);
          EXPECT_GE(n.t, 0);
          EXPECT_LT(n.t, 1);
        }
      }
    }
  }
}

TEST(ResampleAxis, IsDoubledFromTheMiddleOfItsElements) {
  EXPECT_TRUE(axis(5, 2).doubles());
  EXPECT_FALSE(axis(6, 2).doubles());
  EXPECT_FALSE(axis(5, 2.0001f).doubles());
  EXPECT_FALSE(axis(5, 2, 0).doubles());
  EXPECT_FALSE(axis(5, 2, 0.5f, 0).doubles());
}

TEST(ResampleAxis, TheLargestSizeKeepsItsLastElement) {
  const ResampleAxis a = axis(UINT32_MAX, 1, 0, 0);
  EXPECT_EQ(a.nearest(UINT32_MAX - 1, Rounding::down), std::int64_t{UINT32_MAX} - 1);
  EXPECT_EQ(a.neighbors(UINT32_MAX - 1).index, std::int64_t{UINT32_MAX} - 1);
  EXPECT_EQ(a.neighbors(UINT32_MAX - 1).t, 0);
}

TEST(ResampleAxis, TriangleWeightsArePositiveAndSumUp) {
  for (const float scale : {1e-20f, 0.01f, 0.3f, 0.999f, 1.0f, 4.0f}) {
    for (const float offset : {-9.0f, -0.5f, 0.0f, 0.5f, 9.0f}) {
      const ResampleAxis a = axis(7, scale, offset);
      for (std::int64_t o = 0; o < 10; ++o) {
        const Triangle t = a.triangle(o);
        ASSERT_LE(0, t.begin);
        ASSERT_LE(t.begin, t.end);
        ASSERT_LE(t.end, 6);
        double sum = 0;
        for (std::int64_t k = t.begin; k <= t.end; ++k) {
          EXPECT_GT(t.weight(k), 0);
          sum += t.weight(k);
        }
        EXPECT_EQ(sum, t.sum);
      }
    }
  }
}

}  // namespace
}  // namespace weft::ops
