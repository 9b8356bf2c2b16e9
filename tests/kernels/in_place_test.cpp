#include "kernels/direct/in_place.h"

#include <random>

#include "kernels/direct/direct.h"
#include "kernels/half.h"
#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const DirectKernels& row) {
  return out << name(row.isa);
}

namespace {

struct Shape {
  DirectExtent in, window, step, padding;
  std::int64_t channels;
};

// Rows of half a vector, of one, of several strips, of some and half of one; hardly any rows;
// layers; padding all around; 8, 13 and 14 rows at a time; parts of vectors under rows that follow
// each other.
constexpr Shape kShapes[] = {
    {{1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 7},
    {{1, 14, 14}, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}, 4},
    {{1, 16, 16}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, 6},
    {{1, 2, 8}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, 5},
    {{1, 9, 9}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, 2},
    {{1, 13, 21}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, 2},
    {{1, 3, 16}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 2},
    {{1, 20, 67}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 1},
    {{1, 6, 150}, {1, 3, 3}, {1, 1, 1}, {0, 2, 2}, 2},
    {{1, 1, 66}, {1, 3, 3}, {1, 1, 1}, {0, 1, 0}, 2},
    {{1, 5, 50}, {1, 3, 3}, {1, 1, 1}, {0, 2, 16}, 2},
    {{1, 9, 112}, {1, 3, 3}, {1, 1, 1}, {0, 0, 1}, 2},
    {{1, 5, 31}, {1, 3, 3}, {1, 1, 1}, {0, 2, 2}, 3},
    {{1, 14, 14}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 9},
    {{1, 23, 100}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, 1},
    {{1, 11, 31}, {1, 3, 4}, {1, 2, 2}, {0, 0, 0}, 2},
    {{4, 10, 20}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, 2},
    {{9, 6, 5}, {3, 3, 5}, {1, 1, 1}, {1, 1, 2}, 3},
    {{5, 9, 33}, {2, 3, 2}, {2, 2, 2}, {1, 1, 1}, 1},
    {{1, 8, 20}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, 3},
    {{1, 15, 60}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, 2},
    {{13, 6, 9}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, 2},
    {{16, 3, 19}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, 1},
    {{2, 26, 19}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, 2},
    {{1, 14, 24}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, 2},
    {{1, 28, 37}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, 3},
    {{3, 14, 14}, {3, 5, 5}, {1, 1, 1}, {1, 2, 2}, 2},
    {{1, 21, 4}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 3},
    {{1, 14, 3}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, 3},
    {{3, 7, 18}, {3, 3, 3}, {1, 2, 2}, {1, 1, 1}, 2},
};

std::int64_t outputs(std::int64_t in, std::int64_t window, std::int64_t step,
                     std::int64_t padding) {
  return (in + 2 * padding - window) / step + 1;
}

float unchanged(float x) { return x; }

class InPlace : public KernelTest<DirectKernels> {
 protected:
  // Small integers, whose sums are exact.
  template <class T>
  void fill(const StridedArray<T>& array, T (*convert)(float)) {
    std::uniform_int_distribution<int> distribution(-5, 5);
    for (T& x : array.all()) x = convert(static_cast<float>(distribution(random_)));
  }

