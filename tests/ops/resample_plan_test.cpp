#include "ops/resample_plan.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::ops {
namespace {

ResampleParams params(const Dims& input, const Dims& output, const std::vector<float>& scales) {
  ResampleParams result;
  result.input.sizes = input;
  result.output.sizes = output;
  result.scales = scales;
  return result;
}

TEST(ResampleGeometry, MergesWhatIsNotScaled) {
  // Batch and channels count rows together.
  const ResampleGeometry image(params({2, 3, 20, 30}, {2, 3, 40, 60}, {1, 1, 2, 2}), 512);
  ASSERT_EQ(image.outer.size(), 2u);
  EXPECT_EQ(image.outer[0].output_size, 6);
  EXPECT_TRUE(image.outer[0].direct);
  EXPECT_EQ(image.outer[1].output_size, 40);
  EXPECT_EQ(image.inner.output_size, 60);
  EXPECT_FALSE(image.direct());

  // Only channels are scaled: an image is one row.
  const ResampleGeometry channels(params({2, 3, 20, 30}, {2, 6, 20, 30}, {1, 2, 1, 1}), 512);
  EXPECT_EQ(channels.inner.output_size, 600);
  EXPECT_TRUE(channels.inner.direct);
  EXPECT_EQ(channels.outer.size(), 2u);

  EXPECT_TRUE(ResampleGeometry(params({2, 1, 5}, {2, 9, 5}, {1, 9, 1}), 512).direct());
  EXPECT_TRUE(ResampleGeometry(params({1}, {1}, {3}), 512).direct());
}

TEST(ResampleGeometry, MergesOnlyWhereCoordinatesAreExact) {
  ResampleParams shifted = params({8}, {8}, {1});
  shifted.input_pixel_offsets = {0.3f};
  shifted.output_pixel_offsets = {-0.3f};
  EXPECT_FALSE(ResampleGeometry(shifted, 512).direct()) << "0.3 does not cancel at every position";
  EXPECT_FALSE(ResampleGeometry(params({8}, {9}, {1}), 512).direct()) << "past the edge";
  const std::uint32_t large = 1u << 24;
  EXPECT_FALSE(ResampleGeometry(params({large}, {large}, {1}), 512).direct()) << "float32 rounds";
}

TEST(ResampleGeometry, RowsGoAlongMemory) {
  ResampleParams nhwc = params({1, 64, 8, 8}, {1, 64, 16, 16}, {1, 1, 2, 2});
  nhwc.input.strides = {4096, 1, 512, 64};
  nhwc.output.strides = {16384, 1, 1024, 64};
  EXPECT_EQ(ResampleGeometry(nhwc, 512).inner.output_stride, 1);
  EXPECT_EQ(ResampleGeometry(nhwc, 512).inner.output_size, 64);
  // Three channels are no row.
  ResampleParams picture = params({1, 3, 80, 80}, {1, 3, 160, 160}, {1, 1, 2, 2});
  picture.input.strides = {19200, 1, 240, 3};
  picture.output.strides = {76800, 1, 480, 3};
  EXPECT_EQ(ResampleGeometry(picture, 512).inner.output_size, 160);
}

TEST(ResampleGeometry, TilesAreSmallWhereMuchIsRead) {
  // One output element for each channel: rows go along the input, and threads share the channels.
  const ResampleGeometry mean(params({1, 64, 500, 500}, {1, 64, 1, 1}, {1, 1, 0.002f, 0.002f}),
                              512);
  EXPECT_EQ(mean.inner.input_size, 500);
  EXPECT_EQ(mean.inner.input_stride, 1);
  EXPECT_EQ(mean.tiles, 64);
}

TEST(ResampleGeometry, TilesReachEveryElementOnce) {
  for (const Dims& sizes :
       {Dims{1}, Dims{3000}, Dims{70, 513}, Dims{5, 7, 11, 13}, Dims{2000, 3}}) {
    ResampleParams p = params(Dims(sizes.size(), 4), sizes, std::vector<float>(sizes.size(), 2.5f));
    const ResampleGeometry geometry(p, 512);
    std::set<std::int64_t> offsets;
    std::array<std::int64_t, kMaxResampleRank> at{};
    for (std::int64_t index = 0; index < geometry.tiles; ++index) {
      const ResampleGeometry::Tile tile = geometry.tile(index);
      const auto step = [&](std::size_t d, std::int64_t o) { at[d] = o; };
      geometry.visit(tile, step, [&](std::int64_t offset) {
        std::int64_t right = tile.first * geometry.inner.output_stride;
        for (std::size_t d = 0; d < geometry.outer.size(); ++d) {
          right += at[d] * geometry.outer[d].output_stride;
        }
        EXPECT_EQ(offset, right);
        for (std::int64_t i = 0; i < tile.count; ++i) {
          EXPECT_TRUE(offsets.insert(offset + i * geometry.inner.output_stride).second);
        }
      });
    }
    EXPECT_EQ(offsets.size(), *element_count(sizes));
  }
}

TEST(ScratchLayout, AlignsEveryPart) {
  ScratchLayout layout;
  EXPECT_EQ(layout.take<float>(3), 0);
  EXPECT_EQ(layout.take<std::int64_t>(9), 64);
  EXPECT_EQ(layout.take<std::byte>(1), 192);
  EXPECT_EQ(slot_bytes(layout), base::slot_bytes(193));
}

}  // namespace
}  // namespace weft::ops
