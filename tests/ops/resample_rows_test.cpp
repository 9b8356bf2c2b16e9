#include "ops/resample_rows.h"

#include <gtest/gtest.h>

namespace weft::ops {
namespace {

// A row of `in` elements, scaled to `out`.
ResampleGeometry row(std::uint32_t in, std::uint32_t out, float scale, std::uint32_t stride = 1) {
  ResampleParams params;
  params.input.sizes = {in};
  params.input.strides = {stride};
  params.output.sizes = {out};
  params.scales = {scale};
  return {params, 512};
}

// All chunks have the elements that the axis says, one for one.
void expect_right(const ResampleGeometry& geometry) {
  ScratchLayout layout;
  const RowSources sources(geometry, layout);
  std::vector<std::byte> scratch(static_cast<std::size_t>(layout.bytes()));
  const ResampleAxis& inner = geometry.inner;
  for (std::int64_t tile = 0; tile < geometry.tiles; ++tile) {
    const ResampleGeometry::Tile t = geometry.tile(tile);
    const RowSource source = sources.of(t, scratch.data());
    const kernels::Picks& picks = source.picks;
    ASSERT_EQ(picks.count, t.count);
    ASSERT_LE(picks.row_count, RowSources::kDense * geometry.chunk);
    const auto offset = [&](std::int64_t element) {
      return source.offsets != nullptr ? source.offsets[element]
                                       : source.start + element * inner.input_stride;
    };
    for (std::int64_t i = 0; i < t.count; ++i) {
      const Neighbors right = inner.neighbors(t.first + i);
      ASSERT_EQ(picks.t[i], right.t);
      ASSERT_EQ(offset(picks.index[i]), right.index * inner.input_stride);
      const std::int32_t last = picks.index[i] + (right.t > 0 ? 1 : 0);
      ASSERT_LT(last, picks.row_count);
      if (right.t > 0) {
        ASSERT_EQ(offset(last), (right.index + 1) * inner.input_stride);
      }
      ASSERT_LT(last - picks.index[i / 8 * 8], picks.reach_8);
      ASSERT_LT(last - picks.index[i / 16 * 16], picks.reach_16);
    }
  }
}

TEST(RowSources, HaveTheNeighboursOfTheAxis) {
  expect_right(row(65, 513, 513.0f / 65));
  expect_right(row(3000, 1500, 0.5f));
  expect_right(row(5000, 1000, 0.2f, 3));    // one by one
  expect_right(row(100'000, 70'000, 0.7f));  // too many to keep
  expect_right(row(1'000'000, 70'000, 0.07f));
}

// The sources of the only tile.
kernels::Picks picks_of(std::uint32_t in, std::uint32_t out, float input_offset,
                        std::int64_t max_chunk = 512) {
  ResampleParams params;
  params.input.sizes = {in};
  params.output.sizes = {out};
  params.scales = {2};
  params.input_pixel_offsets = {input_offset};
  params.output_pixel_offsets = {-input_offset};
  const ResampleGeometry geometry(params, max_chunk);
  ScratchLayout layout;
  const RowSources sources(geometry, layout);
  return sources.of(geometry.tile(0), nullptr).picks;
}

TEST(RowSources, KnowWhatIsDoubled) {
  for (const std::uint32_t size : {2, 3, 16, 100, 256, 16384}) {
    EXPECT_TRUE(picks_of(size, 2 * size, 0.5f, 2 * std::int64_t{size}).doubles) << size;
    const ResampleAxis axis{size, 2 * std::int64_t{size}, 1, 1, 2, 0.5f, -0.5f, false};
    for (std::int64_t o = 0; o < axis.output_size; ++o) {
      const bool is_end = o == 0 || o + 1 == axis.output_size;
      const Neighbors n = axis.neighbors(o);
      ASSERT_EQ(n.index, o / 2 - (o % 2 == 0 && !is_end ? 1 : 0)) << o << " of " << size;
      ASSERT_EQ(n.t, is_end ? 0 : o % 2 == 0 ? 0.75f : 0.25f) << o << " of " << size;
    }
  }
  EXPECT_FALSE(picks_of(100, 200, 0).doubles);         // corners aligned at the left
  EXPECT_FALSE(picks_of(100, 199, 0.5f).doubles);      // without the last one
  EXPECT_FALSE(picks_of(101, 200, 0.5f).doubles);      // the last one is mixed
  EXPECT_FALSE(picks_of(100, 200, 0.5f, 64).doubles);  // a part of a row
}

TEST(RowSources, OfADirectDimensionAreARange) {
  ResampleParams params;
  params.input.sizes = params.output.sizes = {4, 1000};
  params.input.sizes[0] = 2;
  params.scales = {2, 1};
  const ResampleGeometry geometry(params, 512);
  ScratchLayout layout;
  const RowSource source = RowSources(geometry, layout).of({500, 500, 0, 4}, nullptr);
  EXPECT_EQ(source.start, 500);
  EXPECT_EQ(source.picks.row_count, 500);
  EXPECT_EQ(source.picks.index, nullptr);
  EXPECT_EQ(layout.bytes(), 0);
}

}  // namespace
}  // namespace weft::ops