  // Input and output end at a page that may not be touched.
  template <class T>
  void check(const Shape& s, T (*narrow)(float), float (*widen)(T)) {
    const auto& [id, ih, iw] = s.in;
    const DirectExtent out = {outputs(id, s.window.depth, s.step.depth, s.padding.depth),
                              outputs(ih, s.window.height, s.step.height, s.padding.height),
                              outputs(iw, s.window.width, s.step.width, s.padding.width)};
    const std::int64_t taps = s.window.depth * s.window.height * s.window.width;
    const std::int64_t in_size = id * ih * iw, out_size = out.depth * out.height * out.width;
    const StridedArray<T> x(s.channels * in_size, 1);
    const StridedArray<float> filter(s.channels * taps, 1), bias(s.channels, 1);
    fill(x, narrow);
    fill(filter, unchanged);
    fill(bias, unchanged);
    const StridedArray<T> y(s.channels * out_size, 1);
    constexpr Ramp kRamp = {.slope = 2, .least = -14, .most = 30};
    const Ramp* const bent = s.channels % 2 == 0 ? &kRamp : nullptr;
    const std::int64_t around = 64 + 4 * iw;
    std::vector<float> copy(s.channels * DirectInPlace::copied_stride(in_size) + 3 * around);
    const DirectInPlace rows = {.in = x.first(),
                                .in_sizes = s.in,
                                .in_strides = {ih * iw, iw, 1},
                                .window = s.window,
                                .step = s.step,
                                .first = {-s.padding.depth, -s.padding.height, -s.padding.width},
                                .plane = {},
                                .before = around,
                                .after = around,
                                .readable = x.first(),
                                .readable_end = x.first() + s.channels * in_size,
                                .copy = copy.data(),
                                .copied = 2,
                                .filter = nullptr,
                                .bias = bias.first(),
                                .ramp = bent,
                                .out = y.first(),
                                .half = sizeof(T) == 2,
                                .out_sizes = out,
                                .out_strides = {out.height * out.width, out.width, 1},
                                .channels = s.channels,
                                .in_channel_stride = in_size,
                                .filter_channel_stride = taps,
                                .out_channel_stride = out_size};
    std::vector<DirectInPlace> blocks = {rows};
    if (out.height == ih && out.width == iw && s.window.depth == 3) {
      DirectInPlace planes = rows;
      planes.in_sizes = {1, id, ih * iw};
      planes.in_strides = planes.out_strides = {0, ih * iw, 1};
      planes.window = {1, s.window.depth, s.window.height * s.window.width};
      planes.first = {0, -s.padding.depth, 0};
      planes.plane = {iw, s.window.width, -s.padding.height, -s.padding.width};
      planes.out_sizes = {1, out.depth, ih * iw};
      blocks.push_back(planes);
    }
    blocks.push_back(rows);
    blocks.back().readable = nullptr;  // all copied
    blocks.back().readable_end = nullptr;
    blocks.back().copied = s.channels / 2 * 2 + 2;
    for (const DirectInPlace& block : std::vector(blocks)) {
      blocks.push_back(block);
      blocks.back().halves = true;
    }
    const StridedArray<float> by_columns(s.channels * taps, 1);
    for (DirectInPlace& block : blocks) {
      const DirectExtent& window = block.window;
      for (std::int64_t t = 0; t < s.channels * taps; ++t) {
        const std::int64_t column = t % window.width, row = t / window.width % window.height;
        const std::int64_t layer = t / (window.width * window.height);
        by_columns[(layer * window.width + column) * window.height + row] = filter[t];
      }
      block.filter = by_columns.first();
      for (T& number : y.all()) number = T{};
      GetParam().in_place(block);
      ASSERT_TRUE(y.intact());
      for (std::int64_t i = 0; i < s.channels * out_size; ++i) {
        const std::int64_t c = i / out_size, d = i / (out.height * out.width) % out.depth;
        const std::int64_t h = i / out.width % out.height, w = i % out.width;
        float sum = bias[c];
        for (std::int64_t t = 0; t < taps; ++t) {
          const std::int64_t z =
              d * s.step.depth - s.padding.depth + t / (s.window.height * s.window.width);
          const std::int64_t row =
              h * s.step.height - s.padding.height + t / s.window.width % s.window.height;
          const std::int64_t column = w * s.step.width - s.padding.width + t % s.window.width;
          if (z < 0 || z >= id || row < 0 || row >= ih || column < 0 || column >= iw) continue;
          sum += filter[c * taps + t] * widen(x[c * in_size + (z * ih + row) * iw + column]);
        }
        ASSERT_EQ(widen(y[i]), ramped(sum, bent))
            << "channel " << c << ", " << d << " " << h << " " << w << " of " << ih << "x" << iw;
      }
    }
  }

  std::mt19937 random_{5};
};

TEST_P(InPlace, Float32) {
  for (const Shape& s : kShapes) {
    check<float>(s, unchanged, unchanged);
  }
}

TEST_P(InPlace, Float16) {
  for (const Shape& s : kShapes) {
    check<std::uint16_t>(
        s, [](float x) { return narrow_half(x); }, [](std::uint16_t x) { return widen_half(x); });
  }
}

std::vector<DirectKernels> rows_in_place() {
  std::vector<DirectKernels> rows;
  for (const DirectKernels& row : direct_kernel_table()) {
    if (row.in_place != nullptr) rows.push_back(row);
  }
  return rows;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(InPlace);  // builds without AVX2
INSTANTIATE_TEST_SUITE_P(, InPlace, ::testing::ValuesIn(rows_in_place()),
                         level_name<DirectKernels>);

}  // namespace
}  // namespace weft::kernels
