#include "ops/traversal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace weft::ops {
namespace {

Layout layout(const Dims& sizes, const Dims& strides = {}) {
  TensorDesc desc;
  desc.sizes = sizes;
  desc.strides = strides;
  return layout_of(desc);
}

// Every pair of offsets that a traversal visits, and how often.
std::map<std::pair<std::int64_t, std::int64_t>, int> visited(const Traversal& traversal) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> result;
  for (std::int64_t tile = 0; tile < traversal.tiles(); ++tile) {
    traversal.visit(tile, [&](std::int64_t in, std::int64_t out, std::int64_t count) {
      EXPECT_LE(count, traversal.longest_row());
      for (std::int64_t i = 0; i < count; ++i) {
        ++result[{in + i * traversal.input_stride(), out + i * traversal.output_stride()}];
      }
    });
  }
  return result;
}

void expect_each_once(const Layout& input, const Layout& output) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> right;
  for (std::int64_t i = 0; i < output.element_count(); ++i) {
    std::int64_t rest = i;
    std::int64_t in = 0;
    std::int64_t out = 0;
    for (int d = output.rank; d-- > 0;) {
      const auto x = rest % output.sizes[d];
      rest /= output.sizes[d];
      in += x * input.strides[d];
      out += x * output.strides[d];
    }
    right[{in, out}] = 1;
  }
  EXPECT_EQ(visited(Traversal(input, output)), right);
}

TEST(Traversal, VisitsEachElementOnce) {
  expect_each_once(layout({1}), layout({1}));
  expect_each_once(layout({1, 1, 1}), layout({1, 1, 1}));
  expect_each_once(layout({5000}), layout({5000}));
  expect_each_once(layout({3, 5, 7}), layout({3, 5, 7}));
  expect_each_once(layout({2, 3, 67, 131}), layout({2, 3, 67, 131}));
  expect_each_once(layout({200, 300}, {1, 200}), layout({200, 300}));  // transposed
  expect_each_once(layout({2, 3, 100, 90}, {27000, 1, 270, 3}), layout({2, 3, 100, 90}));  // NHWC
  expect_each_once(layout({2, 3, 100, 90}), layout({2, 3, 100, 90}, {27000, 1, 270, 3}));
  expect_each_once(layout({4, 1000}, {1000, 0}), layout({4, 1000}));
  expect_each_once(layout({40, 50}, {0, 0}), layout({40, 50}, {1, 40}));
  expect_each_once(layout({2, 2, 2, 2, 2, 2, 2, 3}, {2, 2, 0, 9, 7, 1, 3, 5}),
                   layout({2, 2, 2, 2, 2, 2, 2, 3}, {1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(Traversal, PackedTensorsAreOneDimension) {
  const Traversal packed(layout({8, 16, 32}), layout({8, 16, 32}));
  EXPECT_EQ(packed.input_stride(), 1);
  EXPECT_EQ(packed.output_stride(), 1);
  EXPECT_EQ(packed.longest_row(), 2048);
  EXPECT_THAT(packed.text(2), ::testing::EndsWith("tiles, rows of 2048, 2 threads"));
}

TEST(Traversal, ShortRowsAreAvoided) {
  // Three channels that are neighbours in the output: rows go along the pixels.
  const Traversal to_nhwc(layout({3, 100, 100}), layout({3, 100, 100}, {1, 300, 3}));
  EXPECT_EQ(to_nhwc.output_stride(), 3);
  EXPECT_EQ(to_nhwc.input_stride(), 1);
}

}  // namespace
}  // namespace weft::ops
