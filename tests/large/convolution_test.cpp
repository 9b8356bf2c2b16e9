// Convolutions whose tensors have up to 2^32 - 1 elements or reach gigabytes past their start.

#include "large/large.h"
#include "support/number.h"

namespace weft::large {
namespace {

using testing::GuardedMemory;
constexpr DataType kHalf = DataType::float16;

class Convolution : public LargeTest {};

// The whole numbers of a small filter; every sum below is exact.
constexpr int kFilter[9] = {1, -2, 3, 4, -5, 6, 7, 8, -9};

void write_filter(const GuardedMemory& memory) {
  for (std::size_t k = 0; k < 9; ++k) {
    memory.as<std::uint16_t>()[k] = testing::double_to_half(kFilter[k]);
  }
}

// Inputs are zero, which takes no memory, but for the places that `value` is not.
int value_at(std::int64_t i) { return i % 100003 == 0 || i >= kMost - 1000 ? pattern(i) % 8 : 0; }

TEST_F(Convolution, ForwardOverTheMostElements) {
  needs_gigabytes(10);
  if (cannot_run()) return;
  constexpr std::uint32_t kOutRows = kRows / 3;
  constexpr std::uint32_t kOutColumns = kColumns / 3;  // the last 2 columns are left over
  const ConvolutionParams params{
      .input = {.data_type = kHalf, .sizes = {1, 1, kRows, kColumns}},
      .filter = {.data_type = kHalf, .sizes = {1, 1, 3, 3}},
      .output = {.data_type = kHalf, .sizes = {1, 1, kOutRows, kOutColumns}},
      .strides = {3, 3}};
  const GuardedMemory in(2 * std::size_t{kMost});
  const GuardedMemory filter(18);
  const GuardedMemory out(2 * std::size_t{kOutRows} * kOutColumns);
  write_filter(filter);
  const auto write = [&](std::int64_t i) {
    in.as<std::uint16_t>()[i] = testing::double_to_half(value_at(i));
  };
  for (std::int64_t i = 0; i < kMost; i += 100003) write(i);
  for (std::int64_t i = kMost - 1000; i < kMost; ++i) write(i);
  convolution(params, input(in), input(filter), {}, output(out));
  const auto check = [&](std::int64_t row, std::int64_t column) {
    int sum = 0;
    for (int k = 0; k < 9; ++k) {
      sum += kFilter[k] * value_at((row * 3 + k / 3) * kColumns + column * 3 + k % 3);
    }
    const std::uint16_t y = out.as<std::uint16_t>()[row * kOutColumns + column];
    ASSERT_EQ(testing::half_to_double(y), sum) << row << ", " << column;
  };
  check_selected(std::int64_t{kOutRows} * kOutColumns,
                 [&](std::int64_t i) { check(i / kOutColumns, i % kOutColumns); });
  for (std::int64_t i = 0; i < kMost; i += 100003) {
    const std::int64_t column = i % kColumns / 3;
    if (column < kOutColumns) check(i / kColumns / 3, column);
  }
}

TEST_F(Convolution, BackwardIntoTheMostElements) {
  needs_gigabytes(10);
  if (cannot_run()) return;
  constexpr std::uint32_t kInRows = kRows / 3;
  constexpr std::uint32_t kInColumns = kColumns / 3;  // two columns more get nothing
  const ConvolutionParams params{
      .input = {.data_type = kHalf, .sizes = {1, 1, kInRows, kInColumns}},
      .filter = {.data_type = kHalf, .sizes = {1, 1, 3, 3}},
      .output = {.data_type = kHalf, .sizes = {1, 1, kRows, kColumns}},
      .direction = ConvolutionDirection::backward,
      .strides = {3, 3}};
  const GuardedMemory in(2 * std::size_t{kInRows} * kInColumns);
  const GuardedMemory filter(18);
  const GuardedMemory out(2 * std::size_t{kMost});
  write_filter(filter);
  std::uint16_t halves[8];
  for (int i = 0; i < 8; ++i) halves[i] = testing::double_to_half(i);
  for (std::int64_t i = 0; i < std::int64_t{kInRows} * kInColumns; ++i) {
    in.as<std::uint16_t>()[i] = halves[pattern(i) % 8];
  }
  convolution(params, input(in), input(filter), {}, output(out));
  check_selected(kMost, [&](std::int64_t i) {
    const std::int64_t row = i / kColumns;
    const std::int64_t column = i % kColumns;
    int expected = 0;
    if (column / 3 < kInColumns) {
      expected =
          kFilter[row % 3 * 3 + column % 3] * (pattern(row / 3 * kInColumns + column / 3) % 8);
    }
    ASSERT_EQ(testing::half_to_double(out.as<std::uint16_t>()[i]), expected) << i;
  });
}

// An input of 2^32 - 1 elements that is one row of memory, broadcast; its windows reach the end.
TEST_F(Convolution, BroadcastInput) {
  needs_gigabytes(0.1);
  if (cannot_run()) return;
  constexpr std::uint32_t kOut = 17;
  const ConvolutionParams params{
      .input = {.sizes = {1, 1, kRows, kColumns}, .strides = {0, 0, 0, 1}},
      .filter = {.sizes = {1, 1, 3, 3}},
      .output = {.sizes = {1, 1, kOut, kOut}},
      .strides = {4000, 4000},
      .dilations = {(kRows - 1 - 4000 * (kOut - 1)) / 2, (kColumns - 1 - 4000 * (kOut - 1)) / 2}};
  const GuardedMemory in(4 * std::size_t{kColumns});
  const GuardedMemory filter(36);
  const GuardedMemory out(4 * kOut * kOut);
  for (std::int64_t i = 0; i < kColumns; ++i) in.as<float>()[i] = pattern(i);
  for (int k = 0; k < 9; ++k) filter.as<float>()[k] = static_cast<float>(kFilter[k]);
  convolution(params, input(in), input(filter), {}, output(out));
  for (std::int64_t row = 0; row < kOut; ++row) {
    for (std::int64_t column = 0; column < kOut; ++column) {
      int sum = 0;
      for (int k = 0; k < 9; ++k) {
        sum += kFilter[k] * pattern(column * 4000 + k % 3 * std::int64_t{params.dilations[1]});
      }
      ASSERT_EQ(out.as<float>()[row * kOut + column], static_cast<float>(sum));
    }
  }
}

// A filter whose packed form would take more than a gigabyte, out of one row of memory.
TEST_F(Convolution, BroadcastFilter) {
  needs_gigabytes(0.1);
  if (cannot_run()) return;
  constexpr std::uint32_t kHeight = 4097;
  const ConvolutionParams params{
      .input = {.sizes = {1, 1, kHeight, kColumns}, .strides = {0, 0, 0, 0}},
      .filter = {.sizes = {1, 1, kHeight, kColumns}, .strides = {0, 0, 0, 1}},
      .output = {.sizes = {1, 1, 1, 1}}};
  const GuardedMemory in(4);
  const GuardedMemory filter(4 * std::size_t{kColumns});
  const GuardedMemory out(4);
  in.as<float>()[0] = 3;
  // Each row sums up to 1.
  for (std::int64_t i = 0; i < kColumns; ++i) filter.as<float>()[i] = i % 2 == 0 ? 1.0f : -1.0f;
  EXPECT_LT(plan(params).workspace_size_in_bytes(), 1u << 20);
  convolution(params, input(in), input(filter), {}, output(out));
  EXPECT_EQ(out.as<float>()[0], 3.0f * kHeight);
}

// The same BACKWARD, with groups and the taps in reverse.
TEST_F(Convolution, BroadcastFilterBackward) {
  needs_gigabytes(0.1);
  if (cannot_run()) return;
  constexpr std::uint32_t kChannels = 1 << 19, kHeight = 1, kWidth = 257;
  const ConvolutionParams params{
      .input = {.sizes = {1, kChannels, 1, 1}},
      .filter = {.sizes = {kChannels, 2, kHeight, kWidth}, .strides = {0, 0, kWidth, 1}},
      .output = {.sizes = {1, 4, kHeight, kWidth}},
      .mode = ConvolutionMode::convolution,
      .direction = ConvolutionDirection::backward,
      .strides = {3, 2},
      .group_count = 2};
  constexpr std::int64_t kTaps = std::int64_t{kHeight} * kWidth;
  const GuardedMemory in(4 * kChannels);
  const GuardedMemory filter(4 * kTaps);
  const GuardedMemory out(4 * 4 * kTaps);
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    in.as<float>()[c] = c < kChannels / 2 ? 1.0f : c % 2 == 0 ? 2.0f : 0.0f;
  }
  for (std::int64_t k = 0; k < kTaps; ++k) filter.as<float>()[k] = pattern(k) % 8;
  EXPECT_LT(plan(params).workspace_size_in_bytes(), 1u << 20);
  convolution(params, input(in), input(filter), {}, output(out));
  for (std::int64_t i = 0; i < 4 * kTaps; ++i) {
    // Both groups sum their channels up to kChannels / 2.
    ASSERT_EQ(out.as<float>()[i],
              kChannels / 2.0f * static_cast<float>(pattern(kTaps - 1 - i % kTaps) % 8))
        << i;
  }
}

// Element (a, b, c, d) of any of the tensors below, for both ways of running it.
float number(std::uint32_t tensor, std::int64_t i) {
  return static_cast<float>(static_cast<int>(pattern(i * 5 + tensor * 1000) % 15) - 7);
}

struct Strided {
  TensorDesc desc;
  std::uint32_t id;

