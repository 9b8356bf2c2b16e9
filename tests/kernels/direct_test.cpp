#include "kernels/direct/direct.h"

#include <random>

#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const DirectKernels& row);  // in_place_test.cpp has it

namespace {

constexpr std::int64_t kInChannels = 3, kGroups = 2, kRows = 9;

// Windows of so many rows and columns that move by `step` rows.
struct Window {
  std::int64_t rows, columns, step;
};
constexpr Window kWindows[] = {{3, 3, 1}, {5, 5, 1}, {7, 2, 1}, {3, 3, 2}, {5, 3, 2}, {4, 1, 3}};

class Direct : public KernelTest<DirectKernels> {
 protected:
  // Small integers, whose sums are exact.
  StridedArray<float> numbers(std::int64_t count) {
    StridedArray<float> result(count, 1);
    std::uniform_int_distribution<int> distribution(-5, 5);
    for (float& x : result.all()) x = static_cast<float>(distribution(random_));
    return result;
  }

  // `columns` outputs of kRows rows; in whole chains, and in two of them.
  void check(const Window& w, std::int64_t out_channels, std::int64_t columns, bool halves) {
    const std::int64_t width =
        (columns + kDirectColumns - 1) / kDirectColumns * kDirectColumns + w.columns - 1;
    const std::int64_t height = (kRows - 1) * w.step + w.rows, plane = width * height;
    const std::int64_t tap_count = w.rows * w.columns;
    const StridedArray<float> in = numbers(kGroups * kInChannels * plane);
    const StridedArray<float> filter = numbers(kGroups * kInChannels * tap_count * out_channels);
    const StridedArray<float> bias = numbers(kGroups * out_channels);
    std::vector<std::int64_t> taps;
    for (std::int64_t t = 0; t < tap_count; ++t) {
      taps.push_back(t / w.columns * width + t % w.columns);
    }
    DirectWindow window;
    if (out_channels == 1 && DirectWindow::has_rows(w.rows, w.step)) {
      window = {DirectWindow::Kind::rows, w.rows, w.columns, w.step};
    }
    std::vector<DirectTerm> terms;
    direct_order(window, tap_count, [&](std::int64_t t) {
      terms.push_back({taps[static_cast<std::size_t>(t)], t});
    });
    const Ramp* const bent = columns % 2 == 0 ? &kSomeRamp : nullptr;
    for (const std::int64_t chain : {kInChannels, std::int64_t{2}}) {
      const StridedArray<float> out(kGroups * out_channels * kRows * columns, 1);
      GetParam().multiply({.in = in.first(),
                           .in_channel_stride = plane,
                           .in_row_stride = w.step * width,
                           .in_channels = kInChannels,
                           .chain_channels = chain,
                           .taps = taps.data(),
                           .tap_count = tap_count,
                           .window = window,
                           .terms = terms.data(),
                           .inside = 0,
                           .inside_end = height,
                           .filter = filter.first(),
                           .bias = bias.first(),
                           .ramp = bent,
                           .out_channels = out_channels,
                           .out = out.first(),
                           .half = false,
                           .out_channel_stride = kRows * columns,
                           .out_row_stride = columns,
                           .rows = kRows,
                           .columns = columns,
                           .halves = halves,
                           .groups = kGroups,
                           .in_group_stride = kInChannels * plane,
                           .filter_group_stride = kInChannels * tap_count * out_channels,
                           .out_group_stride = out_channels * kRows * columns,
                           .next = nullptr,
                           .next_bytes = 0});
      ASSERT_TRUE(out.intact());
      for (std::int64_t i = 0; i < kGroups * out_channels * kRows * columns; ++i) {
        const std::int64_t column = i % columns, row = i / columns % kRows;
        const std::int64_t m = i / (columns * kRows), group = m / out_channels;
        float sum = bias[m];
        for (std::int64_t c = group * kInChannels; c < (group + 1) * kInChannels; ++c) {
          for (std::int64_t t = 0; t < tap_count; ++t) {
            sum += filter[(c * tap_count + t) * out_channels + m % out_channels] *
                   in[c * plane + (row * w.step + t / w.columns) * width + column + t % w.columns];
          }
        }
        ASSERT_EQ(out[i], ramped(sum, bent))
            << w.rows << "x" << w.columns << " at " << w.step << ", channel " << m << ", row "
            << row << ", column " << column << " of " << columns << ", chains of " << chain;
      }
    }
  }

  std::mt19937 random_{11};
};

// Last vectors that are full, more than half full, half full, and less.
TEST_P(Direct, SumsWindows) {
  for (const Window& w : kWindows) {
    for (std::int64_t out_channels = 1; out_channels <= kDirectChannels; ++out_channels) {
      for (const std::int64_t columns : {1, 8, 16, 20, 25, 33, 40, 56, 67, 72, 120}) {
        for (const bool halves : {false, true}) check(w, out_channels, columns, halves);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Direct,
                         ::testing::ValuesIn(direct_kernel_table().begin(),
                                             direct_kernel_table().end()),
                         level_name<DirectKernels>);

}  // namespace
}  // namespace weft::kernels
