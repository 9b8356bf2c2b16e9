// UINT8 tensors of 2^32 - 1 elements, and buffers of more than 2^32 bytes.

#include "large/large.h"

namespace weft::large {
namespace {

using testing::GuardedMemory;
constexpr DataType kByte = DataType::uint8;

class Bytes : public LargeTest {};

TEST_F(Bytes, IdentityOutOfRowsWithGaps) {
  needs_gigabytes(8.7);
  if (cannot_run()) return;
  constexpr std::uint32_t kPitch = kColumns + 3;
  ElementWiseParams params{
      .input = {.data_type = kByte, .sizes = {kRows, kColumns}, .strides = {kPitch, 1}},
      .output = {.data_type = kByte, .sizes = {kRows, kColumns}}};
  params.function.type = OperatorType::element_wise_identity;
  const GuardedMemory in(std::size_t{kRows - 1} * kPitch + kColumns);
  const GuardedMemory out(kMost);
  fill_with_pattern(in);
  element_wise(params, input(in), output(out));
  const auto* y = out.as<std::uint8_t>();
  check_selected(kMost, [&](std::int64_t i) {
    ASSERT_EQ(y[i], pattern(i / kColumns * kPitch + i % kColumns)) << i;
  });
}

TEST_F(Bytes, IdentityBetweenElementsGigabytesApart) {
  needs_gigabytes(0.1);
  if (cannot_run()) return;
  // 2 x 3 x 100 elements; both tensors reach past 12 GB, but only their elements are touched.
  constexpr std::int64_t kFar = UINT32_MAX;
  ElementWiseParams params{
      .input = {.data_type = kByte, .sizes = {2, 3, 100}, .strides = {1, UINT32_MAX, 10}},
      .output = {.data_type = kByte, .sizes = {2, 3, 100}, .strides = {UINT32_MAX, 7, 40000000}}};
  params.function.type = OperatorType::element_wise_identity;
  const GuardedMemory in(*minimum_size_in_bytes(params.input));
  const GuardedMemory out(*minimum_size_in_bytes(params.output));
  for (std::int64_t i = 0; i < 600; ++i) {
    in.as<std::uint8_t>()[i / 300 + i / 100 % 3 * kFar + i % 100 * 10] = pattern(i);
  }
  element_wise(params, input(in), output(out));
  for (std::int64_t i = 0; i < 600; ++i) {
    const std::int64_t at = i / 300 * kFar + i / 100 % 3 * 7 + i % 100 * 40000000;
    ASSERT_EQ(out.as<std::uint8_t>()[at], pattern(i)) << i;
  }
}

TEST_F(Bytes, ClipInPlace) {
  needs_gigabytes(4.4);
  if (cannot_run()) return;
  ElementWiseParams params{.input = {.data_type = kByte, .sizes = {kRows, kColumns}},
                           .output = {.data_type = kByte, .sizes = {kRows, kColumns}}};
  params.function = {.type = OperatorType::element_wise_clip, .alpha = 20, .beta = 200};
  const GuardedMemory memory(kMost);
  fill_with_pattern(memory);
  element_wise(params, input(memory), output(memory));
  check_selected(kMost, [&](std::int64_t i) {
    const int expected = std::min(200, std::max(20, int{pattern(i)}));
    ASSERT_EQ(memory.as<std::uint8_t>()[i], expected) << i;
  });
}

// 21845 channels of windows of 3: 65535 rows of 65537 blocks.
constexpr std::uint32_t kChannels = kRows / 3;

TEST_F(Bytes, Unfold) {
  needs_gigabytes(5.8);
  if (cannot_run()) return;
  const UnfoldParams params{.input = {.data_type = kByte, .sizes = {1, kChannels, kColumns}},
                            .output = {.data_type = kByte, .sizes = {1, kRows, kColumns}},
                            .window_sizes = {3},
                            .start_padding = {1},
                            .end_padding = {1}};
  const GuardedMemory in(std::size_t{kChannels} * kColumns);
  const GuardedMemory out(kMost);
  fill_with_pattern(in);
  unfold(params, input(in), output(out));
  check_selected(kMost, [&](std::int64_t i) {
    const std::int64_t channel = i / kColumns / 3;
    const std::int64_t x = i % kColumns + i / kColumns % 3 - 1;
    const bool inside = x >= 0 && x < kColumns;
    ASSERT_EQ(out.as<std::uint8_t>()[i], inside ? pattern(channel * kColumns + x) : 0) << i;
  });
}

TEST_F(Bytes, Fold) {
  needs_gigabytes(5.8);
  if (cannot_run()) return;
  const FoldParams params{.input = {.data_type = kByte, .sizes = {1, kRows, kColumns}},
                          .output = {.data_type = kByte, .sizes = {1, kChannels, kColumns}},
                          .window_sizes = {3},
                          .start_padding = {1},
                          .end_padding = {1}};
  const GuardedMemory in(kMost);
  const GuardedMemory out(std::size_t{kChannels} * kColumns);
  fill_with_pattern(in);
  fold(params, input(in), output(out));
  check_selected(std::int64_t{kChannels} * kColumns, [&](std::int64_t i) {
    const std::int64_t channel = i / kColumns;
    std::uint8_t sum = 0;
    for (std::int64_t w = 0; w < 3; ++w) {
      const std::int64_t block = i % kColumns + 1 - w;
      if (block < 0 || block >= kColumns) continue;
      sum = static_cast<std::uint8_t>(sum + pattern((channel * 3 + w) * kColumns + block));
    }
    ASSERT_EQ(out.as<std::uint8_t>()[i], sum) << i;
  });
}

// Resamples the rows of an image of kColumns columns, the offsets 0, and calls check(row, column,
// value) for many elements of the result.
template <class Check>
void resample_rows(std::uint32_t in_rows, std::uint32_t out_rows, InterpolationMode mode,
                   float scale, const Check& check) {
  const ResampleParams params{.input = {.data_type = kByte, .sizes = {1, 1, in_rows, kColumns}},
                              .output = {.data_type = kByte, .sizes = {1, 1, out_rows, kColumns}},
                              .interpolation_mode = mode,
                              .rounding_direction = AxisDirection::decreasing,
                              .scales = {1, 1, scale, 1},
                              .input_pixel_offsets = {0, 0, 0, 0},
                              .output_pixel_offsets = {0, 0, 0, 0}};
  const GuardedMemory in(std::size_t{in_rows} * kColumns);
  const GuardedMemory out(std::size_t{out_rows} * kColumns);
  fill_with_pattern(in);
  resample(params, input(in), output(out));
  check_selected(std::int64_t{out_rows} * kColumns, [&](std::int64_t i) {
    check(i / kColumns, i % kColumns, out.as<std::uint8_t>()[i]);
  });
}

TEST_F(Bytes, ResampleNearestIntoTheMostElements) {
  needs_gigabytes(4.7);
  if (cannot_run()) return;
  resample_rows(kRows / 15, kRows, InterpolationMode::nearest_neighbor, 15,
                [](std::int64_t row, std::int64_t column, std::uint8_t value) {
                  ASSERT_EQ(value, pattern(row / 15 * kColumns + column)) << row << ' ' << column;
                });
}

TEST_F(Bytes, ResampleNearestOutOfTheMostElements) {
  needs_gigabytes(4.7);
  if (cannot_run()) return;
  resample_rows(kRows, kRows / 15, InterpolationMode::nearest_neighbor, 1.0f / 16,
                [](std::int64_t row, std::int64_t column, std::uint8_t value) {
                  const std::int64_t from = std::min<std::int64_t>(row * 16, kRows - 1);
                  ASSERT_EQ(value, pattern(from * kColumns + column)) << row << ' ' << column;
                });
}

TEST_F(Bytes, ResampleLinearIntoTheMostElements) {
  needs_gigabytes(5.8);
  if (cannot_run()) return;
  constexpr std::uint32_t kInRows = kRows / 3;
  // Every third row is one of the input's; those between are a third and two thirds on the way.
  resample_rows(kInRows, kRows, InterpolationMode::linear, 3,
                [](std::int64_t row, std::int64_t column, int value) {
                  const std::int64_t next = std::min<std::int64_t>(row / 3 + 1, kInRows - 1);
                  const int a = pattern(row / 3 * kColumns + column);
                  const int b = pattern(next * kColumns + column);
                  // Truncated; a third is not exact, so a whole result may come out one below.
                  const int thirds = a * 3 + (b - a) * static_cast<int>(row % 3);
                  ASSERT_TRUE(value == thirds / 3 || (thirds % 3 == 0 && value == thirds / 3 - 1))
                      << row << ' ' << column << ": " << value << " between " << a << " and " << b;
                });
}

}  // namespace
}  // namespace weft::large