  std::int64_t count() const {
    std::int64_t product = 1;
    for (const std::uint32_t size : desc.sizes) product *= size;
    return product;
  }
  std::int64_t offset(std::int64_t i) const {
    if (desc.strides.empty()) return i;
    std::int64_t result = 0;
    for (std::size_t d = desc.sizes.size(); d-- > 0;) {
      result += i % desc.sizes[d] * std::int64_t{desc.strides[d]};
      i /= desc.sizes[d];
    }
    return result;
  }
  GuardedMemory memory() const { return GuardedMemory(*minimum_size_in_bytes(desc)); }
  GuardedMemory filled_memory() const {
    GuardedMemory result = memory();
    for (std::int64_t i = 0; i < count(); ++i) result.as<float>()[offset(i)] = number(id, i);
    return result;
  }
  Strided packed() const {
    Strided result = *this;
    result.desc.strides.clear();
    return result;
  }
};

// Input, filter, bias and output each reach at least 16 GB past their start; only their elements
// are touched. Whole numbers, so that the packed run gives the same sums in any order.
TEST_F(Convolution, TensorsWithElementsGigabytesApart) {
  needs_gigabytes(0.3);
  if (cannot_run()) return;
  constexpr std::uint32_t kFar = UINT32_MAX;
  for (const auto direction : {ConvolutionDirection::forward, ConvolutionDirection::backward}) {
    const bool forward = direction == ConvolutionDirection::forward;
    const Strided in{{.sizes = {2, 4, 9, 9}, .strides = {kFar, 700000000, 9, 1}}, 1};
    const Strided filter{{.sizes = {4, 4, 3, 3}, .strides = {1, 4, kFar, kFar / 4}}, 2};
    const Strided bias{{.sizes = {1, 4, 1, 1}, .strides = {0, kFar, 0, 0}}, 3};
    const std::uint32_t size = forward ? 7 : 11;
    const Strided out{{.sizes = {2, 4, size, size}, .strides = {kFar, 1, 400000000, 5}}, 4};
    ConvolutionParams params{.input = in.desc,
                             .filter = filter.desc,
                             .bias = bias.desc,
                             .output = out.desc,
                             .direction = direction};
    const GuardedMemory y = out.memory();
    convolution(params, input(in.filled_memory()), input(filter.filled_memory()),
                input(bias.filled_memory()), output(y));

    params.input = in.packed().desc;
    params.filter = filter.packed().desc;
    params.bias = bias.packed().desc;
    params.output = out.packed().desc;
    const GuardedMemory expected = out.packed().memory();
    convolution(params, input(in.packed().filled_memory()), input(filter.packed().filled_memory()),
                input(bias.packed().filled_memory()), output(expected));
    for (std::int64_t i = 0; i < out.count(); ++i) {
      ASSERT_EQ(y.as<float>()[out.offset(i)], expected.as<float>()[i]) << i;
    }
  }
}

}  // namespace
}  // namespace weft::large
